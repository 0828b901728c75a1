# make doctor: what this machine has, and what each missing piece would add.

# line NAME FOUND WHAT-FOR: one row; an empty FOUND is a missing piece.
line()
{
    if [ -n "$2" ]; then
        printf '%-18s %s\n' "$1" "$2"
    else
        printf '%-18s missing: %s\n' "$1" "$3"
        absent=$((absent + 1))
    fi
}

# The path of a program of the toolkit, or of this machine.
tool()
{
    find_cuda_tool "$1"
    echo "$tool"
}

absent=0
find_gpu
find_nvcc
find_cc
find_png
newest_clang
find_python

echo "simulator"
line compiler "$cc" "the simulator and the host side of every chapter"
[ "$clang_version" -ge 14 ] || clang_version=
line "clang >= 14" "${clang_version:+version $clang_version}" \
    "counters and findings; without it plain mode, results only"
line python3 "$python" "the simulator's compiler, check, profile, lessons"
line libpng "${png:+found}" "pictures in PNG; without it PGM and PPM"
line gdb "$(command -v gdb || true)" "make debug"
simulator=$absent

echo "GPU"
line GPU "${gpu_name:+$gpu_name ($gpu_arch)}" \
    "times, and the comparison with cuBLAS"
driver=
[ -z "$gpu_arch" ] ||
    driver=$(nvidia-smi --query-gpu=driver_version --format=csv,noheader |
        head -n 1)
line driver "$driver" "programs on the GPU"
release=
[ -z "$nvcc" ] ||
    release=$("$nvcc" --version | sed -n 's/.*release \([0-9.]*\).*/\1/p')
line nvcc "${nvcc:+$nvcc, CUDA $release}" \
    "programs for the GPU; what nvcc made of a kernel: make asm"
cublas=
for directory in ${nvcc:+"${nvcc%/bin/*}/lib64"} /usr/lib/*-linux-gnu; do
    [ ! -e "$directory/libcublas.so" ] || cublas=$directory/libcublas.so
done
line cuBLAS "$cublas" "what every gemm chapter is compared with"
line cuda-gdb "$(tool cuda-gdb)" "make debug on=gpu"
line compute-sanitizer "$(tool compute-sanitizer)" "make sanitize on=gpu"
line cuobjdump "$(tool cuobjdump)" "operands of all instructions in make asm v=1"
ncu=$(tool ncu)
line ncu "$ncu" "make profile on=gpu: the hardware's own counters"
# The driver's setting: 1 lets only root read counters.
if [ -n "$ncu" ] && [ -n "$gpu_arch" ] && [ "$(id -u)" != 0 ] &&
    grep -qs 'RmProfilingAdminOnly: 1' /proc/driver/nvidia/params; then
    line "ncu's permission" "" "counters are root's: see make profile on=gpu"
elif [ -n "$ncu" ] && [ -n "$gpu_arch" ]; then
    line "ncu's permission" "counters may be read" ""
fi

choose_back_end
echo
echo "$why runs a chapter here;"
echo "missing pieces: $simulator of the simulator, $((absent - simulator)) of a GPU"
