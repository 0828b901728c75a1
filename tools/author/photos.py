"""Pictures in pixels that lessons show, by the chapters in the simulator.

    python3 -B -m tools.author.photos FILE...    FILE.png of FILE.pgm or FILE.ppm

A photo is a function with @photo that returns Pixels. PNG files are compared by
their pixels: not every zlib packs them into the same bytes.
"""

import os
import struct
import subprocess
import sys
import tempfile
import zlib
from typing import Callable, List, NamedTuple, Tuple

from tools import course


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


def photo(draw: Callable[[], Pixels]) -> Callable[[], Pixels]:
    """Note that a function makes the picture of its name."""
    setattr(draw, "photo", True)
    return draw


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


def main() -> int:
    """Write a PNG beside each picture that is named."""
    for path in sys.argv[1:]:
        out = os.path.splitext(path)[0] + ".png"
        with open(out, "wb") as file:
            file.write(png(read(path)))
        print(out)
    return 0


if __name__ == "__main__":
    course.script(main)
