# make bench on a made-up GPU: its nvcc makes scripts that say what files of
# their names in says/ tell them to.

load house

setup() {
    make_house
    mkdir says
    for name in reduction scan; do
        mkdir -p chapters/$name
        echo "// $name" >chapters/$name/$name.cu
        echo "$name patterns" >>chapters/order
        printf -- '[timed]\n--n 1\n# larger\n--n 2 --l2 warm\n' \
            >chapters/$name/checks
    done
    # us of power capping so far, which a program may add to.
    echo 5000 >capped
    tool bin/nvidia-smi <<'END'
case $* in
*compute_cap*) echo "9.0, NVIDIA H200" ;;
*PERFORMANCE*)
    echo "    Clocks Event Reasons Counters"
    echo "        SW Power Capping                  : $(cat capped) us"
    echo "        HW Thermal Slowdown               : 700 us"
    ;;
esac
END
    tool bin/nvcc <<'END'
[ "$1" != --version ] || { cat release 2>/dev/null; exit 0; }
while [ "$1" != -o ]; do shift; done
cp bin/program "$2"
END
    # Its two variants are verified, unless says/NAME_N is a script to source.
    tool bin/program <<'END'
name=$(basename "$0")
echo "$name $*" >>runs
verified=true
[ ! -e "says/${name}_$2" ] || . "says/${name}_$2"
command="$0 $*"
n=$2
while [ "$1" != --json ]; do shift; done
for variant in plain fast; do
    echo "{\"chapter\": \"$name\", \"variant\": \"$variant\", \"device\": \"NVIDIA H200\", \"command\": \"$command\", \"size\": {\"n\": $n}, \"verified\": $verified, \"time_ms\": {\"median\": 1, \"repeats\": 20, \"batch\": 2}}"
done >"$2"
END
    unset again results CUDA_VISIBLE_DEVICES
    records=docs/results/h200.jsonl
}

# The programs that were run, without the file for their records.
ran() {
    sed 's/ --json .*//' runs
}

@test "every chapter at every size, with progress and time left; then nothing" {
    ends 0 $make bench
    [[ "$output" == *"4 runs, 0 recorded already"* ]]
    [[ "$output" == *"1/4 reduction --n 1"*"recorded: "*" left"*"4/4 scan --n 2 --l2 warm"* ]]
    [ "${lines[-1]}" = "4 recorded, 0 left out, 0 NOT RECORDED" ]
    [ "$(wc -l <$records)" -eq 8 ]
    # The command as typed, without the file that the record went to.
    grep -q '"command": "build/gpu/scan --n 2 --l2 warm"' $records
    run $make bench
    [[ "$output" == *"4 runs, 4 recorded already"* ]]
    [ "$(ran | wc -l)" -eq 4 ]
}

@test "run again: after a change, for another compiler, with again=yes" {
    $make bench
    : >runs
    echo '// changed' >>chapters/scan/scan.cu
    $make bench
    [ "$(ran)" = $'scan --n 1\nscan --n 2 --l2 warm' ]
    : >runs
    echo 'int two;' >common/two.h
    $make bench
    [ "$(ran | wc -l)" -eq 4 ]
    : >runs
    echo 'release 13.1' >release
    $make bench chapter=scan
    [ "$(ran | wc -l)" -eq 2 ]
    : >runs
    $make bench chapter=scan again=yes
    [ "$(ran | wc -l)" -eq 2 ]
    [ "$(wc -l <$records)" -eq 8 ]
}

