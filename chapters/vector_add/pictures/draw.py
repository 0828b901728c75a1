"""The pictures of vector_add."""

from tools.author.drawings import one_by_one, timeline
from tools.author.svg import BOLD, NAME, Picture, picture, text_width


@picture("Two machines, two memories")
def there_and_back(p: Picture) -> None:
    """Left the memory of the CPU with a, b and c, right that of the GPU with
    d_a, d_b and d_c. Arrows lead from a to d_a, from b to d_b and from d_c back
    to c. Below the GPU's memory stand its threads, one for each sum."""
    for x, wide, name, what in ((0, 220, "host", "the CPU"),
                                (380, 340, "device", "the GPU")):
        p.text(x, 62, name, NAME, bold=True)
        p.text(x + 16 + text_width(name, NAME), 62, what)
        p.box(x, 84, wide, 168)
    for i, name in enumerate("abc"):
        y = 96 + 50 * i
        p.box(20, y, 180, 44, "global", name)
        p.box(400, y, 300, 44, "global", f"d_{name}")
        ends = [(204, y + 22), (396, y + 22)]
        p.arrow(*(ends if name != "c" else ends[::-1]), BOLD)
        p.middle(300, y + 2, "copy")
    for x in range(415, 715, 30):
        p.path([(x, 252), (x, 295)])
        p.circle(x, 308, 13, "lane")
    p.text(360, 308, "launch", anchor="end")
    p.middle(550, 346, "a thread for each sum")
    p.legend(("global", "array of a million floats"), ("lane", "thread"))


@picture("Who waits for whom?")
def who_waits(p: Picture) -> None:
    """Two bars over time. CPU: copy a, copy b, launch, wait, copy c. GPU: the
    kernel runs from the end of the launch to the end of the wait."""
    timeline(p, "CPU", one_by_one((
        (100, "global", "copy a"), (100, "global", "copy b"),
        (96, "lane", "launch"), (220, "hatch", ""),
        (100, "global", "copy c"))), 1, 80)
    timeline(p, "GPU", [(296, 220, "math", "kernel")], 1, 80)
    y = p.bottom + 24
    p.arrow((80, y), (696, y))
    p.text(696, y + 24, "time", anchor="end")
    p.legend(("hatch", "waits for the kernel"))
