# The chapter conv: what it says to bad options and to files that are no
# pictures, and what it makes of those that are.

load chapter

# picture NAME: refused as --image, by a run that would write a picture.
picture() {
    name=$1
    shift
    refused "--image $scratch/$name --out $scratch/out.pgm" "--image $scratch/$name" "$@"
}

# The samples of a picture, as numbers.
samples() {
    tail -n +4 "$1" | od -An -v -tu1 | tr -s ' \n' ' '
}

@test "a size that a picture has itself; more than there is memory" {
    refused "--width 1000000 --height 1000000" "GiB" "free"
    refused "--image chapters/conv/picture.pgm --width 9" "has its own --width"
}

@test "separable and a filter that is no product" {
    for filter in sharpen random; do
        refused "--variant separable --filter $filter --out $scratch/out.pgm" \
            "separable: its filter is no product" "gaussian, box and sobel are"
    done
    ends 0 "$program" --width 20 --height 20 --filter sharpen
    [[ "$output" == *"separable is left out"*"all 5 variants"* ]]
}

@test "a picture that is missing, empty, a folder, a device" {
    touch "$scratch/empty"
    mkdir "$scratch/folder"
    picture none "No such file"
    picture empty "empty"
    picture folder "not a regular file"
    refused "--image /dev/null" "not a regular file"
}

@test "a picture that may not be read" {
    cp chapters/conv/picture.pgm "$scratch/secret"
    chmod 0 "$scratch/secret"
    chmod a+rwx "$scratch"
    # To root nothing is secret.
    if [ "$(id -u)" -eq 0 ]; then
        cp "$program" "$scratch/conv"
        program=as_nobody
    fi
    picture secret "Permission denied"
}

as_nobody() {
    setpriv --reuid 65534 --clear-groups "$scratch/conv" "$@"
}

@test "a file that is no picture, one of another kind, or truncated" {
    cp LICENSE "$scratch/bad"
    picture bad "not a picture that can be read"
    while read -r bytes says; do
        printf "$bytes" >"$scratch/bad"
        echo "$bytes"
        picture bad "$says"
    done <<'END'
P5 not a picture
P2\n1\0401\n255\n7\n not a picture that can be read
P5\n1\0401\n65535\nxx its white is 65535; allowed is 255
P5\n0\0401\n255\nx its header is not that of a PGM or PPM
P5\n-1\0401\n255\nx its header is not
P5\n1\0401\n255 its header is not
P6\n2\0401\n255\nabcde truncated: 5 bytes of 6 samples
P5\n100000000\040100000000\n255\nx truncated
END
}

@test "a place that cannot be written to is refused before the work" {
    refused "--out $scratch/none/out.pgm" "--out $scratch/none/out.pgm: cannot be written: No such"
    refused "--out $scratch" "not a regular file"
    refused "--out $scratch/" "not a regular file"
    refused "--out /dev/null" "not a regular file"
    [ -c /dev/null ]
}

@test "a name that is not that of a grey picture" {
    for name in out out.jpg out.ppm outpgm out.pgm.gz; do
        refused "--out $scratch/$name" "--out $scratch/$name: not the name of" \
            "a picture in grey; allowed are .pgm and .png"
    done
    refused "--out=" "--out: its value is missing"
}

@test "the disk is full: no half of a picture, and the old one is still there" {
    [ -c /dev/full ] || skip "there is no /dev/full"
    for kind in pgm $(! has_png || echo png); do
        echo old >"$scratch/result.$kind"
        ln -s /dev/full "$scratch/result.$kind.part"
        ends 2 "$program" --width 300 --height 90 --variant basic \
            --out "$scratch/result.$kind"
        [[ "$output" == *"--out $scratch/result.$kind: cannot be written: No space left"* ]]
        [ "$(cat "$scratch/result.$kind")" = old ]
        [ ! -e "$scratch/result.$kind.part" ]
    done
}

@test "a picture of one pixel: box divides it by nine, nothing is around it" {
    printf 'P5\n# a comment\n1 1\n255\n\220' >"$scratch/one" # 144
    ends 0 "$program" --image "$scratch/one" --filter box --radius 1 \
        --out "$scratch/out.pgm"
    [[ "$output" == *"all 6 variants"* ]]
    [ "$(samples "$scratch/out.pgm")" = " 16 " ]
}

