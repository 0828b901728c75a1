# Sourced by the scripts of this folder: chapters, compilers, GPUs.
#
# Every function sets variables and prints nothing, unless it fails: then one
# line on stderr says what is missing, and the script ends with status 2.
# Nothing here starts Python, and nothing runs twice: a no-op `make run` has
# 0.5 s for all of it.

set -eu

fail()
{
    echo "$*" >&2
    exit 2
}

have()
{
    command -v "$1" >/dev/null 2>&1
}

# The name of every chapter, one a line.
chapters()
{
    for directory in chapters/*/; do
        directory=${directory%/}
        [ -f "$directory/${directory#chapters/}.cu" ] &&
            echo "${directory#chapters/}"
    done
    return 0
}

# fits NAME WORD ENDS: whether NAME begins with WORD, or one of its words does,
# and ENDS, a pattern, is what follows.
fits()
{
    case $1 in "$2" | "$2"$3 | *_"$2" | *_"$2"$3) ;; *) return 1 ;; esac
}

# find_beginning WORD ENDS: sets $begin to the chapters that begin with WORD, and
# $within to those of which another word does.
find_beginning()
{
    begin= within=
    for name in $(chapters); do
        fits "$name" "$1" "$2" || continue
        case $name in
        "$1"*) begin="$begin $name" ;;
        *) within="$within $name" ;;
        esac
    done
}

# find_chapter NAME: sets $chapter to the directory that NAME means: the one of
# that name, else the only one that begins so, else the only one that has a word
# which begins so (01, naive). A number in full goes before one typed in part:
# gemm_1 is gemm_10 only where there is no gemm_1. NAME may be a path of the folder
# or of its .cu.
find_chapter()
{
    wanted=${1##*chapters/}
    case $wanted in *.cu) wanted=${wanted%.cu} wanted=${wanted##*/} ;; esac
    set -- "${wanted%/}"
    [ -n "$1" ] ||
        fail "chapter= is missing, as in chapter=gemm_01; make list names all"
    for name in $(chapters); do
        [ "$name" = "$1" ] && chapter=$name && return
    done
    case $1 in
    *[0-9]) find_beginning "$1" '_*' ;;
    *) find_beginning "$1" '*' ;;
    esac
    [ -n "$begin$within" ] || find_beginning "$1" '*'
    chapter=${begin:-$within}
    chapter=${chapter# }
    case $chapter in
    '') fail "chapter=$1 fits none; make list names all" ;;
    *' '*) fail "chapter=$1 fits several: $(wrap $chapter)" ;;
    esac
}

# variant= needs a chapter that has some: a file NUMBER_NAME.cuh each.
need_variants()
{
    [ -n "${variant-}" ] || return 0
    for path in chapters/"$chapter"/[0-9]*_*.cuh; do
        [ ! -f "$path" ] || return 0
    done
    fail "$chapter has no variants"
}

# wrap WORD...: the words in lines that fit a terminal.
wrap()
{
    echo "$*" | fold -s -w 72
}

# Sets $nvcc to the CUDA compiler, or to nothing.
find_nvcc()
{
    nvcc=
    for name in ${CUDA_HOME:+"$CUDA_HOME/bin/nvcc"} nvcc \
        /usr/local/cuda/bin/nvcc /opt/cuda/bin/nvcc; do
        have "$name" && nvcc=$(command -v "$name") && return
    done
    return 0
}

# find_cuda_tool NAME: sets $tool to a program that comes with nvcc, or to
# nothing.
find_cuda_tool()
{
    find_nvcc
    tool=
    for name in "$1" ${nvcc:+"${nvcc%/*}/$1"}; do
        have "$name" && tool=$(command -v "$name") && return
    done
    return 0
}

# need_cuda_tool GOAL NAME: the same, for a goal that cannot do without it.
need_cuda_tool()
{
    find_cuda_tool "$2"
    [ -n "$tool" ] ||
        fail "$1 on=gpu: $2 is missing; it comes with CUDA"
}

