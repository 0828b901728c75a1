"""make setup: what it asks the package manager for, and what it says else."""

import os
import re
import resource
import sys

import pytest

from ..conftest import ROOT, House

needs_root = pytest.mark.skipif(os.getuid() != 0, reason="needs root")
INSTALL = "install -y --no-install-recommends "


@pytest.fixture
def apt(street: House) -> House:
    """A machine on which apt-get notes what it was asked for."""
    street.path = street.path_of("python3", "cc", "id", "tail", "git")
    street.tool("path/apt-get", 'echo "$@" >>apt.log')
    street.clang = lambda: street.tool("path/clang", "echo clang version 14.0.6")
    return street


def asked(house: House, *words: str, wanted: int = 2) -> str:
    """Return what the package manager is asked for; it installs nothing."""
    if os.path.exists("apt.log"):
        os.remove("apt.log")
    said = house.make("setup", *words, wanted=wanted, **house.path)
    if wanted == 2:
        said.has("setup: still missing: ")
    return house.read("apt.log")


def test_nothing_missing_is_one_line_and_a_second_of_cpu_at_most(
        apt: House) -> None:
    apt.clang()
    # Of the processor: other work goes on beside the tests.
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    said = apt.make("setup", **apt.path)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    assert after.ru_utime + after.ru_stime < before.ru_utime + before.ru_stime + 1
    assert said.text == "setup: nothing is missing\n"
    assert not os.path.exists("apt.log")
    apt.refused("make setup takes no chaptr=; it takes: chapter", "setup",
                "chaptr=scan", **apt.path)


@needs_root
@pytest.mark.parametrize("words, clang, packages", [
    (["chapter=scan", "run"], False, INSTALL + "clang\n"),
    (["test"], False, "clang clang-format"),
    (["docs"], True, INSTALL + "doxygen"),
    (["run", "file=my.cu"], True, INSTALL + "libopenblas0-pthread\n")])
def test_setup_asks_apt_for_what_the_goals_need(
        apt: House, words: list, clang: bool, packages: str) -> None:
    apt.write("my.cu", "#include <cublas_v2.h>\n")
    apt.tool("path/ls", "exit 2")  # no OpenBLAS, whatever this machine has
    if clang:
        apt.clang()
    assert packages in asked(apt, *words)


@needs_root
def test_what_checks_pages_is_installed_for_the_tests_alone(apt: House) -> None:
    apt.tool("path/chromium", "")
    apt.tool("path/npm", "echo asked >>npm.log")
    for goal, said in ("docs", ""), ("test", "asked\n"):
        asked(apt, goal)
        assert apt.read("npm.log") == said


def test_docs_without_doxygen_is_one_line(apt: House) -> None:
    apt.clang()
    said = apt.make("docs", wanted=2, **apt.path)
    assert said.lines[0].startswith("docs: missing: doxygen ")
    assert said.lines[0].endswith("; make setup docs installs it")


# What the site's Python needs, and each package's name
IMPORTED = re.findall(r"(?m)^docs (\S+) .* -c 'import (\w+)'$",
                      (ROOT / "tools/setup.sh").read_text())


def test_the_needs_of_the_site_are_known() -> None:
    modules = [*ROOT.glob("tools/site/*.py"), *ROOT.glob("tools/classroom/*.py")]
    used = {name for path in modules for name in re.findall(
        r"(?m)^(?:from|import) (\w+)", path.read_text())}
    ours = {"tools", *sys.stdlib_module_names}
    assert used - ours == {module for _, module in IMPORTED}


@pytest.mark.parametrize("package, module", IMPORTED)
def test_a_package_is_asked_for_before_it_is_imported(
        apt: House, package: str, module: str) -> None:
    apt.clang()
    apt.write(f"lacks/{module}.py", "raise ImportError")
    lacks = f"{os.getcwd()}/lacks"
    said = apt.refused("docs: missing: ", "docs", PYTHONPATH=lacks, **apt.path)
    assert package in said.lines[0].split()
    apt.run(sys.executable, "-B", "-m", "tests.docs", PYTHONPATH=f"{lacks}:{ROOT}").has(
        f"{package}: not here (make setup docs)", "1 skipped")


def test_setup_without_root_prints_the_line_to_type(apt: House) -> None:
    os.remove("path/id")
    apt.tool("path/id", "echo 1000")
    line = "apt-get update && {}apt-get install -y --no-install-recommends clang"
    said = apt.make("setup", wanted=2, **apt.path)
    assert said.lines[0] == "setup: missing: clang; as root type:  " + line.format("")
    apt.tool("path/sudo", "exit 1")
    said = apt.make("setup", wanted=2, **apt.path)
    assert said.lines[0] == \
        "setup: missing: clang; type:  sudo " + line.format("sudo ")
    assert not os.path.exists("apt.log")


@needs_root
def test_setup_uses_dnf_where_apt_is_not(apt: House) -> None:
    os.rename("path/apt-get", "path/dnf")
    assert "install -y clang clang-tools-extra" in asked(apt, "test")


@needs_root
def test_setup_hands_on_what_the_package_manager_says_when_it_fails(
        apt: House) -> None:
    apt.tool("path/apt-get", "echo E: no network; exit 100")
    apt.make("setup", wanted=2, **apt.path).has("E: no network", "build/setup.log")
