# What make says and does, on made-up chapters with a compiler that takes no
# time: everything here is about tools, nothing about CUDA.

load house

# add_chapter GROUP NAME...: chapters with these names.
add_chapter() {
    local group=$1 name
    shift
    for name; do
        mkdir -p "chapters/$name"
        echo "// chapter $name" >"chapters/$name/$name.cu"
        echo "$name $group" >>chapters/order
    done
}

# no_chapter NAME...: without them.
no_chapter() {
    for name; do
        rm -r "chapters/$name"
        sed -i "/^$name /d" chapters/order
    done
}

setup() {
    make_house
    mkdir -p simulator/include
    # The program that simcc makes says its name and arguments.
    cat >simulator/simcc <<'END'
import os, re, shutil, sys
if sys.argv[1:] == ["--clang"]:
    found = [name for name in ("clang", "clang-22") if shutil.which(name)]
    print(*found)
    sys.exit(not found)
out = sys.argv[sys.argv.index("-o") + 1]
if os.path.exists(out):
    sys.exit(out + ": somebody may run it")
with open("simcc.log", "a") as log:
    print(re.sub(r"\.\d+$", "", out), file=log)
with open(out, "w") as file:
    file.write('#!/bin/sh\nprintf "%s|" "$(basename $0)" "$@"\nexit ${STATUS-0}\n')
os.chmod(out, 0o755)
if "-MF" in sys.argv:
    sources = [word for word in sys.argv if word.endswith(".cu")]
    read = re.findall('include "(.*)"', "".join(open(x).read() for x in sources))
    with open(sys.argv[sys.argv.index("-MF") + 1], "w") as file:
        print(f"{sys.argv[sys.argv.index('-MT') + 1]}:", *read, file=file)
END
    add_chapter gemm gemm_01_naive gemm_02_coalesced gemm_1
    add_chapter patterns scan
    unset STATUS
}

# refused 'how it begins' WORD...: make ends with 2 and one line, beside make's.
refused() {
    local begins=$1
    shift
    ends 2 $make "$@"
    [[ "${lines[0]}" == "$begins"* ]]
    [ "${#lines[@]}" -eq 2 ]
}

# runs 'the last line' WORD...: the program that make runs says its arguments.
runs() {
    local last=$1
    shift
    ends 0 $make "$@"
    [ "${lines[-1]}" = "$last" ]
}

@test "make alone is make help, the two commands first" {
    ends 0 $make
    [[ "${lines[1]}" == *"make setup chapter=vector_add run"* ]]
    [[ "${lines[2]}" == *"make setup test"* ]]
    run $make help
    [[ "$output" == *"  list "*"  clean "* ]]
}

@test "the first line says which back end runs and why" {
    ends 0 $make chapter=scan run
    [ "${lines[0]}" = "no GPU answers: the simulator runs this chapter" ]
    run $make chapter=scan run on=simulator
    [ "${lines[0]}" = "on=simulator: the simulator runs this chapter" ]
}

