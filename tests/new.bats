# make new: a chapter to begin with.

load ends

# What it makes of a chapter of one kernel: house.bats.

setup() {
    cd "$BATS_TEST_DIRNAME/.."
    scratch=$(mktemp -d)
    cp -r --parents Makefile chapters/gemm_02_coalesced chapters/scan "$scratch"
    ln -s "$PWD/tools" "$scratch"
    cd "$scratch"
    printf '%s\n' "gemm_02_coalesced gemm" "scan patterns" >chapters/order
    make="make --no-print-directory"
}

teardown() {
    rm -rf "$scratch"
}

@test "a chapter of variants keeps their files" {
    ends 0 $make new chapter=my_scan from=scan
    [ -f chapters/my_scan/my_scan.cu ]
    [ -f chapters/my_scan/10_ring.cuh ]
    grep -q '"my_scan"' chapters/my_scan/problem.cuh
}

@test "a name that is none, or is there; no chapter to begin from" {
    for name in "" Gemm ../x 1a scan; do
        ends 2 $make new chapter=$name from=gemm_02
        [ "${#lines[@]}" -le 2 ]
    done
    run $make new chapter=mine
    [[ "$output" == *"from= is missing"* ]]
    run $make new chapter=mine from=gemm_77
    [[ "$output" == *"fits none"* ]]
    [ ! -e chapters/mine ]
}
