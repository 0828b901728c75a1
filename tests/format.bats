# tests/format.sh: what it must refuse, with a tool that is made up.

setup() {
    script=$BATS_TEST_DIRNAME/format.sh
    house=$(mktemp -d)
    mkdir "$house/bin"
    cd "$house"
    git init -q .
    echo 'int one;' >one.c
    echo 'int two;' >two.c
    PATH=$house/bin:$PATH
}

teardown() {
    cd /
    rm -rf "$house"
}

# The tool of version 14; asked about files it does $1.
tool() {
    cat >bin/clang-format-14 <<END
#!/bin/sh
[ "\$1" != --version ] || { echo "clang-format version 14.0.6"; exit; }
$1
END
    chmod +x bin/clang-format-14
}

@test "all files as they must be" {
    tool :
    run sh "$script"
    [ "$status" -eq 0 ]
    [ "$output" = "2 passed, 0 failed" ]
}

@test "a file that it would change is named once" {
    tool 'for line in 1 3; do
        echo "one.c:$line:4: error: code should be clang-formatted" >&2
    done
    exit 1'
    run sh "$script"
    [ "$status" -eq 1 ]
    [ "${lines[0]}" = "FAIL one.c: clang-format -i changes it" ]
    [ "${lines[1]}" = "1 passed, 1 failed" ]
}

@test "a tool that fails without naming a file is a failure" {
    for end in "echo 'Invalid configuration' >&2; exit 1" 'kill -9 $$'; do
        tool "$end"
        run sh "$script"
        echo "$end: $output"
        [ "$status" -ne 0 ]
        [[ "$output" != *passed* ]]
    done
    [[ "$output" == *137* ]]
}