@test "records of another GPU or of other lines are no records of these" {
    $make bench
    : >runs
    sed -i '1,2s/NVIDIA H200/NVIDIA H200 NVL/' $records
    printf -- '[timed]\n--n 3\n--n 1\n' >chapters/scan/checks
    $make bench
    [ "$(ran)" = $'reduction --n 1\nscan --n 3' ]
    # In the order of chapters and lines; what has no line any more is gone.
    [ "$(sed 's/.*"command": "build.gpu.\([^"]*\)".*/\1/' $records | uniq)" = \
        $'reduction --n 1\nreduction --n 2 --l2 warm\nscan --n 3\nscan --n 1' ]
}

@test "what is not verified, fails or is killed is not recorded" {
    echo 'verified=false' >says/reduction_1
    echo 'echo "C[3]: got 1" >&2; exit 1' >says/reduction_2
    echo 'kill -9 $$' >says/scan_1
    ends 2 $make bench
    [[ "$output" == *"NOT RECORDED: not verified"*"NOT RECORDED: C[3]: got 1"*"NOT RECORDED: ended by signal 9"* ]]
    [[ "$output" == *"1 recorded, 0 left out, 3 NOT RECORDED"* ]]
    [ "$(wc -l <$records)" -eq 2 ]
    # Mended, these three run and not the fourth.
    rm says/*
    : >runs
    $make bench
    [ "$(ran)" = $'reduction --n 1\nreduction --n 2 --l2 warm\nscan --n 1' ]
    [ "$(wc -l <$records)" -eq 8 ]
    # An older record stays when the new run fails.
    cp $records before
    echo 'exit 1' >says/scan_1
    ends 2 $make bench again=yes chapter=scan
    diff before $records
}

@test "what this GPU has no room for is left out" {
    echo 'echo "--n 1: needs 90 GB" >&2; exit 2' >says/scan_1
    ends 0 $make bench
    [[ "$output" == *"left out: --n 1: needs 90 GB"* ]]
    [ "${lines[-1]}" = "3 recorded, 1 left out, 0 NOT RECORDED" ]
}

# stopped SIGNAL: make bench, stopped in its second run.
stopped() {
    echo 'exec sleep 60' >says/reduction_2
    : >runs
    # In the background SIGINT is ignored, unless said otherwise.
    env --default-signal=INT setsid $make bench >log 2>&1 &
    group=$!
    for i in $(seq 300); do
        [ "$(wc -l <runs)" -lt 2 ] || break
        sleep 0.1
    done
    kill -"$1" "$(pgrep -g $group -f "tools bench")"
    wait $group || true
    kill -KILL -- -$group 2>/dev/null || true
    cat log
    rm says/*
}

@test "stopped by Ctrl-C, kill or kill -9, it goes on where it was" {
    command -v pgrep >/dev/null || skip "pgrep is not here"
    for signal in INT TERM KILL; do
        rm -rf docs
        stopped $signal
        [ $signal = KILL ] || grep -q "^stopped after 1 of 4 runs; make bench goes on there" log
        [ "$(wc -l <$records)" -eq 2 ]
        : >runs
        run $make bench
        [[ "$output" == *"4 runs, 1 recorded already"* ]]
        [ "$(ran | head -n 1)" = "reduction --n 2 --l2 warm" ]
        [ "$(ran | wc -l)" -eq 3 ]
        [ "$(wc -l <$records)" -eq 8 ]
    done
}

@test "a GPU that slowed itself down: a warning, and in the record" {
    echo 'echo 48000 >capped' >says/scan_1
    echo 'echo 48300 >capped' >says/scan_2 # 0.3 ms: no sample long
    ends 0 $make bench
    [[ "$output" == *"3/4 scan --n 1"*"WARNING: the GPU slowed itself down: SW Power Capping, 43 ms"*"4/4"* ]]
    [ "$(grep -c WARNING <<<"$output")" -eq 1 ]
    [ "$(grep -c '"slowed_ms": {"SW Power Capping": 43.0}' $records)" -eq 2 ]
}

@test "a driver that does not count that: said once" {
    sed -i '/us"/d' bin/nvidia-smi
    ends 0 $make bench
    [ "$(grep -c 'WARNING: this driver does not count' <<<"$output")" -eq 1 ]
    [ "$(wc -l <$records)" -eq 8 ]
}

@test "ncu=yes has the same records, and goes on as well" {
    tool bin/ncu <<<'exit 9'
    ends 0 $make bench ncu=yes chapter=scan
    [[ "$output" == *"2 recorded, 0 left out"*"docs/results/ncu_h200.jsonl"* ]]
    run $make bench
    [[ "$output" == *"4 runs, 2 recorded already"* ]]
    run $make bench ncu=yes chapter=scan
    [[ "$output" == *"2 runs, 2 recorded already"* ]]
}

@test "a commit is not dirty by what is recorded" {
    git init -q .
    echo build >.gitignore
    mkdir -p docs/results
    echo >docs/results/h200.jsonl
    sed -i 's/^verified=true/&; echo "$CHAPTERS_COMMIT" >>commits/' bin/program
    git add .
    git -c user.name=x -c user.email=x@y commit -qm x
    commit=$(git rev-parse --short=12 HEAD)
    $make bench chapter=scan
    [ -n "$(git status --porcelain docs)" ]
    $make bench chapter=reduction
    [ "$(uniq commits)" = "$commit" ]
    echo '// changed' >>chapters/scan/scan.cu
    $make bench chapter=scan
    [ "$(tail -n 1 commits)" = "$commit-dirty" ]
}

@test "a results file that is broken stays as it is" {
    mkdir -p docs/results
    echo '{"chapter": "sc' >$records
    ends 2 $make bench
    [[ "$output" == *"bench: docs/results/h200.jsonl: "*"; move it away, or correct it"* ]]
    [[ "$output" != *Traceback* ]]
    [ "$(cat $records)" = '{"chapter": "sc' ]
}

@test "the file has the GPU's name; results=FOLDER is another place" {
    for pair in "NVIDIA GeForce RTX 4090=rtx_4090" "Tesla T4=t4" \
        "NVIDIA H100 80GB HBM3=h100" "NVIDIA H100 PCIe=h100" \
        "NVIDIA A100-SXM4-80GB=a100-sxm4-80gb"; do
        sed -i "s/9.0, [^\"]*/9.0, ${pair%=*}/" bin/nvidia-smi
        $make bench chapter=scan results=elsewhere
        [ -e "elsewhere/${pair#*=}.jsonl" ]
    done
    [ ! -e docs ]
}
