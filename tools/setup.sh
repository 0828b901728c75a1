# make setup GOAL...: install what the goals of the line need and this
# machine lacks, with apt, dnf or brew where that works without a password;
# otherwise print the one line to type. CUDA is never installed. It is a script
# of sh, since Python may be missing.
#
# setup.sh --missing GOAL: print what the goal lacks, and no more.
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

# Whether chapter= is one that reads or writes pictures.
reads_pictures()
{
    [ -n "${chapter-}" ] &&
        grep -qs '"picture.h"' chapters/*"${chapter##*chapters/}"*/*.cu
}

# look GOAL...: sets $missing to the names, from the table below, of what these
# goals need and is not here. The quick tests come first: nothing missing is
# said within a second.
look()
{
    missing= tests=no debug=no pictures=no docs=no
    for name; do
        case $name in
        test | test-all) tests=yes pictures=yes ;;
        debug) debug=yes ;;
        docs) docs=yes ;;
        esac
    done
    cc= python=
    for name in cc gcc clang; do
        have $name && cc=$name && break
    done
    for name in /usr/bin/python3 python3; do
        have $name && python=$name && break
    done
    [ -n "$cc" ] || missing="$missing compiler"
    "${python:-false}" simulator/simcc --clang >/dev/null 2>&1 ||
        missing="$missing clang"
    [ -n "$python" ] || missing="$missing python"
    have git || missing="$missing git"
    [ $debug = no ] || have gdb || missing="$missing gdb"
    ! reads_pictures || pictures=yes
    [ $pictures = no ] ||
        "${cc:-false}" -include png.h -E -x c /dev/null >/dev/null 2>&1 ||
        missing="$missing png"
    [ $docs = no ] || look_docs
    [ $tests = no ] && return
    have bats || missing="$missing bats"
    have clang-format-14 || have clang-format || missing="$missing format"
    echo '#include <cmocka.h>' | "${cc:-false}" -E - >/dev/null 2>&1 ||
        missing="$missing cmocka"
    "${python:-false}" -c 'import jsonschema' 2>/dev/null ||
        missing="$missing jsonschema"
}

# The site: Doxygen, the style for it, what filters CUDA for Doxygen, and the
# linker of the explorers.
look_docs()
{
    have doxygen || missing="$missing doxygen"
    [ -d /usr/share/doxygen-awesome-css ] || missing="$missing doxygen-awesome-css"
    have perl || missing="$missing perl"
    have wasm-ld || have wasm-ld-14 || missing="$missing lld"
}

# What the test of the site opens its pages with, where a browser is. Without
# it that part of the test is skipped, so this may fail.
setup_axe()
{
    if [ $docs = no ] || [ -d node_modules/axe-core ] || ! have npm ||
        ! have chromium; then
        return
    fi
    echo "setup: npm install --no-save axe-core"
    mkdir -p build
    npm install --no-save axe-core >build/axe.log 2>&1 ||
        echo "setup: that failed; only the test of the site's pages wants it"
}

# packages MANAGER NAME...: what the names are called there.
packages()
{
    manager=$1
    shift
    for name; do
        case $manager-$name in
        apt-compiler) echo g++ ;;
        dnf-compiler) echo gcc-c++ ;;
        brew-compiler) echo gcc ;;
        brew-clang) echo llvm ;;
        apt-python | dnf-python) echo python3 ;;
        apt-format | brew-format) echo clang-format ;;
        dnf-format) echo clang-tools-extra ;;
        apt-png) echo libpng-dev ;;
        dnf-png) echo libpng-devel ;;
        brew-png) echo libpng ;;
        apt-cmocka) echo libcmocka-dev ;;
        dnf-cmocka) echo libcmocka-devel ;;
        brew-bats) echo bats-core ;;
        brew-jsonschema) echo python-jsonschema ;;
        *-jsonschema) echo python3-jsonschema ;;
        *) echo "$name" ;;
        esac
    done
}

if [ "${1-}" = --missing ]; then
    shift
    look "$@"
    echo $missing
    exit
fi
look "$@"
setup_axe
if [ -z "$missing" ]; then
    echo "setup: nothing is missing"
    exit
fi

if have apt-get; then
    install="apt-get install -y --no-install-recommends"
    install="apt-get update && $install $(echo $(packages apt $missing))"
elif have dnf; then
    install="dnf install -y $(echo $(packages dnf $missing))"
elif have brew; then
    install="brew install $(echo $(packages brew $missing))"
else
    fail "setup: missing:$missing; neither apt-get, dnf nor brew is here"
fi

case $install in
brew*) ;;
*)
    if [ "$(id -u)" != 0 ]; then
        have sudo || fail "setup: missing:$missing; as root type:  $install"
        install=$(echo "$install" | sed 's/^/sudo /; s/&& /&sudo /')
        sudo -n true 2>/dev/null ||
            fail "setup: missing:$missing; type:  $install"
    fi
    ;;
esac

echo "setup: $install"
mkdir -p build
export DEBIAN_FRONTEND=noninteractive
if ! sh -c "$install" >build/setup.log 2>&1; then
    tail -n 5 build/setup.log >&2
    fail "setup: that failed; all of its output is in build/setup.log"
fi
hash -r
look "$@"
[ -z "$missing" ] || fail "setup: still missing:$missing"