# A GPU that answers, and an nvcc whose programs are scripts.
fake_gpu() {
    tool bin/nvidia-smi <<<'echo "9.0, NVIDIA H200"'
    tool bin/nvcc <<'END'
echo "$@" >>nvcc.log
while [ "$1" != -o ]; do shift; done
cat >"$2" <<'PROGRAM'
#!/bin/sh
echo on the GPU
while [ $# != 0 ]; do
    [ "$1" != --json ] || echo '{"variant": null, "counts": {}}' >"$2"
    shift
done
PROGRAM
chmod +x "$2"
END
}

@test "a GPU that answers runs the chapter, built for it or for arch=" {
    fake_gpu
    ends 0 $make chapter=scan run
    [ "${lines[0]}" = "NVIDIA H200 answers: it runs this chapter" ]
    [ "${lines[-1]}" = "on the GPU" ]
    grep -q -- '-arch=sm_90 .*chapters/scan/scan.cu' nvcc.log
    $make chapter=scan run arch=sm_80
    grep -q -- '-arch=sm_80 .*chapters/scan/scan.cu' nvcc.log
}

@test "build.mk called by hand links cuBLAS where nvcc on the PATH has it" {
    fake_gpu
    mkdir lib64
    touch lib64/libcublas.so
    $make -f tools/build.mk build/gpu/scan
    grep -q -- "chapters/scan/scan.cu .*-lcublas .*$house/lib64" nvcc.log
}

@test "with nvcc and a GPU no clang is needed; without nvcc a line says why" {
    fake_gpu
    link $base python3 cc
    cp bin/* path
    PATH=$house/path ends 0 $make chapter=scan run
    [ "${lines[-1]}" = "on the GPU" ]
    rm path/nvcc
    sed -i 's/^FOLDERS = .*/FOLDERS = []/' tools/machine.py
    PATH=$house/path ends 0 $make chapter=scan run
    [ "${lines[0]}" = "NVIDIA H200 answers, but nvcc is missing: the simulator runs this chapter" ]
}

@test "chapter= takes a beginning, a later word, a path as a shell completes it" {
    no_chapter gemm_1
    add_chapter gemm gemm_10_tile
    for name in gemm_02 02 coalesced coal chapters/gemm_02_co; do
        runs "gemm_02_coalesced|" chapter=$name run
    done
    add_chapter patterns scan_more
    for name in scan chapters/scan/ chapters/scan/scan.cu ./chapters/scan \
        "$PWD/chapters/scan/scan.cu"; do
        runs "scan|" "chapter=$name" run # an exact name wins over a longer one
    done
}

@test "a number typed in part is a beginning, one in full goes first" {
    no_chapter gemm_1
    add_chapter gemm gemm_10_tile gemm_1_more gemm_11_async
    for name in gemm_1 1; do
        runs "gemm_1_more|" chapter=$name run
    done
    no_chapter gemm_1_more
    for name in gemm_1 1; do
        refused "chapter=$name fits several: gemm_10_tile gemm_11_async" \
            chapter=$name run
    done
    no_chapter gemm_11_async
    runs "gemm_10_tile|" chapter=gemm_1 run
    for name in 2 3 gemm_2 nope '*' '.' '..' gemm_01_naive/x '[a-z]*' '-x'; do
        refused "chapter=$name fits none" "chapter=$name" run
        [[ "$output" == *"make list names all"* ]]
    done
    refused "chapter=gemmm_10 fits none (did you mean gemm_10?); " \
        chapter=gemmm_10 run
}

@test "words that mean nothing are refused before anything is built" {
    refused "chapter= is missing, as in chapter=gemm_01; " run
    refused "chapter= is missing, as in chapter=gemm_01; " chapter=chapters/ run
    refused 'M= is an option of the program: args="--M ..."' chapter=scan run M=8
    refused "make run takes no chaptr=; it takes: chapter " run chaptr=scan
    refused "make diff takes no args=; it takes: " chapter=scan diff args=--x
    refused "make rnu: no such goal (did you mean run?); make help names them" \
        chapter=scan rnu
    refused "make scan: no goal; chapter=scan names a chapter" scan run
    refused "compare: " compare args=--x
    for sizes in abc "256 0" 064 2x2 -1 '*'; do
        refused "compare: sizes=" compare sizes="$sizes"
    done
    refused "picture: args= is --check, which compares, or nothing" picture args=x
    refused "on=cpu: gpu or simulator" chapter=scan run on=cpu
    refused "on=gpu: " chapter=scan run on=gpu
    for goal in run check debug profile sanitize; do
        refused "variant=mine fits none; gemm_01_naive has no variants" chapter=gemm_01 $goal variant=mine
    done
    refused "scan has no exercise" chapter=scan exercise
    refused "file=none.cu: no such file" run file=none.cu
    refused "chapters: a folder, not a source" run file=chapters
    [ ! -e simcc.log ]
    # Of several goals each may have its own; those of the simulator pass.
    runs "scan|--x|" list chapter=scan run args=--x SIM_THREADS=1
}

@test "list has the order of chapters/order, and says where it is wrong" {
    add_chapter patterns conv
    run $make list
    [[ "${lines[0]}" == "gemm_01_naive"* ]]
    [[ "${lines[-2]}" == "scan"* ]]
    [[ "${lines[-1]}" == "conv"* ]]
    sed -i '/^conv/d' chapters/order
    refused "chapters/order has no line for chapters/conv: its name and its group" \
        list
    rm -r chapters/conv
    for line in "more patterns" alone; do
        echo "$line" >>chapters/order
        refused "chapters/order: " chapter=scan run
    done
}

@test "variant= goes to the program; check and sanitize give it to each line" {
    echo '__global__ void scan_kernel(int n)' >chapters/scan/scan.cu
    mkdir chapters/scan/kernels
    touch chapters/scan/kernels/1_mine.cuh
    printf -- '[sizes]\n--n 1\n--variant other --n 2\n--variant mine --n 3\n' \
        >chapters/scan/checks
    run $make chapter=scan run variant=mine args="--n 9"
    [ "${lines[-1]}" = "scan|--variant|mine|--n|9|" ]
    for goal in check sanitize; do
        run $make chapter=scan $goal variant=mine
        [[ "$output" == *" --variant mine --n 1"*" --variant mine --n 3"* ]]
        [[ "$output" != *"other"* ]]
    done
    # With arguments, those alone.
    run $make chapter=scan sanitize variant=mine args="--n 7"
    [[ "$output" == *" --variant mine --n 7"* ]]
    [[ "$output" != *"--n 1"* ]]
}

@test "args= of a chapter whose program has no options, in one line" {
    echo 'int main(void)' >chapters/scan/scan.cu
    for goal in run check debug profile sanitize compare; do
        refused "scan takes no args=: its program has no options" chapter=scan \
            $goal args="--M 0"
    done
    # Its checks have "" for no options, and so does who reads them.
    for args in "" '""'; do
        ends 0 $make chapter=scan run args="$args"
        [[ "${lines[-1]}" == "scan|"* ]]
    done
}

@test "file= builds a program of one's own, also with odd names" {
    mkdir "my programs"
    echo '__global__ void mine(int n)' >"my programs/a b's.cu"
    for goal in run sanitize; do
        ends 0 $make $goal file="my programs/a b's.cu" args="1 2" flags=-Ix
        [ "${lines[0]}" = \
            "no GPU answers: the simulator runs my programs/a b's.cu" ]
    done
    grep -q 'own/a_b_s' simcc.log
    run $make run file="my programs/a b's.cu" chapter=scan
    [ "${lines[0]}" = "file= or chapter=, not both" ]
}

@test "help, list and their like fit 80 columns" {
    printf '/**\n * @brief %s\n */\n' "$(seq -s ' ' 60)" \
        >chapters/scan/scan.cu
    for goal in help list; do
        ends 0 $make $goal
        for line in "${lines[@]}"; do
            [ "${#line}" -le 80 ]
        done
    done
    [[ "$output" == *" 58 59 60"* ]]
}

@test "args go to the program, quotes and all" {
    runs "scan|--M|5|two words|" chapter=scan run args="--M 5 'two words'"
}

@test "the statuses of programs become make's 2" {
    for STATUS in 1 5; do
        STATUS=$STATUS ends 2 $make chapter=scan run
        [[ "${lines[-1]}" == *"Error $STATUS" ]]
    done
}

# builds NUMBER CHAPTER: so many programs by its next run.
builds() {
    : >simcc.log
    $make chapter="$2" run
    [ "$(wc -l <simcc.log)" -eq "$1" ]
}

@test "a chapter is built once, and again only when its own files change" {
    builds 1 scan
    builds 1 gemm_1
    builds 0 scan
    touch -d "1 minute" chapters/scan/scan.cu
    builds 0 gemm_1
    builds 1 scan
}

@test "a header that is included or the simulator's counts, no other" {
    echo >common/x.h
    echo >simulator/include/y.h
    mkdir chapters/scan/kernels
    echo >chapters/scan/kernels/one.cuh
    printf '#include "%s"\n' common/x.h chapters/scan/kernels/one.cuh >chapters/scan/scan.cu
    echo >common/not_included.h
    $make chapter=scan run
    touch -d "+1 minute" common/not_included.h
    builds 0 scan
    for file in common/x.h simulator/include/y.h chapters/scan/kernels/one.cuh \
        common/one.c; do
        touch -d "+1 minute" "$file"
        builds 1 scan
        touch -d "-1 hour" "$file"
    done
}

@test "another compiler than last time builds anew" {
    $make chapter=scan run
    tool bin/clang-22 <<<:
    builds 1 scan
}

@test "a program is written beside the one that another make may run" {
    $make chapter=scan run
    touch -d "+1 minute" chapters/scan/scan.cu
    runs "scan|" chapter=scan run
    [ "$(cd build/simulator && echo scan*)" = "scan scan.d" ]
}

@test "a failed build leaves no program behind and ends with 2" {
    echo 'raise SystemExit("chapters/scan/scan.cu:1:1: no")' \
        >simulator/simcc
    ends 2 $make chapter=scan run
    [[ "$output" == *"scan.cu:1:1: no"* ]]
    [ ! -e build/simulator/scan ]
}

@test "goals of one line run in their order, also with -j" {
    echo 'sleep 1 && echo ready >is_set_up' >tools/setup.sh
    cat >tools/__main__.py <<'END'
import sys
if sys.argv[1] == "run":
    print(open("is_set_up").read().strip())
END
    ends 0 $make -j4 setup chapter=scan run
    [ "${lines[-1]}" = ready ]
}

@test "make -j builds once and warns of nothing" {
    run $make -j4 check on=simulator
    [ "$(sort simcc.log | uniq -d | wc -l)" -eq 0 ]
    [ "$(wc -l <simcc.log)" -eq 4 ]
    [[ "$output" != *"warning"* ]]
}

@test "make -n runs nothing" {
    ends 0 $make -n chapter=scan run
    [ ! -e build ]
}

@test "clean removes what was built and nothing else" {
    find . -type f | sort >/tmp/before.$$
    $make chapter=scan run
    rm simcc.log
    mkdir simulator/build
    [ -e build ]
    $make clean
    [ ! -e build ]
    [ ! -e simulator/build ]
    find . -type f | sort | diff /tmp/before.$$ -
    rm /tmp/before.$$
    $make clean
}

@test "a path with spaces and other signs works" {
    mkdir "$house/a b's \$c"
    mv Makefile common simulator tools chapters "$house/a b's \$c"
    cd "$house/a b's \$c"
    ends 0 $make chapter=scan run args="x"
    [ "${lines[-1]}" = "scan|x|" ]
    ends 0 $make clean
}

# link TOOL...: a PATH that has these tools of the system and no others.
link() {
    mkdir -p path
    for tool; do
        ln -sf "$(type -P "$tool")" path/
    done
}

base="sh echo make as ld ar chmod sed head tr mkdir cmp grep getconf basename dirname rm mv cat uname"

@test "no python3: one line says so" {
    link $base cc
    sed -i 's#wildcard /usr/bin/python3#wildcard none#' Makefile
    PATH=$house/path refused "run needs python3: make setup" chapter=scan run
}

@test "no compiler: one line says so" {
    link $base python3
    PATH=$house/path refused "no C compiler: make setup" chapter=scan run
}

@test "not on Linux: one line says where to look" {
    sed -i 's/os.uname().sysname/"Darwin"/' tools/machine.py
    refused "the simulator runs on Linux; docs/platforms.md" chapter=scan run
}

# What setup may use here: an apt-get that notes what it was asked for.
fake_apt() {
    link $base python3 cc id tail git "$@"
    tool path/apt-get <<<'echo "$@" >>apt.log'
}

@test "setup: nothing missing is one line, and a second of CPU time at most" {
    fake_apt
    tool path/clang <<<'echo clang version 14.0.6'
    # Of the processor: other work goes on beside the tests.
    local TIMEFORMAT="%U %S"
    { time PATH=$house/path run $make setup; } 2>spent
    awk '{ exit !($1 + $2 < 1) }' spent
    [ "$status" -eq 0 ]
    [ "$output" = "setup: nothing is missing" ]
    [ ! -e apt.log ]
    PATH=$house/path refused "make setup takes no chaptr=; it takes: chapter" \
        setup chaptr=scan
}

@test "setup asks apt for what the other goals need, too" {
    [ "$(id -u)" -eq 0 ] || skip "needs root"
    fake_apt
    PATH=$house/path run $make setup chapter=scan run
    grep -q 'install -y --no-install-recommends clang$' apt.log
    rm apt.log
    PATH=$house/path run $make setup test
    grep -q 'install .*clang bats clang-format' apt.log
    # apt installed nothing, and that is noticed.
    [ "$status" -eq 2 ]
    [[ "$output" == *"setup: still missing: clang"* ]]
}

@test "docs without doxygen: one line; setup docs asks for it" {
    [ "$(id -u)" -eq 0 ] || skip "needs root"
    fake_apt
    tool path/clang <<<'echo clang version 14.0.6'
    PATH=$house/path ends 2 $make docs
    [[ "${lines[0]}" == "docs: missing: doxygen "*"; make setup docs installs it" ]]
    PATH=$house/path run $make setup docs
    grep -q 'install -y --no-install-recommends doxygen' apt.log
}

# A compiler in bin/ or path/ that finds png.h only where $1 is yes.
fake_cc() {
    mkdir -p "$2"
    rm -f "$2/cc"
    tool "$2/cc" <<END
case "\$*" in *png.h*) [ $1 = yes ]; exit ;; esac
exec $(command -v gcc) "\$@"
END
}

