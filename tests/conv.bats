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
            "a picture in grey; allowed is .pgm"
    done
    refused "--out=" "--out: its value is missing"
}

@test "the disk is full: no half of a picture, and the old one is still there" {
    [ -c /dev/full ] || skip "there is no /dev/full"
    echo old >"$scratch/result.pgm"
    ln -s /dev/full "$scratch/result.pgm.part"
    ends 2 "$program" --width 300 --height 90 --variant basic \
        --out "$scratch/result.pgm"
    [[ "$output" == *"--out $scratch/result.pgm: cannot be written: No space left"* ]]
    [ "$(cat "$scratch/result.pgm")" = old ]
    [ ! -e "$scratch/result.pgm.part" ]
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

@test "sanitize sees a kernel that is a template" {
    ends 0 make --no-print-directory chapter=conv variant=register_window \
        sanitize args="--width 9 --height 3" on=simulator
}
