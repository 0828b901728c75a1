# make ablation: a rung without one idea is still a right kernel.

setup() {
    cd "$BATS_TEST_DIRNAME/.."
    python3 -B -m tools build build/simulator/libcommon.a
    folder=$(mktemp -d)
}

teardown() {
    rm -rf "$folder"
}

@test "every variant fits; some, or all, are right at a ragged size" {
    python3 -B - "$folder" $TEST_ALL <<'END'
import sys
from tools.author import ablation
SOME = "k unrolled", "one buffer", "no fragments ahead", "two buffers"
texts = [text for chapter in ablation.tried()
         for name, text in ablation.texts_of(chapter).items()
         if name in SOME or sys.argv[2:]]
for number, text in enumerate(texts):
    with open(f"{sys.argv[1]}/{number}.cu", "w", encoding="utf-8") as file:
        file.write(text)
END
    tried=0
    for source in "$folder"/*.cu; do
        simulator/simcc -I common "$source" \
            build/simulator/libcommon.a -o "$folder/program"
        "$folder/program" --M 133 --N 261 --K 21 --beta 0.5
        tried=$((tried + 1))
    done
    [ $tried -ge 4 ]
}
