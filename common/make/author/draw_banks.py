#!/usr/bin/env python3
"""Draw columns.svg and pieces.svg of bank_conflict_padding: where a tile lies.

Usage: draw_banks.py [--check]

Where an element lies is said by the index in each kernel. columns.svg has
words, 8 banks and rows instead of 32. pieces.svg has what an ldmatrix reads of
a tile of 32 halves a row: pieces of 16 bytes, each in four banks. --check
writes nothing and ends with 1 if a picture is not what it would write.
"""

import sys
from typing import Callable, List

FOLDER = "chapters/bank_conflict_padding"
SIDE = 8  # rows, and columns of the drawing: banks, or fours of them

# Role: light, without media queries, dark; as in all pictures of the course.
PALETTE = {"ink": ("#5c5c5c", "#757575", "#949494"),
           "black": ("#111111",) * 3, "shared": ("#cc79a7",) * 3,
           "bad": ("#d55e00",) * 3, "good": ("#009e73",) * 3}
CELL, TOP = 26, 112
PANELS = (0, 247, 494)  # left edges


def text(x: float, y: float, words: str, size: int = 18, anchor: str = "start",
         role: str = "ink", bold: bool = False) -> str:
    """Return a line of text; y is its base."""
    weight = ' font-weight="700"' if bold else ""
    return (f'<text x="{x:g}" y="{y:g}" font-size="{size}" '
            f'text-anchor="{anchor}"{weight} class="f-{role}" '
            f'fill="{PALETTE[role][1]}">{words}</text>')


def box(x: float, y: float, role: str) -> str:
    """Return the frame of a word, filled if it has a role."""
    fill = (f'class="f-{role} s-ink" fill="{PALETTE[role][1]}"' if role
            else 'class="s-ink" fill="none"')
    return (f'<rect x="{x:g}" y="{y:g}" width="{CELL}" height="{CELL}" {fill} '
            f'stroke="{PALETTE["ink"][1]}"/>')


def bottom(width: int) -> int:
    """Return where the wavefronts stand below a padded tile."""
    return TOP + CELL * (width + 1) + 22


