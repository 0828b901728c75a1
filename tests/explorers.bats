# The explorers say what an H200 measured, and what the chapters say: the WebAssembly
# inside each page, run by node.

load ends

setup_file() {
    cd "$BATS_TEST_DIRNAME/.."
    command -v node >/dev/null || export lacks=nodejs
    command -v wasm-ld >/dev/null || command -v wasm-ld-14 >/dev/null ||
        export lacks=lld
    [ -z "${lacks-}" ] || return 0
    docs/explorers/build "$BATS_FILE_TMPDIR"
}

setup() {
    cd "$BATS_TEST_DIRNAME/.."
    [ -z "${lacks-}" ] || skip "$lacks is not here: apt-get install $lacks"
}

@test "explorers: coalescing, banks, fragments, waves" {
    for name in coalescing banks fragments waves; do
        ends 0 node tests/explorers.mjs "$name" "$BATS_FILE_TMPDIR"
    done
}

@test "explorers: tiles, rules, sizes, loads of the chapters" {
    records="$BATS_TEST_TMPDIR/records"
    for folder in chapters/gemm_0[5-9]_* chapters/gemm_10_*; do
        program="build/simulator/$(basename "$folder")"
        make -s "$program" >/dev/null
        "$program" --M 128 --N 256 --K 64 --json "$records" >/dev/null
    done
    ends 0 node tests/explorers.mjs tiles "$BATS_FILE_TMPDIR" "$records"
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
