#!/usr/bin/env python3
"""Draw what the lesson shows, beside this file: python3 chapters/conv/draw.py

    picture.pgm  a lighthouse at night, 200 x 150, with the grain of old film:
                 made by this script, in the public domain
    filters.png  the same, and what two filters make of it; needs
                 build/simulator/conv (make chapter=conv run on=simulator)
    tile.svg     which pixels a block loads, and which it computes
"""

import os
import random
import struct
import subprocess
import sys
import tempfile
import zlib
from typing import List

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
WIDTH, HEIGHT = 200, 150
Rows = List[List[int]]


# ---- the picture ------------------------------------------------------------


def scene(col: int, row: int) -> float:
    """Return the grey of a pixel, without grain."""
    if (col - 40) ** 2 + (row - 30) ** 2 < 144:
        return 235  # the moon
    tower = 7 + (row - 45) / 12  # half its width
    if 45 <= row < 118 and abs(col - 140) < tower:
        return 215 if (row - 45) // 12 % 2 == 0 else 90
    if 36 <= row < 45 and abs(col - 140) < 6:
        return 255  # the lamp
    if 31 <= row < 36 and abs(col - 140) < 9 - (36 - row):
        return 60
    if col < 134 and abs(row - 40) < (134 - col) / 7:
        return 70 + row / 3 + (134 - col) / 134 * 10 + 35  # its beam
    if row > 118 - 14 * max(0.0, 1 - ((col - 150) / 55) ** 2):
        return 38  # the rock
    if row > 112:
        return 95 + 25 * ((row * 7 + col // 5) % 9 == 0)  # the sea
    return 45 + row / 3


def draw() -> Rows:
    """Return the picture with its grain, always the same."""
    grain = random.Random(1)
    return [[max(0, min(255, round(scene(col, row) + grain.gauss(0, 9))))
             for col in range(WIDTH)] for row in range(HEIGHT)]


def pgm(rows: Rows) -> bytes:
    """Return a file of grey samples."""
    head = f"P5\n{len(rows[0])} {len(rows)}\n255\n".encode()
    return head + b"".join(map(bytes, rows))


def read_pgm(path: str) -> Rows:
    """Return the rows of a file that pgm() or the chapter has written."""
    with open(path, "rb") as file:
        _, size, _, samples = file.read().split(b"\n", 3)
    width = int(size.split()[0])
    return [list(samples[i:i + width]) for i in range(0, len(samples), width)]


def png(rows: Rows) -> bytes:
    """Return the same as a PNG, for browsers."""
    def chunk(kind: bytes, data: bytes) -> bytes:
        return (struct.pack(">I", len(data)) + kind + data
                + struct.pack(">I", zlib.crc32(kind + data)))
    head = struct.pack(">IIBBBBB", len(rows[0]), len(rows), 8, 0, 0, 0, 0)
    lines = b"".join(b"\0" + bytes(row) for row in rows)
    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head)
            + chunk(b"IDAT", zlib.compress(lines, 9)) + chunk(b"IEND", b""))


def filtered(args: str) -> Rows:
    """Return what the chapter makes of the picture."""
    with tempfile.TemporaryDirectory() as folder:
        out = os.path.join(folder, "out.pgm")
        subprocess.run(
            [os.path.join(ROOT, "build/simulator/conv"), "--variant", "tiled",
             "--image", os.path.join(HERE, "picture.pgm"), "--out", out,
             *args.split()], check=True, stdout=subprocess.DEVNULL)
        return read_pgm(out)


# ---- the drawing of a tile --------------------------------------------------


PALETTE = {  # role: light, without media queries, dark
    "ink": ("#5c5c5c", "#757575", "#949494"),
    "global": ("#e69f00", "#e69f00", "#e69f00"),
    "lane": ("#56b4e9", "#56b4e9", "#56b4e9"),
    "math": ("#f0e442", "#f0e442", "#f0e442"),
}
CELL = 18