# Sets $gpu_name and $gpu_arch ("sm_90") of the first GPU, or to nothing.
find_gpu()
{
    gpu_name= gpu_arch=
    smi=nvidia-smi
    have $smi || smi=/usr/lib/wsl/lib/nvidia-smi # where WSL puts it
    answer=$($smi --query-gpu=compute_cap,name --format=csv,noheader \
        2>/dev/null | head -n 1) || return 0
    case $answer in
    [0-9]*.[0-9]*', '*)
        gpu_name=${answer#*, }
        gpu_arch=sm_$(echo "${answer%%,*}" | tr -d .)
        ;;
    esac
}

# Sets $cc to a C compiler and $clang to the clangs of this machine, or to
# nothing. simcc chooses among them on its own ($CLANG goes first); what is
# found here goes into build/simulator/tools, so that programs are built anew
# when it changes.
find_cc()
{
    cc= clang=
    for name in ${CLANG:+"$CLANG"} clang clang-14 clang-15 clang-16 clang-17 \
        clang-18 clang-19 clang-20 clang-21 clang-22; do
        have $name && clang="$clang $(command -v $name)"
    done
    for name in cc gcc $clang; do
        have "$name" && cc=$(command -v "$name") && break
    done
    return 0
}

# Sets $png to the flag of a build with libpng, where $cc finds it, or to nothing.
find_png()
{
    png=
    ! "${cc:-false}" -include png.h -E -x c /dev/null >/dev/null 2>&1 ||
        png=-DWITH_PNG
}

# Sets $clang_version to the newest major version among $clang, or to 0.
newest_clang()
{
    clang_version=0
    for name in $clang; do
        number=$($name --version | sed -n 's/.*version \([0-9]*\).*/\1/p;q')
        [ "${number:-0}" -le $clang_version ] || clang_version=$number
    done
}

# Sets $python to a Python 3, or to nothing. The system's own goes first: it
# starts in 20 ms, a wrapper such as pyenv's in 100.
find_python()
{
    python=
    for name in /usr/bin/python3 python3; do
        have $name && python=$(command -v $name) && return
    done
    return 0
}

need_python()
{
    find_python
    [ -n "$python" ] || fail "$1 needs python3: make setup"
}

# python SCRIPT ARG...: ends with a script of this folder.
python()
{
    script=$1
    shift
    exec "$python" -B common/make/$script.py "$@"
}

# Sets $back_end to gpu or simulator and $why to the reason.
choose_back_end()
{
    find_gpu
    find_nvcc
    case ${on-} in
    gpu)
        [ -n "$nvcc" ] || fail "on=gpu: nvcc is missing; install CUDA 12 or 13"
        [ -n "$gpu_arch" ] || fail "on=gpu: no GPU answers nvidia-smi"
        back_end=gpu why="on=gpu: $gpu_name"
        ;;
    simulator)
        back_end=simulator why="on=simulator: the simulator"
        ;;
    '')
        if [ -z "$gpu_arch" ]; then
            back_end=simulator why="no GPU answers: the simulator"
        elif [ -z "$nvcc" ]; then
            back_end=simulator
            why="$gpu_name answers, but nvcc is missing: the simulator"
        else
            back_end=gpu why="$gpu_name answers: it"
        fi
        ;;
    *)
        fail "on=$on: gpu or simulator"
        ;;
    esac
}

# need_gpu GOAL: what only a GPU can tell.
need_gpu()
{
    choose_back_end
    [ $back_end = gpu ] || fail "$1 needs a GPU, and ${why%: the simulator}"
}

# What the simulator cannot do without, in one line each.
need_simulator()
{
    [ "$(uname -s)" = Linux ] ||
        fail "the simulator runs on Linux; docs/platforms.md has the line for a container"
    find_cc
    [ -n "$cc" ] ||
        fail "no C compiler: make setup installs one, and the simulator needs it"
    need_python "the simulator"
}

