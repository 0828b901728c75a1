# The whole house on a machine without a GPU: real chapters, real simulator.
# Everything runs in a copy of the tree, in a path with a space.

load ends

setup_file() {
    export folder house
    folder=$(mktemp -d)
    house="$folder/the house"
    mkdir "$house"
    cd "$BATS_TEST_DIRNAME/.."
    cp -r Makefile *.md .clangd compile_flags.txt common simulator tools docs "$house"
    mkdir "$house/chapters" "$house/tests"
    cp -r tests/changes "$house/tests" # README.md quotes one
    cp -r chapters/gemm_0[12]_* "$house/chapters"
    grep '^gemm_0[12]_' chapters/order >"$house/chapters/order"
    unset chapter on args arch v MAKEFLAGS MAKELEVEL SIM_REPORT SIM_THREADS
    export on=simulator NO_COLOR=1
    # No program is built yet; a test below looks at what this prints.
    make -C "$house" --no-print-directory -j4 compare sizes="32 64" \
        >"$folder/compare" 2>&1
    cp -rn chapters "$house" # the others: README.md and its charts show them all
    cp chapters/order "$house/chapters"
}

teardown_file() {
    rm -rf "$folder"
}

setup() {
    cd "$house"
    make="make --no-print-directory"
    small="--M 8 --N 8 --K 8"
}

# Of the processor: other work goes on beside the tests, and takes the clock's.
milliseconds() {
    local TIMEFORMAT="%U %S"
    { time "$@" >/dev/null 2>&1; } 2>&1 | awk '{ print int(1000 * ($1 + $2)) }'
}

# The least of three.
least() {
    for i in 1 2 3; do milliseconds "$@"; done | sort -n | head -n 1
}

@test "behind a run: the least cycles by resource, which binds" {
    # 64 blocks on as many SMs: 17,301,504 / 64 cycles of the L1, and
    # (1,048,576 + 2048 + 32 x 16384 + 2048) / 4 / 64 issue slots.
    ends 0 $make chapter=gemm_01 run
    [[ "$output" =~ "least cycles of an SM by resource, on an H200" ]]
    [[ "${lines[-1]}" =~ ^gemm_01\ +270,336\ +6,160\ +L1$ ]]
    # Records of one's own go where they are wanted, and nothing is left.
    run $make chapter=gemm_01 run args="$small --json mine.jsonl"
    [[ "$output" != *"least cycles"* ]]
    grep -q '"command":"build/simulator/gemm_01_naive --M 8 .* --json mine' mine.jsonl
    [ -z "$(ls build/simulator/*.records.*)" ]
    ends 2 $make chapter=gemm_01 run args="--M 0"
    [[ "$output" != *"least cycles"* ]]
}

@test "a run with nothing to build costs less than 0.5 s of CPU time more" {
    alone=$(least build/simulator/gemm_01_naive $small)
    through=$(least $make chapter=gemm_01 run args="$small")
    echo "$alone ms alone, $through ms through make"
    [ $((through - alone)) -lt 500 ]
}

@test "a chapter as CONTRIBUTING.md says: its commands, one by one" {
    name=$(sed -n 's/^    make new chapter=\([^ ]*\).*/\1/p' CONTRIBUTING.md)
    [ -n "$name" ] && [ ! -e "chapters/$name" ]
    cp README.md README.saved
    sed -n '/^## Adding a chapter/,/^It has/s/^    //p' CONTRIBUTING.md |
        sed "s,make lessons,make lessons args='README.md chapters/$name/README.md'," \
            >commands
    ends 0 sh -ex commands
    [[ "$output" == *"verified"*"0 lines changed"* ]]
    # Behind the last of its group.
    [ "$(grep -A 1 ^gemm_12 chapters/order | tail -n 1)" = "$name            gemm" ]
    ! grep -q "chapter=gemm_02" "chapters/$name/$name.cu"
    [ ! -e "chapters/$name/exercise.md" ] # it has no solution
    grep -q "^| \[$name\]" README.md
    # What make test would say of quotes, tables and charts.
    ends 0 $make lessons args="--check README.md chapters/$name/README.md"
    ends 0 python3 -B -m tools.author.picture --check docs/charts
    ends 0 $make chapter="$name" check
    rm -r "chapters/$name" commands
    sed -i "/^$name /d" chapters/order
    mv README.saved README.md
}

@test "the stand-alone line of v=1 builds a program that runs" {
    line=$($make chapter=gemm_01 run args="$small" v=1 |
        sed -n 's/^on its own: //p')
    ends 0 sh -c "$line"
    run ./gemm_01_naive $small
    rm -f gemm_01_naive
    [ "$status" -eq 0 ]
    [[ "$output" == *"verified"* ]]
}

@test "the stand-alone nvcc line builds, too" {
    [ -x /usr/local/cuda/bin/nvcc ] || skip "nvcc is not here"
    line=$($make chapter=gemm_01 run args="$small" v=1 |
        sed -n 's/^on a GPU: //p')
    PATH=$PATH:/usr/local/cuda/bin ends 0 sh -c "$line"
    [ -x gemm_01_naive ]
    rm gemm_01_naive
}

