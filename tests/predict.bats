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
    cp tests/predict.questions "$scratch/chapters/gemm_01_naive/predict"
    cd "$scratch"
}

teardown() {
    rm -rf "$scratch"
}

# ask [FILE]: what make chapter=gemm_01 predict answers=FILE calls.
ask() {
    run env PYTHONPATH="$tools" "$python" -B -c 'import sys, course, predict; sys.argv[0] = "predict"
course.script(lambda: predict.ask_all("gemm_01_naive", *sys.argv[1:]))' \
        "${1-}" "$program"
    echo "$output"
}

# predict LINE...: these answers, one a line.
predict() {
    printf '%s\n' "$@" >answers
    ask answers
}

@test "right answers, as numbers and as arithmetic" {
    predict 65,536 "256 x 256 / 32" 2*256 32 1 33/2 17.3e6 32 "2^24"
    [ "$status" -eq 0 ]
    [[ "${lines[-1]}" == "9 passed, 0 failed" ]]
    grep -q '"answer": "33/2"' mine/predict/gemm_01_naive.json
    [ "$(grep -c '"right": true' mine/predict/gemm_01_naive.json)" -eq 9 ]
}

@test "the first answers stay when the second ones come" {
    predict 1
    predict 65536
    [[ "$output" == *"kept in mine/predict/gemm_01_naive.2.json"* ]]
    grep -q '"answer": "1"' mine/predict/gemm_01_naive.json
    grep -q '"answer": "65536"' mine/predict/gemm_01_naive.2.json
}

@test "a wrong answer, one left out, one that is no number: each explained" {
    predict 65536 2048 512 31 "" "import os" 17301504 32 16777216
    [ "$status" -ne 0 ]
    [[ "$output" == *"no: 32"*"32 rows, 1024 bytes apart"* ]]
    [[ "$output" == *"it is: 1"* ]]
    [[ "$output" == *"import os: not a number, and no arithmetic"* ]]
    [[ "$output" == *"6 passed, 3 failed"* ]]
}

@test "rounded answers, and whole ones that are one off" {
    predict 65.5e3 2047 512 32.3 1 16.4 17.1e6 31 16777217
    [[ "$output" == *"> 65.5e3
  right:"* ]]
    [[ "$output" == *"> 2047
  no:"* ]]
    [[ "$output" == *"> 17.1e6
  no:"* ]]
    [[ "$output" == *"> 16777217
  no:"* ]]
    [[ "$output" == *"5 passed, 4 failed"* ]]
}

@test "answers that end too early, or are not there" {
    predict 65536
    [[ "$output" == *"1 passed, 8 failed"* ]]
    ask none
    [ "$status" -eq 2 ]
    [[ "$output" == *"predict: none: No such file or directory"* ]]
    rm chapters/gemm_01_naive/predict
    ask
    [ "$status" -eq 2 ]
    [[ "$output" == *"gemm_01_naive has no questions"* ]]
}

@test "arithmetic that would never end is refused" {
    predict "9**9**9**9" "1/0" "((((" "$(printf '9%.0s' {1..400})" "2**65"
    [ "$status" -ne 0 ]
    [[ "$output" != *Traceback* ]]
    [[ "$output" == *"0 passed, 9 failed"* ]]
}

@test "make passes the file on" {
    printf '\n' >"$scratch/answers"
    cd "$BATS_TEST_DIRNAME/.."
    run make --no-print-directory chapter=none predict answers="$scratch/answers"
    [ "$status" -eq 2 ]
    run make --no-print-directory chapter=gemm_01 predict answer=1
    [[ "$output" == *"make predict takes no answer="* ]]
}