@test "colours become grey as documented" {
    # red, green, blue, white; each grey divided by 9: 76.245, 149.685, 29.07
    printf 'P6\n1 1\n255\n\377\0\0' >"$scratch/red"
    printf 'P6\n1 1\n255\n\0\377\0' >"$scratch/green"
    printf 'P6\n1 1\n255\n\0\0\377' >"$scratch/blue"
    for want in red:8 green:17 blue:3; do
        "$program" --image "$scratch/${want%:*}" --filter box --radius 1 \
            --variant basic --out "$scratch/out.pgm"
        [ "$(samples "$scratch/out.pgm")" = " ${want#*:} " ]
    done
}

@test "sobel shows magnitudes: an edge between black and white" {
    printf 'P5\n4 1\n255\n\0\0\377\377' >"$scratch/edge"
    "$program" --image "$scratch/edge" --filter sobel --radius 1 \
        --out "$scratch/out.pgm"
    # 2 * 255 over the edge, cut off; at the right end 0 - 2 * 255
    [ "$(samples "$scratch/out.pgm")" = " 0 255 255 255 " ]
}

need_png() {
    has_png || skip "libpng is not here"
}

@test "PNG: read and written, the same samples as a PGM" {
    need_png
    for kind in pgm png; do
        ends 0 "$program" --image chapters/conv/pictures/filters.png \
            --variant tiled --out "$scratch/out.$kind"
        [[ "$output" == *"width=616 height=150"* ]]
    done
    [ "$(head -c 4 "$scratch/out.png" | od -An -tx1)" = " 89 50 4e 47" ]
    for kind in pgm png; do
        "$program" --image "$scratch/out.$kind" --variant tiled \
            --out "$scratch/again_$kind.pgm"
    done
    cmp "$scratch/again_pgm.pgm" "$scratch/again_png.pgm"
}

# one_pixel KIND DEPTH SAMPLES [CHUNK...]: $scratch/one.png; numbers and the
# bytes of chunks in hexadecimal.
one_pixel() {
    python3 - "$scratch/one.png" "$@" <<'END'
import struct, sys, zlib
path, kind, depth, samples, *chunks = sys.argv[1:]
def chunk(name, data):
    return (struct.pack(">I", len(data)) + name + data
            + struct.pack(">I", zlib.crc32(name + data)))
head = struct.pack(">IIBBBBB", 1, 1, int(depth), int(kind), 0, 0, 0)
with open(path, "wb") as file:
    file.write(b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head))
    for word in chunks:
        name, _, data = word.partition(":")
        file.write(chunk(name.encode(), bytes.fromhex(data)))
    file.write(chunk(b"IDAT", zlib.compress(b"\0" + bytes.fromhex(samples))))
    file.write(chunk(b"IEND", b""))
END
}

@test "PNG of every kind: what is transparent is white" {
    need_png
    # The box divides by nine: 126 in grey, red, green, blue; black and white.
    while read -r want pixel; do
        one_pixel $pixel
        "$program" --image "$scratch/one.png" --filter box --radius 1 \
            --variant basic --out "$scratch/one.pgm"
        echo "$pixel"
        [ "$(samples "$scratch/one.pgm")" = " $want " ]
    done <<'END'
14 0 8 7e
28 0 1 80
8 2 8 ff0000
17 2 8 00ff00
3 2 8 0000ff
3 3 8 01 PLTE:ff00000000ff
28 3 8 01 PLTE:ff00000000ff tRNS:ff00
14 4 8 7eff
28 4 8 7e00
8 6 8 ff0000ff
28 6 8 ff000000
28 0 8 7e tRNS:007e
END
}

@test "PNG: 16 bits a sample, broken, truncated, too large" {
    need_png
    one_pixel 0 16 7e00
    picture one.png "16 bits a sample; allowed are 8"
    cp chapters/conv/pictures/filters.png "$scratch/broken.png"
    printf '\125' | dd of="$scratch/broken.png" bs=1 seek=3000 conv=notrunc
    cmp chapters/conv/pictures/filters.png "$scratch/broken.png" && false
    picture broken.png "broken.png: IDAT: "
    for bytes in 8 20 33 2000 $(($(wc -c <chapters/conv/pictures/filters.png) - 13)); do
        head -c $bytes chapters/conv/pictures/filters.png >"$scratch/half.png"
        picture half.png
    done
    refused "--width 1000001 --height 1 --out $scratch/out.png" \
        "a PNG of 1000001 x 1 pixels; allowed are up to 1000000 of an edge"
}

@test "sanitize sees a kernel that is a template" {
    ends 0 make --no-print-directory chapter=conv variant=register_window \
        sanitize args="--width 9 --height 3" on=simulator
}
