# Quotes, tables and charts are those of the sources and the data; what the
# ablation replaces is in the chapter's text.
passed=0 failed=0
for script in lessons charts ablation; do
    if python3 -B common/make/$script.py --check; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
    fi
done
echo "$passed passed, $failed failed"
[ $failed = 0 ]