@test "setup asks for libpng if a chapter has pictures" {
    [ "$(id -u)" -eq 0 ] || skip "needs root"
    fake_apt
    fake_cc no path
    tool path/clang <<<'echo clang version 14.0.6'
    echo '#include "picture.h"' >>chapters/scan/scan.cu
    PATH=$house/path run $make setup chapter=gemm_1 run
    [ ! -e apt.log ]
    PATH=$house/path run $make setup chapter=sc run
    grep -q 'install -y --no-install-recommends libpng-dev$' apt.log
    rm apt.log
    fake_cc yes path
    PATH=$house/path run $make setup chapter=sc run
    [ "${lines[0]}" = "setup: nothing is missing" ]
    [ ! -e apt.log ]
}

@test "setup asks for OpenBLAS if a program of one's own calls cuBLAS" {
    [ "$(id -u)" -eq 0 ] || skip "needs root"
    fake_apt
    fake_cc no path
    tool path/clang <<<'echo clang version 14.0.6'
    tool path/ls <<<'exit 2'
    echo '#include <cublas_v2.h>' >my.cu
    PATH=$house/path run $make setup run file=my.cu
    grep -q 'install -y --no-install-recommends libopenblas0-pthread$' apt.log
}

@test "libpng is linked where the compiler finds it" {
    fake_cc no bin
    ends 0 $make chapter=scan run v=1
    [[ "$output" != *WITH_PNG* && "$output" != *-lpng* ]]
    fake_cc yes bin
    run $make chapter=scan run v=1
    [[ "$output" == *"-DWITH_PNG"*"-c common/one.c"* ]]
    [[ "$output" == *"simcc -O2 "*"-Wl,--as-needed -lpng"* ]]
}

