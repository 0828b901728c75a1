# The chapter histogram: what it says to bad options and to files that it cannot
# count, and that what it prints of a file is true.

load chapter

@test "an input and a file that do not fit together" {
    refused "--input file" "--file must say which"
    refused "--file LICENSE --input text" "only with --input file"
}

@test "a file that is missing, empty, too large, a folder, a device" {
    touch "$scratch/empty"
    truncate -s 4294967296 "$scratch/large" # takes no room on the disk
    refused "--file $scratch/large" "4294967296 bytes; allowed are" "4294967295"
    refused "--file $scratch/none" "$scratch/none: No such file"
    refused "--file $scratch/empty" "$scratch/empty: 0 bytes; allowed are"
    refused "--file $scratch" "$scratch: not a regular file"
    refused "--file /dev/null" "/dev/null: not a regular file"
}

@test "a file that may not be read" {
    echo text >"$scratch/secret"
    chmod 0 "$scratch/secret"
    chmod a+rwx "$scratch"
    # To root nothing is secret.
    if [ "$(id -u)" -eq 0 ]; then
        cp "$program" "$scratch/histogram"
        program=as_nobody
    fi
    refused "--file $scratch/secret" "$scratch/secret: Permission denied"
}

as_nobody() {
    setpriv --reuid 65534 --clear-groups "$scratch/histogram" "$@"
}

# Its letters, counted by other programs.
letters() {
    tr -cd "$1" <"$2" | wc -c
}

@test "the bars of a file: seven bins of letters" {
    ends 0 "$program" --file LICENSE --bins letters
    [[ "$output" == *"LICENSE, $(wc -c <LICENSE) bytes"* ]]
    for bin in a-d e-h i-l m-p q-t u-x y-z; do
        echo "$output" | grep -qE "^  $bin +$(letters $bin LICENSE)  #"
    done
}

@test "the bars of a file: a bar for each letter" {
    printf 'aaaa bb\nEEE\377\000z' >"$scratch/file"
    ends 0 "$program" --file "$scratch/file"
    [ "$(echo "$output" | grep -cE '^  [a-z] ')" -eq 26 ]
    echo "$output" | grep -qE '^  a +4  #{50}$'
    echo "$output" | grep -qE '^  b +2  #{25}$'
    echo "$output" | grep -qE '^  e +0  $'
    echo "$output" | grep -qE '^  z +1  #{13}$'
}

@test "a file is repeated, or cut, to --n bytes" {
    printf 'abc' >"$scratch/file"
    run "$program" --file "$scratch/file" --n 7
    [[ "$output" == *"n=7 input=file"* ]]
    echo "$output" | grep -qE '^  a +3 '
    echo "$output" | grep -qE '^  c +2 '
    run "$program" --file "$scratch/file" --n 2
    echo "$output" | grep -qE '^  c +0 '
}

@test "runs: 20 to 119 equal bytes, so few atomics where runs are added up" {
    ends 0 "$program" --variant aggregated --n 1048576 --input runs
    runs=$(echo "$output" | awk '/shared_atomic_requests/ { print $2 + 0 }')
    run "$program" --variant wide --n 1048576 --input runs
    bytes=$(echo "$output" | awk '/shared_atomic_requests/ { print $2 + 0 }')
    [ "$runs" -gt 0 ] && [ $((2 * runs)) -lt "$bytes" ]
}

@test "a weight is not combined: the numbers of exercise 2" {
    cp -r chapters/histogram "$scratch/weight"
    sed -i 's/atomicAdd(&bins\[bin\], 1)/atomicAdd(\&bins[bin], gridDim.y)/' \
        "$scratch/weight/kernels/6_wide.cuh"
    simulator/simcc -I common "$scratch/weight/histogram.cu" \
        build/simulator/libcommon.a -o "$scratch/weight/histogram"
    ends 0 "$scratch/weight/histogram" --variant wide --n 1048576 --input runs
    [[ "$output" == *"shared_atomic_wavefronts "*"259,312"* ]]
    grep -q "259,312" chapters/histogram/README.md
}
