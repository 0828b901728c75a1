# A chapter of several variants, tests/chapters/three_adds: report, records,
# runs of several launches.

setup_file() {
    cd "$BATS_TEST_DIRNAME/.."
    python3 -B tools build build/simulator/libcommon.a
    export chapter=tests/chapters/three_adds
    export program="$BATS_FILE_TMPDIR/three_adds"
    build_program "$chapter/three_adds.cu" "$program"
}

setup() {
    cd "$BATS_TEST_DIRNAME/.."
    record=$BATS_TEST_TMPDIR/record
}

build_program() { # SOURCE PROGRAM
    simulator/simcc -I common "$1" build/simulator/libcommon.a -o "$2"
}

# A field of record number $1: field 1 '["launches"][0]["times"]'
field() {
    python3 -c "import json, sys
print(json.loads(open('$record').read().splitlines()[$1])$2)"
}

@test "one table, one record for each variant, in their order" {
    run "$program" --n 1000 --json "$record"
    [ "$status" -eq 0 ]
    [[ "$output" == *"all 3 variants: equal"* ]]
    [ "$(echo "$output" | awk 'length > 80' | wc -l)" -eq 0 ]
    [ "$(wc -l <"$record")" -eq 3 ]
    i=0
    for name in plain grid_stride float4; do
        [[ "$output" == *"  $name  "* ]]
        [ "$(field $i '["variant"]')" = "$name" ]
        [ "$(field $i '["size"]')" = "{'n': 1000}" ]
        i=$((i + 1))
    done
}

@test "--variant runs one of them, and its report is a block" {
    run "$program" --n 1000 --variant float4 --json "$record"
    [ "$status" -eq 0 ]
    [[ "$output" == "three_adds float4 in the simulator"* ]]
    [[ "$output" == *"global_load_requests"* ]]
    [ "$(wc -l <"$record")" -eq 1 ]
    [ "$(field 0 '["variant"]')" = float4 ]
    run "$program" --variant foul
    [ "$status" -eq 2 ]
    [ "$output" = "--variant foul: allowed are plain grid_stride float4" ]
}

@test "--help names the variants and what each does" {
    run "$program" --help
    [ "$status" -eq 0 ]
    [[ "$output" == *"  grid_stride      a fixed grid walks through the vectors"* ]]
    [[ "$output" == *"--variant"* ]]
}

@test "a run of two launches: both are listed, their counters added" {
    run "$program" --n 1000003 --variant float4 --json "$record"
    [ "$status" -eq 0 ]
    [[ "$output" == *"1 of float4_kernel:"*"1 of plain_kernel:"* ]]
    [ "$(field 0 '["launches"][0]["kernel"]')" = float4_kernel ]
    [ "$(field 0 '["launches"][1]["kernel"]')" = plain_kernel ]
    [ "$(field 0 '["launches"][1]["grid"]')" = "[1, 1, 1]" ]
    command -v clang >/dev/null || skip "clang is not here"
    [ "$(field 0 '["counts"]["fadd"]')" = 1000003 ]
    [ "$(field 0 '["counts"]["global_load_requests"]')" = 15628 ]
}

@test "more different launches than the list holds: how many is said" {
    cp "$chapter"/* "$BATS_TEST_TMPDIR"
    sed -i -e 's/^.*<<<BLOCKS, BLOCK>>>/for (int b = 0; b < 70; b++) {\n&/' \
        -e 's/BLOCK>>>/BLOCK, b>>>/' -e 's/BLOCK, 0);/BLOCK, b);}/' \
        "$BATS_TEST_TMPDIR/2_grid_stride.cuh"
    build_program "$BATS_TEST_TMPDIR/three_adds.cu" "$BATS_TEST_TMPDIR/many"
    run "$BATS_TEST_TMPDIR/many" --n 100 --variant grid_stride
    [ "$status" -eq 0 ]
    [[ "$output" == *"ends at 64 different ones: 6 launches more are counted"* ]]
}

@test "a finding belongs to its variant" {
    command -v clang >/dev/null || skip "clang is not here"
    cp $chapter/* "$BATS_TEST_TMPDIR"
    sed -i 's/^    if (i < n)$/    __shared__ volatile int last;\n    last = threadIdx.x;\n&/' \
        "$BATS_TEST_TMPDIR/1_plain.cuh"
    build_program "$BATS_TEST_TMPDIR/three_adds.cu" "$BATS_TEST_TMPDIR/race"
    run "$BATS_TEST_TMPDIR/race" --n 1024 --json "$record"
    [ "$status" -eq 5 ]
    [[ "$output" == *"1_plain.cuh:"*": shared-race: "* ]]
    [[ "$(field 0 '["findings"]')" == *shared-race* ]]
    [ "$(field 1 '["findings"]')" = "[]" ]
}
