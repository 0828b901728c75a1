# make predict: what it makes of answers.

setup_file() {
    cd "$BATS_TEST_DIRNAME/.."
    python3 -B tools build build/simulator/gemm_01_naive
}

setup() {
    cd "$BATS_TEST_DIRNAME/.."
    program=$PWD/build/simulator/gemm_01_naive
    tools=$PWD/tools
    python=$(python3 -c 'import sys; print(sys.executable)')
    scratch=$(mktemp -d)
    cp -r --parents chapters/gemm_01_naive "$scratch"
    # A smaller problem takes less time.
    sed -i 's/256/64/g' "$scratch/chapters/gemm_01_naive/predict"
    cd "$scratch"
}

teardown() {
    rm -rf "$scratch"
}

# ask [FILE]: what make chapter=gemm_01 predict answers=FILE calls.
ask() {
    run env PYTHONPATH="$tools" "$python" -B -c 'import sys, course, predict; sys.argv[0] = "predict"
course.script(lambda: predict.ask_all("gemm_01_naive", *sys.argv[1:]))' \
        "${1-}" "$program" "${2-}"
    echo "$output"
}

# predict LINE...: these answers, one a line.
predict() {
    printf '%s\n' "$@" >answers
    ask answers
}

@test "right answers, as numbers and as arithmetic" {
    predict 1.28e2 "64 x 2" 2^5 33/33
    [ "$status" -eq 0 ]
    [[ "${lines[-1]}" == "4 passed, 0 failed" ]]
    grep -q '"answer": "33/33"' mine/predict/gemm_01_naive.json
    [ "$(grep -c '"right": true' mine/predict/gemm_01_naive.json)" -eq 4 ]
}

@test "the first answers stay when the second ones come" {
    predict 1
    predict 128
    [[ "$output" == *"kept in mine/predict/gemm_01_naive.2.json"* ]]
    grep -q '"answer": "1"' mine/predict/gemm_01_naive.json
    grep -q '"answer": "128"' mine/predict/gemm_01_naive.2.json
}

@test "a wrong answer, one left out, one that is no number: each explained" {
    predict 128 "" 31 "import os"
    [ "$status" -ne 0 ]
    [[ "$output" == *"no: 32"*"32 rows, 1024 bytes apart"* ]]
    [[ "$output" == *"it is: 128"* ]]
    [[ "$output" == *"import os: not a number, and no arithmetic"* ]]
    [[ "$output" == *"1 passed, 3 failed"* ]]
}

@test "rounded answers, and a whole one that is one off" {
    predict 1.29e2 127 32.4 1
    [[ "$output" == *$'> 1.29e2\n  right:'* ]]
    [[ "$output" == *$'> 127\n  no:'* ]]
    [[ "$output" == *$'> 32.4\n  no:'* ]]
    [[ "$output" == *"2 passed, 2 failed"* ]]
}

@test "answers that end too early, or are not there" {
    predict 128
    [[ "$output" == *"1 passed, 3 failed"* ]]
    ask none
    [ "$status" -eq 2 ]
    [[ "$output" == *"predict: none: No such file or directory"* ]]
    rm chapters/gemm_01_naive/predict
    ask
    [ "$status" -eq 2 ]
    [[ "$output" == *"gemm_01_naive has no questions"* ]]
}

@test "seed=NAME asks for sizes of one's own, the lesson's being 256" {
    ask "" ann
    [ "$status" -eq 2 ]
    [[ "$output" == *"seed= changes --M 256 --N 256 --K 256, which gemm_01_naive does not"* ]]
    cp "$BATS_TEST_DIRNAME/../chapters/gemm_01_naive/predict" chapters/gemm_01_naive/
    printf '%s\n' "256 * 512 / 32" >answers # ann's M and N
    ask answers ann
    [[ "$output" == *"for --M 512 --N 256 --K "*"right: 4,096"*"1 passed"* ]]
    [[ "$output" == *"at --M 256 --N 256 --K 256 it is 256 * 256 / 32: one thread"* ]]
}

@test "arithmetic that would never end is refused" {
    predict "9**9**9**9" "1/0" "((((" "$(printf '9%.0s' {1..400})"
    [ "$status" -ne 0 ]
    [[ "$output" != *Traceback* ]]
    [[ "$output" == *"0 passed, 4 failed"* ]]
}
