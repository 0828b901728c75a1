"""The pictures of attention_01."""

from tools.author.svg import Picture, picture
from tools.author.tracing import HALF, SECTOR, trace

COLUMNS = 64  # of Q, K, V and O


def moved(rows: int, kernel: str, op: str, *arrays: str) -> int:
    """Return the KiB that a kernel moves of some arrays, for a head."""
    return sum(request["sectors"] * SECTOR for array in arrays for request in trace(
        "attention_01", f"--h 1 --s {rows} --small 0", 64, 100_000, kernel=kernel,
        op=op, array=array)) // 1024


@picture("Scores go back and forth")
def way(p: Picture) -> None:
    """Between two tall boxes of global memory, left Q, K, V and O, right the
    scores, the three kernels below each other, for 128 rows and keys. Arrows say
    what each moves: the first product loads Q and K and stores scores, 64 KiB.
    The softmax loads them three times, 192 KiB, and stores weights, 64 KiB. The
    second product loads weights and V, and stores O."""
    rows, high = 128, 110
    p.box(0, 50, 116, 3 * high - 20, "global", "Q K V O")
    p.box(606, 50, 114, 3 * high - 20, "global", "scores")
    for i, (kernel, words, left, right) in enumerate((
            ("scores_kernel", "product", [("load", "Q", "K")], ["store"]),
            ("softmax_kernel", "softmax", [], ["load", "store"]),
            ("output_kernel", "product", [("load", "V"), ("store", "O")],
             ["load"]))):
        y = 50 + high * i
        p.box(282, y, 160, high - 20, "lane", words)
        for side, moves in ((0, left), (1, [(op, "scores") for op in right])):
            for n, (op, *arrays) in enumerate(moves):
                at = y + (high - 20) * (n + 1) / (len(moves) + 1) + 10
                ends = [(450 if side else 274, at), (598 if side else 124, at)]
                p.arrow(*(ends if op == "store" else ends[::-1]))
                p.middle(524 if side else 199, at - 16,
                         f"{moved(rows, kernel, op, *arrays)} KiB")


@picture("Twice the rows, four times the scores")
def grows(p: Picture) -> None:
    """Two bars each for 64, 128 and 256 rows and keys of a head. Q, K, V and O
    grow with the rows: 32, 64, 128 KiB. Scores grow with their square: 16, 64,
    256 KiB."""
    for rows in (64, 128, 256):
        y = p.bottom + 26
        p.text(0, y + 33, f"{rows} rows")
        for n, (fill, kib) in enumerate((
                ("global", 4 * rows * COLUMNS * HALF // 1024),
                ("bad", moved(rows, "scores_kernel", "store", "scores")))):
            p.box(124, y + 34 * n, kib * 1.8, 30, fill)
            p.text(132 + kib * 1.8, y + 34 * n + 15, f"{kib} KiB")
    p.legend(("global", "Q, K, V and O"), ("bad", "scores, in float32"))
