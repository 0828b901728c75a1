# What builds elsewhere: the workflows, the container, .ci/run. No service runs
# here, so these hold what can be held: syntax, and that what they name exists.

setup() {
    cd "$BATS_TEST_DIRNAME/.."
}

@test "workflows are YAML, the container's files are there" {
    python3 -c 'import glob, json, os
for path in glob.glob(".devcontainer/**/devcontainer.json", recursive=True):
    made, folder = json.load(open(path))["build"], os.path.dirname(path)
    text = open(os.path.join(folder, made["dockerfile"])).read()
    assert os.path.samefile(os.path.join(folder, made["context"]), "."), path
    for name, value in made.get("args", {}).items():
        assert f"ARG {name}=" in text and f"{name}={value}" in text, path'
    for path in $(sed -n 's/^COPY \(.*\) .*/\1/p' Containerfile); do
        [ -e "$path" ]
    done
    grep -q "^ARG base=$(sed -n 's/.*container: //p' .github/workflows/test.yml)$" \
        Containerfile
    grep -q "base=$(sed -n 's/.*container: //p' .github/workflows/nightly.yml) " \
        Containerfile
    sh -n .ci/run
    python3 -c 'import yaml' 2>/dev/null || skip "python3-yaml is not here"
    python3 -c 'import sys, yaml
for path in sys.argv[1:]:
    for job in yaml.safe_load(open(path))["jobs"].values():
        assert all({"run", "uses"} & set(step) for step in job["steps"]), path' \
        .github/workflows/*.yml
}

@test "what the container's file copies first is all that set-up reads" {
    copied=$(sed -n '/^COPY/!{/^RUN sh tools/q};s/^COPY \(.*\) .*/\1/p' Containerfile)
    cp -r $copied "$BATS_TEST_TMPDIR"
    here=$(sh tools/setup.sh --missing test debug docs)
    [ "$(cd "$BATS_TEST_TMPDIR" && sh tools/setup.sh --missing test debug docs)" = "$here" ]
}

# The words behind make, of the lines that are typed and of goals="...".
named() {
    cat "$@" | grep -E '^ *(- run:|exec|#  |RUN|run:)' |
        sed -n 's/.*setup\.sh \(.*\)/\1/p; s/.*\bmake \([a-z].*\)/\1/p'
}

@test "each goal that they name is one of make help, each chapter is there" {
    files=".ci/run Containerfile .github/workflows/*.yml"
    [ "$(named $files | wc -l)" -ge 8 ]
    for word in $(named $files); do
        echo "$word"
        case $word in
        chapter=*) [ -d chapters/"${word#chapter=}"* ] ;;
        *) make -s help | grep -q "^  $word " ;;
        esac
    done
}
