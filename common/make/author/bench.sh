# make bench-simulator: how fast the simulator is here, beside what it is
# meant to reach; and what make itself costs. A bound that is missed is marked:
# on a machine with other work that says nothing. Works in a copy of the tree,
# so that nothing is taken from, or left in, build/.
need_simulator

# milliseconds COMMAND...: its wall-clock time, in $ms; the least of three.
milliseconds()
{
    ms=
    for i in 1 2 3; do
        start=$(date +%s%N)
        "$@" >"$copy/log" 2>&1 || { cat "$copy/log" >&2 && exit 1; }
        took=$((($(date +%s%N) - start) / 1000000))
        [ -n "$ms" ] && [ "$ms" -le $took ] || ms=$took
    done
}

# row WHAT NUMBER [least|most BOUND]
row()
{
    said=
    case ${3-} in
    least) [ "$2" -ge "$4" ] && said="at least $4" || said="MISSED: at least $4" ;;
    most) [ "$2" -le "$4" ] && said="at most $4" || said="MISSED: at most $4" ;;
    esac
    printf '%-52s %10s  %s\n' "$1" "$2" "$said"
}

copy=$(mktemp -d)
trap 'rm -rf "$copy"' EXIT
cp -r Makefile common chapters tests "$copy"
unset MAKEFLAGS MAKELEVEL chapter args
export on=simulator

cores=$(getconf _NPROCESSORS_ONLN)
cpu=$(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -n 1)
set -- $clang # simcc takes the first
echo "${cpu:-$(uname -m)}, $cores cores, $(uname -s) $(uname -m)"
[ $# = 0 ] || "$1" --version | head -n 1
cd "$copy"

$python -B common/simulator/simcc -O2 tests/bench/accesses.cu -o accesses
for kind in global shared; do
    [ $kind = global ] && floor=100 || floor=50
    rate=$(SIM_THREADS=1 ./accesses $kind)
    row "M lane accesses/s, one core, $kind memory" $((rate / 1000000)) least $floor
    rate=$(./accesses $kind)
    row "M lane accesses/s, $cores cores, $kind memory" $((rate / 1000000))
done

first=gemm_01_naive
start=$(date +%s%N)
make chapter="$first" run args="--M 8 --N 8 --K 8" >"$copy/log" 2>&1 ||
    { cat "$copy/log" >&2 && exit 1; }
row "first build with the runtime, and a run (ms)" \
    $((($(date +%s%N) - start) / 1000000))
edit()
{
    echo >>"chapters/$first/$first.cu"
    make "build/simulator/$first"
}
milliseconds edit
row "rebuild after one edit (ms)" "$ms" most 2000
milliseconds "build/simulator/$first" --M 8 --N 8 --K 8
alone=$ms
milliseconds make chapter="$first" run args="--M 8 --N 8 --K 8"
row "what make adds to a run with nothing to build (ms)" \
    $((ms - alone)) most 500
for name in $(chapters); do
    make "build/simulator/$name" >"$copy/log"
    milliseconds "build/simulator/$name"
    row "$name at its default size (ms)" "$ms" most 1000
done
