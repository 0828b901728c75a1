# The throw-away chapter of three variants, tests/chapters/three_adds, through
# every goal of make: nothing there may know that a chapter is GEMM.

load ends

setup_file() {
    export folder
    folder=$(mktemp -d)
    cd "$BATS_TEST_DIRNAME/.."
    python3 -B -m tools build build/simulator/libcommon.a
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
    ends 0 $make run args="--n 1003"
    [[ "$output" == *"all 3 variants"*"plain "*"grid_stride "*"float4 "* ]]
    ends 0 $make run variant=float4 args="--n 1003"
    [[ "$output" == *"three_adds float4 "* && "$output" != *"grid_stride"* ]]
    run make --no-print-directory list
    [[ "$output" == *"three_adds "*"three ways"* ]]
}

@test "--help names the variants; one that is none is refused" {
    ends 0 build/simulator/three_adds --help
    [[ "$output" == *"  grid_stride      a fixed grid walks through the vectors"* ]]
    ends 2 build/simulator/three_adds --variant foul
    [ "$output" = "--variant foul: allowed are plain grid_stride float4" ]
}

# changed FILE SED...: the program with an edit, as $BATS_TEST_TMPDIR/changed.
changed() {
    local file=$1
    shift
    cp -r chapters/three_adds/. "$BATS_TEST_TMPDIR"
    sed -i "$@" "$BATS_TEST_TMPDIR/$file"
    simulator/simcc -I common "$BATS_TEST_TMPDIR/three_adds.cu" \
        build/simulator/libcommon.a -o "$BATS_TEST_TMPDIR/changed"
}

@test "more different launches than the list holds: how many is said" {
    changed kernels/2_grid_stride.cuh \
        -e 's/^.*<<<BLOCKS, BLOCK>>>/for (int b = 0; b < 70; b++) {\n&/' \
        -e 's/BLOCK>>>/BLOCK, b>>>/' -e 's/BLOCK, 0);/BLOCK, b);}/'
    ends 0 "$BATS_TEST_TMPDIR/changed" --n 100 --variant grid_stride
    [[ "$output" == *"ends at 64 different ones: 6 launches more are counted"* ]]
}

@test "a finding belongs to its variant" {
    changed kernels/1_plain.cuh 's/^    if (i < n)$/    __shared__ volatile int last;\n    last = threadIdx.x;\n&/'
    ends 5 "$BATS_TEST_TMPDIR/changed" --n 1024 --json "$BATS_TEST_TMPDIR/record"
    [[ "$output" == *"1_plain.cuh:"*": shared-race: "* ]]
    sed -n 1p "$BATS_TEST_TMPDIR/record" | grep -q shared-race
    sed -n 2p "$BATS_TEST_TMPDIR/record" | grep -q '"findings":\[\]'
}

@test "check: every line with all variants, counts of each" {
    ends 0 $make check
    for variant in plain grid_stride float4; do
        [[ "$output" == *"pass  --variant $variant --n 1000003"* ]]
    done
    # A count of the last variant that is off by one.
    cp chapters/three_adds/checks checks.saved
    sed -i '$ s/$/1/' chapters/three_adds/checks
    run $make check variant=float4
    mv checks.saved chapters/three_adds/checks
    [ "$status" -eq 2 ]
    [[ "$output" == *", 1 failed"* && "$output" != *grid_stride* ]]
}

@test "check: counts without --variant are refused" {
    cp chapters/three_adds/checks checks.saved
    printf '[counts]\n--n 5\nfadd 15\n' >chapters/three_adds/checks
    run $make check
    mv checks.saved chapters/three_adds/checks
    [ "$status" -eq 2 ]
    [[ "$output" == *"several variants"* ]]
}

@test "profile: a table for each variant, launches of a run summed" {
    ends 0 $make profile args="--n 1003" json=read.jsonl
    [[ "$output" == *"plain, --n 1003: 1 launch"*"plain_kernel, grid 4,"* ]]
    [[ "$output" == *"float4, --n 1003: 2 launches"*"float4_kernel, grid 1,"*"plain_kernel, grid 1,"* ]]
    [ "$(echo "$output" | awk 'length > 80' | wc -l)" -eq 0 ]
    python3 - <<'END'
import json
records = [json.loads(line) for line in open("read.jsonl")]
assert [r["variant"] for r in records] == ["plain", "grid_stride", "float4"]
assert all(r["counts"]["fadd"] == 1003 for r in records), records
END
    ends 0 $make profile variant=grid_stride args="--n 1003"
    [[ "$output" == *"grid_stride_kernel, grid "* && "$output" != *"plain_kernel"* ]]
}

@test "sanitize: all kernels, each line; one variant" {
    ends 0 $make sanitize
    [[ "$output" == *"three_adds: plain_kernel, grid_stride_kernel, float4_kernel"* ]]
    ends 0 $make sanitize variant=plain args="--n 40"
    [[ "$output" == *"pass  order 1      --variant plain --n 40"* ]]
}

@test "compare: the variants in one table" {
    ends 0 $make compare args="--n 1003"
    [[ "$output" == *"three_adds: n=1003"*"plain "*"grid_stride "*"float4 "*"#"* ]]
    [ "$(echo "$output" | awk 'length > 80' | wc -l)" -eq 0 ]
    # The ladder leaves it out.
    ends 0 make --no-print-directory compare sizes=32
    [[ "$output" == *"gemm_01_naive "* && "$output" != *"three_adds"* ]]
}

@test "asm: every kernel, or those of a variant" {
    [ -x /usr/local/cuda/bin/nvcc ] || skip "nvcc is not here"
    ends 0 $make asm
    [[ "$output" == *"plain_kernel "*"grid_stride_kernel "*"float4_kernel "* ]]
    ends 0 $make asm variant=grid_stride
    [[ "$output" == *"grid_stride_kernel "* && "$output" != *"plain_kernel"* ]]
    ends 2 $make asm variant=fast
    [[ "${lines[0]}" == "variant=fast fits none"*"three_adds has plain "* ]]
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
    ends 0 make --no-print-directory lessons \
        args="README.md chapters/three_adds/README.md"
    grep -q '^| `global_load_requests` | .* | 15,628 |$' \
        chapters/three_adds/README.md
    grep -q '^| \[three_adds\](chapters/three_adds/README.md) | three_adds: ' \
        README.md
    run python3 -B -m tools.author.picture --check docs/charts
    [[ "$output" != *Traceback* ]]
}