@test "plain mode: without clang a chapter verifies, and says what is missing" {
    mkdir -p tools
    for tool in sh echo uname make sed head tr mkdir cmp grep getconf cat rm mv ls ar as ld \
        cc gcc c++ g++ python3 git env; do
        ln -sf "$(type -P $tool)" tools/
    done
    PATH=$PWD/tools ends 0 $make chapter=gemm_02 run args="$small"
    [[ "$output" == *"verified"* ]]
    [[ "$output" == *"clang"* ]]
    [[ "$output" != *"global_load_sectors"* ]]
    # What was not looked for has not passed, and there is nothing to count.
    PATH=$PWD/tools ends 0 $make chapter=gemm_02 sanitize args="$small"
    [ "${lines[-1]}" = "0 passed, 0 failed, 3 skipped" ]
    [[ "$output" == *"skipped: the search for races"*"clang 14"* ]]
    PATH=$PWD/tools ends 2 $make chapter=gemm_02 profile args="$small"
    [[ "$output" == *"profile: counters need clang 14"* ]]
    # clang is back: the next run counts again.
    run $make chapter=gemm_02 run args="$small"
    [[ "$output" == *"global_load_sectors"* ]]
}

@test "compare -j: every gemm chapter in one table" {
    output=$(cat "$folder/compare")
    echo "$output"
    [[ "$output" == *"M = N = K = 32"*"gemm_01_naive"*"M = N = K = 64"* ]]
    [[ "$output" != *"warning"* ]]
    [ "$(echo "$output" | grep -c '^gemm_0[12].*#')" -eq 4 ]
}

@test "editors: clangd knows what CUDA adds to C++" {
    command -v clangd >/dev/null || skip "clangd is not here"
    run clangd --check=chapters/reduction/reduction.cu
    echo "$output"
    [[ "$output" == *"All checks completed, 0 errors"* ]]
}

@test "debug: gdb stops in the kernel" {
    type -P gdb >/dev/null || skip "gdb is not here"
    run sh -c "printf 'run\nbacktrace 1\ndelete\nbreak gemm_kernel if \\
threadIdx_x == 3 && threadIdx_y == 2\ncontinue\nprint threadIdx_x + 10\n\\
print blockIdx_x\nkill\nquit\n' | timeout 120 $make chapter=gemm_01 debug args='$small'"
    echo "$output"
    [[ "$output" == *"Breakpoint 1, "*"gemm_kernel"* ]]
    [[ "$output" == *"gemm_01_naive.cu"* ]]
    [[ "$output" == *"Breakpoint 2, "*" = 13"*" = 0"* ]]
    # The first thing that a learner reads says how to ask for a thread.
    [[ "$output" == *"threadIdx_x"*"Breakpoint 1"* ]]
}

@test "asm: registers first, then the hot loop; v=1 lists it" {
    [ -x /usr/local/cuda/bin/nvcc ] || skip "nvcc is not here"
    printf '#!/bin/sh\nexit 9\n' >"$BATS_TEST_TMPDIR/nvidia-smi"
    # What cuobjdump writes of the instructions that are looked at.
    printf '#!/bin/sh\nPYTHONPATH="%s/.." exec python3 -B -m tests.sass "$@"\n' \
        "$BATS_TEST_DIRNAME" >"$BATS_TEST_TMPDIR/cuobjdump"
    chmod +x "$BATS_TEST_TMPDIR"/*
    if [ ! -x /usr/local/cuda/bin/cuobjdump ]; then
        ends 0 $make chapter=gemm_06 asm arch=sm_90
        [[ "$output" == *registers*"needs cuobjdump"* ]]
    fi
    PATH=$BATS_TEST_TMPDIR:$PATH
    ends 0 $make chapter=gemm_06 asm arch=sm_90
    [[ "${lines[1]}" == "kernel "*registers*spilled* ]]
    [[ "$output" == *"1024 "*"64 "*"register-bank conflicts: 0 of 1024"* ]]
    [ "${#lines[@]}" -lt 24 ]
    for line in "${lines[@]}"; do [ ${#line} -le 80 ]; done
    [[ "${lines[0]}" == gemm_06_vectorized\ for\ sm_90 ]]
    ends 0 $make chapter=gemm_02 asm v=1
    [[ "$output" == *" for sm_75; no GPU answers: arch=sm_90 asks for another"* ]]
    [[ "$output" == *"cycles to the next"*" LDG "*" FFMA "* ]]
}

@test "a tree that cannot be written says so in one line" {
    mv build built
    : >build # in the way of the folder, as a read-only tree is
    run $make chapter=gemm_01 run args="$small"
    rm build
    mv built build
    [ "$status" -eq 2 ]
    [[ "$output" == *"build/ cannot be written here; "* ]]
    [[ "$output" != *mkdir* ]]
}

@test "profile of a program that fails shows what was counted" {
    cat >"$BATS_TEST_TMPDIR/fails.cu" <<'END'
#include <stdio.h>
__global__ void fill(int *x) { x[threadIdx.x] = 1; }
int main(void)
{
    int *x;
    cudaMalloc(&x, 128);
    fill<<<1, 32>>>(x);
    puts("wrong");
    return 3;
}
END
    run $make file="$BATS_TEST_TMPDIR/fails.cu" profile on=simulator
    [ "$status" -ne 0 ]
    [[ "$output" == *wrong*global_store_sectors*4* ]]
}
