# What the tests of a pattern chapter share: load chapter. The chapter is the one
# that the file of tests is named after.

load ends

setup_file() {
    cd "$BATS_TEST_DIRNAME/.."
    python3 -B -m tools build \
        "build/simulator/$(basename "$BATS_TEST_FILENAME" .bats)"
}

setup() {
    cd "$BATS_TEST_DIRNAME/.."
    program=build/simulator/$(basename "$BATS_TEST_FILENAME" .bats)
    scratch=$(mktemp -d)
}

teardown() {
    chmod -R u+rwx "$scratch"
    rm -rf "$scratch"
}

# refused 'options' 'part of the message'...: one line, status 2, no record, no
# picture $scratch/out.*
refused() {
    status=0
    "$program" $1 --json "$scratch/json" >"$scratch/stdout" \
        2>"$scratch/stderr" || status=$?
    cat "$scratch/stderr"
    [ "$status" -eq 2 ]
    [ ! -s "$scratch/stdout" ]
    [ ! -s "$scratch/json" ]
    [ "$(wc -l <"$scratch/stderr")" -eq 1 ]
    [ -z "$(compgen -G "$scratch/out.*")" ]
    shift
    for part; do
        grep -qF -e "$part" "$scratch/stderr"
    done
}

# place THREADS 'options': where random data stands in its bound, to nine
# digits: another result, another number.
place() {
    rm -f "$scratch/json"
    SIM_THREADS=$1 "$program" $2 --json "$scratch/json" >/dev/null
    grep -o '"error_of_bound":[^,]*' "$scratch/json"
}
