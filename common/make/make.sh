# What the Makefile calls: make.sh GOAL [ARGS...]. One function for each goal,
# in the order of `make help`; those that are long have a file of their own.
#
# Environment: given, the variables that were typed; goals, all goals of the
# line.
. common/make/lib.sh

# ---- the chapters -----------------------------------------------------------

# The two commands, then each goal with its `##` comment, 80 columns.
goal_help()
{
    cat <<'END'
On a fresh machine:
  make setup chapter=gemm_01 run    a chapter built, verified, counted or timed
  make setup test                   all tests that need no GPU

Then: make [chapter=X] GOAL
END
    sed -n 's/^\([a-z0-9-]*\):.*## \(.*\)/\1\t\2/p; s/^## //p' Makefile |
        while IFS="$(printf '\t')" read -r goal text; do
            if [ -n "$text" ]; then
                printf '  %-16s %s\n' "$goal" "$text"
            else
                printf '\n%s\n' "$goal"
            fi
        done
    cat <<'END'

  chapter=gemm_02          a chapter, or any beginning that fits only one: 02
  variant=NAME             one variant of a chapter that has several
  file=path/to/my.cu       a program of your own: run, profile, sanitize
  on=simulator             or on=gpu; otherwise a GPU when one answers
  args="--M 500 --K 300"   goes to the program; args=--help lists them
  arch=sm_90               build for this GPU; otherwise for the one here
  flags="-I include"       goes to the compiler of file=
  answers=FILE             predict reads an answer from each of its lines
  v=1                      show the command lines
END
}

# Each chapter with the first sentence of its source, 80 columns, in the order
# of course.py: the first program, the ladder, its PATTERNS, others by name.
goal_list()
{
    known=$(sed -n 's/^PATTERNS = "\(.*\)"$/\1/p' common/make/course.py)
    listed=
    for name in vector_add $(chapters | grep '^gemm_') $known $(chapters | grep -v '^gemm_'); do
        case " $listed " in *" $name "*) continue ;; esac
        [ -f "chapters/$name/$name.cu" ] || continue
        listed="$listed $name"
        brief=$(sed -n 's/^ \* @brief //p' "chapters/$name/$name.cu" |
            head -n 1 | fold -s -w 54 |
            sed '2,$s/^/                         /; s/ $//')
        printf '%-25s%s\n' "$name" "$brief"
    done
}

goal_setup()
{
    . common/make/setup.sh
    set_up
}

goal_doctor()
{
    . common/make/doctor.sh
}

# Behind the report of a chapter, where Python is, stands the least time that
# each resource allows. Counts are of a chapter as it is, not of a tuned one.
goal_run()
{
    tuned=yes
    start
    [ -n "$python" ] && [ -z "${file-}" ] &&
        [ "$program" = "build/$back_end/$chapter" ] || exec "$program" "$@"
    records=$program.records.$$
    status=0
    CHAPTERS_RECORDS=$records "$program" "$@" || status=$?
    [ ! -s "$records" ] || [ $status != 0 ] ||
        "$python" -B common/make/limits.py "$chapter" run "$records"
    rm -f "$records"
    exit $status
}

# In the simulator every GPU thread is an ordinary function call, one after the
# other: a breakpoint in the kernel stops in each of them. threadIdx.x is a
# call of the runtime there; gdb gets it under the name threadIdx_x. On a GPU
# `cuda thread (3, 0, 0)` goes to another thread.
goal_debug()
{
    find_chapter "${chapter-}"
    need_variants
    choose_back_end
    echo "$why runs this chapter"
    need_python debug
    program=build/$back_end/$chapter-debug
    set -- --args "$program" "$@"
    # From the last to the first, since each goes in front.
    for kernel in $("$python" -B common/make/course.py kernels "$chapter" |
        tac); do
        set -- -ex "break $kernel" "$@"
    done
    if [ $back_end = gpu ]; then
        need_cuda_tool debug cuda-gdb
        build "$program"
        exec "$tool" -q "$@"
    fi
    need_simulator
    have gdb || fail "debug: gdb is missing; make setup debug installs it"
    build "$program"
    # One OS thread, so that `next` stays in one block; SIGINT still ends a run.
    export SIM_THREADS=1
    cat <<'END'
In gdb: run, next, continue; print threadIdx_x, threadIdx_y, blockIdx_x, ...
        break LINE if threadIdx_x == 3 && threadIdx_y == 0
END
    # Read from memory: to call a function gdb would have to write registers,
    # which that of Debian 12 cannot do on each processor.
    number=0
    for axis in x y z; do
        set -- -ex "macro define threadIdx_$axis (sim_self->lane->$axis)" \
            -ex "macro define blockIdx_$axis (sim_self->block[$number])" "$@"
        number=$((number + 1))
    done
    exec gdb -q -ex 'set breakpoint pending on' "$@"
}

