# What a chapter's program says to a bad command line: one line on stderr (two
# at most) with what, which value, what is allowed, and status 2.

setup_file() {
    cd "$BATS_TEST_DIRNAME/.."
    python3 -B tools build build/simulator/gemm_01_naive
}

setup() {
    cd "$BATS_TEST_DIRNAME/.."
    program=build/simulator/gemm_01_naive
    scratch=$(mktemp -d)
}

teardown() {
    rm -rf "$scratch"
}

# As bats' run, with standard error in $stderr. (Its own option for this is too
# new for Ubuntu 22.04.)
run_split() {
    status=0
    output=$("$@" 2>"$scratch/stderr") || status=$?
    stderr=$(cat "$scratch/stderr")
    echo "status $status, stderr: $stderr"
}

# refused 'options' 'part of the message'...
refused() {
    run_split "$program" $1
    [ "$status" -eq 2 ]
    [ -z "$output" ]
    lines=$(wc -l <"$scratch/stderr")
    [ "$lines" -ge 1 ]
    [ "$lines" -le 2 ]
    shift
    for part; do
        [[ "$stderr" == *"$part"* ]]
    done
}

@test "an unknown option, with the nearest known one" {
    refused "--repeat 3" "--repeat:" "did you mean --repeats?"
    refused "--k 3" "--k:" "did you mean --K?"
}

@test "a size that does not fit in memory, with both numbers" {
    refused "--M 2147483639 --N 2147483639 --K 2147483639" "GiB of host memory" \
        "GiB are free"
    refused "--M 300000 --N 300000 --K 8" "GiB of host memory" "GiB are free"
}

@test "a size that this kernel does not take" {
    refused "--M 1 --N 2097121 --K 1" "--N 2097121" "at most 2097120"
}

@test "a refused command line appends nothing" {
    file=$scratch/record
    refused "--json $file --M 0" "--M 0"
    [ ! -s "$file" ]
}

@test "--help: every option with its default, status 0" {
    run_split "$program" --help
    [ "$status" -eq 0 ]
    [ -z "$stderr" ]
    for option in M N K alpha beta pad device warmup repeats seed l2 json; do
        [[ "$output" == *"--$option "* ]]
    done
    [[ "$output" == *"rows of A and C (default 256)"* ]]
    [ "$(echo "$output" | awk 'length > 80' | wc -l)" -eq 0 ]
}

@test "-h is --help" {
    run_split "$program" -h
    [ "$status" -eq 0 ]
    [[ "$output" == "$("$program" --help)" ]]
}

@test "a right run: nothing on stderr, plain text of 80 columns" {
    run_split "$program" --M=40 --N 30 --K 20 --alpha -0.5 --beta 2
    [ "$status" -eq 0 ]
    [ -z "$stderr" ]
    [[ "$output" == *"M=40 N=30 K=20, alpha=-0.5 beta=2"* ]]
    [[ "$output" == *"verified   every element"* ]]
    [[ "$output" != *$'\033'* && "$output" != *$'\r'* ]]
    [ "$(echo "$output" | awk 'length > 80' | wc -l)" -eq 0 ]
}
