# make chapter=X diff: the change from the chapter before; or from=Y to=X. Comments and the chapters' own names are left out: what remains
# is the lesson.
. common/make/lib.sh

# code CHAPTER: its source without comments, empty lines and its own name.
code()
{
    sed "s/$1/CHAPTER/g" "chapters/$1/$1.cu" | awk '
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

have git || fail "diff needs git"
find_chapter "${to:-${chapter-}}"
new=$chapter
if [ -n "${from-}" ]; then
    find_chapter "$from"
    old=$chapter
else
    # The one listed before it in the same series: gemm_01 before gemm_02.
    series=${new%%_[0-9]*}
    old=$(chapters | grep "^${series}_[0-9]" | grep -x -B 1 -e "$new" |
        grep -v -x -e "$new" || true)
    [ -n "$old" ] || fail "$new is the first of its series: nothing to compare"
fi

if [ -t 1 ] && [ -z "${NO_COLOR-}" ]; then
    color=always words=color
else
    color=never words=plain
fi
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
code "$old" >"$folder/old"
code "$new" >"$folder/new"

# compare OPTION...: git's diff of the two, in hunks with a line around each.
compare()
{
    git diff --no-index --unified=1 --no-prefix --color=$color "$@" \
        "$folder/old" "$folder/new" || true
}
compare --word-diff=$words \
    --word-diff-regex='[A-Za-z0-9_]+|[^[:space:]]' >"$folder/words"
compare >"$folder/lines"

# Word by word where as many lines came as went, else line by line: a loop that
# is new cannot be read in scraps of the old one. What stands before the first
# @@ names temporary files.
echo "$old -> $new: code only"
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
