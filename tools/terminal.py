"""What a terminal shows: tables, and what takes its time."""

import contextlib
import os
import sys
import threading
import time
from typing import Iterator, List, Sequence

PAUSE = 1.0  # s before it is shown, and until it is renewed
WIDTH = 70  # columns of the words
CLEAR = "\r\x1b[K"

busy = threading.Lock()  # somebody tells something


def lines(rows: Sequence[Sequence[str]], longest: int = 26,
          remarks: bool = False) -> List[str]:
    """Return rows of cells, in columns as wide as they need.

    What a row is about stands on the left, and in a line of its own where it is
    longer than longest; with remarks the last cell stands on the left, too.
    """
    widths = [max(map(len, column)) for column in zip(*rows)]
    first = min(widths[0], longest)
    result = []
    for name, *cells in rows:
        if len(name) > first:
            result.append(name)
            name = ""
        shown = [f"{cell:>{width}}" for cell, width in zip(cells, widths[1:])]
        if remarks:
            shown[-1] = cells[-1]
        result.append("  ".join([f"{name:<{first}}", *shown]).rstrip())
    return result


@contextlib.contextmanager
def telling(words: str) -> Iterator[None]:
    """Say in one line of a terminal what is being done, and since when.

    Within it, and in another thread, nothing more is told; nor where nobody looks.
    """
    if not sys.stdout.isatty() or os.environ.get("TERM", "dumb") == "dumb" \
            or threading.current_thread() is not threading.main_thread() \
            or not busy.acquire(blocking=False):
        yield
        return
    done, begin = threading.Event(), time.monotonic()

    def show() -> None:
        while not done.wait(PAUSE):
            # The cursor stands in front: who prints meanwhile writes over it.
            print(f"{CLEAR}{words[:WIDTH]}, {time.monotonic() - begin:.0f} s\r",
                  end="", flush=True)
        if time.monotonic() - begin > PAUSE:
            print(CLEAR, end="", flush=True)

    thread = threading.Thread(target=show)
    thread.start()
    try:
        yield
    finally:
        done.set()
        thread.join()
        busy.release()
