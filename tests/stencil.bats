# The chapter stencil: what it refuses, its arithmetic intensity, its picture.
# That a picture is written whole or not at all: conv.bats.

load chapter

@test "more cells than there is memory" {
    refused "--N 131070" "GiB" "free"
    refused "--nx 1000000000 --ny 131070 --nz 131070" "GiB" "free"
}

@test "a picture whose name is not that of one in colour" {
    refused "--N 5 --out $scratch/x.pgm" "not the name of a picture in colour"
}

@test "the picture is one of the plane, hot in the middle" {
    echo old >"$scratch/x.ppm"
    "$program" --nx 31 --ny 21 --nz 25 --steps 3 --variant vector \
        --out "$scratch/x.ppm"
    [ ! -e "$scratch/x.ppm.part" ]
    python3 - "$scratch/x.ppm" <<'END'
import sys
kind, size, white, samples = open(sys.argv[1], "rb").read().split(b"\n", 3)
assert (kind, size, white) == (b"P6", b"31 21", b"255")
assert len(samples) == 21 * 31 * 3
pixel = lambda x, y: samples[((20 - y) * 31 + x) * 3:][:3]
assert pixel(0, 0) == pixel(30, 20) == b"\0\0\0"
assert pixel(15, 10) == b"\xff\xff\xff"
# The wind blows to the right: 6/32 come from the left, 1/32 from the right.
assert sum(pixel(22, 10)) > sum(pixel(8, 10))
END
}

# intensity VARIANT: FLOP and bytes asked of global memory, N = 60.
intensity() {
    SIM_REPORT="$scratch/report" "$program" --variant "$1" --N 60 >/dev/null
    python3 - "$scratch/report" <<'END'
import json, sys
last = [json.loads(line) for line in open(sys.argv[1])][-1]
flop = sum(last["counts"][name] * cost for name, cost in
           (("ffma", 2), ("fmul", 1), ("fadd", 1)))
asked = sum(line["lanes"] * line["bytes"] for line in last["lines"]
            if line["space"] == "global" and line["op"] == "load")
print(flop, asked)
END
    rm "$scratch/report"
}

@test "FLOP per byte are those of the formulas, faces included" {
    flop=$((13 * 58 ** 3))
    [ "$(intensity basic)" = "$flop $((4 * (60 ** 3 + 6 * 58 ** 3)))" ]
    [ "$(intensity tiled)" = "$flop $((4 * 78 ** 3))" ]
    [ "$(intensity coarsened)" = "$flop $((4 * 62 ** 3))" ]
    [ "$(intensity register)" = "$flop $((4 * 62 ** 3))" ]
}

@test "register has a third of coarsened's shared memory" {
    ends 0 "$program" --N 5
    [[ "$output" =~ coarsened_kernel[^$'\n']*"32 x 32  12288" ]]
    [[ "$output" =~ register_kernel[^$'\n']*"32 x 32   4096" ]]
}
