#!/usr/bin/env python3
"""make archive and install, and simcheck as installed: by one who may not write there."""
import json
import os
import shutil
import subprocess

from harness import ROOT, RUNNER, check, counted_mode, finish, skip, workdir

TRANSPOSE = """__global__ void transpose(const float *in, float *out)
{
    __shared__ float tile[32][32 + PAD];
    int x = threadIdx.x, y = threadIdx.y;
    tile[y][x] = in[y * 32 + x];
    BARRIER;
    out[y * 32 + x] = tile[x][y];
}
int main(int words, char **)
{
    float *in, *out;
    cudaMalloc(&in, 4096);
    cudaMalloc(&out, 4096);
    cudaMemset(in, 0, 4096);
    if (words < 3)
        transpose<<<1, dim3(32, 32)>>>(in, out);
    return cudaDeviceSynchronize() + (words == 2);
}
"""
GOOD = "-DBARRIER=__syncthreads()"
CONFLICTS = {"shared_load_bank_conflicts": 0, "global_load_sectors_per_request": 4}
# Name, words behind simcheck transpose.cu, limits, status, what is said at least.
RUNS = (
    ("all is well", [GOOD, "-DPAD=1"], {"trans*": CONFLICTS}, 0, ""),
    ("a conflict at its line", [GOOD, "-DPAD=0"], {"*": CONFLICTS}, 1,
     "transpose.cu:7:23: shared_load_bank_conflicts: 992 in transpose, at most 0; 992 here "
     "in 32-way conflicts\n"),
    ("rows that meet in four banks", [GOOD, "-DPAD=8"], {"*": CONFLICTS}, 1,
     "224 here in 8-way conflicts"),
    ("a counter without a line", [GOOD, "-DPAD=1"], {"*": {"barriers": 31}}, 1,
     "barriers: 32 in transpose, at most 31\n"),
    ("a race", ["-DBARRIER=", "-DPAD=1"], None, 1, "transpose.cu:5:16: shared-race: "),
    ("what does not compile", ["-DBARRIER=nothing", "-DPAD=1"], None, 1, "undeclared identifier 'nothing'"),
    ("a program that fails", [GOOD, "-DPAD=1", "--", "1"], None, 1, "ended with status 1\n"),
    ("no launch", [GOOD, "-DPAD=1", "--", "1", "2"], None, 1, "no kernel was launched\n"),
    ("a kernel that is not there", [GOOD, "-DPAD=1"], {"trans": {}}, 2,
     "trans fits no kernel; launched: transpose\n"),
    ("a counter that is not there", [GOOD, "-DPAD=1"], {"*": {"shared_load_bank": 0}}, 2,
     "(did you mean shared_load_bank_conflicts?)\n"),
    ("limits of another form", [GOOD, "-DPAD=1"], {"*": 1}, 2, 'form {"KERNEL": {"COUNTER"'),
    ("no file of limits", ["--limits"], None, 2, "--limits: its file is missing\n"))


def make(folder, *words):
    """Call make there. @return CompletedProcess"""
    return subprocess.run(["make", "-s", "--no-print-directory", "-C", folder, *words],
                          capture_output=True, text=True)


def installed(directory):
    """@return the prefix to which what is in the archive was installed"""
    own = shutil.copytree(ROOT, directory / "own", ignore=shutil.ignore_patterns(
        "build", "tests", "__pycache__"))
    packed = make(own, "archive", "version=7.5")
    shutil.unpack_archive(own / packed.stdout.strip(), directory)
    prefix = directory / "there is none yet"
    done = make(directory / "simcc-7.5", "install", f"PREFIX={prefix}")
    names = {str(path.relative_to(prefix)) for path in prefix.rglob("*")}
    check("install: bin, include, lib and pages of the manual", done.returncode == 0 and {
        "bin/simcc", "bin/simcheck", "include/simcc", "lib/simcc/README.md",
        "share/man/man1/simcc.1", "share/man/man1/simcheck.1"} <= names, done.stderr)
    page = (prefix / "share/man/man1/simcc.1").read_text()
    check("install: the manual is --help", page.startswith(
        ".TH simcc 1\n.SH NAME\nsimcc \\- build a CUDA program") and "Status: 0 built" in page,
        page[:200])  # fmt: skip
    refused = make(own, "install", "PREFIX=here")
    check("install: a relative PREFIX is one line", refused.returncode == 2 and
          "install: PREFIX=here does not begin with /\n" in refused.stderr, refused.stderr)
    return prefix


def main():
    with workdir() as directory:
        if RUNNER or not counted_mode(directory):
            skip("install", "needs clang 14, and this machine's programs")
            finish()
        prefix, home = installed(directory), directory / "home"
        home.mkdir()
        (home / "transpose.cu").write_text(TRANSPOSE)
        settings = {**os.environ, "HOME": str(home), "XDG_CACHE_HOME": "",
                    "PATH": f"{prefix}/bin:{os.environ['PATH']}", "GITHUB_ACTIONS": ""}
        directory.chmod(0o755)
        (prefix / "lib/simcc").chmod(0o555)
        other = {}
        if os.getuid() == 0:  # who may write anywhere
            os.chown(home, 65534, 65534)
            other = {"user": 65534, "group": 65534, "extra_groups": []}

        def simcheck(*words, **more):
            return subprocess.run(["simcheck", "transpose.cu", *words], cwd=home, text=True,
                                  capture_output=True, env={**settings, **more}, **other)

        for name, words, limits, status, text in RUNS:
            (directory / "limits.json").write_text(json.dumps(limits))
            given = ["--limits", directory / "limits.json"] * (limits is not None)
            done = simcheck(*given, *words)
            check(f"simcheck: {name}", done.returncode == status and text in done.stderr
                  and not done.stdout and (text or not done.stderr)
                  and (status < 2 or done.stderr.count("\n") == 1),
                  f"status {done.returncode}\n{done.stderr}")
        done = simcheck("-DBARRIER=", "-DPAD=1", GITHUB_ACTIONS="true")
        check("simcheck: annotations of GitHub", done.stdout.startswith(
            "::error file=transpose.cu,line=5,col=16,title=shared-race::write of tile["),
            done.stdout)
        built = list((home / ".cache/simcc").glob("runtime-*"))
        check("install: what is built is the user's where the prefix is not",
              built and not (prefix / "lib/simcc/build").exists())
        (prefix / "lib/simcc").chmod(0o755)
    finish()


if __name__ == "__main__":
    main()