goal_check()
{
    if [ -n "${chapter-}" ]; then
        start
        set -- "$*" "$chapter"
    else
        choose_back_end
        [ $back_end = gpu ] || need_simulator
        echo "$why runs the chapters"
        build $back_end
        set -- "$*" $(chapters)
    fi
    need_python check
    python check $back_end "$@"
}

goal_diff()
{
    . common/make/diff.sh
}

goal_new()
{
    . common/make/author/new.sh
}

goal_profile()
{
    start
    need_python profile
    [ $back_end = simulator ] || need_cuda_tool profile ncu
    export ncu="${tool-}" nvcc program file="${file-}" json="${json-}"
    python profile $back_end "${chapter-}" "$@"
}

goal_sanitize()
{
    start
    need_python sanitize
    [ $back_end = simulator ] || need_cuda_tool sanitize compute-sanitizer
    export sanitizer="${tool-}" program file="${file-}"
    python sanitize $back_end "${chapter-}" "$@"
}

goal_asm()
{
    find_chapter "${chapter-}"
    need_variants
    need_python asm
    find_gpu
    find_cuda_tool cuobjdump
    [ -n "$nvcc" ] || fail "asm: nvcc is missing; it comes with CUDA"
    export nvcc cuobjdump="$tool"
    export note=
    [ -n "${arch:-$gpu_arch}" ] ||
        note="; no GPU answers: arch=sm_90 asks for another"
    python asm "$chapter" "${arch:-${gpu_arch:-sm_75}}"
}

# Which banks a warp meets: stride= and the like go to the program.
goal_banks()
{
    need_simulator
    build build/simulator/banks
    exec build/simulator/banks ${stride:+--stride "$stride"} \
        ${width:+--width "$width"} ${rows:+--rows "$rows"} \
        ${access:+--access "$access"} ${fragment:+--fragment "$fragment"} "$@"
}

# The lesson's Predict table, question by question; always in the simulator.
goal_predict()
{
    find_chapter "${chapter-}"
    need_python predict
    need_simulator
    program=build/simulator/$chapter
    build "$program"
    export program
    python predict "$chapter" ${answers:+"$answers"}
}

# Sets $kind and $task to what chapter= or hunt= names.
find_task()
{
    need_python "$1"
    if [ -n "${hunt-}" ]; then
        [ -z "${chapter-}" ] || fail "hunt= or chapter=, not both"
        kind=hunt task=$hunt
    else
        find_chapter "${chapter-}"
        kind=chapter task=$chapter
    fi
}

# What exercise.py does with one exercise or hunt.
exercise()
{
    find_task "$1"
    [ "$1" != exercise ] || need_simulator
    python exercise "$1" $kind "$task"
}

goal_exercise()
{
    exercise exercise
}

goal_hint()
{
    exercise hint
}

# Counters and findings are the simulator's, on each machine; speed is a GPU's.
need_grader()
{
    need_simulator
    newest_clang
    [ "$clang_version" -ge 14 ] ||
        fail "$1: needs clang 14 or newer; make setup installs it"
    choose_back_end
    case $back_end in
    gpu) echo "$why times, the simulator verifies and counts" ;;
    *) echo "$why verifies and counts" ;;
    esac
}

# One exercise or hunt; with submissions= a folder of students.
goal_grade()
{
    if [ -n "${submissions-}" ]; then
        set --
        [ -z "${chapter-}${hunt-}" ] || { find_task grade && set -- $kind "$task"; }
        need_grader grade
        python grade $back_end class "$submissions" "${out:-build/grades}" "$@"
    fi
    [ -z "${out-}" ] || fail "grade: out= is for submissions="
    find_task grade
    need_grader grade
    python grade $back_end one $kind "$task"
}

goal_grade_all()
{
    need_grader grade-all
    python grade $back_end all
}

goal_solution()
{
    exercise solution
}

goal_reset()
{
    exercise reset
}

goal_progress()
{
    need_python progress
    python exercise progress
}

