# What docs/teaching.md gives a teacher: its files and the lines in them.

setup_file() {
    cd "$BATS_TEST_DIRNAME/.."
    export course=$BATS_FILE_TMPDIR/course
    mkdir "$course"
    cp -r Makefile chapters common simulator tools docs solutions "$course"
    unset chapter on args arch v MAKEFLAGS MAKELEVEL SIM_REPORT SIM_THREADS
    export NO_COLOR=1
}

setup() {
    cd "$course"
    gradescope=docs/teaching/gradescope
}

# score FILE: points and the most there are.
score() {
    python3 -c 'import json, sys; found = json.load(open(sys.argv[1]))
print(found["score"], "of", found["max_score"])' "$1"
}

@test "the shell files are shell" {
    for file in docs/teaching/slurm.sh $gradescope/*; do
        sh -n "$file"
        [ -x "$file" ]
        ! type -P shellcheck >/dev/null || shellcheck "$file"
    done
}

@test "each chapter and each hunt of the table is there" {
    table=$(sed -n '/^## What each chapter/,/^## How/p' docs/teaching.md)
    chapters=$(echo "$table" | sed -n 's/^| \([a-z]*_[a-z0-9_]*\) |.*/\1/p')
    hunts=$(echo "$table" | sed 's/.*| \(.*\) |$/\1/' | grep -o '`[a-z_]*`' | tr -d '`')
    [ "$(echo "$chapters" | wc -l)" -gt 20 ] && [ "$(echo "$hunts" | wc -l)" -gt 20 ]
    for name in $chapters; do ls -d "chapters/$name"*; done
    for name in $hunts; do ls chapters/*/"hunt_$name.md"; done
}

@test "the parts of each day and week make its minutes" {
    six=$(sed -n '/^## Six weeks/,/^| week | at home/p' docs/teaching.md)
    two=$(sed -n '/^## Two days/,/^## What/p' docs/teaching.md)
    sums() { awk -F'|' '$2 ~ /[0-9]/ { for (i = 4; i <= NF; i++) sum[$2 + 0] += $i }
        END { for (i in sum) print sum[i] }' | sort -u; }
    [ "$(echo "$six" | sums)" = 180 ]
    [ "$(echo "$two" | sums)" = 360 ]
}

@test "Gradescope: the file graded, and none handed in" {
    export AUTOGRADER=$BATS_TEST_TMPDIR
    task=$(sed -n 's/^task=//p' $gradescope/run_autograder)
    mkdir "$AUTOGRADER/submission" "$AUTOGRADER/results"
    ln -s "$course" "$AUTOGRADER/source"
    run $gradescope/run_autograder
    [ "$(score "$AUTOGRADER/results/results.json")" = "0 of 10.0" ]
    cp "solutions/$task.cu" "$AUTOGRADER/submission"
    run $gradescope/run_autograder
    echo "$output"
    [ "$(score "$AUTOGRADER/results/results.json")" = "10.0 of 10.0" ]
}

@test "GitHub and GitLab: the lines that grade" {
    for file in docs/teaching/*.yml; do
        folder=$BATS_TEST_TMPDIR/$(basename "$file")
        mkdir "$folder"
        cp solutions/gemm_03_shared_tile.cu "$folder"
        ln -s "$course" "$folder/course"
        rm -rf mine build/gemm_03_shared_tile
        lines=$(sed -n 's/^ *- \(run: \)*\(m[ak][a-z]* .*course.*\)/\2/p' "$file")
        [ "$(echo "$lines" | wc -l)" -eq 2 ]
        (cd "$folder" && sh -exc "$lines")
        [ "$(score "$folder/course/build/gemm_03_shared_tile/grade.json")" = \
            "10.0 of 10.0" ]
    done
}

@test "handed in as the page says, then Slurm: a class" {
    rm -rf mine
    mkdir -p mine/predict DIR/bob
    cp solutions/hunt_frame.cu mine
    : >DIR/bob/hunt_frame.cu
    sh -exc "$(sed -n '/^    .*ann.tgz/s/^    //p' docs/teaching.md)"
    run docs/teaching/slurm.sh DIR out
    echo "$output"
    [[ "$output" == *"ann: predict: no exercise has this name"* ]]
    [[ "$output" == *"1 passed, 1 failed"* ]]
    grep -q '^ann,hunt_frame,8.0,8.0,yes,' out/grades.csv
    grep -q '^bob,hunt_frame,0,8.0,no,' out/grades.csv
    grep -q '<dt>frame</dt><dd><span>no work yet' out/grades.html
}
