# make autotune on a made-up GPU: its nvcc makes scripts whose times follow from
# the parameters in the header.

load house

setup() {
    make_house
    mkdir -p chapters/gemm_01_naive chapters/gemm_09_autotune
    cp "$root/chapters/gemm_09_autotune/autotune.py" chapters/gemm_09_autotune
    echo '// no parameters' >chapters/gemm_01_naive/gemm_01_naive.cu
    printf '#ifndef BM\n#define BM 1\n#endif\n' \
        >chapters/gemm_09_autotune/gemm_09_autotune.cu
    printf '%s gemm\n' gemm_01_naive gemm_09_autotune >chapters/order
}

# 128 x 256 x 8 with 16 x 8 is fastest, with the put at 7. Faster still
# are one that computes a wrong result and one that does not compile.
fake_gpu() {
    tool bin/nvidia-smi <<<'echo "9.0, NVIDIA H200"'
    tool bin/nvcc <<'END'
echo "$@" >>nvcc.log
header=none
while [ "$1" != -o ]; do
    [ "$1" != -include ] || header=$2
    shift
done
case $header in *128x128x8_8x8*) echo "error: $header" >&2; exit 1 ;; esac
cp "$(dirname "$0")/program" "$2"
[ $header = none ] || sed -n 's/#define /#: /p' "$header" >>"$2"
chmod +x "$2"
END
    cat >bin/program <<'END'
#!/bin/sh
set -- "$@" end
PUT_AT=0
while read -r sign name value; do
    [ "$sign" != "#:" ] || eval "$name=$value"
done <"$0"
tile=${BM}x${BN}x${BK}_$TM
ms=9 verified=true
case $tile in
128x256x8_16) ms=5 ;;
64x256x8_16) ms=1 verified=false ;;
esac
ms=$ms.$((99 - PUT_AT))
while [ "$1" != end ]; do
    [ "$1" != --json ] || printf '{"verified": %s, "time_ms": {"median": %s}, %s}' \
        $verified $ms '"baseline": {"ratio": 0.5}, "launch": {"registers": 99}' >"$2"
    shift
done
echo "runs $0"
END
}

@test "without a GPU: one line says why, status 2" {
    ends 2 $make autotune
    [ "${lines[0]}" = "autotune needs a GPU, and no GPU answers" ]
    [ ! -e build/gpu/gemm_09_autotune.h ]
}

@test "a chapter without parameters is refused" {
    fake_gpu
    ends 2 $make autotune chapter=gemm_01
    [[ "${lines[0]}" == "autotune: gemm_01_naive has no parameters"* ]]
}

@test "--list needs no GPU, and all it lists is legal" {
    ends 0 $make autotune args=--list
    [[ "$output" == *"128x256x8_16x8_put5"* ]]
    # Not two threads for each row; more rows of B at once than steps of K; too
    # much shared memory.
    [[ "$output" != *"128x256x8_8x8"* ]]
    [[ "$output" != *"128x64x8_4x8"* ]]
    [[ "$output" != *"128x256x16"* ]]
    [[ "${lines[-1]}" == *" of 18 sets are legal" ]]
}

@test "the set that stands in the source is among those tried" {
    value() {
        sed -n "s/^#define $1 \([0-9]*\).*/\1/p" \
            "$root/chapters/gemm_09_autotune/gemm_09_autotune.cu"
    }
    run $make autotune args=--list
    [[ "$output" == *"$(value BM)x$(value BN)x$(value BK)_$(value TM)x8_put$(value PUT_AT)"* ]]
}

@test "the fastest that is right is found, and run uses it" {
    fake_gpu
    ends 0 $make autotune chapter=gemm_09 -j2 # a beginning of its name
    [ "${lines[-1]}" = "best: 128x256x8_16x8_put7, written to build/gpu/gemm_09_autotune.h" ]
    # For this GPU, each of them.
    grep -q -- '-arch=sm_90 .*autotune/gemm_09_autotune/128x256x8_16x8' nvcc.log
    [ -z "$(grep -v -- '-arch=sm_90 ' nvcc.log)" ]
    grep -q '^#define PUT_AT 7$' build/gpu/gemm_09_autotune.h
    # What is wrong or does not compile stands in the table, without a time.
    [ "$(grep -c 'not built, or wrong' <<<"$output")" -ge 2 ]

    ends 0 $make chapter=gemm_09 run
    [[ "${lines[1]}" == "make autotune on NVIDIA H200: 128x256x8_16x8_put7"* ]]
    [ "${lines[-1]}" = "runs build/gpu/tuned/gemm_09_autotune" ]
    # Other parameters: built anew.
    sed -i 's/PUT_AT 7/PUT_AT 3/' build/gpu/gemm_09_autotune.h
    touch -d "-1 hour" build/gpu/tuned/gemm_09_autotune
    $make chapter=gemm_09 run
    grep -q '^#: PUT_AT 3$' build/gpu/tuned/gemm_09_autotune
    # Other chapters, and this one in the simulator, do not.
    run $make chapter=gemm_01 run
    [ "${lines[-1]}" = "runs build/gpu/gemm_01_naive" ]
    $make build/gpu/gemm_09_autotune
    ! grep -q '^#:' build/gpu/gemm_09_autotune
}
