# The explorers say what the simulator counts: the WebAssembly inside each page,
# run by node, against kernels that do the accesses.

load ends

setup_file() {
    cd "$BATS_TEST_DIRNAME/.."
    command -v node >/dev/null || export lacks=nodejs
    command -v wasm-ld >/dev/null || command -v wasm-ld-14 >/dev/null ||
        export lacks=lld
    [ -z "${lacks-}" ] || return 0
    docs/explorers/build "$BATS_FILE_TMPDIR"
    simulator/simcc tests/explorers/accesses.cu -I docs/explorers -I common \
        -o "$BATS_FILE_TMPDIR/accesses"
}

setup() {
    cd "$BATS_TEST_DIRNAME/.."
    [ -z "${lacks-}" ] || skip "$lacks is not here: apt-get install $lacks"
}

# agrees NAME: the page and the simulator, 200 settings.
agrees() {
    ends 0 node tests/explorers/compare.mjs "$1" "$BATS_FILE_TMPDIR" \
        "$BATS_FILE_TMPDIR/accesses"
}

@test "explorers: coalescing" { agrees coalescing; }

@test "explorers: banks" { agrees banks; }

@test "explorers: fragments" { agrees fragments; }

@test "explorers: waves" { agrees waves; }

@test "explorers: tiles, blocks on an SM" { agrees tiles; }

@test "explorers: tiles, rules, sizes, loads of the chapters" {
    for folder in chapters/gemm_0[5-9]_* chapters/gemm_10_*; do
        chapter=$(basename "$folder")
        make -s "build/simulator/$chapter" >/dev/null
        "build/simulator/$chapter" --M 128 --N 256 --K 64 \
            --json "$BATS_TEST_TMPDIR/records" >/dev/null
    done
    ends 0 node tests/explorers/tiles.mjs "$BATS_FILE_TMPDIR" \
        "$BATS_TEST_TMPDIR/records"
}

@test "explorers: what cannot be is said" {
    command -v chromium >/dev/null || skip "chromium is not here"
    shows() { # ADDRESS WORDS
        chromium --headless --no-sandbox --disable-gpu --virtual-time-budget=5000 \
            --dump-dom "file://$BATS_FILE_TMPDIR/$1" 2>/dev/null | grep -F "$2"
    }
    shows "tiles.html#thread=1023" "thread=1023 cannot be: 255 is shown."
    shows "banks.html#width=3" "width=3 cannot be: 4 is shown."
    shows "banks.html#bytse=4" "There is no bytse."
    shows "banks.html#store=1&stride=3&rows=8" "Rows that overlap can be loaded, not stored"
}

@test "explorers: each page needs nothing but itself" {
    for page in "$BATS_FILE_TMPDIR"/*.html; do
        echo "$page"
        ends 1 grep -nE '@[A-Z]+@|(src|href)="(http|/)|https?://|import ' "$page"
    done
}
