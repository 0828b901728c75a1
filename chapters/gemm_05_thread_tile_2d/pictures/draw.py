"""The pictures of gemm_05."""

from tools.author import drawings
from tools.author.drawings import tile_of_c
from tools.author.svg import Picture, picture


@picture("Words are the edge, products the area")
def thread_tile(p: Picture) -> None:
    """Two panels. The results of a thread are squares; the words of A that it
    needs for one k stand along their left edge, those of B along the upper
    edge."""
    drawings.thread_tile(p, "gemm_04", "gemm_05")


@picture("The elements of a lane are 16 apart")
def owners(p: Picture) -> None:
    """A tile of C, 128 x 128. Warp 3 has 16 rows of it, two of every sixteen.
    Its lane 21 has every sixteenth column of one of the two: 8 x 8 elements."""
    tile_of_c(p, 1, 50, 3, "gemm_05", (3, 21))
    for y, words in ((76, ("block", "128 x 128", "8 warps")),
                     (180, ("warp 3", "2 of every 16 rows")),
                     (254, ("lane 21", "8 x 8 elements of C"))):
        p.panel(412, y, *words)
    p.legend(("lane", "warp 3"), ("math", "its lane 21"))
