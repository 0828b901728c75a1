"""The pictures of gemm_07."""

from typing import Sequence, Tuple

from tools.author.drawings import in_banks, name_banks, timeline
from tools.author.svg import TOP, WIDTH, Picture, picture
from tools.author.tracing import LANES, WORD, elements, loads, wavefronts_of


@picture("Lanes 0 to 15 in a row of Bs, 128 words")
def groups(p: Picture) -> None:
    """Two panels: a row of the tile of B, in four lines of 32 words, over the 32
    banks. gemm_06: the first load of a warp takes every second four words, in
    half of the banks; lane 5 needs the next four, too. gemm_07: it takes the
    first two lines, all banks; lane 5 needs four more, two lines further
    down."""
    mine, bank, high, used = 5, 10.5, 52, []
    for x, chapter in p.panels((("gemm_06", "8 columns in a row"),
                                ("gemm_07", "4, and 4 half a tile on"))):
        first, second = (elements(load) for load in loads(chapter, "Bs")[:2])
        for line in range(4):
            p.box(x + 1, TOP + high * line, bank * LANES, high)
        columns = {lane: place[1] for lane, place in first[::-1]
                   if lane < LANES // 2}  # the others have the same
        for lane, column in [*columns.items(), (mine, min(
                place[1] for lane, place in second if lane == mine))]:
            p.box(x + 1 + column % LANES * bank, TOP + column // LANES * high,
                  4 * bank, high, "math" if lane == mine else "lane", f"{lane}")
        name_banks(p, x, TOP + 4 * high + 20, bank * LANES)
        used.append(4 * len({column % LANES for column in columns.values()}))
    p.results(*(f"{number} of {LANES} banks" for number in used))
    p.legend(("lane", "first load of a warp"),
             ("math", f"lane {mine}: both loads"))
    p.text(0, p.bottom + 20, f"a line: {LANES} words of the row, one in each bank")


@picture("gemm_06: half of the banks are idle")
def quarter(p: Picture) -> None:
    """The 32 banks from left to right, twice. Wavefront 1: lanes 0 to 3 have
    four banks each, and four banks beside each have nothing to do. Wavefront 2:
    lanes 4 to 7 have the same banks."""
    left, scale = 156, (WIDTH - 156) / LANES
    p.text(left, 58, "bank 0")
    p.text(WIDTH, 58, f"{LANES - 1}", anchor="end")
    p.bottom = 66
    for i, wave in enumerate(wavefronts_of(loads("gemm_06", "Bs")[0])[:2], 1):
        timeline(p, f"wavefront {i}", [(bank, 4, "", "")
                                       for bank in range(0, LANES, 4)] + [
            (word % LANES, 4, "stripes" if i > 1 else "lane", f"{lane}")
            for lane, word, _ in wave], scale, left)
    p.legend(("lane", "lane"), ("stripes", "has to wait"), ("", "idle"))


def conflicts(p: Picture, array: str, op: str,
              names: Sequence[Tuple[str, str]]) -> None:
    """Draw what the first warp first does with an array in shared memory."""
    requests = [loads(chapter, array, op=op)[0] for chapter, _ in names]
    wide = requests[0]["bytes"] // WORD
    high = 32 if wide == 4 else 16
    base = TOP + high * max(request["wavefronts"] for request in requests)
    for x, request in p.panels(names, requests):
        layers, before = [], -1
        for wave in wavefronts_of(request):
            layers.append([(word % LANES, wide, group == before,
                            str(lane) * (wide == 4))
                           for lane, word, group in wave])
            before = wave[0][2]
        in_banks(p, x, base, high, layers)
    p.wavefronts(*(request["wavefronts"] for request in requests))
    p.legend(("lane", "lane"), ("stripes", "has to wait: conflict"))


@picture("Half of the banks were idle")
def load_of_b(p: Picture) -> None:
    """Stacks over the 32 banks of shared memory, a layer for each wavefront. 16
    bytes a lane are four banks wide. gemm_06: in each layer half of the banks
    are idle. gemm_07: all are busy."""
    conflicts(p, "Bs", "load", (("gemm_06", "columns 8 apart"),
                                ("gemm_07", "columns 4 apart")))


@picture("Padding sends row k + 4 to other banks")
def store_of_a(p: Picture) -> None:
    """Stacks over the 32 banks of shared memory, a layer for each wavefront.
    gemm_06: half of the banks, each twice. gemm_07: each bank once."""
    conflicts(p, "As", "store", (("gemm_06", "rows of 128"),
                                 ("gemm_07", "rows of 132")))