# build TARGET...: make them, on all cores unless make was told otherwise. What
# was typed as NAME=VALUE goes with them in the environment alone: in MAKEFLAGS
# it would beat what the scripts have made of it (chapter=02).
build()
{
    find_nvcc
    find_cc
    find_png
    find_python
    : "${gpu_arch=}"
    mkdir -p build 2>/dev/null && [ -w build ] ||
        fail "build/ cannot be written here; use a copy of your own," \
            "or let build be a link to a folder that can"
    # The list for editors is made beside the programs, where Python is.
    editors=
    [ -z "$python" ] || [ ! -w . ] || editors=compile_commands.json
    set -- --no-print-directory -f common/make/build.mk "$@" $editors
    make_flags=${MAKEFLAGS-}
    make_flags=${make_flags%% -- *}
    case $make_flags in
    *-j*) ;; # make -jN: its tokens are shared out
    *) set -- "-j$(getconf _NPROCESSORS_ONLN)" "$@" ;;
    esac
    [ "${v-}" = 1 ] || set -- -s "$@"
    MAKEFLAGS=$make_flags file="${file-}" flags="${flags-}" \
        cc=$cc clang=$clang nvcc=$nvcc python=$python png=$png \
        arch=${arch:-${gpu_arch:-sm_75}} "${MAKE:-make}" "$@"
}

# The name of the commit, for the JSON record, in CHAPTERS_COMMIT; where only a
# copy of the files is, that says it already. Results that are being recorded do
# not change what is measured.
export_commit()
{
    if [ -z "${CHAPTERS_COMMIT-}" ]; then
        CHAPTERS_COMMIT=$(git describe --always --abbrev=12 2>/dev/null) &&
            ! git diff --quiet HEAD -- . ':!docs/results' &&
            CHAPTERS_COMMIT=$CHAPTERS_COMMIT-dirty
    fi
    export CHAPTERS_COMMIT
}

# Where make autotune has found parameters for $chapter, and the caller has set
# tuned=yes: sets $program to the chapter with them.
use_tuned()
{
    [ $back_end = gpu ] && [ "${tuned-}" = yes ] &&
        [ -f "build/gpu/$chapter.h" ] || return 0
    program=build/gpu/tuned/$chapter
    sed -n 's,^// ,,p' "build/gpu/$chapter.h"
}

# What most goals begin with: a chapter or file=, the back end, the first line
# of output, the program.
start()
{
    if [ -n "${file-}" ]; then
        [ -z "${chapter-}" ] || fail "file= or chapter=, not both"
        [ ! -d "$file" ] || fail "$file: a folder, not a source"
        [ -f "$file" ] || fail "file=$file: no such file"
        what="$file"
    else
        find_chapter "${chapter-}"
        need_variants
        what="this chapter"
    fi
    choose_back_end
    [ $back_end = gpu ] || need_simulator
    echo "$why runs $what"
    if [ -n "${file-}" ]; then
        # A name that make can read.
        name=${file##*/}
        name=$(echo "${name%.*}" | tr -c 'A-Za-z0-9_\n' _)
        program=build/$back_end/own/$name
    else
        [ "${v-}" != 1 ] || alone
        program=build/$back_end/$chapter
        use_tuned
    fi
    build "$program"
    export_commit
}

# The command that builds the chapter on its own, without make.
alone()
{
    sources="-I common chapters/$chapter/$chapter.cu common/*.c"
    on_gpu="nvcc -O3 -arch=${arch:-${gpu_arch:-sm_75}} --default-stream \
per-thread $sources common/gpu/*.c* -lcublas -o $chapter"
    if [ $back_end = gpu ]; then
        echo "on its own: $on_gpu"
    else
        echo "on its own: common/simulator/simcc $sources -o $chapter"
        echo "on a GPU:   $on_gpu"
    fi
}
