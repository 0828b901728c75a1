"""What this machine has: compilers, tools of CUDA, a GPU; and how it builds.

Nothing here prints, unless something is missing: then one line on stderr says
what, and the program ends with status 2. Each question is asked once.
"""

import contextlib
import functools
import os
import re
import shutil
import subprocess
import sys
from typing import Dict, List, NamedTuple, NoReturn, Tuple

from tools.terminal import telling


def fail(*words: str) -> NoReturn:
    """End with one line on stderr, status 2."""
    print(*words, file=sys.stderr)
    sys.exit(2)


def answer(*command: str, **settings: str) -> str:
    """Return what a program prints; nothing if it cannot or fails."""
    try:
        done = subprocess.run(command, stdout=subprocess.PIPE, text=True,
                              stderr=subprocess.DEVNULL, errors="replace",
                              env={**os.environ, **settings})
    except OSError:
        return ""
    return done.stdout if done.returncode == 0 else ""


# ---- CUDA --------------------------------------------------------------------


# Where CUDA is installed, on the PATH or not.
FOLDERS = ["/usr/local/cuda/bin", "/opt/cuda/bin"]


@functools.lru_cache(None)
def cuda_tool(name: str) -> str:
    """Return a program that comes with CUDA, or nothing."""
    home = os.environ.get("CUDA_HOME")
    return shutil.which(name, path=os.pathsep.join([
        *[f"{home}/bin"] * bool(home), os.environ.get("PATH", ""),
        *FOLDERS])) or ""


def nvcc() -> str:
    """Return the CUDA compiler, or nothing."""
    return cuda_tool("nvcc")


@functools.lru_cache(None)
def release() -> str:
    """Return the release of CUDA that nvcc is of, or nothing."""
    version = re.search(r"release ([\d.]+)", answer(nvcc(), "--version"))
    return version[1] if version else ""


def need_cuda_tool(what: str, name: str) -> str:
    """Return a program of CUDA, for what cannot do without it."""
    return cuda_tool(name) or fail(
        f"{what}: {name} is missing; it comes with CUDA 12 or 13")


class Gpu(NamedTuple):
    """The first GPU that answers; all empty if none does."""

    name: str
    arch: str  # "sm_90"


def smi() -> str:
    """Return the program that asks the driver."""
    return shutil.which("nvidia-smi") or \
        "/usr/lib/wsl/lib/nvidia-smi"  # where WSL puts it


@functools.lru_cache(None)
def gpu() -> Gpu:
    """Ask nvidia-smi for the first GPU."""
    line = answer(smi(), "--query-gpu=compute_cap,name", "--format=csv,noheader")
    match = re.match(r"(\d+)\.(\d+), (.*)", line)
    return Gpu(match[3], f"sm_{match[1]}{match[2]}") if match else Gpu("", "")


def arch(asked: str = "") -> str:
    """Return what nvcc compiles for: arch=, the GPU here, or the oldest."""
    return asked or gpu().arch or "sm_75"


def code_for(source: str, asked: str) -> List[str]:
    """Return nvcc's words for the GPU that a source is compiled for.

    bfloat16 in tensor cores needs 8.0 or newer; wgmma is of 9.0 alone, and so
    is, for us, what comes with it. tools/build.mk asks by this module's main.
    """
    text = ""
    if os.path.isfile(source):
        with open(source, encoding="utf-8", errors="replace") as file:
            text = file.read()
    if re.search("wgmma_|mbarrier_|tensor_store", text):
        return ["-gencode", "arch=compute_90a,code=sm_90a"]
    old = re.search(r"gemm_bf16\.h|attention\.h", text) and asked == "sm_75"
    return ["-arch=sm_80" if old else f"-arch={asked}"]


# ---- the simulator's compilers -----------------------------------------------


@functools.lru_cache(None)
def clang() -> str:
    """Return the clang that counts, 14 or newer, and its version; or nothing.

    simcc is the one that looks for it.
    """
    return answer(sys.executable, "simulator/simcc", "--clang").strip()


@functools.lru_cache(None)
def cc() -> str:
    """Return a C compiler, or nothing."""
    return next(filter(None, map(shutil.which, ("cc", "gcc", "clang"))), "") \
        or clang().split(" ")[0]


