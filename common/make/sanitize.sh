# make chapter=X sanitize args="...": races and stray accesses, by line. On a
# GPU compute-sanitizer's four tools, else the simulator's detectors.
. common/make/lib.sh
start
need_python sanitize
if [ $back_end = gpu ]; then
    find_cuda_tool compute-sanitizer
    [ -n "$tool" ] ||
        fail "sanitize on=gpu: compute-sanitizer is missing; it comes with CUDA"
    export sanitizer="$tool"
fi
exec "$python" -B common/make/sanitize.py $back_end "$chapter" "$@"
