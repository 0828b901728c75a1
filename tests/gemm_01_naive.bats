# The chapter gemm_01_naive: what a program of GEMM says to sizes that it cannot
# take, and where a right one says what.

load chapter

@test "sizes that do not fit in memory" {
    refused "--M 2147483639 --N 2147483639 --K 2147483639" "GiB of host memory" \
        "GiB are free"
    refused "--M 300000 --N 300000 --K 8" "GiB of host memory" "GiB are free"
}

@test "--help: every option with its default, status 0" {
    ends 0 "$program" --help
    for option in M N K alpha beta pad device warmup repeats seed l2 json; do
        [[ "$output" == *"--$option "* ]]
    done
    [[ "$output" == *"rows of A and C (default 256)"* ]]
    [ "$(echo "$output" | awk 'length > 80' | wc -l)" -eq 0 ]
    [ "$output" = "$("$program" -h)" ]
}

@test "a right run: nothing on stderr, plain text of 80 columns" {
    "$program" --M=40 --N 30 --K 20 --alpha -0.5 --beta 2 \
        >"$scratch/stdout" 2>"$scratch/stderr"
    [ ! -s "$scratch/stderr" ]
    output=$(cat "$scratch/stdout")
    [[ "$output" == *"M=40 N=30 K=20, alpha=-0.5 beta=2"* ]]
    [[ "$output" == *"verified   every element"* ]]
    [[ "$output" != *$'\033'* && "$output" != *$'\r'* ]]
    [ "$(echo "$output" | awk 'length > 80' | wc -l)" -eq 0 ]
}
