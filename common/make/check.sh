# make [chapter=X] check: check.args and counts of one chapter, or of all.
. common/make/lib.sh
if [ -n "${chapter-}" ]; then
    start
    set -- "$*" "$chapter"
else
    choose_back_end
    [ $back_end = gpu ] || need_simulator
    echo "$why runs the chapters"
    build $back_end
    set -- "$*" $(chapters)
fi
need_python check
exec "$python" -B common/make/check.py $back_end "$@"
