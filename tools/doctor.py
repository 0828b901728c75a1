"""What this machine has, and what each missing piece would add."""

import glob
import os
import shutil
import sys

import machine

absent = 0


def line(name: str, found: str, use: str) -> None:
    """Print one row; nothing found is a missing piece."""
    global absent
    absent += not found
    print(f"{name:<18} {found or 'missing: ' + use}")


def simulator() -> None:
    """What the simulator works with."""
    print("simulator")
    line("compiler", machine.cc(),
         "the simulator and the host side of every chapter")
    line("clang >= 14", machine.clang(),
         "counters and findings; without it plain mode, results only")
    line("python3", sys.executable, "every goal but setup")
    line("libpng", "found" * bool(machine.png()),
         "pictures in PNG; without it PGM and PPM")
    line("gdb", shutil.which("gdb") or "", "make debug")


def gpu() -> None:
    """What programs on a GPU are built, run and looked at with."""
    print("GPU")
    name, arch = machine.gpu()
    line("GPU", f"{name} ({arch})" * bool(name),
         "times, and the comparison with cuBLAS")
    driver = machine.answer(machine.smi(), "--query-gpu=driver_version",
                            "--format=csv,noheader") if name else ""
    line("driver", driver.split("\n")[0], "programs on the GPU")
    nvcc = machine.nvcc()
    line("nvcc", f"{nvcc}, CUDA {machine.release() or '?'}" * bool(nvcc),
         "programs for the GPU; what nvcc made of a kernel: make asm")
    folders = glob.glob("/usr/lib/*-linux-gnu")
    if nvcc:
        folders.insert(0, nvcc[:-len("bin/nvcc")] + "lib64")
    cublas = [f"{folder}/libcublas.so" for folder in folders]
    line("cuBLAS", next(filter(os.path.exists, cublas), ""),
         "what every gemm chapter is compared with")
    for tool, use in (
            ("cuda-gdb", "make debug on=gpu"),
            ("compute-sanitizer", "make sanitize on=gpu"),
            ("cuobjdump", "make asm: the machine code"),
            ("ncu", "make profile on=gpu: the hardware's own counters")):
        line(tool, machine.cuda_tool(tool), use)
    if machine.cuda_tool("ncu") and name:
        # The driver's setting: 1 lets only root read counters.
        try:
            with open("/proc/driver/nvidia/params", encoding="utf-8") as file:
                roots = "RmProfilingAdminOnly: 1" in file.read()
        except OSError:
            roots = False
        line("ncu's permission",
             "counters may be read" * (os.getuid() == 0 or not roots),
             "counters are root's: see make profile on=gpu")


def report() -> None:
    """Print all rows, and how many are missing."""
    simulator()
    of_simulator = absent
    gpu()
    print(f"\n{machine.back_end('')[1]} runs a chapter here;")
    print(f"missing pieces: {of_simulator} of the simulator, "
          f"{absent - of_simulator} of a GPU")
