#!/usr/bin/env python3
"""Draw chapters/histogram/banks.svg: where the lanes of a warp meet.

Usage: draw_histogram.py [--check]

A warp of 8 lanes and 8 banks stand for 32 of each. The words that a lane adds
to, and how often a bank is needed for them, are computed as in the kernels.
--check writes nothing and ends with 1 if the picture is not what it would
write.
"""

import sys
from typing import Dict, List, Tuple

BANKS = 8
BYTES = "the boxe"  # a byte for each lane
CELL = 36
PATH = "chapters/histogram/banks.svg"
# role: (light, without media queries, dark)
PALETTE = {
    "ink": ("#5c5c5c", "#757575", "#949494"),
    "black": ("#111111", "#111111", "#111111"),
    "lane": ("#56b4e9", "#56b4e9", "#56b4e9"),
    "shared": ("#cc79a7", "#cc79a7", "#cc79a7"),
    "bad": ("#d55e00", "#d55e00", "#d55e00"),
    "good": ("#009e73", "#009e73", "#009e73"),
}
Word = Tuple[int, int]  # row, bank


def style() -> str:
    """Return the colours, for light and dark."""
    def one(column: int) -> str:
        return ".cuda-picture{" + ";".join(
            f"--{role}:{colours[column]}"
            for role, colours in PALETTE.items()) + "}"
    classes = "".join(
        f".cuda-picture .f-{role}{{fill:var(--{role})}}"
        f".cuda-picture .s-{role}{{stroke:var(--{role})}}" for role in PALETTE)
    return (f"<style>{one(1)}\n@media (prefers-color-scheme:light)"
            f"{{{one(0)}}}\n@media (prefers-color-scheme:dark)"
            f"{{{one(2)}}}\n{classes}</style>")


def text(x: float, y: float, words: str, size: int = 18, bold: bool = False,
         anchor: str = "middle", role: str = "ink") -> str:
    """Return words on the line y."""
    weight = ' font-weight="700"' if bold else ""
    return (f'<text x="{x:g}" y="{y:g}" font-size="{size}"{weight} '
            f'text-anchor="{anchor}" class="f-{role}" '
            f'fill="{PALETTE[role][1]}">{words}</text>')


def box(x: float, y: float, width: float, height: float, role: str = "",
        words: str = "", round_ends: int = 0) -> str:
    """Return a filled box with words in it; role "": an outline."""
    fill, edge = (role, "black") if role else ("", "ink")
    paint = (f'class="f-{fill} s-{edge}" fill="{PALETTE[fill][1]}"' if fill
             else f'class="s-{edge}" fill="none"')
    shape = (f'<rect x="{x:g}" y="{y:g}" width="{width:g}" height="{height:g}" '
             f'rx="{round_ends}" {paint} stroke="{PALETTE[edge][1]}" '
             f'stroke-width="{2 if role else 1}"/>')
    return shape + (text(x + width / 2, y + height / 2 + 6, words,
                         role="black") if words else "")


def line(x: float, y: float, to_x: float, to_y: float) -> str:
    """Return a thin line."""
    return (f'<path d="M{x:g} {y:g}L{to_x:g} {to_y:g}" class="s-ink" '
            f'stroke="{PALETTE["ink"][1]}" stroke-width="2"/>')


def name(value: int) -> str:
    """Return how a byte is written in the picture."""
    return "␣" if value == 32 else chr(value)


def wavefronts(words: List[Word]) -> int:
    """The most different words in one bank: lanes on one word are one."""
    return max(len({word for word in words if word[1] == bank})
               for bank in range(BANKS))


def panel(left: float, title: str, rows: Dict[int, str], words: List[Word],
          below: str) -> List[str]:
    """Lanes above, the words of the table below, one column for each bank."""
    top, table = 130, 240
    body = [text(left, 76, title, 22, True, "start"),
            text(left, 104, below, 18, False, "start")]
    for place, row in enumerate(rows):
        y = table + place * CELL
        body.append(text(left - 8, y + 24, rows[row], anchor="end"))
        body += [box(left + bank * CELL, y, CELL, CELL)
                 for bank in range(BANKS)]
    places = list(rows)
    cost = wavefronts(words)
    for lane, (row, bank) in enumerate(words):
        y = table + places.index(row) * CELL
        same_bank = {word for word in words if word[1] == bank}
        role = "bad" if len(same_bank) > 1 else "shared"
        body.append(line(left + (lane + 0.5) * CELL, top + CELL,
                         left + (bank + 0.5) * CELL, table))
        body.append(box(left + bank * CELL, y, CELL, CELL, role,
                        name(ord(BYTES[lane]))))
        body.append(box(left + lane * CELL, top, CELL, CELL, "lane",
                        name(ord(BYTES[lane]))))
    bottom = table + 7 * CELL
    for bank in range(BANKS):
        body.append(text(left + (bank + 0.5) * CELL, bottom + 24, str(bank)))
    body.append(text(left - 8, bottom + 24, "bank", anchor="end"))
    body.append(text(left - 8, top + 24, "lane", anchor="end"))
    body.append(box(left, bottom + 44, BANKS * CELL, 48,
                    "good" if cost == 1 else "bad", "",
                    24 if cost == 1 else 0))
    body.append(text(left + BANKS * CELL / 2, bottom + 76,
                     f"{cost} wavefront{'s' if cost > 1 else ''}", 24, True,
                     role="black"))
    return body


def draw() -> str:
    """Return the picture."""
    values = [ord(byte) for byte in BYTES]
    one_table = [(value // BANKS, value % BANKS) for value in values]
    private = [(value, lane) for lane, value in enumerate(values)]
    before, after = wavefronts(one_table), wavefronts(private)
    assert before > after == 1
    rows = {row: f"{row * BANKS}.." for row in sorted({w[0] for w in one_table})}
    values_rows = {value: name(value) for value in sorted(set(values))}
    assert len(values_rows) <= 7
    title = (f"Eight lanes count eight letters: {before} wavefronts in one "
             f"table, {after} in a table with a column for each lane")
    desc = ("Two panels. Left, one table: a letter's word lies in the bank of "
            "its value modulo 8; three different letters meet in bank 0, the "
            "two e are one word. Right, a row for each value and a column for "
            "each lane: every lane adds straight below itself, no two in one "
            "bank.")
    body = [text(0, 24, "Where do the lanes of a warp meet?", 24, True,
                 "start")]
    body += panel(58, "one table", rows, one_table,
                  "value v in bank v % 8")
    body += panel(420, "bank_private", values_rows, private,
                  "lane l in bank l")
    return ('<svg xmlns="http://www.w3.org/2000/svg" class="cuda-picture" '
            'width="720" height="600" viewBox="0 0 720 600" role="img" '
            'aria-labelledby="banks-title banks-desc" '
            'font-family="system-ui, sans-serif">\n'
            f'<title id="banks-title">{title}</title>\n'
            f'<desc id="banks-desc">{desc}</desc>\n{style()}\n'
            + "\n".join(body) + "\n</svg>\n")


def main() -> int:
    """Write the picture, or compare it."""
    made = draw()
    if sys.argv[1:] == ["--check"]:
        with open(PATH, encoding="utf-8") as file:
            if file.read() == made:
                return 0
        print(f"{PATH}: stale; common/make/author/draw_histogram.py draws it",
              file=sys.stderr)
        return 1
    with open(PATH, "w", encoding="utf-8") as file:
        file.write(made)
    return 0


if __name__ == "__main__":
    sys.exit(main())
