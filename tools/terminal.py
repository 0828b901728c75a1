"""What a terminal shows while something takes its time."""

import contextlib
import os
import sys
import threading
import time
from typing import Iterator

PAUSE = 1.0  # s before it is shown, and until it is renewed
WIDTH = 70  # columns of the words
CLEAR = "\r\x1b[K"

shown = threading.Lock()


@contextlib.contextmanager
def telling(words: str) -> Iterator[None]:
    """Say in one line of a terminal what is being done, and since when.

    Within it, and in another thread, nothing more is told; nor where nobody looks.
    """
    if not sys.stdout.isatty() or os.environ.get("TERM", "dumb") == "dumb" \
            or threading.current_thread() is not threading.main_thread() \
            or not shown.acquire(blocking=False):
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
        shown.release()
