"""The pictures of tensor_11."""

from tools.author.svg import THIN, TOP, Picture, picture

SIDE = 1024  # rows and columns of C
SMS = 132  # of an H200


def tiles_of(p: Picture, x: float, rows: int, columns: int, scale: float) -> int:
    """Draw C, cut into tiles, the first of them filled. Return how many."""
    for row in range(0, SIDE, rows):
        for column in range(0, SIDE, columns):
            first = row == column == 0
            p.box(x + column * scale, TOP + row * scale, columns * scale,
                  rows * scale, "lane" if first else "math", line=THIN)
    return (SIDE // rows) * (SIDE // columns)


@picture("Which part of 132 SMs has a tile of 1024 x 1024")
def tiles(p: Picture) -> None:
    """Three panels, each a C of 1024 x 1024 that is cut into tiles, one of them
    filled: 128 x 256 makes 32 of them, 128 x 128 makes 64, and 128 x 64 makes
    128, nearly one for each of 132 SMs."""
    sizes = {f"{rows} x {columns}": (rows, columns)
             for rows, columns in ((128, 256), (128, 128), (128, 64))}
    shares = []
    for x, name in p.panels([(name,) for name in sizes]):
        rows, columns = sizes[name]
        count = tiles_of(p, x, rows, columns, 0.14)
        shares.append(f"{count} of {SMS}")
    p.results(*shares, good=(False, False, True))
    p.legend(("math", "tiles of C"), ("lane", "one of them"))


@picture("Two blocks share K, and then the rows")
def parts(p: Picture) -> None:
    """Two blocks, one above the other, each a tile that is summed up over half
    of K. Its two halves of the rows: the one that the block stores, and the one
    that the other block reads and adds to its own."""
    wide, high, gap = 150.0, 96.0, 28.0
    for i, half in enumerate(("first", "second")):
        y = 48 + i * (high + gap)
        for rows in range(2):
            p.box(0, y + rows * high / 2, wide, high / 2,
                  "good" if rows == i else "shared", line=THIN)
        p.text(wide + 24, y + high / 2 - 6, f"block {i}: the sums")
        p.text(wide + 24, y + high / 2 + 20, f"over the {half} half of K")
    p.bottom = 48 + 2 * high + gap
    p.legend(("good", "rows that the block stores"))
    p.legend(("shared", "rows that the other one reads"))
