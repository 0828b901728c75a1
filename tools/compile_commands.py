#!/usr/bin/env python3
"""compile_commands.json for editors: what each source is compiled with.

Usage: compile_commands.py >compile_commands.json

The flags are the simulator's, which every machine has; clangd then knows
threadIdx, __syncthreads and the rest from simulator/include.
"""

import glob
import json
import os

HEADERS = ["-I", "simulator/include", "-I", "common"]
C = ["cc", "-std=gnu11", *HEADERS, "-c"]
# A .cu is C++ here; launches are shown as errors, all else is understood.
CUDA = ["c++", "-x", "c++", "-std=c++17", *HEADERS, "-c"]


def main() -> None:
    """Print one entry for each source file."""
    sources = sorted(glob.glob("common/*.c") + glob.glob("common/*/*.c*")
                     + glob.glob("chapters/*/*.cu"))
    entries = [
        {
            "directory": os.getcwd(),
            "file": source,
            "arguments": (C if source.endswith(".c") else CUDA) + [source],
        }
        for source in sources
    ]
    print(json.dumps(entries, indent=1))


main()
