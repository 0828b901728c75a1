"""The pictures of gemm_02."""

from typing import Tuple

from tools.author.drawings import grid, matrix, name_banks, stack
from tools.author.svg import TOP, Picture, count, picture
from tools.author.tracing import (LANES, LINE, SIZES, WORD, elements,
                                  elements_of, loads, pick, trace)


@picture("Turn the warp by a quarter")
def turn(p: Picture) -> None:
    """Two panels with A at the left, B above and C at their corner, each 32 x
    32; below, in sectors of 8 words, what warp 5 loads for one k. In gemm_01 its
    lanes stand in a column of C: they load a column of A, of each sector 1 word.
    In gemm_02 they stand in a row: they load a row of B, all 8 words of each
    sector."""
    warp, k, size, edge, far = 5, 12, 4.6, 32, 159
    sectors, used = TOP + 2 * far + 36, []
    for x, (chapter, wide) in p.panels((("gemm_01", "lanes down a column"),
                                        ("gemm_02", "lanes along a row")),
                                       (("gemm_01", "A"), ("gemm_02", "B"))):
        mine = trace(chapter, SIZES.format(edge, edge, edge), warp=warp)
        for array, left, y in (("A", x, TOP + far), ("B", x + far, TOP)):
            load = pick(mine, array=array, op="load")[k]
            matrix(p, left, y, size, (edge, edge), {"global": elements_of([load])})
            p.text(left + (114 if array == "B" else 10), y + 131, array)
            if array == wide:
                words = {at // WORD for at in load["at"]}
        store, = pick(mine, array="C", op="store")
        matrix(p, x + far, TOP + far, size, (edge, edge), {
            "lane": elements_of([store])})
        for lane, (row, column) in elements(store)[::LANES - 1]:
            more = (10, 12 - 0.6 * lane) if wide == "A" else (4 - lane, 20)
            p.text(x + far + size * column + more[0],
                   TOP + far + size * row + more[1], f"{lane}")
        p.text(x + far + 114, TOP + far + 131, "C")
        p.text(x, sectors - 18, f"the sectors of {wide}")
        for i, sector in enumerate(sorted({word // 8 for word in words})):
            grid(p, x + 86 * (i % 4), sectors + 20 * (i // 4), 10, (1, 8), {
                (0, word % 8): "global" for word in words if word // 8 == sector})
        used.append(len(words) // (i + 1))
    p.results(*(f"{n} of 8 words used" for n in used))
    p.legend(("lane", f"results of warp {warp}, lanes 0 to {LANES - 1}"),
             ("global", f"what it loads at k = {k}"))


def stages(p: Picture, of_tags: bool, *panels: Tuple[str, ...]) -> None:
    """Draw panels (name, below it, chapter, array, options): the words of a
    first load over the 32 data banks; above, with of_tags, its lines over the 4
    tag banks."""
    high, tag, costs = 9, 22, []
    noun = "cycle" if of_tags else "trip"
    tags_at = 196
    data_at = 574 if of_tags else 430
    for x, panel in p.panels([panel[:2] for panel in panels], panels):
        _, _, chapter, array, pad = panel
        load = loads(chapter, array, SIZES.format(32, 32, 4096) + pad)[0]
        lines = len({at // LINE for at in load["at"]})
        tags, data = load["tag_wavefronts"], load["data_wavefronts"]
        assert lines in (1, 4 * tags)  # so that all banks have as many
        words = [at // WORD % LANES for at in {*load["at"]}]
        assert max(map(words.count, words)) == data
        assert of_tags or data >= tags
        more = " or more" if tags > data else ""  # tag banks share unevenly
        costs.append(f"{tags}{more}" if more
                     else count(max(tags, data), noun))
        stack(p, x, data_at, p.panel_wide / LANES, LANES, high, [
            [(i, 1, turn > 0, "") for i in range(LANES)
             if words.count(i) > turn] for turn in range(data)])
        if not of_tags:
            name_banks(p, x, data_at + 20, p.panel_wide)
            continue
        stack(p, x, tags_at, tag, 4, high, [
            [(i, 1, turn > 0, "") for i in range(min(lines, 4))]
            for turn in range(tags)])
        for y, stage, cycles in ((tags_at, "4 tag banks:", tags),
                                 (data_at, "32 data banks:", data)):
            p.text(x, y + 20, stage)
            p.text(x, y + 50, count(cycles, "cycle")
                   + more * (y == tags_at), bold=cycles == max(tags, data))
    p.results(*costs, good=[cost == "1 trip" for cost in costs])
    p.legend(("lane", f"in the first {noun}"),
             ("stripes", "waits for a later one"))


@picture("Each bank hands out one word in a trip")
def banks(p: Picture) -> None:
    """Two panels with stacks of words over 32 banks. A column of A whose rows
    are 4096 words long: 32 words in one bank. A row of B: a word in each."""
    stages(p, False, ("gemm_01", "a column of A", "gemm_01", "A", ""),
           ("gemm_02", "a row of B", "gemm_02", "B", ""))


@picture("The slower of two stages sets the pace")
def tags(p: Picture) -> None:
    """Two panels: above, stacks of lines over the 4 tag banks of the L1; below,
    stacks of words over its 32 data banks. Pitch 4096: 8 and 32 high. 4100: 8
    and 4 high."""
    stages(p, True, ("pitch 4096", "a column of A", "gemm_01", "A", ""),
           ("pitch 4100", "a column of A", "gemm_01", "A", " --pad 4"))
