# Every C, C++ and CUDA source is as clang-format 14 leaves it. Other versions
# format a few things differently, so they are not asked.
set -eu
for tool in clang-format-14 clang-format; do
    version=$($tool --version 2>/dev/null | sed 's/.*version \([0-9]*\).*/\1/') ||
        continue
    [ "$version" = 14 ] && break
done
if [ "${version:-none}" != 14 ]; then
    echo "skip: clang-format 14 is not here (found: ${version:-none})"
    echo "0 passed, 0 failed, 1 skipped"
    exit
fi
files=$(git ls-files -co --exclude-standard '*.c' '*.h' '*.cu' '*.cuh' |
    while read -r file; do [ ! -f "$file" ] || echo "$file"; done)
# The tool names a file once for each place that it would change.
status=0
said=$($tool --dry-run -Werror $files 2>&1) || status=$?
wrong=$(echo "$said" | sed -n 's/:[0-9]*:[0-9]*: error.*//p' | sort -u)
if [ $status != 0 ] && [ -z "$wrong" ]; then
    echo "$tool ended with $status: $said"
    exit 1
fi
for file in $wrong; do
    echo "FAIL $file: clang-format -i changes it"
done
failed=$(echo $wrong | wc -w)
passed=$(($(echo $files | wc -w) - failed))
echo "$passed passed, $failed failed"
[ $failed = 0 ]
