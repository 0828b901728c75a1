# The chapter scan: what it refuses, and that blocks that wait for
# each other are right whatever the order in which they run.

load chapter

@test "more elements than there is memory" {
    refused "--n 1000000000000" "GiB" "free"
}

@test "blocks that wait for each other, on any number of cores" {
    for threads in 1 3; do
        for variant in chained look_back ring; do
            SIM_THREADS=$threads "$program" --variant $variant --n 300007
        done
    done
}

# sectors THREADS VARIANT: the load sectors of a run on so many cores.
sectors() {
    SIM_THREADS=$1 "$program" --variant $2 --n 65536 |
        awk '$1 == "global_load_sectors" { gsub(",", ""); print $2 }'
}

@test "how often a block looks is chance, but not with one core" {
    for variant in chained look_back; do
        [ "$(sectors 1 $variant)" -eq 8195 ]
        [ "$(sectors 7 $variant)" -ge 8195 ]
    done
}

@test "a table with a long name stays within 80 columns" {
    run "$program" --n 5
    [[ "$output" == *"  chained_kernel<OP, KIND>  "* ]]
    [[ "$output" == *"  kogge_stone_double_buffer"$'\n'" "* ]]
    [ -z "$(awk 'length > 80' <<<"$output")" ]
}

# ring 'flags': build the chapter with a smaller ring.
ring() {
    simulator/simcc -O0 $1 -I common chapters/scan/scan.cu \
        build/simulator/libcommon.a -o "$scratch/ring"
}

@test "ring: slots are used again, rounds come again" {
    ring "-DRING_TILE=1024 -DSLOTS=2 -DSCANNERS=2"
    # 684 tiles for 132 blocks: five rounds of two slots, a sixth for some.
    for options in "--n 700007" "--n 700007 --kind exclusive --op max"; do
        SIM_THREADS=2 "$scratch/ring" --variant ring $options
    done
}

@test "ring gives the same bits in any order of the blocks" {
    options="--variant ring --n 700001"
    first=$(place 1 "$options")
    for threads in 2 3; do
        [ "$(place $threads "$options")" = "$first" ]
    done
}

@test "a device without bulk copies: the ring is left out, and says so" {
    cp -r chapters/scan "$scratch/old_scan"
    sed -i 's/ComputeCapabilityMajor) < 9/ComputeCapabilityMajor) < 99/' \
        "$scratch/old_scan/kernels/10_ring.cuh"
    simulator/simcc --plain -I common "$scratch/old_scan/scan.cu" build/simulator/libcommon.a \
        -o "$scratch/old"
    ends 0 "$scratch/old" --n 5
    [[ "$output" == *"ring is left out: bulk copies need sm_90"* ]]
    [[ "$output" == *"all 9 variants"* ]]
    ends 3 "$scratch/old" --n 5 --variant ring
    [ "$output" = "scan ring: bulk copies need sm_90" ]
}
