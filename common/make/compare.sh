# make compare sizes="256 512": all gemm chapters in one table.
. common/make/lib.sh
choose_back_end
[ $back_end = gpu ] || need_simulator
need_python compare
echo "$why runs the gemm chapters"
names=$(chapters | grep '^gemm_')
tuned=yes
build $(for chapter in $names; do
    program=build/$back_end/$chapter
    use_tuned >/dev/null
    echo "$program"
done)
[ $back_end = gpu ] && usual="1024 4096" || usual="256"
exec "$python" -B common/make/compare.py $back_end "${sizes:-$usual}" $names
