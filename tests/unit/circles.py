"""Objects that use each other in a circle, none of which can be read alone."""

import subprocess
from typing import Dict, List, Set


def circle(files: List[str]) -> List[str]:
    """Return the objects of circles, and those that use them.

    An object uses another if a symbol that nm calls undefined is defined there.
    """
    home: Dict[str, str] = {}
    wanted: Dict[str, Set[str]] = {path: set() for path in files}
    for path in files:
        said = subprocess.run(["nm", "-P", "-g", path], text=True, check=True,
                              stdout=subprocess.PIPE).stdout
        for line in said.splitlines():
            symbol, kind = line.split()[:2]
            if kind == "U":
                wanted[path].add(symbol)
            else:
                home[symbol] = path
    left = {path: {home.get(symbol, path) for symbol in wanted[path]} - {path}
            for path in files}
    while True:  # take away who uses nobody that is left
        free = [path for path in left if not left[path] & set(left)]
        if not free:
            return sorted(left)
        for path in free:
            del left[path]
