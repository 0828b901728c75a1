# make new chapter=NAME from=CHAPTER: a chapter to begin with.
#
# The program, its command lines and counts are those of CHAPTER under the new
# name, so that it builds, runs and passes its check at once; the lesson has its
# headings and what belongs under each.

new=${chapter-}
case $new in
'') fail "chapter= is missing, as in chapter=gemm_13_mine from=gemm_10" ;;
*[!a-z0-9_]* | [!a-z]*)
    fail "chapter=$new: a name is of a-z, 0-9 and _, and begins with a letter"
    ;;
esac
[ ! -e "chapters/$new" ] || fail "chapters/$new is there already"
[ -n "${from-}" ] || fail "from= is missing, as in from=gemm_10"
find_chapter "$from"
old=$chapter

# short NAME: what a command line calls it, gemm_10 of gemm_10_warptile.
short()
{
    echo "$1" | sed 's/^\([a-z]*_[0-9][0-9]*\)_.*/\1/'
}

brief=$(sed -n 's/^ \* @brief //p' "chapters/$old/$old.cu" | head -n 1)
mkdir "chapters/$new"
others='README.md\|predict\|pictures\|exercise\..*\|hunt_.*'
(cd "chapters/$old" && cp -r $(ls | grep -vx "$others") "../$new")
mv "chapters/$new/$old.cu" "chapters/$new/$new.cu"
sed -i "s/\"$old\"/\"$new\"/g; s/\\b$old\\.cu\\b/$new.cu/g
s/\\bchapter=$(short "$old")\\b/chapter=$(short "$new")/g" \
    "chapters/$new/"*.cu*

cat >"chapters/$new/README.md" <<END
# $new: its one idea in a few words

**Before:** $old: $brief
**Change:** what this chapter does otherwise, in one sentence.

## The idea

Why it is faster, with a drawing, before any code.

## Predict

What a reader can work out by hand; the file predict asks it:
common/make/predict.py says how.

| | your prediction |
| --- | --- |

<details><summary>Answers</summary>

The derivation of each.

</details>

## The kernel

What changed: make chapter=$(short "$new") diff from=$(short "$old")

## What the counters say

What was counted before and now; the file counts asserts it.

## How fast

From make chapter=$(short "$new") results, on a GPU.

## Pitfalls

What went wrong on the way, and how it shows.

## Exercise

One change that a reader can make and count.

## Next

What limits this kernel.
END
echo "chapters/$new: $new.cu, check.args and counts of $old; README.md to fill in"
echo "  make chapter=$(short "$new") run"
echo "  make chapter=$(short "$new") diff from=$(short "$old")"
