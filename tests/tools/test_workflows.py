"""What builds elsewhere: the workflows, the container, .ci/run. No service runs
here, so these hold what can be held: syntax, and that what they name exists.
"""

import glob
import json
import os
import re

import pytest

from tools import machine

from ..conftest import House

WORKFLOWS = ".github/workflows/*.yml"


def test_the_containers_files_are_there(real: House) -> None:
    container = real.read("Containerfile")
    for path in glob.glob(".devcontainer/**/devcontainer.json", recursive=True):
        build, folder = json.loads(real.read(path))["build"], os.path.dirname(path)
        text = real.read(f"{folder}/{build['dockerfile']}")
        assert os.path.samefile(f"{folder}/{build['context']}", ".")
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
    real.run("cp", "-r", *re.findall(r"(?m)^COPY (.*) \S+$", first), str(tmp_path))
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
