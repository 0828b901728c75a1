# tests/nvcc.sh with a made-up nvcc, which notes what it is asked to compile, and
# a made-up git, which counts the commits.

setup() {
    cd "$BATS_TEST_DIRNAME/.."
    mkdir "$BATS_TEST_TMPDIR/bin"
    cat >"$BATS_TEST_TMPDIR/bin/nvcc" <<'EOF'
#!/bin/sh
for word; do
    case $word in
    -arch=*) arch=${word#-arch=} ;;
    *.cu | *.c | *.cpp) file=$word ;;
    esac
done
echo "$arch $file" >>"$COMPILED"
echo "Function properties for kernel"
echo "    ${FRAME-0} bytes stack frame, 0 bytes spill stores, 0 bytes spill loads"
EOF
    printf '#!/bin/sh\necho $COMMITS\n' >"$BATS_TEST_TMPDIR/bin/git"
    chmod +x "$BATS_TEST_TMPDIR"/bin/*
    export CUDA_HOME=$BATS_TEST_TMPDIR COMPILED=$BATS_TEST_TMPDIR/compiled
    PATH=$BATS_TEST_TMPDIR/bin:$PATH
}

# compile FIRST LAST: what so many commits in a row compile, each line once.
compile() {
    rm -f "$COMPILED"
    for count in $(seq "$1" "$2"); do
        COMMITS=$count sh tests/nvcc.sh >/dev/null
    done
    sort -u "$COMPILED"
}

@test "four commits in a row compile every file, eight the chapters for all GPUs" {
    chapters=$(ls -d chapters/*/ | wc -l)
    compile 613 616 >"$BATS_TEST_TMPDIR/four"
    for folder in chapters/*/; do
        echo "$folder$(basename "$folder").cu"
    done >"$BATS_TEST_TMPDIR/all"
    ls solutions/*.cu tests/chapters/*/*.cu tests/gpu/*.cu common/*.c \
        common/gpu/*.c* >>"$BATS_TEST_TMPDIR/all"
    cut -d ' ' -f 2 "$BATS_TEST_TMPDIR/four" | sort -u |
        diff - <(sort -u "$BATS_TEST_TMPDIR/all")
    [ "$(grep -c '^sm_90 chapters/' "$BATS_TEST_TMPDIR/four")" -eq "$chapters" ]
    compile 613 620 >"$BATS_TEST_TMPDIR/eight"
    for gpu in sm_75 sm_80 sm_90; do
        [ "$(grep -c "^$gpu chapters/" "$BATS_TEST_TMPDIR/eight")" -eq "$chapters" ]
    done
}

@test "a kernel with local memory fails for sm_90, not for sm_75" {
    FRAME=8 COMMITS=616 run sh tests/nvcc.sh
    [ "$status" -eq 1 ]
    [[ "$output" == *"FAIL sm_90 chapters/"*": spills or local memory"* ]]
    FRAME=8 COMMITS=614 run sh tests/nvcc.sh
    echo "$output"
    [ "$status" -eq 0 ]
}
