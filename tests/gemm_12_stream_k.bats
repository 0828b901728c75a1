# gemm_12: blocks that share tiles add up in a fixed order.

load chapter

options="--M 100 --N 100 --K 700"

@test "120 blocks share 8 tiles" {
    run "$program" $options
    [[ "$output" == *"grid 120 x 1, block 128 x 1"* ]]
}

@test "any order of the blocks gives the same bits" {
    once=$(place 1 "$options")
    for threads in 2 3 1; do
        [ "$(place $threads "$options")" = "$once" ]
    done
}

@test "two threads launch at the same time; a third has no workspace" {
    simulator/simcc --plain -I common tests/gpu/streams.cu \
        build/simulator/libcommon.a -o "$scratch/streams"
    run "$scratch/streams" 2
    [[ "$output" == *"pass  2 threads"* ]]
    ends 2 "$scratch/streams" 3
    [[ "$output" == *"workspaces for 2"* ]]
}
