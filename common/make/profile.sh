# make chapter=X profile args="...": what one launch costs, line by line.
. common/make/lib.sh
start
need_python profile
find_cuda_tool ncu
ncu=$tool
[ $back_end = simulator ] || [ -n "$ncu" ] ||
    fail "profile on=gpu: ncu (Nsight Compute) is missing; it comes with CUDA"
export ncu nvcc json="${json-}"
exec "$python" -B common/make/profile.py $back_end "$chapter" "$@"
