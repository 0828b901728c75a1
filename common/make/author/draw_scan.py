#!/usr/bin/env python3
"""Draw ring.svg of scan: who does what in a block of the ring.

Usage: draw_scan.py [--check]
"""

import sys

import svg


def ring() -> svg.Picture:
    """Draw one of three blocks in the middle of its work: tiles 1, 4, 7, 10."""
    blocks, tiles, this, wide = 3, 12, 1, 56
    slots = [("is being", "scanned"), ("sum told,", "waits"),
             ("is being", "summed"), ("is being", "filled")]
    mine = range(this, tiles, blocks)
    assert len(mine) == len(slots)
    middle = [40 + wide * (tile + 0.5) for tile in mine]
    p = svg.Picture(
        "ring", 560,
        "The ring: loads go on while sums travel",
        f"Above x in {tiles} tiles, which {blocks} blocks take in turn. In the "
        f"middle the shared memory of block {this} with a slot for each of "
        f"{len(slots)} tiles: the first one is scanned, the next one waits "
        "for what stands before it, one is summed, the last one is filled. "
        "The adder tells the sum to all blocks, the looker collects the sums "
        f"of the {blocks} tiles before. Below y.")
    p.head(f"The ring of block {this}, one of {blocks} blocks")
    for y, name, touched in ((74, "x", mine), (500, "y", mine[:1])):
        p.text(0, y + 20, name, bold=True)
        for tile in range(tiles):
            p.box(40 + wide * tile, y, wide, 40,
                  "global" if tile in touched else "", str(tile % blocks))
    p.text(40, 58, "tiles, by the number of their block")
    p.box(48, 178, 668, 124, line=svg.BOLD)
    p.text(62, 200, f"shared memory of block {this}: slots")
    for x, (first, second) in zip(middle, slots):
        p.box(x - 60, 216, 120, 72, "shared")
        p.text(x, 240, first, anchor="middle", role="black")
        p.text(x, 264, second, anchor="middle", role="black")
    scanned, waits, summed, filled = middle
    p.arrow((filled, 114), (filled, 216))
    p.text(filled - 12, 146, "loader: bulk copies, always under way",
           anchor="end")
    p.arrow((summed, 288), (summed, 376))
    p.text(summed + 12, 336, "adder tells its sum")
    p.arrow((waits, 376), (waits, 288))
    p.text(waits + 12, 336, f"looker adds {blocks}")
    p.box(waits - 60, 376, summed - waits + 120, 70, "global")
    for y, words in ((399, "sums of all blocks"),
                     (423, "a word each, in the L2")):
        p.text((waits + summed) / 2, y, words, anchor="middle", role="black")
    p.arrow((scanned, 288), (scanned, 500))
    p.text(scanned + 12, 476, "scanners")
    return p


if __name__ == "__main__":
    sys.exit(svg.main("scan", ring))
