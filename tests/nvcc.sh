# Every chapter and all of common/ compiles without a warning, half of them for
# sm_90, the others for the oldest GPU supported or for sm_80; a third of the
# solutions and all tests for the oldest. (Members that an initializer does not
# name are 0 on purpose. machine_code.py compiles gemm_04 to gemm_12 for sm_90.)
# On sm_80 and sm_90 no kernel of a chapter spills registers or keeps an array in
# local memory. The number of commits says whose turn it is: twelve in a row try
# all.
. common/make/lib.sh
find_nvcc
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
        case $file in chapters/*/exercise.cu | chapters/*/hunt_*.cu) continue ;; esac
        number=$((number + 1))
        [ $((number % 2)) = "$1" ] || continue
        case $file in solutions/*) [ $((number / 2 % 3)) = "$third" ] || continue ;; esac
        arch=sm_90
        [ $(((number / 2 + commits / 2) % 2)) = 0 ] || arch=$turn
        case $file in
        chapters/* | common/*) ;;
        *) arch=sm_75 ;;
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
third=$((commits % 3))
turn=sm_75
[ $((commits % 2)) = 0 ] || turn=sm_80
echo "third $((third + 1)) of 3 of the solutions; half of the chapters sm_90, half $turn"
half 0 &
half 1 &
wait
cat "$folder"/lines.?
passed=$(cat "$folder"/lines.? | grep -c '^pass' || true)
failed=$(cat "$folder"/lines.? | grep -c '^FAIL' || true)
echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
