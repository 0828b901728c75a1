"""The pictures of wmma_padding."""

from tools.author.drawings import name_banks
from tools.author.svg import THIN, TOP, Picture, picture
from tools.author.tracing import (HALF, LINE, SIZES, WORD, pick, trace,
                                  wavefronts_of)

PIECE = 8 * HALF  # bytes of a row of a square
EIGHT = LINE // PIECE  # lanes that are served at once, pieces in all banks
SIZE = 43  # of a piece


def in_banks(p: Picture, op: str, rows: int, lanes: int) -> None:
    """Draw the first rows of As without and with padding, in lines of all banks,
    a box a piece: those that eight lanes name in the first load or store, each
    with the first of so many lanes to which it belongs, and padding."""
    results = []
    names = (("wmma", "rows of 4 pieces"), ("wmma_padded", "rows of 5 pieces"))
    for x, (variant, _) in p.panels(names, names):
        request = trace("wmma_padding", f"{SIZES.format(128, 256, 32)} --variant "
                        + variant, warp=0, array="As", op=op)[0]
        assert request["start"] % LINE == 0
        pitch = request["pitch"] // PIECE
        named = {at // PIECE: i for i, at in enumerate(request["at"][:EIGHT])}
        waves = [wave for wave in wavefronts_of(request) if wave[0][2] == 0]
        late = {word * WORD // PIECE - request["start"] // PIECE
                for wave in waves[1:] for _, word, _ in wave}
        for n in range(pitch * rows):
            p.box(x + SIZE * (n % EIGHT), TOP + SIZE * (n // EIGHT), SIZE, SIZE,
                  "stripes" if n in late else "shared" if n in named else
                  "hatch" if n % pitch >= 4 else "",
                  f"{named[n] * lanes}" if n in named else "", THIN)
        name_banks(p, x, p.bottom + 16, SIZE * EIGHT)
        results.append(len(waves))
    p.wavefronts(*results)


@picture("Which banks does a square of As need?")
def lanes(p: Picture) -> None:
    """Eight rows of As in pieces of 16 bytes, in lines of all 32 banks; of each
    row the piece is marked that four lanes get, with the first of them: 0, 4, 8
    and so on to 28. Without padding the marked pieces lie in two groups of four
    banks, and all but the first two have to wait: 4 wavefronts. With a piece of
    padding after each row they lie in all banks: 1 wavefront."""
    in_banks(p, "load", 8, 4)
    p.legend(("shared", "first of 4 lanes"),
             ("stripes", "has to wait"), ("hatch", "padding"))


@picture("Eight lanes store two rows of As")
def stores(p: Picture) -> None:
    """Two rows of As in the same way, each piece with the lane that stores it.
    Without padding lanes 0 to 7 fill all 32 banks: 1 wavefront. With a piece of
    padding after the first row the second one ends in the banks where the first
    began, and lane 7 has to wait for lane 0: 2 wavefronts."""
    in_banks(p, "store", 2, 1)
    p.legend(("shared", "stored by lane"), ("stripes", "has to wait"),
             ("hatch", "padding"))
