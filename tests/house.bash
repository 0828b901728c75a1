# What tests of tools alone share: load house. A folder with the tools and nothing
# else, for made-up chapters and compilers that are scripts.

load ends

# tool PATH: a command that is the shell script on standard input.
tool() {
    { echo '#!/bin/sh'; cat; } >"$1"
    chmod +x "$1"
}

make_house() {
    root=$BATS_TEST_DIRNAME/..
    house=$(mktemp -d)
    cd "$house"
    mkdir common bin
    cp -r "$root/Makefile" "$root/tools" .
    echo 'int common;' >common/one.c
    # No GPU, whatever this machine has.
    tool bin/nvidia-smi <<<'exit 9'
    PATH=$house/bin:$PATH
    unset chapter on args arch v MAKEFLAGS MAKELEVEL CUDA_HOME
    # make says nothing about itself under this.
    make="make --no-print-directory"
}

teardown() {
    cd /
    rm -rf "$house"
}