def panel(left: int, width: int, chosen: int, name: str, index: str,
          word: Callable[[int, int], int]) -> List[str]:
    """Return a tile whose rows have @p width words, or pieces.

    Each line is one word of each bank."""
    body = [text(left, 56, name, 20, bold=True), text(left, 78, index, 16)]
    body += [text(left + CELL * (bank + 0.5), TOP - 8,
                  str(bank if width == SIDE else 4 * bank), 14,
                  "middle")
             for bank in range(SIDE)]
    place = {word(y, x): (y, x) for y in range(SIDE) for x in range(width)}
    for w in range(max(place) // SIDE * SIDE + SIDE):
        at_x, at_y = left + CELL * (w % SIDE), TOP + CELL * (w // SIDE)
        y, x = place.get(w, (-1, -1))
        if w > max(place):
            continue
        body.append(box(at_x, at_y, "shared" if x == chosen else ""))
        if w in place:
            body.append(text(at_x + CELL / 2, at_y + 18, f"{y}{x}", 13,
                             "middle", "black" if x == chosen else "ink"))
    banks = [word(y, chosen) % SIDE for y in range(SIDE)]
    waves = max(banks.count(bank) for bank in banks)
    kind = "bad" if waves > 1 else "good"
    wide, y = CELL * SIDE, bottom(width)
    body.append(f'<rect x="{left}" y="{y}" width="{wide}" height="38" '
                f'rx="{4 if kind == "bad" else 19}" class="f-{kind}" '
                f'fill="{PALETTE[kind][1]}"/>')
    body.append(text(left + wide / 2, y + 26, f"{waves} wavefront"
                     f"{'s' if waves > 1 else ''}", 20, "middle", "black",
                     True))
    return body


def columns() -> list:
    """Return the file, height, title, description and body of columns.svg."""
    desc = ("Three tiles of 8 rows in 8 banks, column 2 marked. Plain: all its "
            "words lie in bank 2, 8 wavefronts. With a word behind each row "
            "the column runs through all banks, 1 wavefront. With columns "
            "exchanged by x ^ y it takes every bank once, 1 wavefront.")
    body = [text(0, 24, "Where does column 2 of the tile lie? "
                 "(yx: row y, column x)", 20, bold=True)]
    body += panel(PANELS[0], SIDE, 2, "tile", "tile[y][x]",
                  lambda y, x: y * SIDE + x)
    body += panel(PANELS[1], SIDE, 2, "tile_padded", "rows one word longer",
                  lambda y, x: y * (SIDE + 1) + x)
    body += panel(PANELS[2], SIDE, 2, "tile_swizzled", "tile[y][x ^ y]",
                  lambda y, x: y * SIDE + (x ^ y))
    return ["columns", bottom(SIDE) + 44,
            "A column of a tile, in one bank or in all of them", desc, *body]


def pieces() -> list:
    """Return the same of pieces.svg."""
    desc = ("Three tiles of 8 rows of 4 pieces of 16 bytes; lines of 128 "
            "bytes, all 32 banks; piece 1 of each row marked. Plain: the pieces lie "
            "in two groups of four banks, 4 wavefronts. With a piece of "
            "padding behind each row, and with exchanged pieces, they take "
            "all 32 banks once: 1 wavefront.")
    body = [text(0, 24, "An ldmatrix reads piece 1 of eight rows "
                 "(yx: row y, piece x)", 20, bold=True)]
    body += panel(PANELS[0], 4, 1, "wmma", "rows of 4 pieces",
                  lambda y, x: y * 4 + x)
    body += panel(PANELS[1], 4, 1, "wmma_padded", "a fifth one is padding",
                  lambda y, x: y * 5 + x)
    body += panel(PANELS[2], 4, 1, "swizzled", "piece x ^ (y / 2 % 4)",
                  lambda y, x: y * 4 + (x ^ y // 2 % 4))
    return ["pieces", bottom(4) + 44,
            "Eight pieces of 16 bytes, in 8 banks or in 32", desc, *body]


def draw(name: str, height: int, title: str, desc: str, *body: str) -> str:
    """Return a picture."""
    rules = "".join(f".cuda-picture .{p}-{r}{{{a}:var(--{r})}}"
                    for p, a in (("f", "fill"), ("s", "stroke"))
                    for r in PALETTE)
    colours = [";".join(f"--{r}:{c[i]}" for r, c in PALETTE.items())
               for i in range(3)]
    return "\n".join([
        '<svg xmlns="http://www.w3.org/2000/svg" class="cuda-picture" '
        f'width="720" height="{height}" viewBox="0 0 720 {height}" role="img" '
        f'aria-labelledby="{name}-title {name}-desc" '
        'font-family="system-ui, sans-serif">',
        f'<title id="{name}-title">{title}</title>',
        f'<desc id="{name}-desc">{desc}</desc>',
        f"<style>.cuda-picture{{{colours[1]}}}",
        f"@media (prefers-color-scheme:light){{.cuda-picture{{{colours[0]}}}}}",
        f"@media (prefers-color-scheme:dark){{.cuda-picture{{{colours[2]}}}}}",
        f"{rules}</style>", *body, "</svg>", ""])


def main() -> int:
    """Write the pictures, or compare them."""
    stale = 0
    for picture in (columns(), pieces()):
        path = f"{FOLDER}/{picture[0]}.svg"
        made = draw(*picture)
        if sys.argv[1:] != ["--check"]:
            with open(path, "w", encoding="utf-8") as file:
                file.write(made)
            continue
        with open(path, encoding="utf-8") as file:
            if file.read() != made:
                print(f"{path}: stale; common/make/author/draw_banks.py draws "
                      "it", file=sys.stderr)
                stale = 1
    return stale


if __name__ == "__main__":
    sys.exit(main())