def need_simulator() -> None:
    """End if the simulator lacks what it cannot do without."""
    if os.uname().sysname != "Linux":
        fail("the simulator runs on Linux; docs/commands.md has the line for "
             "a container")
    if not cc():
        fail("no C compiler: make setup installs one, and the simulator needs "
             "it")


def need_clang(goal: str) -> None:
    """End if the simulator could not count."""
    need_simulator()
    if not clang():
        fail(f"{goal}: needs clang 14 or newer; make setup installs it")


# ---- which of the two runs a program -----------------------------------------


def back_end(wanted: str) -> Tuple[str, str]:
    """Return gpu or simulator, and the reason as the subject of a sentence.

    wanted is what on= says.
    """
    here = gpu()
    if wanted not in ("", "gpu", "simulator"):
        fail(f"on={wanted}: gpu or simulator")
    if wanted == "simulator":
        return "simulator", "on=simulator: the simulator"
    if wanted == "gpu":
        need_cuda_tool("on=gpu", "nvcc")
        if not here.name:
            fail("on=gpu: no GPU answers nvidia-smi")
        return "gpu", f"on=gpu: {here.name}"
    if not here.name:
        return "simulator", "no GPU answers: the simulator"
    if not nvcc():
        return "simulator", \
            f"{here.name} answers, but nvcc is missing: the simulator"
    return "gpu", f"{here.name} answers: it"


def need_gpu(goal: str, wanted: str = "") -> str:
    """Return why, for what only a GPU can tell."""
    end, why = back_end(wanted)
    if end != "gpu":
        fail(f"{goal} needs a GPU, and {why.replace(': the simulator', '')}")
    return why


# ---- make --------------------------------------------------------------------


def compiler_said(text: str) -> str:
    """Leave out make's own lines, unless there are no others."""
    lines = [line for line in text.splitlines(True) if line.strip()]
    return "".join([line for line in lines if not line.startswith("make")] or lines)


class Make(NamedTuple):
    """How programs are built: what was typed of it."""

    arch: str = ""  # of nvcc
    v: str = ""  # 1: show the commands
    file: str = ""  # the source of a program of one's own
    flags: str = ""  # for its compiler
    rules: str = "tools/build.mk"

    def command(self, targets: List[str]) -> Tuple[List[str], Dict[str, str]]:
        """Return the command that makes programs by their paths; its settings.

        On all cores unless make was told otherwise.
        """
        with contextlib.suppress(OSError):
            os.makedirs("build", exist_ok=True)
        if not os.path.isdir("build") or not os.access("build", os.W_OK):
            fail("build/ cannot be written here; use a copy of your own, or "
                 "let build be a link to a folder that can")
        alone = "-j" not in os.environ.get("MAKEFLAGS", "")
        command = [os.environ.get("MAKE") or "make", "--no-print-directory",
                   *[f"-j{os.cpu_count() or 1}"] * alone,
                   *["-s"] * (self.v != "1"), "-f", self.rules, *targets]
        return command, {
            "file": self.file, "flags": self.flags, "cc": cc(), "nvcc": nvcc(),
            "clang": clang(), "python": sys.executable,
            "arch": arch(self.arch)}

    def made(self, *targets: str) -> bool:
        """Make them; whether that went well. Else make has said why."""
        command, settings = self.command(list(targets))
        with telling("building"):
            done = subprocess.run(command, env={**os.environ, **settings},
                                  close_fds=False, stderr=subprocess.PIPE,
                                  text=True, errors="replace")
        sys.stderr.write(compiler_said(done.stderr))
        return done.returncode == 0

    def build(self, *targets: str) -> None:
        """Make them, or end with status 2."""
        if not self.made(*targets):
            sys.exit(2)


@functools.lru_cache(None)
def commit() -> str:
    """Return the name of the commit, for the records.

    Where only a copy of the files is, CHAPTERS_COMMIT says it already. Results
    that are being recorded do not change what is measured.
    """
    name = os.environ.get("CHAPTERS_COMMIT")
    if not name:
        name = answer("git", "describe", "--always", "--abbrev=12").strip()
        if name and subprocess.run(
                ["git", "diff", "--quiet", "HEAD", "--", ".",
                 ":!docs/results"]).returncode:
            name += "-dirty"
    return name


if __name__ == "__main__":
    print(*code_for(*sys.argv[1:]))
