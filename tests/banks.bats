# make banks: what it prints is what the simulator counts.

load ends

setup() {
    cd "$BATS_TEST_DIRNAME/.."
    unset MAKEFLAGS MAKELEVEL SIM_REPORT
    make="make --no-print-directory banks"
}

# costs WAVEFRONTS WORDS=VALUE...
costs() {
    wanted=$1
    shift
    ends 0 $make "$@"
    [[ "$output" == *"wavefronts: $wanted,"* ]]
}

@test "banks: wavefronts of columns, rows, broadcasts, fragments" {
    costs 32 stride=32
    costs 1 stride=33
    costs 2 stride=34
    costs 1 stride=0
    costs 1 rows=1
    costs 4 width=16 stride=36
    costs 32 width=16 stride=32
    costs 2 width=8 stride=2 access=store
    costs 1 width=8 stride=0
    costs 1 rows=8 stride=20
    costs 4 rows=8 stride=16
}

@test "banks: the bank of each lane" {
    run $make rows=8 stride=20
    [[ "${lines[2]}" =~ 0\ to\ \ 7\ +0\ +1\ +2\ +3\ +20\ +21\ +22\ +23$ ]]
    run $make width=16 stride=36
    [[ "${lines[2]}" == *" 0-3 "*" 4-7 "*" 28-31" ]]
}

@test "banks: fragments of tensor cores, with and without padding" {
    ends 0 $make fragment=m16n8k16 stride=20
    [ "$(grep -c 'no bank conflicts' <<<"$output")" -eq 4 ]
    [[ "$output" == *"register 3: rows 8 to 15, halves 8 to 15"* ]]
    [[ "${lines[2]}" =~ 0\ to\ \ 7\ +0\ +1\ +2\ +3\ +20\ +21\ +22\ +23$ ]]
    run $make fragment=m16n8k8 stride=16
    [ "$(grep -c 'wavefronts: 4, .* 3 too many' <<<"$output")" -eq 2 ]
    ends 2 $make fragment=m16n8k8 rows=4
}

@test "banks: what cannot be is refused in one line, status 2" {
    for words in "stride=33 width=16" rows=3 width=2 stride=-1 stride=2000 \
        access=add "stride=0 access=store"; do
        ends 2 build/simulator/banks $(echo " $words" | sed 's/ \([a-z]*\)=/ --\1 /g')
        [ "${#lines[@]}" -eq 1 ]
    done
}
