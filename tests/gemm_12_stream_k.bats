# gemm_12: blocks that share tiles add up in a fixed order.

load chapter

# bits THREADS: where random data stands in its bound, to nine digits, with so
# many threads of the simulator, which run the blocks in other orders.
bits() {
    rm -f "$scratch/json"
    SIM_THREADS=$1 "$program" --M 100 --N 100 --K 700 --json "$scratch/json" \
        >"$scratch/stdout"
    grep -o '"error_of_bound": *[0-9.e+-]*' "$scratch/json"
}

@test "120 blocks share 8 tiles" {
    bits 1
    grep -q "grid 120 x 1, block 128 x 1" "$scratch/stdout"
}

@test "any order of the blocks gives the same bits" {
    once=$(bits 1)
    [ -n "$once" ]
    for threads in 2 3 1; do
        [ "$(bits $threads)" = "$once" ]
    done
}

# streams THREADS: so many threads launch at the same time, each in its stream.
streams() {
    simulator/simcc -I common tests/gpu/streams.cu \
        build/simulator/libcommon.a -o "$scratch/streams"
    "$scratch/streams" "$1" >"$scratch/stdout" 2>"$scratch/stderr"
}

@test "two threads launch at the same time: every result is right" {
    streams 2
    grep -q "^pass  2 threads" "$scratch/stdout"
}

@test "a third thread is refused: there is no workspace for it" {
    status=0
    streams 3 || status=$?
    [ "$status" -eq 2 ]
    grep -q "workspaces for 2" "$scratch/stderr"
}