# All gemm chapters at some sizes; or the variants of one chapter.
goal_compare()
{
    if [ -n "${chapter-}" ]; then
        tuned=yes
        start
        need_python compare
        export program
        python compare $back_end variants "$chapter" "$@"
    fi
    [ $# = 0 ] || fail "compare: args= is for chapter=; the ladder takes sizes="
    for size in ${sizes-}; do
        case $size in
        0* | *[!0-9]*) fail "compare: sizes=$sizes: a size is a number, as in sizes=\"256 512\"" ;;
        esac
    done
    choose_back_end
    [ $back_end = gpu ] || need_simulator
    need_python compare
    echo "$why runs the gemm chapters"
    tuned=yes
    names=$(chapters | grep '^gemm_')
    build $(for chapter in $names; do
        program=build/$back_end/$chapter
        use_tuned >/dev/null
        echo "$program"
    done)
    [ $back_end = gpu ] && usual="1024 4096" || usual="256"
    python compare $back_end ladder "${sizes:-$usual}" $names
}

# What bench and results begin with: the chapter, or all, built for the GPU.
build_measured()
{
    need_gpu "$1"
    need_python "$1"
    if [ -n "${chapter-}" ]; then
        find_chapter "$chapter"
        build "build/gpu/$chapter"
    else
        build gpu
    fi
    export_commit
    export nvcc smi gpu_name built_for="${arch:-$gpu_arch}" again="${again-}"
}

# Every chapter at every size on this GPU; results=FOLDER writes elsewhere.
goal_bench()
{
    build_measured bench
    # shellcheck disable=SC2086 # no chapter: no argument
    python bench "${results:-docs/results}" ${chapter-}
}

# a= and b=: files of make bench, or commits.
goal_compare_results()
{
    need_python compare-results
    [ -n "${a-}" ] && [ -n "${b-}" ] ||
        fail "compare-results: a= and b= name a file of make bench or a commit"
    python compare_results "$a" "$b"
}

# From the counts and the recorded times: needs no GPU.
goal_limits()
{
    need_python limits
    find_chapter "${chapter-}"
    python limits "$chapter"
}

# What a trace of the simulator says; args=--check compares instead.
goal_picture()
{
    need_python picture
    need_simulator
    newest_clang
    [ "$clang_version" -ge 14 ] ||
        fail "picture: needs clang 14 or newer; make setup installs it"
    if [ -n "${chapter-}" ]; then
        find_chapter "$chapter"
        set -- "$@" "$chapter"
    fi
    python author/picture "$@"
}

# args=--list prints the sets to try, which needs no GPU.
goal_autotune()
{
    need_python autotune
    find_chapter "${chapter:-gemm_09_autotune}"
    grep -q '^#ifndef BM' "chapters/$chapter/$chapter.cu" ||
        fail "autotune: $chapter has no parameters that can be set from outside"
    if [ "$*" != --list ]; then
        need_gpu autotune
        echo "$why tunes $chapter"
    fi
    export chapter gpu_name="${gpu_name-}"
    python author/autotune "$@"
}

# Everything that goes wrong with it is a warning of Doxygen, and an error.
goal_docs()
{
    . common/make/setup.sh
    need_python docs
    missing=
    find_cc
    newest_clang
    [ "$clang_version" -ge 14 ] || missing=" clang"
    look_docs
    [ -z "$missing" ] ||
        fail "docs: missing:$missing; make setup docs installs it"
    export python
    exec docs/site/build
}

goal_test()
{
    . common/make/setup.sh
    look test
    [ -z "$missing" ] ||
        fail "test: missing:$missing; make setup test installs it"
    need_simulator
    export fuzz="${fuzz-}"
    exec "$python" -B tests/run "$@"
}

# Remove build/ and nothing else.
goal_clean()
{
    rm -rf build
}

# ---- for authors ------------------------------------------------------------

# Rungs with one idea taken out at a time, beside cuBLAS.
goal_ablation()
{
    need_gpu ablation
    need_python ablation
    [ -z "${chapter-}" ] || find_chapter "$chapter"
    build build/gpu/libcommon.a
    export_commit
    python author/ablation ${chapter:+"$chapter"} "$@"
}

# bench, and what only Nsight Compute can tell.
goal_results()
{
    build_measured results
    [ -n "${chapter-}" ] || build build/gpu/tests/latency build/gpu/tests/l2
    find_cuda_tool ncu
    export ncu="$tool"
    # shellcheck disable=SC2086 # no chapter: no argument
    python author/results "${results:-docs/results}" ${chapter-}
}

