# make chapter=X sanitize args="...": races and stray accesses, by line. On a
# GPU compute-sanitizer's four tools, else the simulator's detectors; with the
# arguments given, or each line of check.args.
. common/make/lib.sh
start

# one LINE...: the chapter's program with these arguments.
one()
{
    if [ $back_end = simulator ]; then
        judge "simulator" "$*" "$program" "$@"
        return
    fi
    # The library and the verifier's kernels are not what is looked at.
    for tool_name in memcheck racecheck initcheck synccheck; do
        judge $tool_name "$*" "$sanitizer" --tool $tool_name \
            --error-exitcode 5 $kernels \
            "$program" "$@" --warmup 0 --repeats 1
    done
}

# judge TOOL LINE COMMAND...: run it; one row, and all it said if it failed.
judge()
{
    name=$1 line=$2
    shift 2
    if output=$("$@" 2>&1); then
        printf '  pass  %-10s %s\n' "$name" "$line"
        passed=$((passed + 1))
    else
        status=$?
        printf '  FAIL  %-10s %s (status %d)\n' "$name" "$line" $status
        echo "$output" | head -n 40 >&2
        failed=$((failed + 1))
        [ $first != 0 ] || first=$status
    fi
}

passed=0 failed=0 first=0
if [ $back_end = gpu ]; then
    find_cuda_tool compute-sanitizer
    sanitizer=$tool
    [ -n "$sanitizer" ] ||
        fail "sanitize on=gpu: compute-sanitizer is missing; it comes with CUDA"
    kernels=$(sed -n 's/.*__global__.* \([a-z0-9_]*\)(.*/--kernel-regex kns=\1/p' \
        "chapters/$chapter/"*.cu*)
fi

if [ $# -gt 0 ]; then
    one "$@"
else
    while read -r line; do
        case $line in '' | '#'*) ;; *) one $line </dev/null ;; esac
    done <"chapters/$chapter/check.args"
fi
echo "$passed passed, $failed failed"
exit $first
