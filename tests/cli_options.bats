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
    refused "--bate 3" "did you mean --beta?"
    refused "--jsn=x" "did you mean --json?"
    refused "--helpp" "did you mean --help?"
}

@test "a missing value" {
    refused "--M" "--M: its value is missing; --M is: rows of A and C"
    refused "--M --N 3" "--M: its value is missing"
    refused "--M 3 --json" "--json: its value is missing"
    refused "--alpha=" "--alpha: its value is missing"
}

@test "out of range" {
    refused "--M -1" "--M -1" "allowed are 1 to 2147483639"
    refused "--N 0" "--N 0" "allowed are 1 to 2147483639"
    refused "--K=0" "--K 0" "allowed are 1 to 2147483639"
    refused "--repeats -1" "--repeats -1" "allowed are 0 to"
    refused "--warmup -2" "--warmup -2" "allowed are 0 to"
    refused "--pad -4" "--pad -4" "allowed are 0 to"
    refused "--pad 3" "--pad 3" "multiples of 4"
    refused "--device 7" "--device 7" "allowed are 0 to 0"
    refused "--l2 lukewarm" "--l2 lukewarm" "allowed are cold and warm"
    refused "--small 2" "--small 2" "allowed are 0 to 1"
}

@test "not a number" {
    refused "--M 12abc" "--M 12abc" "not an integer"
    refused "--M 1e3" "--M 1e3" "not an integer"
    refused "--M=2.5" "--M 2.5" "not an integer"
    refused "--alpha one" "--alpha one" "not a number"
    refused "--alpha 1.5x" "--alpha 1.5x" "not a number"
}

@test "overflow" {
    refused "--M 99999999999999999999" "--M 99999999999999999999" "allowed are"
    refused "--M 2147483648" "--M 2147483648" "allowed are"
    refused "--alpha 1e40" "--alpha 1e40" "3.4e+38"
    refused "--alpha 3e38 --M 8 --N 8 --K 8" "|alpha| K + |beta|" "allowed is"
    refused "--K 2147483639 --pad 8" "--K 2147483639 with --pad 8"
}

@test "NaN and Inf" {
    refused "--alpha nan" "--alpha nan" "finite"
    refused "--beta inf" "--beta inf" "finite"
    refused "--beta -infinity" "--beta -infinity" "finite"
}

@test "a stray word" {
    refused "512" "512: not an option"
    refused "--M 8 9" "9: not an option"
    refused "-M 8" "-M: not an option"
}

@test "a size that does not fit in memory, with both numbers" {
    refused "--M 2147483639 --N 2147483639 --K 2147483639" "GiB of host memory" \
        "GiB are free"
    refused "--M 300000 --N 300000 --K 8" "GiB of host memory" "GiB are free"
}

@test "a size that this kernel does not take" {
    refused "--M 1 --N 2097121 --K 1" "--N 2097121" "at most 2097120"
}

@test "a --json file that cannot be opened for appending" {
    refused "--json /nonexistent/file" "--json /nonexistent/file" "No such file"
    refused "--json /" "--json /" "directory"
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
