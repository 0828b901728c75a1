# The runner of tests/mutants: what it must refuse, on chapters as they are.

load ends

setup() {
    run="$BATS_TEST_DIRNAME/mutants/run"
    folder=$(mktemp -d)
    file=$folder/gemm_01.mutants
}

teardown() {
    rm -rf "$folder"
}

# One mutant of gemm_01: the text $1 becomes $2.
mutant() {
    printf 'planted: for this test\n- %s\n+ %s\n' "$1" "$2" >"$file"
}

@test "a harmless edit survives, and that is a failure" {
    mutant "float sum = 0.0f;" "float sum = 0.0f + 0.0f;"
    ends 1 "$run" "$file"
    [[ "$output" == *"gemm_01_naive/planted: SURVIVED (gemm_01.mutants:1)"* ]]
    [ "${lines[-1]}" = "0 passed, 1 failed" ]
}

@test "a line of check that is named kills alone" {
    mutant "float sum = 0.0f;" "float sum = M == 31 ? 1.0f : 0.0f;"
    killer="--M 31 --N 33 --K 32 --alpha 3.3 --beta -7.7"
    grep -qFx -e "$killer" "$BATS_TEST_DIRNAME/../chapters/gemm_01_naive/checks"
    sed -i "1a ! $killer" "$file"
    ends 0 "$run" "$file"
    [[ "$output" == *"planted: $killer WRONG RESULT"* ]]
    sed -i '2s/.*/! --M 1 --N 1 --K 1/' "$file"
    ends 1 "$run" "$file"
    [[ "$output" == *"planted: SURVIVED"* ]]
    sed -i '2s/.*/! --M 31/' "$file"
    ends 1 "$run" "$file"
    [[ "$output" == *"planted: did not compile, or check broke off"* ]]
}

@test "a text must be found once, whatever its line breaks are" {
    mutant "no such text" "another"
    ends 1 "$run" "$file"
    [[ "$output" == *"gemm_01.mutants:1: found 0 times, not once"* ]]
    mutant "int" "long"
    ends 1 "$run" "$file"
    [[ "$output" == *"times, not once: int"* ]]
    printf 'a: b\n- if (row >= M ||\n- col >=   N) return;\n' >"$file"
    ends 0 "$run" "$file"
}

@test "a mutant that does not compile is a failure" {
    mutant "float sum = 0.0f;" "float sum = nonsense;"
    ends 1 "$run" "$file"
    [[ "$output" == *"did not compile"*"nonsense"* ]]
    [ "${lines[-1]}" = "0 passed, 1 failed" ]
}

@test "files that cannot be read are refused" {
    for text in "- text before a name" "name: and no edit" \
        $'a: b\n- c\n+ d\n\na: b\n- c\n+ d' $'a: b\nno sign'; do
        printf '%s\n' "$text" >"$file"
        ends 2 "$run" "$file"
        [[ "$output" == *"gemm_01.mutants"* ]]
        [ "${#lines[@]}" -eq 1 ]
    done
    printf 'a: b\n- c\n+ d\n' >"$folder/gemm.mutants"
    ends 2 "$run" "$folder/gemm.mutants"
    [[ "$output" == *"gemm_10_warptile"* ]]
    ends 2 "$run" no_such_chapter
    ends 2 "$run" --no-such-option
}

@test "every file of mutants has five at least with a line of check" {
    "$run" --named --list >"$folder/named"
    for file in "$BATS_TEST_DIRNAME"/mutants/*.mutants; do
        [ "$(grep -c "^$(basename "$file" .mutants)[_/]" "$folder/named")" -ge 5 ]
    done
    [ "$("$run" --list | wc -l)" -ge 400 ]
}
