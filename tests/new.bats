# make new: a chapter to begin with.

setup_file() {
    cd "$BATS_TEST_DIRNAME/.."
    python3 -B tools build build/simulator/gemm_02_coalesced
}

setup() {
    cd "$BATS_TEST_DIRNAME/.."
    scratch=$(mktemp -d)
    mkdir -p "$scratch/build/simulator"
    # With their times, and common/ itself, so that it is not built again.
    cp -a --parents Makefile chapters/gemm_02_coalesced chapters/scan \
        build/simulator/libcommon.a build/simulator/tools \
        build/simulator/common "$scratch"
    ln -s "$PWD/common" "$PWD/simulator" "$PWD/tools" "$scratch"
    cd "$scratch"
    printf '%s\n' "gemm_02_coalesced gemm" "scan patterns" >chapters/order
    make="make --no-print-directory"
}

teardown() {
    rm -rf "$scratch"
}

@test "a new chapter is listed, builds, passes its check, differs in nothing" {
    run $make new chapter=gemm_99_mine from=gemm_02
    echo "$output"
    [ "$status" -eq 0 ]
    $make list | grep -q gemm_99_mine
    [ "$(sed -n 2p chapters/order)" = "gemm_99_mine            gemm" ]
    run $make chapter=gemm_99 check on=simulator
    echo "$output"
    [ "$status" -eq 0 ]
    run $make diff from=gemm_02 to=gemm_99
    [[ "${lines[-1]}" == "0 lines changed"* ]]
    grep -q 'chapter=gemm_99 run' chapters/gemm_99_mine/gemm_99_mine.cu
    ! grep -rq gemm_02_coalesced chapters/gemm_99_mine/*.cu
    grep -q '^## Predict' chapters/gemm_99_mine/README.md
    [ ! -e chapters/gemm_99_mine/exercise.md ] # it has no solution
}

@test "a chapter of variants keeps their files" {
    run $make new chapter=my_scan from=scan
    [ "$status" -eq 0 ]
    [ -f chapters/my_scan/my_scan.cu ]
    [ -f chapters/my_scan/10_ring.cuh ]
    grep -q '"my_scan"' chapters/my_scan/problem.cuh
}

@test "a name that is none, or is there; no chapter to begin from" {
    for name in "" Gemm ../x 1a scan; do
        run $make new chapter=$name from=gemm_02
        [ "$status" -eq 2 ]
        [ "${#lines[@]}" -le 2 ]
    done
    run $make new chapter=mine
    [[ "$output" == *"from= is missing"* ]]
    run $make new chapter=mine from=gemm_77
    [[ "$output" == *"fits none"* ]]
    [ ! -e chapters/mine ]
}
