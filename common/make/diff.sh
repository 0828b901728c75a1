# make chapter=X diff: the change from the chapter before, word by word; or
# from=Y to=X. Comments and the chapters' own names are left out: what remains
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
    style="--color=always --word-diff=color"
else
    style="--color=never --word-diff=plain"
fi
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
code "$old" >"$folder/old"
code "$new" >"$folder/new"
echo "$old -> $new: code only"
# git's own header names temporary files; @@ lines number lines that are gone.
git diff --no-index --unified=1 --no-prefix $style \
    --word-diff-regex='[A-Za-z0-9_]+|[^[:space:]]' \
    "$folder/old" "$folder/new" >"$folder/diff" || true
sed '1,4d; s/^[^ @]*@@ [-+,0-9 ]* @@.*/.../' "$folder/diff"
