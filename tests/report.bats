# What a run prints where: terminals, files, findings.

bats_require_minimum_version 1.5.0

setup_file() {
    cd "$BATS_TEST_DIRNAME/.."
    sh common/make/build.sh build/simulator/gemm_03_shared_tile
}

setup() {
    cd "$BATS_TEST_DIRNAME/.."
    program="build/simulator/gemm_03_shared_tile"
    scratch=$(mktemp -d)
}

teardown() {
    rm -rf "$scratch"
}

# Run a command on a terminal of its own; what it showed is in $output.
on_terminal() {
    command -v script >/dev/null || skip "script is not here"
    run env "$@" TERM=xterm script -qec "$program --M 9 --N 9 --K 9" /dev/null
    [ "$status" -eq 0 ]
}

@test "colours on a terminal" {
    on_terminal -u NO_COLOR
    [[ "$output" == *$'\033[32m'* ]]
}

@test "no escape codes with NO_COLOR" {
    on_terminal NO_COLOR=1
    [[ "$output" == *"verified   every element"* ]]
    [[ "$output" != *$'\033'* ]]
}

@test "a long run on a terminal: an estimate, a line that vanishes" {
    command -v script >/dev/null || skip "script is not here"
    # 2 s of a run that would take minutes.
    run env TERM=xterm NO_COLOR=1 timeout -s INT 4 script -qec \
        "$program --M 2048 --N 2048 --K 2048" /dev/null
    [[ "$output" == *"this takes about "*" s: 4 launches of "* ]]
    [[ "$output" == *$'\r'"grid data: launch 1 of 4, "* ]]
    [[ "$output" != *$'\033'* ]]
}

@test "a long run into a file: the estimate alone" {
    timeout -s INT 4 "$program" --M 2048 --N 2048 --K 2048 \
        >"$scratch/out" 2>"$scratch/err" || true
    grep -q "^this takes about .* s: 4 launches of " "$scratch/out"
    ! grep -q "launch 1 of 4" "$scratch/out"
}

@test "a finding: status 5, in the report and in the record" {
    command -v clang >/dev/null || skip "clang is not here"
    # gemm_03 without its first barrier: the race may well go unnoticed.
    awk '/__syncthreads/ && !n++ { next } { print }' \
        chapters/gemm_03_shared_tile/gemm_03_shared_tile.cu >"$scratch/race.cu"
    objects=$(ls build/simulator/common/*.o)
    common/simulator/simcc -I common "$scratch/race.cu" $objects \
        -o "$scratch/race"
    run --separate-stderr "$scratch/race" --M 64 --N 64 --K 64 \
        --json "$scratch/record"
    echo "status $status, $output, $stderr"
    [[ "$output" == *"FINDINGS   "* ]]
    # Wrong as well as racy would be 1; the order in which the simulator runs
    # warps decides. Both name the race.
    [ "$status" -eq 5 ] || [ "$status" -eq 1 ]
    [[ "$stderr" == *"race.cu:"*"shared-race"* ]]
    grep -q '"findings":\["' "$scratch/record"
}
