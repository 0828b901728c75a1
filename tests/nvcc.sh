# All of common/, half of the chapters and a quarter of the solutions compile
# without a warning, and all tests. (Members that an initializer does not name are
# 0 on purpose.) On sm_80 and sm_90 no kernel of a chapter spills registers or keeps
# an array in local memory. The number of commits says whose turn it is: four in a
# row try every file, a chapter once for sm_90 and once for sm_80 or the oldest GPU
# supported, sm_75; eight in a row all three. Solutions and tests are compiled for
# the oldest. (machine_code.py compiles gemm_04 to gemm_12 for sm_90 each time.)
set -eu
nvcc=$(PYTHONPATH=tools python3 -B -c 'import machine; print(machine.nvcc())')
if [ -z "$nvcc" ]; then
    echo "skip: nvcc is not here"
    echo "0 passed, 0 failed, 1 skipped"
    exit
fi
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

# half N: compile every second file; a line or two for each.
half()
{
    number=0
    for file in chapters/*/*.cu solutions/*.cu tests/chapters/*/*.cu common/*.c common/gpu/*.c* tests/gpu/*.cu; do
        [ -f "$file" ] || continue
        number=$((number + 1))
        [ $((number % 2)) = "$1" ] || continue
        pair=$((number / 2)) arch=sm_75
        case $file in
        chapters/*) [ $(((pair + commits) % 2)) = 0 ] || continue ;;
        solutions/*) [ $((pair % 4)) = $((commits % 4)) ] || continue ;;
        esac
        case $file in
        chapters/* | common/*) arch=$turn ;;
        esac
        if "$nvcc" -arch=$arch -O1 --default-stream per-thread -I common \
            -Werror all-warnings -Xcompiler -Wall,-Wextra,-Werror \
            -Xcompiler -Wno-missing-field-initializers -Xptxas -v \
            -c "$file" -o "$folder/$1.o" >"$folder/$1.log" 2>&1; then
            echo "pass $file"
        else
            cat "$folder/$1.log"
            echo "FAIL $file"
        fi
        case $arch:$file in *:common/* | sm_75:*) continue ;; esac
        # Of the chapter's own kernels, not of CUB's.
        awk '/Function properties for/ { ours = !/_ZN3cub/ }
            ours && /bytes stack frame/' "$folder/$1.log" >"$folder/$1.frames"
        if grep -q ' 0 bytes stack frame, 0 bytes spill' "$folder/$1.frames" &&
            ! grep -E '[1-9][0-9]* bytes (stack frame|spill)' "$folder/$1.frames"
        then
            echo "pass $arch $file: registers do"
        else
            echo "FAIL $arch $file: spills or local memory"
        fi
    done >"$folder/lines.$1" 2>&1
}

commits=$(git rev-list --count HEAD 2>/dev/null || echo 0)
case $((commits / 2 % 4)) in
0 | 2) turn=sm_90 ;;
1) turn=sm_80 ;;
3) turn=sm_75 ;;
esac
echo "quarter $((commits % 4 + 1)) of 4 ($commits commits) of the solutions; half of the chapters, $turn"
half 0 &
half 1 &
wait
cat "$folder"/lines.?
passed=$(cat "$folder"/lines.? | grep -c '^pass' || true)
failed=$(cat "$folder"/lines.? | grep -c '^FAIL' || true)
echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
