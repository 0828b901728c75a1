"""What builds elsewhere: the workflows, the container, .ci/run. No service runs
here, so these hold what can be held: syntax, and that what they name exists.
"""

import glob
import json
import os
import re
import shutil

import pytest

from tools import machine
from tools.author import elsewhere, release

from ..conftest import House

WORKFLOWS = ".github/workflows/*.yml"


def test_the_containers_files_are_there(real: House) -> None:
    container = real.read("Containerfile")
    for path in glob.glob(".devcontainer/**/devcontainer.json", recursive=True):
        build, folder = json.loads(real.read(path))["build"], os.path.dirname(path)
        text = real.read(f"{folder}/{build['dockerfile']}")
        assert os.path.samefile(f"{folder}/{build['context']}", ".")
        assert f" AS {build['target']}\n" in text
        assert f"--target {build['target']} " in real.read(".github/workflows/release.yml")
        for name, value in build.get("args", {}).items():
            assert f"ARG {name}=" in text and f"{name}={value}" in text, path
    for paths in re.findall(r"(?m)^COPY (.*) \S+$", container):
        assert all(map(os.path.exists, paths.split())), paths
    base, = re.findall("container: (.*)", real.read(".github/workflows/test.yml"))
    assert f"\nARG base={base}\n" in container
    nightly, = re.findall("container: (.*)", real.read(".github/workflows/nightly.yml"))
    assert f"base={nightly} " in container
    real.run("sh", "-n", ".ci/run")


def test_workflows_are_yaml(real: House) -> None:
    yaml = pytest.importorskip("yaml", reason="python3-yaml is not here")
    for path in glob.glob(WORKFLOWS):
        for job in yaml.safe_load(real.read(path))["jobs"].values():
            assert all({"run", "uses"} & {*step} for step in job["steps"]), path


def test_what_the_container_copies_first_is_all_that_set_up_reads(
        real: House, tmp_path: os.PathLike) -> None:
    first = real.read("Containerfile").partition("\nRUN sh tools")[0]
    real.run("cp", "-r", "--parents", *re.findall(r"(?m)^COPY (.*) \S+$", first), str(tmp_path))
    missing = ["sh", "tools/setup.sh", "--missing", "test", "debug", "docs"]
    here = real.run(*missing).text
    os.chdir(tmp_path)
    assert real.run(*missing).text == here


def test_each_goal_that_they_name_is_one_of_make_help(real: House) -> None:
    """The words behind make, of the lines that are typed."""
    typed = [line for path in (".ci/run", "Containerfile", *glob.glob(WORKFLOWS))
             for line in real.read(path).splitlines()
             if re.match(" *(- run:|exec|#  |RUN|run:)", line)]
    words = [word for line in typed for words in re.findall(
        r"(?:setup\.sh |.*\bmake (?=[a-z]))(.*)", line) for word in words.split()]
    assert len(words) >= 8
    said = real.make("help").text
    for word in words:
        name = word.partition("chapter=")[2]
        assert glob.glob(f"chapters/{name}*") if name else f"\n  {word} " in said, word


def test_the_simulators_action_fails_by_a_files_limits(
        real: House, tmp_path: os.PathLike) -> None:
    """Its step, with what `uses:` would give it."""
    yaml = pytest.importorskip("yaml", reason="python3-yaml is not here")
    if not machine.clang():
        pytest.skip("needs clang 14")
    action = yaml.safe_load(real.read("simulator/action.yml"))
    step, = action["runs"]["steps"]
    limits = f"{tmp_path}/limits.json"
    given = {name: one.get("default") for name, one in action["inputs"].items()}
    given.update(source="chapters/vector_add/vector_add.cu", options="-I common")
    for most, status, said in (
            (None, 0, ""),
            (31_250, 1, "vector_add.cu:32:14: global_store_sectors: 125,000 in add_kernel, at most 31,250")):
        given["limits"] = limits * bool(most)
        real.write(limits, '{"add_kernel": {"global_store_sectors": %s}}' % most)
        settings = {name: re.sub(r"\${{ inputs\.(\w+) }}", lambda word: given[word[1]], text)
                    for name, text in step["env"].items()}
        real.run("bash", "-e", "-c", step["run"], wanted=status, GITHUB_ACTION_PATH="simulator",
                 **settings).has(said)


def test_a_finding_stands_in_the_editors_list(
        real: House, tmp_path: os.PathLike) -> None:
    """What the matchers of VS Code, and Vim's usual errorformat, make of one."""
    if not machine.clang():
        pytest.skip("needs clang 14")
    source = "build/listed.cu"  # a long path's message stands on a line of its own
    real.write(source, real.read("chapters/vector_add/vector_add.cu").replace("i < n", "i <= n"))
    said = real.make("run", "on=simulator", f"file={source}", wanted=2).text
    place = [source, "32", "16", "out-of-bounds-global", "read of d_a[1000000]"]
    matchers = [task["problemMatcher"]["pattern"]
                for task in json.loads(real.read(".vscode/tasks.json"))["tasks"]]
    for pattern in matchers:
        found = re.search(pattern["regexp"], said, re.M)
        assert [found[pattern[name]] for name in (
            "file", "line", "column", "code", "message")] == place
    if shutil.which("vim"):
        real.write(f"{tmp_path}/said", said)
        real.run("vim", "-es", "-u", "NONE", "-c", f"cfile {tmp_path}/said", "-c",
                 "call writefile(map(filter(getqflist(), 'v:val.valid'), "
                 "'bufname(v:val.bufnr) . \":\" . v:val.lnum . v:val.text'), "
                 f"'{tmp_path}/list')", "-c", "qa!")
        assert f"{source}:32 out-of-bounds-global: {place[4]}" in real.read(f"{tmp_path}/list")


def test_what_a_release_has(real: House, tmp_path: os.PathLike) -> None:
    """From a site that is there: files that stand alone; a wrong tag or none said."""
    text = elsewhere.cited("version")
    assert re.fullmatch(r"\d+\.\d+\.\d+", text)
    assert release.notes(text).startswith("- ")
    with pytest.raises(SystemExit):
        release.notes("0.0.0")
    os.makedirs(f"{tmp_path}/{release.SITE}")
    os.chdir(tmp_path)
    real.write(f"{release.SITE}/site.css", "p {margin: 0}")
    real.write(f"{release.SITE}/heat.png", "image")
    page = release.alone(
        '<link rel="icon" href="x.svg"><link rel="stylesheet" href="site.css">'
        '<script src="site.js"></script><nav>a</nav><header>b</header>'
        '<p><a href="other.html#x">words</a><a href="#here">h</a><img src="heat.png">')
    assert page == ('<style>p {margin: 0}</style><p><a>words</a><a href="#here">h</a>'
                    '<img src="data:image/png;base64,aW1hZ2U=">')
