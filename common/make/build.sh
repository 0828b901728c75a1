# make build/simulator/X: build a program by its path.
. common/make/lib.sh
case $1 in
build/gpu/*)
    find_gpu
    find_nvcc
    [ -n "$nvcc" ] || fail "$1: nvcc is missing; install CUDA 12 or 13"
    ;;
*) need_simulator ;;
esac
build "$@"
