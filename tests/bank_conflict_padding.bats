# The chapter bank_conflict_padding: what it refuses, what its lesson says of
# wavefronts.

load chapter

@test "options of the other problem; more than there is memory" {
    refused "--rows 1000000 --cols 1000000" "GiB" "free"
    refused "--M 5" "--M"
    refused "--problem transpose --variant wmma" "allowed are naive"
    product="--problem product"
    refused "$product --M 0" "allowed are 1 to 8388480"
    refused "$product --K 1048577" "out of range" "1048576"
    refused "$product --rows 5" "--rows"
    refused "$product --M 8000000 --N 1000000" "GiB" "free"
    refused "$product --variant tile" "allowed are wmma"
}

@test "a variant of the product chooses it" {
    for words in "--variant wmma_padded" "--variant=wmma_padded"; do
        ends 0 "$program" $words --M 3 --N 5 --K 7
        [[ "$output" == *"M=3 N=5 K=7"*"exact data equal"* ]]
    done
}

@test "columns of a tile: 32 wavefronts a request, then one" {
    run "$program" --rows 64 --cols 64
    [[ "$output" == *"  tile  "*" 4,096 "*"  tile_padded  "*" 128 "* ]]
    [ -z "$(awk 'length > 80' <<<"$output")" ]
}

@test "the conflict of padded stores goes by another order of the lanes" {
    cp -r chapters/bank_conflict_padding/. "$scratch"
    sed -i 's|int row = i / (BK / HALVES), k = i % (BK / HALVES) \* HALVES;|int row = i / 32 * 8 + i % 8 / 4 * 4 + i / 8 % 4, k = i % 4 * HALVES;|' \
        "$scratch/kernels/6_wmma.cuh"
    grep -q 'i / 8 % 4, k' "$scratch/kernels/6_wmma.cuh"
    simulator/simcc -I common "$scratch/bank_conflict_padding.cu" \
        build/simulator/libcommon.a -o "$scratch/order"
    ends 0 "$scratch/order" --variant wmma_padded --M 256 --N 256 --K 256
    [[ "$output" == *"shared_store_wavefronts "*" 3,072"* ]]
    [[ "$output" != *"shared_store_bank_conflicts"* ]]
}
