# make results: every gemm chapter at every size on this GPU, as data. Writes
# docs/results/DEVICE.jsonl (times), ncu_DEVICE.jsonl (counters),
# series_DEVICE.jsonl (profile and machine code of each rung at 4096) and
# DEVICE_caches.txt, DEVICE_latency.txt; DEVICE is the last word of the GPU's
# name: h200.
# results=FOLDER writes elsewhere. `make lessons` takes h200's into the lessons.
. common/make/lib.sh
on=${on:-gpu}
choose_back_end
[ $back_end = gpu ] || fail "make results: there is no GPU to measure"
need_python results

folder=${results:-docs/results}
device=$(echo "${gpu_name##* }" | tr 'A-Z' 'a-z')
mkdir -p "$folder"
CHAPTERS_COMMIT=$(commit)
export CHAPTERS_COMMIT

names=$(chapters | grep '^gemm_')
build $(for name in $names; do echo "build/gpu/$name"; done)
times=$folder/$device.jsonl
rm -f "$times"
for size in "256 256 256" "512 512 512" "1024 1024 1024" "2048 2048 2048" \
    "4096 4096 4096" "4097 4097 4097" "8192 8192 8192" "1000 3000 500" \
    "512 512 8192"; do
    set -- $size
    # Seconds per launch of the first rung: fewer samples are enough.
    [ "$1" = 8192 ] && samples="--warmup 1 --repeats 7" || samples=
    for name in $names; do
        echo "$name $size"
        build/gpu/$name --M $1 --N $2 --K $3 $samples --json "$times" >/dev/null
    done
done

find_cuda_tool ncu
if [ -n "$tool" ]; then
    rm -f "$folder/ncu_$device.jsonl"
    for name in $names; do
        while read -r _ args; do
            make -s chapter=$name profile on=gpu args="$args" \
                json="$folder/ncu_$device.jsonl" >/dev/null
        done <<END
$(grep '^args:' "chapters/$name/counts")
END
    done
    "$python" -B common/make/caches.py >"$folder/${device}_caches.txt"
else
    echo "no ncu: no counters"
fi

if [ -n "$tool" ] && have cuobjdump; then
    "$python" -B common/make/series.py "$folder/series_$device.jsonl" $names
fi

mkdir -p build/gpu/tests
"$nvcc" -O3 -arch="$gpu_arch" -I common tests/gpu/latency.cu common/device.c \
    common/options.c common/data.c common/parallel.c common/progress.c \
    -o build/gpu/tests/latency
build/gpu/tests/latency >"$folder/${device}_latency.txt"
echo "written: $times"
