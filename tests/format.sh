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
passed=0 failed=0
for file in $(git ls-files -co --exclude-standard '*.c' '*.h' '*.cu' '*.cuh'); do
    [ -f "$file" ] || continue
    if $tool --dry-run -Werror "$file" 2>/dev/null; then
        passed=$((passed + 1))
    else
        echo "FAIL $file: clang-format -i changes it"
        failed=$((failed + 1))
    fi
done
echo "$passed passed, $failed failed"
[ $failed = 0 ]