@test "setup without root prints the line to type, status 2" {
    fake_apt
    rm path/id
    tool path/id <<<'echo 1000'
    PATH=$house/path ends 2 $make setup
    [[ "${lines[0]}" == "setup: missing: clang; as root type:  apt-get update && apt-get install -y"*" clang" ]]
    tool path/sudo <<<'exit 1'
    PATH=$house/path ends 2 $make setup
    [[ "${lines[0]}" == "setup: missing: clang; type:  sudo apt-get update && sudo apt-get install -y"*" clang" ]]
    [ ! -e apt.log ]
}

@test "setup uses dnf where apt is not" {
    [ "$(id -u)" -eq 0 ] || skip "needs root"
    fake_apt
    mv path/apt-get path/dnf
    PATH=$house/path run $make setup test
    grep -q 'install -y clang bats clang-tools-extra' apt.log
}

@test "setup hands on what the package manager says when it fails" {
    [ "$(id -u)" -eq 0 ] || skip "needs root"
    fake_apt
    tool path/apt-get <<<'echo E: no network; exit 100'
    PATH=$house/path ends 2 $make setup
    [[ "$output" == *"E: no network"*"build/setup.log"* ]]
}

one=chapters/gemm_01_naive/gemm_01_naive.cu
two=chapters/gemm_02_coalesced/gemm_02_coalesced.cu

