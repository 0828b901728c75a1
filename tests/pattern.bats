# The throw-away chapter of three variants, tests/chapters/three_adds, through
# every goal of make: nothing there may know that a chapter is GEMM.

setup_file() {
    export folder
    folder=$(mktemp -d)
    cd "$BATS_TEST_DIRNAME/.."
    python3 -B tools build build/simulator/libcommon.a
    # With their times, and common/ itself, so that it is not built again.
    cp -a --parents Makefile *.md docs build/simulator/libcommon.a \
        build/simulator/tools build/simulator/common "$folder"
    ln -s "$PWD/common" "$PWD/simulator" "$PWD/tools" "$folder"
    mkdir "$folder/chapters"
    cp -r chapters/gemm_01_naive tests/chapters/three_adds "$folder/chapters"
    printf '%s\n' "gemm_01_naive gemm" "three_adds patterns" \
        >"$folder/chapters/order"
    unset chapter variant on args arch v MAKEFLAGS MAKELEVEL SIM_REPORT
    export on=simulator NO_COLOR=1
    cd "$folder"
    make chapter=three run args="--n 9" >/dev/null
}

teardown_file() {
    rm -rf "$folder"
}

setup() {
    cd "$folder"
    make="make --no-print-directory chapter=three_adds"
}

@test "list, run, run of one variant" {
    run $make run args="--n 1003"
    [ "$status" -eq 0 ]
    [[ "$output" == *"all 3 variants"*"plain "*"grid_stride "*"float4 "* ]]
    run $make run variant=float4 args="--n 1003"
    [ "$status" -eq 0 ]
    [[ "$output" == *"three_adds float4 "* && "$output" != *"grid_stride"* ]]
    run make --no-print-directory list
    [[ "$output" == *"three_adds "*"three ways"* ]]
}

@test "check: every line with all variants, counts of each" {
    run $make check
    echo "$output"
    [ "$status" -eq 0 ]
    for variant in plain grid_stride float4; do
        [[ "$output" == *"pass  --variant $variant --n 1000003"* ]]
    done
    # A count of the last variant that is off by one.
    cp chapters/three_adds/counts counts.saved
    sed -i '$ s/\([0-9]*\)$/\11/' chapters/three_adds/counts
    run $make check variant=float4
    mv counts.saved chapters/three_adds/counts
    [ "$status" -eq 2 ]
    [[ "$output" == *", 1 failed"* && "$output" != *grid_stride* ]]
}

@test "check: counts without --variant are refused" {
    cp chapters/three_adds/counts counts.saved
    printf 'args: --n 5\nfadd 15\n' >chapters/three_adds/counts
    run $make check
    mv counts.saved chapters/three_adds/counts
    [ "$status" -eq 2 ]
    [[ "$output" == *"several variants"* ]]
}

@test "profile: a table for each variant, launches of a run summed" {
    run $make profile args="--n 1003" json=read.jsonl
    echo "$output"
    [ "$status" -eq 0 ]
    [[ "$output" == *"plain, --n 1003: 1 launch"*"plain_kernel, grid 4,"* ]]
    [[ "$output" == *"float4, --n 1003: 2 launches"*"float4_kernel, grid 1,"*"plain_kernel, grid 1,"* ]]
    [ "$(echo "$output" | awk 'length > 80' | wc -l)" -eq 0 ]
    python3 - <<'END'
import json
records = [json.loads(line) for line in open("read.jsonl")]
assert [r["variant"] for r in records] == ["plain", "grid_stride", "float4"]
assert all(r["counts"]["fadd"] == 1003 for r in records), records
END
    run $make profile variant=grid_stride args="--n 1003"
    [ "$status" -eq 0 ]
    [[ "$output" == *"grid_stride_kernel, grid "* && "$output" != *"plain_kernel"* ]]
}

@test "sanitize: all kernels, each line; one variant" {
    run $make sanitize
    [ "$status" -eq 0 ]
    [[ "$output" == *"three_adds: plain_kernel, grid_stride_kernel, float4_kernel"* ]]
    run $make sanitize variant=plain args="--n 40"
    [ "$status" -eq 0 ]
    [[ "$output" == *"pass  simulator  --variant plain --n 40"* ]]
}

@test "diff: between two variants" {
    run $make diff from=plain to=grid_stride
    echo "$output"
    [ "$status" -eq 0 ]
    [ "${lines[0]}" = "plain -> grid_stride: code only" ]
    [[ "$output" == *"+"*"step"*"lines changed: "* ]]
    run $make diff variant=float4
    [ "${lines[0]}" = "grid_stride -> float4: code only" ]
}

@test "compare: the variants in one table" {
    run $make compare args="--n 1003"
    echo "$output"
    [ "$status" -eq 0 ]
    [[ "$output" == *"three_adds: n=1003"*"plain "*"grid_stride "*"float4 "*"#"* ]]
    [ "$(echo "$output" | awk 'length > 80' | wc -l)" -eq 0 ]
    # The ladder leaves it out.
    run make --no-print-directory compare sizes=32
    [ "$status" -eq 0 ]
    [[ "$output" == *"gemm_01_naive "* && "$output" != *"three_adds"* ]]
}

@test "asm: every kernel, or those of a variant" {
    [ -x /usr/local/cuda/bin/nvcc ] || skip "nvcc is not here"
    run $make asm
    [ "$status" -eq 0 ]
    [[ "$output" == *"plain_kernel "*"grid_stride_kernel "*"float4_kernel "* ]]
    run $make asm variant=grid_stride
    [ "$status" -eq 0 ]
    [[ "$output" == *"grid_stride_kernel "* && "$output" != *"plain_kernel"* ]]
}

@test "debug: gdb stops in every kernel" {
    type -P gdb >/dev/null || skip "gdb is not here"
    run sh -c "printf 'info breakpoints\nrun\nbacktrace 1\nkill\nquit\n' |
        $make debug variant=grid_stride args='--n 9'"
    echo "$output"
    [[ "$output" == *"plain_kernel"*"float4_kernel"* ]]
    [[ "$output" == *"Breakpoint "*"grid_stride_kernel"*"2_grid_stride.cuh"* ]]
}

@test "lessons: quotes and tables of variants" {
    cat >>chapters/three_adds/README.md <<'END'
<!-- table counts three_adds rows=global_load_requests -->
<!-- endtable -->
END
    # The ladder of the README has lost its other rungs here.
    sed -i 's/^<!-- output /<!-- no output /' README.md
    run $make lessons chapter= args="README.md chapters/three_adds/README.md"
    [ "$status" -eq 2 ] # lessons takes no chapter=
    run make --no-print-directory lessons \
        args="README.md chapters/three_adds/README.md"
    echo "$output"
    [ "$status" -eq 0 ]
    grep -q '^| `global_load_requests` | .* | 15,628 |$' \
        chapters/three_adds/README.md
    grep -q '^| \[three_adds\](chapters/three_adds/README.md) | three_adds: ' \
        README.md
    run make --no-print-directory charts args=--check
    [[ "$output" != *Traceback* ]]
}
