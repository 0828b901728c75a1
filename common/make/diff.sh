# make chapter=X diff: the change from the chapter before, or from=Y to=X; inside
# a chapter of several variants from=V to=W, or to=W: from the one before.
# Comments and the own names of both are left out: what remains is the lesson.

# code FILE: the source without comments, empty lines and its own name: that of
# a chapter anywhere, that of a variant in NAME_kernel and its function NAME.
code()
{
    own=$(variant_name "${1%.cu}")
    case $1 in
    *.cuh) names="s/${own}_kernel/kernel/g; s/ $own(const void/ run(const void/" ;;
    *) names="s/$own/CHAPTER/g" ;;
    esac
    sed "$names" "$1" | awk '
        {
            text = $0
            line = ""
            while (text != "") {
                if (inside) {
                    end = index(text, "*/")
                    inside = end == 0
                    text = end ? substr(text, end + 2) : ""
                } else if (match(text, /^"([^"\\]|\\.)*"/)) {
                    line = line substr(text, 1, RLENGTH)
                    text = substr(text, RLENGTH + 1)
                } else if (text ~ /^\/\//) {
                    text = ""
                } else if (text ~ /^\/\*/) {
                    inside = 1
                    text = substr(text, 3)
                } else {
                    line = line substr(text, 1, 1)
                    text = substr(text, 2)
                }
            }
            sub(/[ \t]+$/, "", line)
            if (line != "")
                print line
        }'
}

# variant_name FILE: 2_brent_kung.cuh holds brent_kung.
variant_name()
{
    echo "$1" | sed 's,.*/,,; s/\.cuh$//; s/^[0-9]*_//'
}

# find_variant NAME: sets $source to the file of the variant of $chapter whose
# name it is, or begins alone; $last is the one before it.
find_variant()
{
    source= last= before= fitting=
    for path in chapters/"$chapter"/[0-9]*_*.cuh; do
        case $(variant_name "$path") in
        "$1") fitting=one source=$path last=$before && break ;;
        "$1"*) fitting="$fitting one" source=$path last=$before ;;
        esac
        before=$path
    done
    [ "${fitting# }" = one ] || fail "$1 is no variant of $chapter:" $variants
}

# find_variants: sets $old and $new to files of one chapter, if it has variants.
find_variants()
{
    old= new= variants=
    [ -n "${chapter-}" ] || return 0
    find_chapter "$chapter"
    for path in chapters/"$chapter"/[0-9]*_*.cuh; do
        [ ! -f "$path" ] || variants="$variants $(variant_name "$path")"
    done
    to=${to:-${variant-}}
    if [ -z "$variants" ]; then
        [ -z "${variant-}" ] || fail "$chapter has no variants"
        return 0
    fi
    [ -n "$to" ] || fail "diff of which two? from= and to= are among:" $variants
    find_variant "$to"
    new=$source old=$last
    if [ -n "${from-}" ]; then
        find_variant "$from"
        old=$source
    fi
    [ -n "$old" ] || fail "$to is the first of $chapter: nothing to compare"
}

# find_chapters: sets $old and $new to the sources of two chapters.
find_chapters()
{
    find_chapter "${to:-${chapter-}}"
    new=chapters/$chapter/$chapter.cu
    series=${chapter%%_[0-9]*}
    if [ -n "${from-}" ]; then
        find_chapter "$from"
    else
        # The one listed before it in the same series: gemm_01 before gemm_02.
        last=$(chapters | grep "^${series}_[0-9]" | grep -x -B 1 -e "$chapter" |
            grep -v -x -e "$chapter" || true)
        [ -n "$last" ] ||
            fail "$chapter is the first of its series: nothing to compare"
        chapter=$last
    fi
    old=chapters/$chapter/$chapter.cu
}

have git || fail "diff needs git"
[ -z "${from-}" ] || [ -n "${to-}${chapter-}" ] || fail "diff: from= needs to="
find_variants
[ -n "$new" ] || find_chapters
if [ "$old" = "$new" ]; then
    fail "from= and to= are the same: $new"
fi

if [ -t 1 ] && [ -z "${NO_COLOR-}" ] && [ "${TERM-}" != dumb ]; then
    color=always words=color
else
    color=never words=plain
fi
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
code "$old" >"$folder/old"
code "$new" >"$folder/new"

# compare OPTION...: git's diff of the two, in hunks with a line around each. A
# line that has only moved to the right is the same.
compare()
{
    git diff --no-index -w --unified=1 --no-prefix --color=$color "$@" \
        "$folder/old" "$folder/new" || true
}
compare --word-diff=$words \
    --word-diff-regex='[A-Za-z0-9_]+|[^[:space:]]' >"$folder/words"
compare >"$folder/lines"

# Word by word where as many lines came as went, else line by line: a loop that
# is new cannot be read in scraps of the old one. What stands before the first
# @@ names temporary files.
name_of()
{
    case $1 in
    *.cuh) variant_name "$1" ;;
    *) name=${1##*/} && echo "${name%.cu}" ;;
    esac
}
echo "$(name_of "$old") -> $(name_of "$new"): code only"
awk '
    FNR == 1 { file++; hunk = 0 }
    /^[^ @+-]*@@ -/ {
        hunk++
        split(substr($2, 2), before, ",")
        split(substr($3, 2), after, ",")
        same[hunk] = before[2] == after[2]
        next
    }
    hunk && file == 1 { text[1, hunk] = text[1, hunk] " " $0 "\n" }
    hunk && file == 2 { text[2, hunk] = text[2, hunk] $0 "\n" }
    END {
        for (i = 1; i <= hunk; i++)
            printf "...\n%s", text[same[i] ? 1 : 2, i]
    }' "$folder/words" "$folder/lines"

# A line that changed was removed and added.
set -- $(git diff --no-index -w --numstat "$folder/old" "$folder/new" || true)
echo "$((${1:-0} + ${2:-0})) lines changed: ${1:-0} added, ${2:-0} removed"
