# The chapter bank_conflict_padding: what it says to bad options, and that the
# padding behind rows keeps its bits.

load chapter

@test "a matrix that is none" {
    refused "--rows 0" "--rows 0" "allowed are 1 to 1000000000"
    refused "--cols -1" "--cols -1" "allowed are 1 to 1000000000"
    refused "--rows 1000000001" "out of range"
    refused "--cols 99999999999999999999" "out of range"
    refused "--rows 4k" "--rows 4k: not an integer"
    refused "--cols" "--cols: its value is missing"
}

@test "more than there is memory" {
    refused "--rows 1000000 --cols 1000000" "GiB" "free"
    refused "--rows 1000000000 --cols 1000000000" "GiB" "free"
}

@test "a variant that is none" {
    refused "--variant columns" "--variant columns: allowed are naive" "vector"
}

@test "the product: sizes, problems and variants that are none" {
    product="--problem product"
    refused "$product --M 0" "--M 0" "allowed are 1 to 8388480"
    refused "$product --K 1048577" "out of range" "1048576"
    refused "$product --N -3" "--N -3" "allowed are 1 to 1000000000"
    refused "$product --rows 5" "--rows"
    refused "--M 5" "--M"
    refused "--problem sum" "--problem sum: allowed are transpose|product"
    refused "$product --M 8000000 --N 1000000" "GiB" "free"
    refused "$product --variant tile" "allowed are wmma"
    refused "--problem transpose --variant wmma" "allowed are naive"
}

@test "a variant of the product chooses it" {
    for words in "--variant wmma_padded" "--variant=wmma_padded"; do
        run "$program" $words --M 3 --N 5 --K 7
        [ "$status" -eq 0 ]
        [[ "$output" == *"M=3 N=5 K=7"*"exact data equal"* ]]
    done
}

@test "all variants, whatever the padding behind the rows" {
    for rows in 1 2 3 4 5 63 66; do
        for cols in 1 4 7 65; do
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
        common/*.c common/sim/*.c -o "$scratch/order"
    run "$scratch/order" --variant wmma_padded --M 256 --N 256 --K 256
    [ "$status" -eq 0 ]
    [[ "$output" == *"shared_store_wavefronts "*" 3,072"* ]]
    [[ "$output" != *"shared_store_bank_conflicts"* ]]
}
