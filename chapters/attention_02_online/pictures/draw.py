"""The pictures of attention_02."""

from tools.author.drawings import matrix
from tools.author.svg import Picture, picture
from tools.author.tracing import HALF, SECTOR, elements_of, extent, trace

ARGS = "--h 1 --s 256 --small 0"  # D = 64


def stored_of(chapter: str, array: str) -> int:
    """Return the KiB that a chapter stores of an array, for a head."""
    return sum(request["sectors"] * SECTOR for request in trace(
        chapter, ARGS, 64, 100_000, op="store", array=array)) // 1024


@picture("What is stored for 256 rows and keys?")
def stored(p: Picture) -> None:
    """Bars for a head. attention_01 stores 32 KiB of O and 512 KiB of scores:
    the scores, then the weights. attention_02 stores 32 KiB of O and no scores."""
    for chapter, arrays in (("attention_01", ("O", "scores")),
                            ("attention_02", ("O",))):
        p.panel(0, p.bottom + 32, chapter)
        y = p.bottom + 16
        for array in arrays:
            kib = stored_of(chapter, array)
            p.text(0, y + 17, array)
            p.box(96, y, kib, 34, "bad" if array == "scores" else "good")
            p.text(104 + kib, y + 17, f"{kib} KiB")
            y += 42


@picture("A block keeps its rows, keys pass by")
def tiles(p: Picture) -> None:
    """In the middle the scores of a head, 256 rows by 256 keys, which nobody
    stores. Left of them Q and right O, with the 64 rows of a block marked. Above
    K and below V, both turned, with the tile of 32 keys that is at work, the
    third of 8. Where rows and tile cross are the scores of the moment."""
    mine = [request for request in trace("attention_02", ARGS, 2, 100_000)
            if request["block"][0] == 1]
    row, _, rows, _ = extent(elements_of(mine, HALF, array="Q"))
    times = sorted({request["barriers"] for request in mine
                    if request.get("array") == "K"})
    key, _, keys, columns = extent(elements_of(mine, HALF, array="K",
                                               barriers=times[2]))
    assert elements_of(mine, HALF, array="O") == elements_of(mine, HALF, array="Q")
    side, x, y = len(times) * keys, 226, 128
    for name, at, top, (high, wide), part, words in (
            ("Q", x - columns - 8, y, (side, columns), (row, 0, rows, columns), .8),
            ("K", x, y - columns - 8, (columns, side), (0, key, columns, keys), .5),
            ("no scores", x, y, (side, side), (row, key, rows, keys), .8),
            ("V", x, y + side + 8, (columns, side), (0, key, columns, keys), .5),
            ("O", x + side + 8, y, (side, columns), (row, 0, rows, columns), .8)):
        p.box(at, top, wide, high)
        p.box(at + part[1], top + part[0], part[3], part[2],
              "global" if len(name) == 1 else "math")
        p.middle(at + wide / 2, top + high * words, name)
    p.text(0, y + row + 32, f"{rows} rows")
    p.text(0, y + row + 62, "of a block")
    p.text(x + side + 24, y - 58, f"tile of {keys} keys,")
    p.text(x + side + 24, y - 28, f"one of {len(times)}")
