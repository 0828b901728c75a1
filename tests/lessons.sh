# Quotes, tables, pictures and charts are those of the sources and the data; what
# the ablation replaces is in the chapter's text. What lessons print comes from the simulator with its counters, as do the
# pictures of a trace: without clang these cannot be compared.
set -eu
export PYTHONPATH=tools PYTHONDONTWRITEBYTECODE=1
clang_version=$(python3 -c 'import machine; print(machine.clang_version())')
passed=0 failed=0 skipped=0
for script in lessons.py picture.py charts.py ablation.py; do
    if { [ $script = lessons.py ] || [ $script = picture.py ]; } &&
        [ "$clang_version" -lt 14 ]; then
        echo "skip: $script needs clang 14 or newer"
        skipped=$((skipped + 1))
    elif python3 -B tools/author/$script --check; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
    fi
done
echo "$passed passed, $failed failed, $skipped skipped"
[ $failed = 0 ]
