# The chapter stencil: what it says to bad options, its arithmetic intensity,
# and the picture, which is written whole or not at all.

load chapter

@test "an edge, a radius or a number of steps that is none; too many cells" {
    refused "--N 0" "allowed are 1 to 131070"
    refused "--nx 0" "allowed are 1 to"
    refused "--ny -1" "allowed are 1 to 131070"
    refused "--nz 131071" "allowed are 1 to 131070"
    refused "--radius 3" "allowed are 1 to 2"
    refused "--steps 0" "allowed are 1 to"
    refused "--variant texture" "allowed are basic"
    refused "--N 131070" "GiB" "free"
    refused "--nx 1000000000 --ny 131070 --nz 131070" "GiB" "free"
}

@test "a picture that cannot be written: refused at once, nothing left" {
    mkdir "$scratch/folder"
    refused "--N 5 --out $scratch/folder" "not a regular file"
    refused "--N 5 --out /dev/null" "--out /dev/null" "not a regular file"
    refused "--N 5 --out $scratch/none/x.ppm" "cannot be written: No such"
    refused "--N 5 --out=" "--out: its value is"
    refused "--N 5 --out $scratch/x.pgm" "not the name of a picture in colour"
    touch "$scratch/file"
    refused "--N 5 --out $scratch/file/x.ppm" "cannot be written: Not a dir"
    [ -c /dev/null ]
    [ ! -e "$scratch/x.ppm" ]
    [ ! -e "$scratch/x.ppm.part" ]
}

@test "a full disk leaves the picture that was there" {
    echo old >"$scratch/x.ppm"
    # 8 blocks of 1024 bytes: too few for 100 x 100 pixels.
    run bash -c "ulimit -f 8; trap '' XFSZ
        exec $program --nx 100 --ny 100 --nz 3 --variant vector \
            --out $scratch/x.ppm"
    [ "$status" -eq 2 ]
    [[ "$output" == *"--out $scratch/x.ppm: cannot be written: File too large"* ]]
    [ "$(cat "$scratch/x.ppm")" = old ]
    [ ! -e "$scratch/x.ppm.part" ]
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

@test "a PNG has the same pixels, and its chunks are whole" {
    has_png || skip "libpng is not here"
    refused "--nx 2000000 --ny 1 --nz 1 --out $scratch/x.png" \
        "2000000 x 1" "allowed are up to"
    for kind in ppm png; do
        "$program" --nx 31 --ny 21 --nz 25 --steps 3 --variant vector \
            --out "$scratch/x.$kind"
    done
    python3 - "$scratch/x" <<'END'
import struct, sys, zlib
data = open(sys.argv[1] + ".png", "rb").read()
assert data[:8] == b"\x89PNG\r\n\x1a\n"
at, chunks = 8, {}
while at < len(data):
    length, = struct.unpack(">I", data[at:at + 4])
    name, body = data[at + 4:at + 8], data[at + 8:at + 8 + length]
    crc, = struct.unpack(">I", data[at + 8 + length:at + 12 + length])
    assert crc == zlib.crc32(name + body), name
    chunks[name] = body
    at += 12 + length
assert list(chunks) == [b"IHDR", b"sRGB", b"IDAT", b"IEND"]
assert struct.unpack(">IIBBBBB", chunks[b"IHDR"]) == (31, 21, 8, 2, 0, 0, 0)
rows = zlib.decompress(chunks[b"IDAT"])
row = 31 * 3 + 1
assert len(rows) == 21 * row and set(rows[::row]) == {0}  # no filter
samples = b"".join(rows[i + 1:i + row] for i in range(0, len(rows), row))
assert samples == open(sys.argv[1] + ".ppm", "rb").read().split(b"\n", 3)[3]
END
}

@test "every variant draws the same picture, whatever the steps" {
    for variant in basic vector; do
        "$program" --nx 13 --ny 9 --nz 7 --radius 2 --steps 2 \
            --variant $variant --out "$scratch/$variant.ppm"
    done
    cmp "$scratch/basic.ppm" "$scratch/vector.ppm"
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
    run "$program" --N 5
    [ "$status" -eq 0 ]
    [[ "$output" =~ coarsened_kernel[^$'\n']*"32 x 32  12288" ]]
    [[ "$output" =~ register_kernel[^$'\n']*"32 x 32   4096" ]]
}
