# The chapter reduction: what it refuses, and that its last variant
# gives the same bits whatever the order in which blocks end.

load chapter

@test "more elements than there is memory" {
    refused "--n 1000000000000" "GiB" "free"
}

@test "ticket gives the same bits in any order of the blocks" {
    options="--variant ticket --n 1048579"
    first=$(place 1 "$options")
    for threads in 2 2 3 5; do
        [ "$(place $threads "$options")" = "$first" ]
    done
}

@test "so that this can fail: warp_shuffle does not" {
    for seed in 1 2 3 4 5 6 7 8 9 10; do
        options="--variant warp_shuffle --n 1048579 --seed $seed"
        [ "$(place 1 "$options")" = "$(place 2 "$options")" ] || return 0
    done
    false
}
