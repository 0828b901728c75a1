# The chapter bank_conflict_padding: what it says to bad options, and that the
# padding behind rows keeps its bits.

load chapter

@test "a size, a problem or a variant that is none" {
    refused "--rows 0" "allowed are 1 to 1000000000"
    refused "--cols -1" "allowed are 1 to 1000000000"
    refused "--rows 1000000 --cols 1000000" "GiB" "free"
    refused "--variant columns" "allowed are naive" "vector"
    refused "--M 5" "--M"
    refused "--problem sum" "allowed are transpose|product"
    refused "--problem transpose --variant wmma" "allowed are naive"
    product="--problem product"
    refused "$product --M 0" "allowed are 1 to 8388480"
    refused "$product --K 1048577" "out of range" "1048576"
    refused "$product --N -3" "allowed are 1 to 1000000000"
    refused "$product --rows 5" "--rows"
    refused "$product --M 8000000 --N 1000000" "GiB" "free"
    refused "$product --variant tile" "allowed are wmma"
}

@test "a variant of the product chooses it" {
    for words in "--variant wmma_padded" "--variant=wmma_padded"; do
        run "$program" $words --M 3 --N 5 --K 7
        [ "$status" -eq 0 ]
        [[ "$output" == *"M=3 N=5 K=7"*"exact data equal"* ]]
    done
}

@test "all variants, whatever the padding behind the rows" {
    for rows in 1 3 4 66; do
        for cols in 1 4 65; do
            run "$program" --rows $rows --cols $cols
            [ "$status" -eq 0 ]
            [[ "$output" == *"all 5 variants: equal"* ]]
        done
    done
}

@test "columns of a tile: 32 wavefronts a request, then one" {
    run "$program" --rows 64 --cols 64
    [[ "$output" == *"  tile  "*" 4,096 "*"  tile_padded  "*" 128 "* ]]
    [ -z "$(awk 'length > 80' <<<"$output")" ]
}

@test "each variant says what it uses of others" {
    [ -z "$(grep -L '^ \* Uses:  ' chapters/bank_conflict_padding/[0-9]*_*.cuh)" ]
}

@test "the conflict of padded stores goes by another order of the lanes" {
    cp chapters/bank_conflict_padding/*.cu* "$scratch"
    sed -i 's|int row = i / (BK / HALVES), k = i % (BK / HALVES) \* HALVES;|int row = i / 32 * 8 + i % 8 / 4 * 4 + i / 8 % 4, k = i % 4 * HALVES;|' \
        "$scratch/6_wmma.cuh"
    grep -q 'i / 8 % 4, k' "$scratch/6_wmma.cuh"
    simulator/simcc -I common "$scratch/bank_conflict_padding.cu" \
        build/simulator/libcommon.a -o "$scratch/order"
    run "$scratch/order" --variant wmma_padded --M 256 --N 256 --K 256
    [ "$status" -eq 0 ]
    [[ "$output" == *"shared_store_wavefronts "*" 3,072"* ]]
    [[ "$output" != *"shared_store_bank_conflicts"* ]]
}
