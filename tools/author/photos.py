"""The pictures in pixels that lessons show, by the chapters in the simulator.

    chapters/conv/filters.png   picture.pgm, a lighthouse at night with grain,
                                in the public domain, and what two filters make
                                of it
    chapters/stencil/heat.png   a hot ball after some steps, by the command in
                                the lesson

PNG files are compared by their pixels: not every zlib packs them into the same
bytes.
"""

import os
import re
import struct
import subprocess
import tempfile
import zlib
from typing import List, NamedTuple, Tuple

import svg

import course  # noqa: I100  from tools, which svg has made known


class Pixels(NamedTuple):
    """A picture of 8 bits a sample."""

    width: int
    channels: int  # 1: grey, 3: red, green, blue
    samples: bytes  # the uppermost row first

    def rows(self) -> List[bytes]:
        """Return the samples of each row."""
        size = self.width * self.channels
        return [self.samples[i:i + size]
                for i in range(0, len(self.samples), size)]


def read(path: str) -> Pixels:
    """Read a PGM or PPM."""
    with open(path, "rb") as file:
        kind, size, _, samples = file.read().split(b"\n", 3)
    return Pixels(int(size.split()[0]), 1 if kind == b"P5" else 3, samples)


def run(chapter: str, kind: str, args: str) -> Pixels:
    """Return the picture, "pgm" or "ppm", that a chapter writes here."""
    program = f"build/simulator/{chapter}"
    course.build([program])
    with tempfile.TemporaryDirectory() as folder:
        out = os.path.join(folder, "out." + kind)
        subprocess.run([program, *args.split(), "--out", out], check=True,
                       stdout=subprocess.DEVNULL)
        return read(out)


def png(p: Pixels) -> bytes:
    """Return a PNG."""
    def chunk(kind: bytes, data: bytes) -> bytes:
        return (struct.pack(">I", len(data)) + kind + data
                + struct.pack(">I", zlib.crc32(kind + data)))
    rows = b"".join(b"\0" + row for row in p.rows())  # 0: no filter
    head = struct.pack(">IIBBBBB", p.width, len(p.rows()), 8,
                       0 if p.channels == 1 else 2, 0, 0, 0)
    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head)
            + chunk(b"IDAT", zlib.compress(rows, 9)) + chunk(b"IEND", b""))


def unpacked(data: bytes) -> Tuple[bytes, bytes]:
    """Return what png() has packed: the head, and the rows."""
    head, rows = data.split(b"IDAT", 1)
    return head[:-4], zlib.decompressobj().decompress(rows)


def renew_png(path: str, p: Pixels) -> int:
    """Write a PNG, or with --check compare it; return 1 if it is stale."""
    data = png(p)
    if svg.checking():
        with open(path, "rb") as file:
            if unpacked(file.read()) == unpacked(data):
                return 0
    return svg.renew(path, data)


def filters() -> Pixels:
    """Return the picture, blurred, and its edges, side by side."""
    path, gap = "chapters/conv/picture.pgm", b"\xff" * 8
    three = [read(path), *(
        run("conv", "pgm", f"--image {path} --radius 2 --variant tiled "
            f"--filter {name}") for name in ("gaussian", "sobel"))]
    return Pixels(sum(p.width for p in three) + 2 * len(gap), 1, b"".join(
        gap.join(rows) for rows in zip(*(p.rows() for p in three))))


def heat() -> Pixels:
    """Return the picture that the lesson's command writes."""
    with open("chapters/stencil/README.md", encoding="utf-8") as file:
        args = re.search('args="(.*) --out heat.png"', file.read()).group(1)
    return run("stencil", "ppm", "--variant vector " + args)


PHOTOS = {"conv": ("filters.png", filters), "stencil": ("heat.png", heat)}


def renew(chapter: str) -> int:
    """Renew that of a chapter, if it has one; return 1 if it is stale."""
    if chapter not in PHOTOS:
        return 0
    name, draw = PHOTOS[chapter]
    return renew_png(f"chapters/{chapter}/{name}", draw())
