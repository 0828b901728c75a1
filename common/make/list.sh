# make list: the chapters, each with the first sentence of its source.
. common/make/lib.sh
for name in $(chapters); do
    brief=$(sed -n 's/^ \* @brief //p' "chapters/$name/$name.cu" | head -n 1)
    printf '%-24s %s\n' "$name" "$brief"
done
