# Every chapter and all of common/ compiles without a warning for the oldest
# GPU supported and two newer ones. (Members that an initializer does not name
# are 0 on purpose.) On the two newer ones no kernel of a chapter spills
# registers or keeps an array in local memory.
. common/make/lib.sh
find_nvcc
if [ -z "$nvcc" ]; then
    echo "skip: nvcc is not here"
    echo "0 passed, 0 failed, 1 skipped"
    exit
fi
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

# one ARCH: compile everything; one line for each file.
one()
{
    for file in chapters/*/*.cu tests/chapters/*/*.cu common/*.c common/gpu/*.c* tests/gpu/*.cu; do
        [ -f "$file" ] || continue
        # C does not depend on the GPU: once is enough.
        case $1-$file in sm_75-*.c | *.cu) ;; *) continue ;; esac
        if "$nvcc" -arch="$1" -O1 --default-stream per-thread -I common \
            -Werror all-warnings -Xcompiler -Wall,-Wextra,-Werror \
            -Xcompiler -Wno-missing-field-initializers -Xptxas -v \
            -c "$file" -o "$folder/$1.o" >"$folder/$1.log" 2>&1; then
            echo "pass $1 $file"
        else
            cat "$folder/$1.log"
            echo "FAIL $1 $file"
        fi
        case $1-$file in sm_75-* | *-common/* | *-tests/*) continue ;; esac
        # Of the chapter's own kernels, not of CUB's.
        awk '/Function properties for/ { ours = !/_ZN3cub/ }
            ours && /bytes stack frame/' "$folder/$1.log" >"$folder/$1.frames"
        if grep -q ' 0 bytes stack frame, 0 bytes spill' "$folder/$1.frames" &&
            ! grep -E '[1-9][0-9]* bytes (stack frame|spill)' "$folder/$1.frames"
        then
            echo "pass $1 $file: registers do"
        else
            echo "FAIL $1 $file: spills or local memory"
        fi
    done >"$folder/$1" 2>&1
}

for arch in sm_75 sm_80 sm_90; do
    one $arch &
done
wait
cat "$folder"/sm_75 "$folder"/sm_80 "$folder"/sm_90
passed=$(cat "$folder"/sm_?? | grep -c '^pass' || true)
failed=$(cat "$folder"/sm_?? | grep -c '^FAIL' || true)
echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