# What the lessons print comes from the simulator with its counters.
goal_lessons()
{
    need_simulator
    newest_clang
    [ "$clang_version" -ge 14 ] ||
        fail "lessons: without clang 14 or newer the tables would be empty"
    python author/lessons "$@"
}

goal_charts()
{
    need_python charts
    python author/charts "$@"
}

# Wrong kernels, of one chapter or all; each must be refused by check.
goal_test_mutants()
{
    need_simulator
    if [ -n "${chapter-}" ]; then
        find_chapter "$chapter"
        set -- "$@" "$chapter"
    fi
    exec "$python" -B tests/mutants/run "$@"
}

# Thirty students, right and wrong, crashing, endless, cheating.
goal_test_class()
{
    need_simulator
    status=0
    "$python" -B tests/exercises.py || status=1
    "$python" -B tests/class.py "$@" || status=1
    exit $status
}

goal_test_gpu()
{
    need_python test-gpu
    need_gpu test-gpu
    exec "$python" -B tests/gpu/run "$@"
}

goal_test_aarch64()
{
    exec tests/aarch64/run "$@"
}

goal_bench_simulator()
{
    . common/make/author/bench.sh
}

# A program by its path, or several; gpu and simulator: all chapters.
goal_build()
{
    case " $*" in # a flag may stand in front
    *" gpu"* | *" build/gpu/"*)
        find_gpu
        find_nvcc
        [ -n "$nvcc" ] || fail "$*: nvcc is missing; install CUDA 12 or 13"
        ;;
    *) need_simulator ;;
    esac
    build "$@"
}

# ---- which goal, and what may be said about it ------------------------------

# takes GOAL: the variables that mean something to it.
takes()
{
    case $1 in
    run | sanitize) echo chapter file flags variant args on arch v ;;
    profile) echo chapter file flags variant args on arch v json ;;
    debug | check) echo chapter variant args on arch v ;;
    diff) echo chapter variant from to ;;
    new) echo chapter from ;;
    asm) echo chapter variant arch v ;;
    compare) echo chapter variant args sizes on arch v ;;
    compare-results) echo a b ;;
    banks) echo stride width rows access fragment args v ;;
    picture) echo chapter args v ;;
    predict) echo chapter answers v ;;
    exercise | hint | solution | reset) echo chapter hunt v ;;
    grade) echo chapter hunt submissions out on arch v ;;
    grade-all) echo on arch v ;;
    autotune) echo chapter args on arch v ;;
    ablation) echo args chapter on arch v ;;
    bench | results) echo chapter results again on arch v ;;
    limits) echo chapter ;;
    lessons | charts) echo args ;;
    test) echo args fuzz ;;
    test-mutants) echo chapter args ;;
    test-gpu | test-aarch64) echo args arch on ;;
    help) echo chapter on args ;; # whoever forgot the goal sees this text
    build/* | build) echo arch v flags file ;;
    esac
}

# A variable that no goal of the line takes is a mistake, not a remark.
refuse_unknown()
{
    known=$(for name in ${goals:-$goal}; do takes "$name"; done | tr '\n' ' ')
    for name in ${given-}; do
        case " $known CUDA_HOME CLANG NO_COLOR TERM SHELL $name " in
        *" $name "*" $name "*) continue ;;
        esac
        case $name in
        SIM_*) continue ;;
        [A-Z] | alpha | beta | pad | seed | repeats | warmup | l2)
            fail "$name= is an option of the program: args=\"--$name ...\""
            ;;
        esac
        fail "make ${goals:-$goal} takes no $name=;" \
            "it takes: ${known:-nothing}"
    done
}

goal=$1
shift
# make -n: say what would be run, and no more.
case ${MAKEFLAGS-} in
[a-zA-Z]*)
    make_flags=${MAKEFLAGS%% *}
    if [ "$make_flags" != "${make_flags#*n}" ]; then
        echo "sh common/make/make.sh $goal $*"
        exit
    fi
    ;;
esac
refuse_unknown
goals_of_line=${goals-}
unset given goals
export variant="${variant-}"
# check and sanitize give it to each line of check.args.
case $goal in
run | debug | profile | compare)
    [ -z "${variant-}" ] || set -- --variant "$variant" "$@"
    ;;
esac
goal_$(echo "$goal" | tr - _) "$@"
