# make setup GOAL...: install what the goals of the line need and this
# machine lacks, with apt or dnf where that works without a password; otherwise
# print the one line to type. CUDA is never installed. It is a script of sh, since
# Python may be missing.
#
# setup.sh --missing GOAL: print what the goal lacks, and no more; python=, if set, is
# the Python that asks, which may have other packages than the system's.
set -eu
asks=${python-}

fail()
{
    echo "$*" >&2
    exit 2
}

have()
{
    command -v "$1" >/dev/null 2>&1
}

# includes HEADER: whether the compiler finds it.
includes()
{
    "${cc:-false}" -include "$1" -E -x c /dev/null
}

# look GOAL...: sets $missing to the packages that these goals lack. A line below
# is a goal, the names that apt and dnf have, and what succeeds where it is.
look()
{
    goals=" all "
    for name; do
        case $name in
        test-all) goals="$goals test test-all " ;;
        *) goals="$goals $name " ;;
        esac
    done
    ! grep -qs cublas_v2 "${file-}" || goals="$goals cublas "
    cc= python=
    for name in cc gcc clang; do
        have $name && cc=$name && break
    done
    for name in ${asks:-/usr/bin/python3 python3}; do
        have $name && python=$name && break
    done
    missing=
    while read -r goal apt dnf here; do
        case $goals in
        *" $goal "*)
            eval "$here" </dev/null >/dev/null 2>&1 ||
                missing="$missing $(have apt-get && echo $apt || echo $dnf)"
            ;;
        esac
    done <<'END'
all g++ gcc-c++ [ -n "$cc" ]
all clang clang ${python:-false} simulator/simcc --clang
all python3 python3 [ -n "$python" ]
all git git have git
cublas libopenblas0-pthread openblas ls /usr/lib*/libopenblas.so.0 /usr/lib/*/libopenblas.so.0 | grep -q .
debug gdb gdb have gdb
docs doxygen doxygen have doxygen
docs cmark-gfm cmark-gfm have cmark-gfm
docs python3-pygments python3-pygments ${python:-false} -c 'import pygments'
docs python3-bs4 python3-beautifulsoup4 ${python:-false} -c 'import bs4'
docs python3-jinja2 python3-jinja2 ${python:-false} -c 'import jinja2'
docs libjs-lunr js-lunr [ -e /usr/share/javascript/lunr/lunr.min.js ]
docs lld lld have wasm-ld || have wasm-ld-14
test clang-format clang-tools-extra have clang-format-14 || have clang-format
test libcmocka-dev libcmocka-devel includes cmocka.h
test python3-pytest python3-pytest ${python:-false} -c 'import pytest'
test python3-jsonschema python3-jsonschema ${python:-false} -c 'import jsonschema'
test-all python3-nbclient python3-nbclient ${python:-false} -c 'import nbclient'
test-all python3-ipykernel python3-ipykernel ${python:-false} -c 'import ipykernel'
END
}

# What the test of the site's pages asks about them; without it that is skipped.
setup_axe()
{
    case $goals in *" test "*) ;; *) return ;; esac
    if [ -d node_modules/html-validate ] || ! have npm || ! have chromium; then
        return
    fi
    echo "setup: npm install --no-save axe-core html-validate"
    mkdir -p build
    npm install --no-save axe-core html-validate >build/axe.log 2>&1 ||
        echo "setup: that failed; only the test of the site's pages wants it"
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
    install="apt-get install -y --no-install-recommends$missing"
    install="apt-get update && $install"
elif have dnf; then
    install="dnf install -y$missing"
else
    fail "setup: missing:$missing; neither apt-get nor dnf is here"
fi
if [ "$(id -u)" != 0 ]; then
    have sudo || fail "setup: missing:$missing; as root type:  $install"
    install=$(echo "$install" | sed 's/^/sudo /; s/&& /&sudo /')
    sudo -n true 2>/dev/null ||
        fail "setup: missing:$missing; type:  $install"
fi

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