@test "diff: code only, without comments and the chapter's name" {
    cat >$one <<'END'
/* one
   two */
int a = 1; // first
char *s = "// no comment /* either";
call("gemm_01_naive");
END
    cat >$two <<'END'
/* three */
int a = 2; // second
char *s = "// no comment /* either";

call("gemm_02_coalesced");
END
    ends 0 $make chapter=gemm_02 diff
    [ "${lines[0]}" = "gemm_01_naive -> gemm_02_coalesced: code only" ]
    [ "${lines[2]}" = " int a = [-1-]{+2+};" ]
    [ "${lines[3]}" = ' char *s = "// no comment /* either";' ]
    [ "${lines[4]}" = "2 lines changed: 1 added, 1 removed" ]
    [ "${#lines[@]}" -eq 5 ]
    run $make diff from=gemm_02 to=gemm_01
    [[ "$output" == *"int a = [-2-]{+1+};"* ]]
    ends 2 $make diff from=gemm_02 to=gemm_02
    [[ "${lines[0]}" == "from= and to= are the same: "* ]]
}

@test "diff: a line that has only moved to the right is the same" {
    printf 'a();\nb();\n' >$one
    printf 'if (c) {\n    a();\n}\nb();\n' >$two
    ends 0 $make chapter=gemm_02 diff
    [ "${lines[-1]}" = "2 lines changed: 2 added, 0 removed" ]
    [[ "$output" == *"+if (c) {"* && "$output" != *"-a();"* ]]
}

