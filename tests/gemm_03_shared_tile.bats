# What a run prints where: terminals, files, findings; gemm_03 stands for all.

load chapter

# Run a command on a terminal of its own; what it showed is in $output.
on_terminal() {
    command -v script >/dev/null || skip "script is not here"
    ends 0 env "$@" TERM=xterm script -qec "$program --M 9 --N 9 --K 9" /dev/null
}

@test "colours on a terminal" {
    on_terminal -u NO_COLOR
    [[ "$output" == *$'\033[32m'* ]]
}

@test "no escape codes with NO_COLOR" {
    on_terminal NO_COLOR=1
    [[ "$output" == *"verified   every element"* ]]
    [[ "$output" != *$'\033'* ]]
}

# Run a command that would take minutes until its file says so, or for 20 s.
until_it_says() {
    local file=$1 words=$2 tenth pid
    shift 2
    timeout 20 "$@" 3>&- &
    pid=$!
    for tenth in $(seq 200); do
        ! grep -q "$words" "$file" || break
        sleep 0.1
    done
    sleep 1 # and what comes next
    kill $pid
    wait $pid || true
}

@test "a long run on a terminal: an estimate, a line that vanishes" {
    command -v script >/dev/null || skip "script is not here"
    touch "$scratch/typed"
    until_it_says "$scratch/typed" "launch 1 of 3" env TERM=xterm NO_COLOR=1 \
        script -qfec "$program --M 2048 --N 2048 --K 2048" "$scratch/typed" \
        </dev/null >/dev/null
    output=$(cat "$scratch/typed")
    [[ "$output" == *"this takes about "*": 3 launches of "* ]]
    [[ "$output" == *$'\r'"exact data with alpha 1, beta 0: launch 1 of 3, "* ]]
    [[ "$output" != *$'\033'* ]]
}

@test "a long run into a file: the estimate alone" {
    touch "$scratch/out"
    until_it_says "$scratch/out" "this takes about" \
        "$program" --M 2048 --N 2048 --K 2048 >"$scratch/out" 2>"$scratch/err"
    grep -q "^this takes about .*: 3 launches of .* each in the simulator$" "$scratch/out"
    [ "$(grep -c "launch 1 of 3" "$scratch/out")" -eq 0 ]
}

# Build gemm_03 after an awk program has changed it; run it. Leaves $status,
# $output, $stderr.
run_changed() {
    command -v clang >/dev/null || skip "clang is not here"
    awk "$1" chapters/gemm_03_shared_tile/gemm_03_shared_tile.cu \
        >"$scratch/changed.cu"
    simulator/simcc -I common "$scratch/changed.cu" \
        build/simulator/libcommon.a -o "$scratch/changed"
    status=0
    "$scratch/changed" --M 64 --N 64 --K 64 --json "$scratch/record" \
        >"$scratch/out" 2>"$scratch/err" || status=$?
    output=$(cat "$scratch/out") stderr=$(cat "$scratch/err")
    echo "status $status, $output, $stderr"
}

@test "a race that leaves the result right: status 5, in report and record" {
    run_changed '{ print } /float sum = 0/ {
        print "__shared__ volatile int last; last = threadIdx.x / 32;" }'
    [ "$status" -eq 5 ]
    [[ "$output" == *"verified   every element"*"FINDINGS   1, "* ]]
    [[ "$stderr" == *"changed.cu:"*": shared-race: "* ]]
    grep -q '"verified":true,.*"findings":\["' "$scratch/record"
}

@test "a race that makes the result wrong: status 1, both are said" {
    run_changed '/__syncthreads/ && !n++ { next } { print }'
    [ "$status" -eq 1 ]
    [[ "$output" == *"WRONG"*"FINDINGS   "* ]]
    [[ "$stderr" == *"C["*": got "*": shared-race: "* ]]
    grep -q '"verified":false,.*"findings":\["' "$scratch/record"
}

@test "a report that cannot be written is no success" {
    for options in "--M 9 --N 9 --K 9" --help; do
        status=0
        $program $options >/dev/full 2>"$scratch/err" || status=$?
        [ "$status" -eq 2 ]
        grep -q "^standard output: No space left" "$scratch/err"
        [ "$(wc -l <"$scratch/err")" -eq 1 ]
    done
}

@test "the default run verifies a ragged problem and says what check adds" {
    ends 0 "$program"
    [[ "$output" == *"before that with M=131 N=134 K=21, row pitch 24 136 140"* ]]
    ends 0 "$program" --M 9 --N 9 --K 9 --small 0
    [[ "$output" == *"verified"* && "$output" != *"before that"* ]]
    [[ "${lines[-1]}" == "  make chapter=gemm_03_shared_tile check tries the other sizes" ]]
}

@test "ldb and ldc mixed up: the default run is wrong" {
    run_changed '{ sub(/\* ldc/, "* ldb"); print }'
    [ "$status" -eq 1 ]
    [[ "$stderr" == *"wrong on exact data with alpha 1, beta 0, M=131 N=134"* ]]
}

@test "SIM_CHECKS=0: neither counts nor a search, and no advice to install" {
    SIM_CHECKS=0 ends 0 build/simulator/gemm_03_shared_tile --M 9 --N 9 --K 9
    [[ "$output" == *"races and stray accesses (SIM_CHECKS=0)"* ]]
    [[ "$output" == *"counts     none, by SIM_CHECKS=0"* && "$output" != *setup* ]]
}

@test "plain mode says what it did not look for" {
    simulator/simcc --plain -I common \
        chapters/gemm_03_shared_tile/gemm_03_shared_tile.cu \
        build/simulator/libcommon.a -o "$scratch/plain"
    ends 0 "$scratch/plain" --M 9 --N 9 --K 9
    [[ "$output" == *"not looked for: races and stray accesses (make setup adds them)"* ]]
}
