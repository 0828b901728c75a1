# Sourced by the scripts of this folder: chapters, compilers, GPUs.
#
# Every function sets variables and prints nothing, unless it fails: then one
# line on stderr says what is missing, and the script ends with status 2.
# Nothing here starts Python, and nothing runs twice: a no-op `make run` has
# 0.5 s for all of it.

set -eu

# make -n: say what would be run, and no more.
case ${MAKEFLAGS-} in
[a-zA-Z]*)
    flags=${MAKEFLAGS%% *}
    [ "$flags" = "${flags#*n}" ] || { echo "sh $0 $*" && exit; }
    ;;
esac

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

# find_chapter NAME: sets $chapter to the directory that NAME means: the one
# of that name, else the only one that begins so. NAME may be its path.
find_chapter()
{
    wanted=${1#chapters/}
    set -- "${wanted%/}"
    candidates=
    for name in $(chapters); do
        [ "$name" = "$1" ] && chapter=$name && return
        case $name in "$1"*) candidates="$candidates $name" ;; esac
    done
    if [ -z "$1" ]; then
        fail "chapter= is missing; one of:$candidates"
    elif [ -z "$candidates" ]; then
        fail "chapter=$1 fits none of:" $(chapters)
    fi
    chapter=${candidates# }
    case $chapter in *' '*) fail "chapter=$1 fits several:$candidates" ;; esac
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
# nothing. simcc chooses among them on its own; what is found here goes into
# build/simulator/tools, so that programs are built anew when it changes.
find_cc()
{
    cc= clang=
    for name in clang clang-14 clang-15 clang-16 clang-17 clang-18 clang-19 \
        clang-20 clang-21 clang-22; do
        have $name && clang="$clang $(command -v $name)"
    done
    for name in cc gcc $clang; do
        have "$name" && cc=$(command -v "$name") && break
    done
    return 0
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

# What the simulator cannot do without, in one line each.
need_simulator()
{
    [ "$(uname -s)" = Linux ] ||
        fail "the simulator runs on Linux; README.md has the line for a container"
    find_cc
    [ -n "$cc" ] ||
        fail "no C compiler: make setup installs one, and the simulator needs it"
    need_python "the simulator"
}

# build TARGET...: make them, on all cores unless make was told otherwise.
build()
{
    find_nvcc
    find_cc
    find_python
    : "${gpu_arch=}"
    # The list for editors is made beside the programs, where Python is.
    set -- --no-print-directory -f common/make/build.mk "$@" \
        ${python:+compile_commands.json}
    flags=${MAKEFLAGS-}
    case ${flags%% -- *} in
    *-j*) ;; # make -jN: its tokens are shared out
    *) set -- "-j$(getconf _NPROCESSORS_ONLN)" "$@" ;;
    esac
    [ "${v-}" = 1 ] || set -- -s "$@"
    cc=$cc clang=$clang nvcc=$nvcc python=$python \
        arch=${arch:-${gpu_arch:-sm_75}} "${MAKE:-make}" "$@"
}

# The name of the commit, for the JSON record; CHAPTERS_COMMIT says it where
# only a copy of the files is.
commit()
{
    echo "${CHAPTERS_COMMIT:-$(git describe --always --dirty --abbrev=12 2>/dev/null)}"
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

# What most targets begin with: the chapter, the back end, the first line of
# output, the program.
start()
{
    find_chapter "${chapter-}"
    choose_back_end
    [ $back_end = gpu ] || need_simulator
    echo "$why runs this chapter"
    [ "${v-}" != 1 ] || alone
    program=build/$back_end/$chapter
    use_tuned
    build "$program"
    CHAPTERS_COMMIT=$(commit)
    export CHAPTERS_COMMIT
}

# The command that builds the chapter on its own, without make.
alone()
{
    if [ $back_end = gpu ]; then
        echo "on its own: nvcc -O3 -arch=${arch:-$gpu_arch}" \
            "--default-stream per-thread -I common" \
            "chapters/$chapter/$chapter.cu common/*.c common/gpu/*.c*" \
            "-lcublas -o $chapter"
    else
        echo "on its own: common/simulator/simcc -I common" \
            "chapters/$chapter/$chapter.cu common/*.c -o $chapter"
        echo "on a GPU:   nvcc -O3 -arch=${arch:-sm_75}" \
            "--default-stream per-thread -I common" \
            "chapters/$chapter/$chapter.cu common/*.c common/gpu/*.c*" \
            "-lcublas -o $chapter"
    fi
}
