# make compare-results on records made here.

load house

setup() {
    make_house
    mkdir -p docs/results
    cp "$root/docs/results/compare_results.py" docs/results/
    compare="$make compare-results"
}

# record VARIANT N MIN MEDIAN MAX [MORE]: a line of a file.
record() {
    echo "{\"chapter\": \"scan\", \"variant\": $1, \"device\": \"NVIDIA H200\", \"commit\": \"abc\", \"size\": {\"n\": $2, \"ldx\": 4}, \"time_ms\": {\"min\": $3, \"median\": $4, \"max\": $5, \"repeats\": 20, \"batch\": 1, \"l2\": \"cold\"}${6-}}"
}

@test "marked is what lies apart and is more than drift" {
    {
        record '"faster"' 1 1.9 2.0 2.1
        record '"slower"' 1 1.9 2.0 2.1
        record '"overlaps"' 1 1.0 2.0 2.1
        record '"apart by 1.5 percent"' 1 1.995 2.0 2.005
        record '"apart by 2.5 percent"' 1 1.995 2.0 2.005
        record '"throttled"' 1 1.9 2.0 2.1 ', "slowed_ms": {"SW Power Capping": 9}'
        record '"gone"' 1 1.9 2.0 2.1
    } >a.jsonl
    {
        record '"faster"' 1 0.9 1.0 1.1
        record '"slower"' 1 2.2 2.5 2.6
        record '"overlaps"' 1 0.9 1.0 1.05
        record '"apart by 1.5 percent"' 1 2.025 2.03 2.035
        record '"apart by 2.5 percent"' 1 2.045 2.05 2.055
        record '"throttled"' 1 1.9 2.0 2.1
        record '"faster"' 2 1.9 2.0 2.1
    } | sed 's/H200/H100/' >b.jsonl
    ends 0 $compare a=a.jsonl b=b.jsonl
    [ "${lines[0]}" = "a  a.jsonl: 7 times, on NVIDIA H200" ]
    [ "${lines[2]}" = "b  b.jsonl: 7 times, on NVIDIA H100" ]
    grep -q '^  faster  *2  *1  *2.000  faster$' <<<"$output"
    grep -q '^  slower  *2  *2.5  *0.800  slower$' <<<"$output"
    grep -q '^  overlaps  *2  *1  *2.000$' <<<"$output"
    grep -q '^  apart by 1.5 percent .*0.985$' <<<"$output"
    grep -q '^  apart by 2.5 percent .*slower$' <<<"$output"
    grep -q '^  throttled  *2\*  *2  *1.000$' <<<"$output"
    [[ "$output" == *"6 in common: b is faster in 1, slower in 2, the same within noise in 3;"*"only in a: 1, only in b: 1" ]]
    # The other way round: the other words.
    run $compare a=b.jsonl b=a.jsonl
    grep -q '^  faster  *1  *2  *0.500  slower$' <<<"$output"
    # A file is itself.
    run $compare a=a.jsonl b=a.jsonl
    [[ "$output" == *"faster in 0, slower in 0,"* ]]
}

@test "two commits, and a file of a commit" {
    git init -q .
    commit() { git -c user.name=x -c user.email=x@y commit -qm "$1"; }
    record null 1 1.9 2.0 2.1 >docs/results/h200.jsonl
    record null 1 8.9 9.0 9.1 >docs/results/h100.jsonl
    git add docs
    commit one
    record null 1 0.9 1.0 1.1 >docs/results/h200.jsonl
    git add docs
    commit two
    ends 0 $compare a=HEAD~1 b=HEAD
    [[ "$output" == *$'\nscan\n'*"  n=1 "*"2.000  faster"* ]]
    run $compare a=HEAD b=HEAD~1:docs/results/h100.jsonl
    [[ "$output" == *"0.111  slower"* ]]
    ends 2 $compare a=HEAD b=HEAD~5
    [[ "${lines[0]}" == "compare-results: HEAD~5: no file, and no commit with docs/results/h200.jsonl" ]]
    [[ "$output" != *Traceback* ]]
}

@test "nothing in common, a broken file, nothing named" {
    record '"x"' 1 1.9 2.0 2.1 >a.jsonl
    record '"x"' 2 1.9 2.0 2.1 >b.jsonl
    ends 2 $compare a=a.jsonl b=b.jsonl
    [[ "$output" == *"compare-results: no chapter, variant and size that both have"*"Error 1"* ]]
    for line in '{"chapter": "sc' '[]' '3' '{"chapter": "scan", "args": ""}'; do
        { cat a.jsonl; echo "$line"; } >broken.jsonl
        ends 2 $compare a=a.jsonl b=broken.jsonl
        [[ "${lines[0]}" == "compare-results: broken.jsonl:2: "* ]]
        [[ "$output" != *Traceback* ]]
    done
    run $compare a=a.jsonl b=nowhere.jsonl
    [[ "${lines[0]}" == "compare-results: nowhere.jsonl: no file, and no commit with docs/results/h200.jsonl" ]]
    run $compare a=a.jsonl
    [[ "${lines[0]}" == "compare-results: a= and b= name "* ]]
}
