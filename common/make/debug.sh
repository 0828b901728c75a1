# make chapter=X debug args="...": gdb on the simulator, cuda-gdb on a GPU.
#
# In the simulator every GPU thread is an ordinary function call, one after the
# other: a breakpoint in the kernel stops in each of them. threadIdx.x is a
# call of the runtime there; gdb gets it under the name threadIdx_x. On a GPU
# `cuda thread (3, 0, 0)` goes to another thread.
. common/make/lib.sh
find_chapter "${chapter-}"
choose_back_end
echo "$why runs this chapter"
program=build/$back_end/$chapter-debug
if [ $back_end = gpu ]; then
    find_cuda_tool cuda-gdb
    [ -n "$tool" ] || fail "debug: cuda-gdb is missing; it comes with CUDA"
    build "$program"
    exec "$tool" -q -ex 'break gemm_kernel' --args "$program" "$@"
fi
need_simulator
have gdb || fail "debug: gdb is missing; make setup debug installs it"
build "$program"
# One OS thread, so that `next` stays in one block; SIGINT still ends a run.
export SIM_THREADS=1
cat <<'END'
In gdb: run, next, continue; print threadIdx_x, threadIdx_y, blockIdx_x, ...
        break LINE if threadIdx_x == 3 && threadIdx_y == 0
END
set -- --args "$program" "$@"
for axis in x y z; do
    for what in thread block; do
        set -- -ex "macro define ${what}Idx_$axis ((int)sim_${what}_$axis())" "$@"
    done
done
exec gdb -q -ex 'set breakpoint pending on' -ex 'break gemm_kernel' "$@"
