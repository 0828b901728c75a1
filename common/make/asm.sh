# make chapter=X asm: registers, shared bytes, spills, the inner loop.
. common/make/lib.sh
find_chapter "${chapter-}"
find_nvcc
[ -n "$nvcc" ] || fail "asm: nvcc is missing; it comes with CUDA"
need_python asm
find_gpu
find_cuda_tool cuobjdump
export nvcc cuobjdump="$tool"
exec "$python" -B common/make/asm.py "$chapter" "${arch:-${gpu_arch:-sm_75}}"