@test "diff: between the variants of a chapter" {
    mkdir chapters/scan/kernels
    echo 'brent_kung_kernel();' >chapters/scan/kernels/10_brent_kung.cuh
    echo 'kogge_stone_kernel(1);' >chapters/scan/kernels/09_kogge_stone.cuh
    for which in "from=kogge_stone to=brent_kung" "from=kogge to=b" \
        variant=brent_kung; do
        ends 0 $make chapter=scan diff $which
        [ "${lines[0]}" = "kogge_stone -> brent_kung: code only" ]
        [[ "$output" == *"kernel([-1-]);"* ]]
        [ "${lines[-1]}" = "2 lines changed: 1 added, 1 removed" ]
    done
    run $make chapter=scan diff variant=kogge_stone
    [ "${lines[0]}" = "kogge_stone is the first of scan: nothing to compare" ]
    echo 'brent_kernel();' >chapters/scan/kernels/11_brent.cuh
    run $make chapter=scan diff from=kogge to=brent
    [ "${lines[0]}" = "kogge_stone -> brent: code only" ]
    for which in variant=none from=none\ to=brent to=bre; do
        ends 2 $make chapter=scan diff $which
        [[ "${lines[0]}" == *" is no variant of scan:"*"kogge_stone brent_kung"* ]]
    done
    ends 2 $make chapter=scan diff
    [[ "${lines[0]}" == *" from= and to= are among: kogge_stone "* ]]
    run $make chapter=gemm_02 diff variant=none
    [ "${lines[0]}" = "gemm_02_coalesced has no variants" ]
}

