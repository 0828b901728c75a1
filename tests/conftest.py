"""The made-up house of tests/tools: a copy of tools/, chapters without CUDA,
compilers and a GPU that are scripts, so that nothing takes time. And the real
one, for tests/programs.
"""

import os
import pathlib
import shutil
import subprocess
from typing import Callable, List, NamedTuple

import pytest

from tools import course, machine

ROOT = pathlib.Path(__file__).resolve().parents[1]
# What the shell of whoever runs the tests may have set.
SETTINGS = """chapter variant on args arch v again results sizes MAKEFLAGS
    words all fuzz MAKELEVEL MFLAGS CUDA_HOME CUDA_VISIBLE_DEVICES SIM_REPORT""".split()

# What goals need of a system.
BASE = """sh echo make as ld ar chmod sed head tr mkdir cmp grep getconf basename
    dirname rm mv cat uname cp ln""".split()

# In place of simcc: the program that it makes says its name and arguments.
SIMCC = r"""
import os, re, shutil, sys
if sys.argv[1:] == ["--clang"]:
    found = [name for name in ("clang", "clang-22") if shutil.which(name)]
    print(*found)
    sys.exit(not found)
out = sys.argv[sys.argv.index("-o") + 1]
if os.path.exists(out):
    sys.exit(out + ": somebody may run it")
with open("simcc.log", "a") as log:
    print(re.sub(r"\.\d+$", "", out), file=log)
with open(out, "w") as file:
    file.write('#!/bin/sh\nprintf "%s|" "$(basename $0)" "$@"\nexit ${STATUS-0}\n')
os.chmod(out, 0o755)
if "-MF" in sys.argv:
    sources = [word for word in sys.argv if word.endswith(".cu")]
    read = re.findall('include "(.*)"', "".join(open(x).read() for x in sources))
    with open(sys.argv[sys.argv.index("-MF") + 1], "w") as file:
        print(f"{sys.argv[sys.argv.index('-MT') + 1]}:", *read, file=file)
"""


# In place of what nvcc makes: a program that writes a record.
RECORDS = """echo on the GPU
while [ $# != 0 ]; do
    [ "$1" != --json ] || echo '{"variant": null, "counts": {}}' >"$2"
    shift
done"""


class Ended(NamedTuple):
    """How a command ended."""

    status: int
    text: str  # of both streams

    @property
    def lines(self) -> List[str]:
        """The lines, empty ones left out."""
        return [line for line in self.text.splitlines() if line]

    def has(self, *parts: str) -> "Ended":
        """Have these texts, in this order."""
        at = 0
        for part in parts:
            found = self.text.find(part, at)
            assert found >= 0, f"no {part!r} behind that in:\n{self.text}"
            at = found + len(part)
        return self

    def lacks(self, *parts: str) -> "Ended":
        """Have none of these."""
        for part in parts:
            assert part not in self.text, self.text
        return self


