# make help: the two commands, then each target with its `##` comment.
. common/make/lib.sh
first=$(chapters | head -n 1)
cat <<END
On a fresh machine:
  make setup chapter=${first%%_[a-z]*} run      one chapter, built, verified, counted or timed
  make setup test                    all tests that need no GPU

Then: make [chapter=X] TARGET
END
sed -n 's/^\([a-z0-9-]*\):.*## \(.*\)/\1\t\2/p' "$1" |
    while IFS="$(printf '\t')" read -r target text; do
        printf '  %-16s %s\n' "$target" "$text"
    done
cat <<'END'

  chapter=gemm_02          a chapter, or any beginning that fits only one
  on=simulator             or on=gpu; otherwise a GPU when one answers
  args="--M 500 --K 300"   goes to the program; args=--help lists them
  arch=sm_90               build for this GPU; otherwise for the one here
  v=1                      show the command lines
END
