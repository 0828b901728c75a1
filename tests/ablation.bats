# make ablation: gemm_10 without one idea is still a right kernel.

setup() {
    cd "$BATS_TEST_DIRNAME/.."
    sh common/make/make.sh build build/simulator/libcommon.a
    folder=$(mktemp -d)
}

teardown() {
    rm -rf "$folder"
}

@test "every variant compiles and is right at a ragged size" {
    python3 -B - "$folder" <<'END'
import sys
sys.path.insert(0, "common/make/author")
import ablation
path = f"chapters/{ablation.CHAPTER}/{ablation.CHAPTER}.cu"
with open(path, encoding="utf-8") as file:
    source = file.read()
for number, edit in enumerate(ablation.VARIANTS.values()):
    with open(f"{sys.argv[1]}/{number}.cu", "w", encoding="utf-8") as file:
        file.write(edit(source))
END
    tried=0
    for source in "$folder"/*.cu; do
        common/simulator/simcc -I common "$source" \
            build/simulator/libcommon.a -o "$folder/program"
        "$folder/program" --M 133 --N 261 --K 21 --beta 0.5
        tried=$((tried + 1))
    done
    [ $tried -gt 10 ]
}
