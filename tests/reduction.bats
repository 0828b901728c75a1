# The chapter reduction: what it says to bad options, and that its last variant
# gives the same bits whatever the order in which blocks end.

setup_file() {
    cd "$BATS_TEST_DIRNAME/.."
    sh common/make/make.sh build build/simulator/reduction
}

setup() {
    cd "$BATS_TEST_DIRNAME/.."
    program=build/simulator/reduction
    scratch=$(mktemp -d)
}

teardown() {
    rm -rf "$scratch"
}

# refused 'options' 'part of the message'...: one line, status 2, no record.
refused() {
    status=0
    "$program" $1 --json "$scratch/json" >"$scratch/out" 2>"$scratch/err" ||
        status=$?
    cat "$scratch/err"
    [ "$status" -eq 2 ]
    [ ! -s "$scratch/out" ]
    [ ! -s "$scratch/json" ]
    [ "$(wc -l <"$scratch/err")" -eq 1 ]
    shift
    for part; do
        grep -qF -e "$part" "$scratch/err"
    done
}

@test "a number of elements that is none" {
    refused "--n -1" "--n -1" "allowed are 0 to 1000000000000"
    refused "--n 1e6" "--n 1e6: not an integer"
    refused "--n 1000000000001" "out of range"
    refused "--n 99999999999999999999" "out of range"
    refused "--n=" "--n: its value is missing"
}

@test "more elements than there is memory" {
    refused "--n 1000000000000" "GiB" "free"
}

@test "an operation or a variant that is none" {
    refused "--op mean" "--op mean: allowed are sum|min|max"
    refused "--op SUM" "allowed are sum|min|max"
    refused "--variant tree" "--variant tree: allowed are divergent convergent"
}

@test "no elements: the identity of each operation, by every variant" {
    for op in sum min max; do
        run "$program" --n 0 --op $op
        [ "$status" -eq 0 ]
        [[ "$output" == *"n=0 op=$op"* && "$output" == *"all 7 variants"* ]]
    done
}

# Where random data stands in its bound, to nine digits: another result, another
# number.
place() {
    rm -f "$scratch/json"
    SIM_THREADS=$2 "$program" --variant $1 --n 1048579 --seed $3 \
        --json "$scratch/json" >/dev/null
    grep -o '"error_of_bound":[^,]*' "$scratch/json"
}

@test "single_pass gives the same bits in any order of the blocks" {
    for seed in 1 2 3; do
        first=$(place single_pass 1 $seed)
        for threads in 2 2 3 5; do
            [ "$(place single_pass $threads $seed)" = "$first" ]
        done
    done
}

@test "so that this can fail: warp_shuffle does not" {
    for seed in 1 2 3 4 5 6 7 8 9 10; do
        [ "$(place warp_shuffle 1 $seed)" = "$(place warp_shuffle 2 $seed)" ] ||
            return 0
    done
    false
}