@test "diff: no colours on a terminal that has none" {
    command -v script >/dev/null || skip "script is not here"
    echo 1 >$one
    echo 2 >$two
    unset NO_COLOR
    TERM=dumb run script -qec "$make chapter=gemm_02 diff" /dev/null
    [[ "$output" == *"[-1-]"* && "$output" != *$'\033'* ]]
    TERM=xterm run script -qec "$make chapter=gemm_02 diff" /dev/null
    [[ "$output" == *$'\033'* ]]
}

@test "diff: word by word where a line changed, whole lines where some came" {
    printf '%s\n' 'int a = x;' same 'for (k)' '    sum += a[k];' >$one
    printf '%s\n' 'int a = y;' same 'for (tile) {' '    load(k);' \
        '    sum += s[k];' '}' >$two
    ends 0 $make chapter=gemm_02 diff
    [[ "$output" == *$'\n-for (k)\n'*$'\n+    load(k);\n'*$'\n+}'* ]]
    # Far from it, the words stay.
    sed -i 's/^same/1\n2\n3\n4/' $one $two
    ends 0 $make chapter=gemm_02 diff
    [[ "$output" == *" int a = [-x-]{+y+};"*$'\n+    load(k);\n'* ]]
    [ "$(echo "$output" | grep -c '^\.\.\.$')" -eq 2 ]
}

@test "diff: the first of a series has nothing before it" {
    for name in gemm_01 scan; do
        ends 2 $make chapter=$name diff
        [[ "${lines[0]}" == *"nothing to compare" ]]
    done
    run $make diff
    [[ "${lines[0]}" == "chapter= is missing, "* ]]
}

@test "doctor names every piece and never fails" {
    ends 0 $make doctor
    for piece in compiler 'clang >= 14' python3 libpng gdb GPU driver nvcc cuBLAS \
        cuda-gdb compute-sanitizer cuobjdump ncu; do
        [[ "$output" == *"$piece "* ]]
    done
    [[ "${lines[-1]}" == "missing pieces: "*" of the simulator, "*" of a GPU" ]]
}

@test "new: a chapter of variants keeps their files" {
    mkdir chapters/scan/{kernels,host}
    echo 'const char *name = "scan";' >chapters/scan/host/problem.cuh
    touch chapters/scan/kernels/10_ring.cuh chapters/scan/{ablation,predict,tune.py}
    ends 0 $make new chapter=my_scan from=scan
    # These are of the old one's lesson.
    [ -z "$(ls chapters/my_scan | grep -x -e ablation -e predict -e tune.py)" ]
    [ -f chapters/my_scan/my_scan.cu ]
    [ -f chapters/my_scan/kernels/10_ring.cuh ]
    grep -q '"my_scan"' chapters/my_scan/host/problem.cuh
}

@test "new: a name that is none, or is there; no chapter to begin from" {
    for name in "" Gemm ../x 1a scan; do
        ends 2 $make new chapter=$name from=gemm_02
        [ "${#lines[@]}" -le 2 ]
    done
    refused "from= is missing" new chapter=mine
    refused "from=gemm_77 fits none" new chapter=mine from=gemm_77
    [ ! -e chapters/mine ]
}

# ---- the GPU's tools, played by scripts ------------------------------------

@test "profile on a GPU: what to do when counters may not be read" {
    fake_gpu
    echo '__global__ void scan_kernel(int n)' >chapters/scan/scan.cu
    tool bin/ncu <<<'echo "==ERROR== ERR_NVGPUCTRPERM - no"; exit 1'
    ends 2 $make chapter=scan profile
    [[ "$output" == *"NVreg_RestrictProfilingToAdminUsers=0"* ]]
    [[ "$output" == *"on=simulator"* ]]
    [[ "$output" != *Traceback* ]]
}