def style() -> str:
    """Return the colours, for light and dark."""
    def one(column: int) -> str:
        return ".cuda-picture{" + ";".join(
            f"--{role}:{colours[column]}"
            for role, colours in PALETTE.items()) + "}"
    classes = "".join(
        f".cuda-picture .f-{role}{{fill:var(--{role})}}" for role in PALETTE)
    return (f"<style>\n{one(1)}\n@media (prefers-color-scheme:light)"
            f"{{{one(0)}}}\n@media (prefers-color-scheme:dark)"
            f"{{{one(2)}}}\n{classes}\n</style>")


def text(x: float, y: float, words: str, bold: bool = False) -> str:
    """Return words on the line y."""
    weight = ' font-weight="700"' if bold else ""
    return (f'<text x="{x:g}" y="{y:g}" font-size="16"{weight} class="f-ink" '
            f'fill="{PALETTE["ink"][1]}">{words}</text>')


def square(x: float, y: float, role: str) -> str:
    """Return a pixel."""
    return (f'<rect x="{x:g}" y="{y:g}" width="{CELL - 2}" height="{CELL - 2}" '
            f'class="f-{role}" fill="{PALETTE[role][1]}"/>')


def panel(x: int, title: str, roles: List[str], notes: List[str]) -> List[str]:
    """Return a grid of pixels, one letter each, and words around it."""
    letter = {"h": "global", "i": "lane", "r": "math"}
    body = [text(x, 24, title, True)]
    for row, line in enumerate(roles):
        body += [square(x + CELL * col, 40 + CELL * row, letter[c])
                 for col, c in enumerate(line) if c in letter]
    body += [text(x, 40 + CELL * 12 + 24 + 22 * i, note)
             for i, note in enumerate(notes)]
    return body


def tile_svg() -> str:
    """Three panels: tiled, cached_halo, register_window; 12 for 32 pixels."""
    tiled = ["h" * 12] * 2 + ["hh" + "i" * 8 + "hh"] * 8 + ["h" * 12] * 2
    cached = [" " * 12] * 2 + ["  " + "i" * 8 + "  "] * 8 + [" " * 12] * 2
    window = ["  " + "r" * 8 + "  "] * 2 + ["hh" + "i" * 8 + "hh"] + [
        "  " + "r" * 8 + "  "] * 2 + [" " * 12] * 7
    body = [
        *panel(20, "tiled", tiled, [
            "a block loads its pixels", "and the halo around them"]),
        *panel(280, "cached_halo", cached, [
            "the halo stays outside;", "the caches have it"]),
        *panel(540, "register_window", window, [
            "a thread loads one row;", "five rows of sums take it"]),
    ]
    colours = [("lane", "loaded, and a result is computed there"),
               ("global", "halo: loaded"), ("math", "sums in registers")]
    x = 20
    for role, words in colours:
        body += [square(x, 330, role), text(x + 24, 344, words)]
        x += 60 + 9 * len(words)
    title = "What a block or a thread loads for a filter of 5 x 5"
    return "\n".join([
        '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 780 360" '
        'class="cuda-picture" role="img" font-family="sans-serif">',
        f"<title>{title}</title>", style(), *body, "</svg>", ""])


def write(name: str, data: bytes) -> None:
    """Write a file beside this one."""
    with open(os.path.join(HERE, name), "wb") as file:
        file.write(data)


def main() -> int:
    """Write all three."""
    before = draw()
    write("picture.pgm", pgm(before))
    write("tile.svg", tile_svg().encode())
    blurred = filtered("--filter gaussian --radius 2")
    edges = filtered("--filter sobel --radius 2")
    gap = [255] * 8
    write("filters.png", png([a + gap + b + gap + c for a, b, c
                              in zip(before, blurred, edges)]))
    return 0


if __name__ == "__main__":
    sys.exit(main())
