# make autotune: the parameters of gemm_09 that are best on this GPU.
# args=--list prints the sets to try, which needs no GPU.
. common/make/lib.sh
need_python autotune
find_chapter "${chapter:-gemm_09_autotune}"
grep -q '^#ifndef BM' "chapters/$chapter/$chapter.cu" ||
    fail "autotune: $chapter has no parameters that can be set from outside"
if [ "$*" != --list ]; then
    choose_back_end
    [ $back_end = gpu ] ||
        fail "autotune: $why; only a GPU and nvcc can tell which is best"
    echo "$why tunes $chapter"
fi
export chapter gpu_name="${gpu_name-}"
exec "$python" -B common/make/autotune.py "$@"