@test "profile on a GPU: the names of the simulator, the report kept" {
    fake_gpu
    echo '__global__ void scan_kernel(int n)' >chapters/scan/scan.cu
    tool bin/ncu <<'END'
echo "$@" >>ncu.log
case $1 in
--import)
    echo '"ID","Kernel Name","smsp__inst_executed_op_shared_ld.sum"'
    echo '"","","inst"'
    echo '"0","scan_kernel(int)","1,024"'
    ;;
*)
    while [ "$1" != --export ]; do shift; done
    touch "$2"
    ;;
esac
END
    ends 0 $make chapter=scan profile args="--M 5"
    [[ "$output" == *"shared_load_requests "*" 1,024"* ]]
    [[ "$output" == *"build/gpu/scan.ncu-rep"* ]]
    grep -q -- '--clock-control none --profile-from-start off .*build/gpu/scan --M 5' ncu.log
    # The counters are read apart from the many of the report.
    ! grep -q -- '--set full.*--metrics' ncu.log
    grep -q -- '--set full' ncu.log

    rm ncu.log
    ends 0 $make chapter=scan profile args="--M 5" json=read.jsonl
    ! grep -q -- '--set full' ncu.log
    grep -q '"chapter": "scan", "variant": null, "args": "--M 5".*"shared_load_requests": 1024' \
        read.jsonl
}

@test "compare on a GPU: time, rate, step, share of cuBLAS" {
    fake_gpu
    no_chapter gemm_1 scan
    cat >bin/nvcc <<'END'
#!/bin/sh
while [ "$1" != -o ]; do shift; done
case $2 in *gemm_01*) ms=200 ;; *) ms=20 ;; esac
cat >"$2" <<PROGRAM
#!/bin/sh
shift 7
echo '{"chapter":"gemm_02_coalesced","variant":null,"size":{"M":512,"N":512,"K":512,"lda":512},"time_ms":{"median":$ms},"gflops":5000,"baseline":{"ratio":0.1}}' >\$1
PROGRAM
chmod +x "$2"
END
    mkdir -p docs/results
    echo '{"chapter":"gemm_02_coalesced","variant":null,"verified":true,"size":{"M":512,"N":512,"K":512},"baseline":{"ratio":0.27}}' \
        >docs/results/h200.jsonl
    ends 0 $make compare sizes="512 512"
    [[ "$output" == *"M = N = K = 512"* ]]
    [[ "$output" == *"gemm_02_coalesced "*" 20 "*" 5.00"*" 10.00x "*" 10.0 %  27.0 %  #"* ]]
    run $make compare sizes="512 513" # the matrix
    [[ "$output" == *"share of cuBLAS "*" 512 "*" 513"*"gemm_02_coalesced "*" 10.0 % "*" 10.0 %"* ]]
}

@test "compare stops at what a program refuses, and names what failed" {
    STATUS=2 ends 2 $make compare sizes=64
    [[ "$output" != *"M = N = K"* ]]
    STATUS=1 ends 2 $make compare sizes=64
    [[ "$output" == *"gemm_01_naive "*"failed"* ]]
    [[ "$output" != *clang* ]]
}

@test "tools that come with CUDA are missed in one line" {
    fake_gpu
    link $base python3 cc
    cp bin/nvidia-smi bin/nvcc path
    sed -i 's/^FOLDERS = .*/FOLDERS = []/' tools/machine.py
    for target in profile sanitize debug; do
        PATH=$house/path ends 2 $make chapter=scan $target on=gpu
        [[ "$output" == *" is missing; it comes with CUDA"* ]]
        [[ "$output" != *Traceback* ]]
    done
    rm path/nvcc
    PATH=$house/path refused "asm: nvcc is missing; it comes with CUDA 12 or 13" \
        chapter=scan asm
}
