# make chapter=X debug args="...": gdb on the simulator, cuda-gdb on a GPU.
#
# In the simulator every GPU thread is an ordinary function call, one after the
# other: a breakpoint in the kernel stops in each of them, and
# `print threadIdx.x` is `print sim_tx()`. `break LINE if sim_tx() == 3` stops
# in one. On a GPU: `cuda thread (3, 0, 0)` goes to another thread.
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
exec gdb -q -ex 'set breakpoint pending on' -ex 'break gemm_kernel' \
    --args "$program" "$@"
