"""The pictures of gemm_11."""


from tools.author import drawings
from tools.author.drawings import BARRIER, boxes, one_by_one
from tools.author.plan import plan_of, time_of_a_tile
from tools.author.svg import WIDTH, Picture, picture
from tools.author.tracing import SIZES


@picture("A tile's path")
def path(p: Picture) -> None:
    """Two panels with boxes. gemm_10: an arrow from global memory to registers,
    one from there to shared memory. gemm_11: one arrow from global to shared
    memory, past the registers."""
    for x, chapter in p.panels((("gemm_10", "load, come back, store"),
                                ("gemm_11", "copy"))):
        stops = [("math", ["registers"])] * (chapter == "gemm_10")
        boxes(p, x, 344, [("global", ["global memory"]), *stops,
                          ("shared", ["shared memory"])], 240,
              down=32 if stops else 104)


@picture("Three buffers take turns")
def ring(p: Picture) -> None:
    """Three rows over time, one for each buffer in shared memory. A tile is
    copied into its buffer, and multiplied after a wait and a barrier. Tiles 0,
    1 and 2 have a buffer each, tile 3 has that of tile 0."""
    begin, awaited, end, place = {}, {}, {}, {}  # of each tile
    per_k, before, now = 4, 3, 0.0  # reads of As; k before the first tile; k
    for kind, tile, number, at in plan_of(
            "gemm_11", SIZES.format(128, 256, 64), 8, 8):
        if kind == "load":
            begin[tile] = before + now if now else 0
        elif kind == "put":
            awaited[tile], place[tile] = before + now, at
        elif kind == "read":
            now += number / per_k
            end[tile] = before + now
    p.bottom = 44
    for i, at in enumerate(sorted({*place.values()})):
        bars = [bar for tile in range(4) if place[tile] == at for bar in (
            (begin[tile], awaited[tile] - begin[tile], "good", ""),
            (awaited[tile], end[tile] - awaited[tile], "math", f"tile {tile}"))]
        drawings.timeline(p, f"buffer {i}", bars + [
            (at, 0, BARRIER, "") for at in awaited.values()],
            (WIDTH - 118) / end[3], high=56)
    p.legend(("good", "is being copied"), ("math", "is multiplied"))
    p.legend(("bar", "all threads wait for their copies, then the barrier"))


# Of 1024 FFMA in a loop, those before its last request to global memory, and
# before what needs it: gemm_10's first store, gemm_11's wait. nvcc 13.0 orders
# them so (tests/machine_code.py).
GEMM_10_AT, GEMM_11_AT = (889, 721), (348, 877)


@picture("A warp's time for three tiles (4096)")
def timeline(p: Picture) -> None:
    """Time lines of a warp over three tiles on one scale. Two bars above lead
    from the request for a tile to where it is needed: nearly as long as a tile
    in gemm_10, where the warp puts it at the end of the bar, one and a half
    tiles in gemm_11. A load from DRAM takes the first third or less of a bar.
    Waits are slivers between the tiles."""
    dram, left, scale = 690, 130.0, 0.0
    p.bottom = 34
    for chapter, (sent, needed), put in (
            ("gemm_10", GEMM_10_AT, True),
            ("gemm_11", GEMM_11_AT, False)):
        tile, far, barrier, _ = time_of_a_tile(chapter)
        wait = far + barrier
        scale = scale or (WIDTH - left) / (3 * tile)  # of the slower one
        p.panel(0, p.bottom + 28, chapter,
                f"{round(tile, -1):,.0f} cycles a tile, "
                f"{round(wait, -1):,.0f} of them waits")
        for n, label in enumerate(("", "next tiles")):
            at, long = n + sent / 1024, 1 + (needed - sent) / 1024  # in tiles
            drawings.timeline(p, label, [
                (tile * at, tile * long, "good", ""),
                (tile * at, dram, "global", "")], scale, left, 24, 14 - 8 * n)
        bars = one_by_one(bar for n in range(3) for bar in (
            (tile - wait, "math", f"tile {n}"), (wait, "hatch", "")))
        drawings.timeline(p, "warp", bars + [
            (tile * (n + needed / 1024) - 4 / scale, 8 / scale, "shared", "")
            for n in range(3 * put)], scale, left, gap=8)
    p.legend(("global", f"a load from DRAM: {dram} cycles"), ("shared", "put"),
             ("good", "is there, not needed yet"), ("math", "computes"),
             ("hatch", "waits"))