class House:
    """A folder with the tools; the working directory of a test."""

    def write(self, path: str, text: str = "", mode: int = 0o644) -> None:
        """Make a file and its folders."""
        os.makedirs(os.path.dirname(path) or ".", exist_ok=True)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        os.chmod(path, mode)

    def tool(self, path: str, script: str) -> None:
        """Make a command that is this shell script."""
        self.write(path, "#!/bin/sh\n" + script + "\n", 0o755)

    def read(self, path: str) -> str:
        """Return the text of a file; of one that is not there none."""
        return pathlib.Path(path).read_text("utf-8") if os.path.exists(path) \
            else ""

    def edit(self, path: str, old: str, new: str) -> None:
        """Replace a text that must be there."""
        text = self.read(path)
        assert old in text, f"{path}: no {old}"
        self.write(path, text.replace(old, new), os.stat(path).st_mode)

    def chapters(self, group: str, *names: str) -> None:
        """Add chapters."""
        for name in names:
            self.write(f"chapters/{name}/{name}.cu", f"// chapter {name}\n")
            self.write("chapters/order",
                       self.read("chapters/order") + f"{name} {group}\n")

    def without(self, *names: str) -> None:
        """Remove chapters."""
        for name in names:
            shutil.rmtree(f"chapters/{name}")
            self.write("chapters/order", "".join(
                line for line in self.read("chapters/order").splitlines(True)
                if not line.startswith(name + " ")))

    def run(self, *command: str, wanted: int = 0, **settings: str) -> Ended:
        """Run a command, which must end so."""
        done = subprocess.run(
            command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT, text=True, env={**os.environ, **settings})
        ended = Ended(done.returncode, done.stdout)
        assert ended.status == wanted, f"{command}: {ended}"
        return ended.lacks("Traceback")

    def make(self, *words: str, wanted: int = 0, **settings: str) -> Ended:
        """Run make, which says nothing about itself."""
        return self.run("make", "--no-print-directory", *words, wanted=wanted,
                        **settings)

    def path_of(self, *names: str) -> dict:
        """Return a PATH that has these tools of the system and no others."""
        os.makedirs("path", exist_ok=True)
        for name in (*BASE, *names):
            if not os.path.lexists(f"path/{name}"):
                os.symlink(shutil.which(name) or f"/bin/{name}", f"path/{name}")
        return {"PATH": f"{os.getcwd()}/path"}

    def refused(self, begins: str, *words: str, **settings: str) -> Ended:
        """make ends with 2 and one line that begins so, beside its own."""
        ended = self.make(*words, wanted=2, **settings)
        assert ended.lines[0].startswith(begins), ended.text
        assert len(ended.lines) == 2, ended.text
        return ended

    def fake_gpu(self, program: str = RECORDS) -> None:
        """A GPU that answers, and an nvcc whose programs are this script."""
        self.tool("bin/nvidia-smi", 'echo "9.0, NVIDIA H200"')
        self.tool("bin/program", program)
        self.tool("bin/nvcc", """echo "$@" >>nvcc.log
while [ "$1" != -o ]; do shift; done
cp "$(dirname "$0")/program" "$2\"""")


@pytest.fixture
def call(capfd: pytest.CaptureFixture) -> Callable[..., Ended]:
    """Call a function of tools as its goal does; it must end so."""
    def ended(function: Callable, *words: object, wanted: int = 0) -> Ended:
        with pytest.raises(SystemExit) as end:
            course.script(lambda: function(*words) or 0)
        status, text = end.value.code, "".join(capfd.readouterr())
        said = Ended(status, text) if isinstance(status, int) \
            else Ended(1, f"{text}{status}\n")  # sys.exit("why")
        assert said.status == wanted, said.text
        return said
    return ended


@pytest.fixture
def real(monkeypatch: pytest.MonkeyPatch) -> House:
    """The repository, whatever the shell of whoever tests has set."""
    monkeypatch.chdir(ROOT)
    for name in SETTINGS:
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("NO_COLOR", "1")
    return House()


@pytest.fixture
def house(tmp_path: pathlib.Path, real: House,
          monkeypatch: pytest.MonkeyPatch) -> House:
    """The tools, a file of common/, and no GPU, whatever this machine has."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PATH", f"{tmp_path}/bin:{os.environ['PATH']}")
    shutil.copy(ROOT / "Makefile", ".")
    shutil.copytree(ROOT / "tools", "tools",
                    ignore=shutil.ignore_patterns("__pycache__"))
    for function in vars(machine).values():  # what it knows of this machine
        getattr(function, "cache_clear", int)()
    real.write("common/one.c", "int common;\n")
    real.tool("bin/nvidia-smi", "exit 9")
    return real


@pytest.fixture
def street(house: House) -> House:
    """The same with four chapters and a simulator."""
    os.makedirs("simulator/include")
    house.write("simulator/simcc", SIMCC)
    house.chapters("gemm", "gemm_01_naive", "gemm_02_coalesced", "gemm_1")
    house.chapters("patterns", "scan")
    return house
