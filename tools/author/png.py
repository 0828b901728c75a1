"""PNG files that the chapters compute, for browsers, compared by their pixels.

Not every zlib packs pixels into the same bytes, so bytes are not compared.
"""

import os
import struct
import subprocess
import sys
import tempfile
import zlib
from typing import List, NamedTuple

import svg


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


def pnm(p: Pixels) -> bytes:
    """Return a PGM or PPM."""
    head = f"P{5 if p.channels == 1 else 6}\n{p.width} {len(p.rows())}\n255\n"
    return head.encode() + p.samples


def run(chapter: str, kind: str, args: str) -> Pixels:
    """Return the picture, "pgm" or "ppm", that a chapter writes here."""
    program = f"build/simulator/{chapter}"
    subprocess.run([sys.executable, "-B", "tools", "build", program], check=True,
                   stdout=subprocess.DEVNULL)
    with tempfile.TemporaryDirectory() as folder:
        out = os.path.join(folder, "out." + kind)
        subprocess.run([program, *args.split(), "--out", out], check=True,
                       stdout=subprocess.DEVNULL)
        with open(out, "rb") as file:
            kind, size, _, samples = file.read().split(b"\n", 3)
    return Pixels(int(size.split()[0]), 1 if kind == b"P5" else 3, samples)


def lines(p: Pixels) -> bytes:
    """Return the rows as they stand in a PNG: 0, no filter, before each."""
    return b"".join(b"\0" + row for row in p.rows())


def png(p: Pixels) -> bytes:
    """Return a PNG."""
    def chunk(kind: bytes, data: bytes) -> bytes:
        return (struct.pack(">I", len(data)) + kind + data
                + struct.pack(">I", zlib.crc32(kind + data)))
    head = struct.pack(">IIBBBBB", p.width, len(p.rows()), 8,
                       0 if p.channels == 1 else 2, 0, 0, 0)
    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head)
            + chunk(b"IDAT", zlib.compress(lines(p), 9)) + chunk(b"IEND", b""))


def same(path: str, p: Pixels) -> bool:
    """Does a file that png() has made hold these pixels?"""
    with open(path, "rb") as file:
        data = file.read()
    begin = data.index(b"IDAT") + 4
    size, = struct.unpack(">I", data[begin - 8:begin - 4])
    head = 33  # bytes of the signature and IHDR
    return (data[:head] == png(p)[:head]
            and zlib.decompress(data[begin:begin + size]) == lines(p))


def renew(path: str, p: Pixels) -> int:
    """Write a PNG, or with --check compare it; return 1 if it is stale."""
    if svg.checking() and same(path, p):
        return 0
    return svg.renew(path, png(p))
