"""What make says and does, on made-up chapters: all about tools, not CUDA."""

import os
import time

import pytest

from ..conftest import ROOT, House


def test_make_alone_is_make_help_the_two_commands_first(street: House) -> None:
    said = street.make()
    assert "make setup chapter=vector_add run" in said.lines[1]
    assert "make setup test" in said.lines[2]
    street.make("help").has("  list ", "  clean ")


def test_help_and_list_fit_80_columns(street: House) -> None:
    words = " ".join(map(str, range(1, 61)))
    street.write("chapters/scan/scan.cu", f"/**\n * @brief {words}\n */\n")
    for goal in ("help", "list"):
        said = street.make(goal)
        assert max(map(len, said.lines)) <= 80
    said.has(" 58 59 60")


@pytest.mark.parametrize("words, first", [
    ([], "no GPU answers: the simulator runs this chapter"),
    (["on=simulator"], "on=simulator: the simulator runs this chapter")])
def test_the_first_line_says_which_back_end_and_why(
        street: House, words: list, first: str) -> None:
    assert street.make("chapter=scan", "run", *words).lines[0] == first


# ---- names of chapters -------------------------------------------------------


@pytest.mark.parametrize("typed, chapter", [
    *((name, "gemm_02_coalesced") for name in (
        "gemm_02", "02", "coalesced", "coal", "chapters/gemm_02_co")),
    # An exact name wins over a longer one.
    *((name, "scan") for name in ("scan", "chapters/scan/", "./chapters/scan",
                                  "chapters/scan/scan.cu", "{}/chapters/scan/scan.cu"))])
def test_a_beginning_a_later_word_a_path(street: House, typed: str,
                                         chapter: str) -> None:
    street.without("gemm_1")
    street.chapters("gemm", "gemm_10_tile")
    street.chapters("patterns", "scan_more")
    said = street.make(f"chapter={typed.format(os.getcwd())}", "run")
    assert said.lines[-1] == f"{chapter}|"


def test_a_number_in_part_is_a_beginning_in_full_it_goes_first(
        street: House) -> None:
    street.without("gemm_1")
    street.chapters("gemm", "gemm_10_tile", "gemm_1_more", "gemm_11_async")
    for name in ("gemm_1", "1"):
        assert street.make(f"chapter={name}", "run").lines[-1] == "gemm_1_more|"
    street.without("gemm_1_more")
    for name in ("gemm_1", "1"):
        street.refused(f"chapter={name} fits several: gemm_10_tile gemm_11_async",
                       f"chapter={name}", "run")
    street.without("gemm_11_async")
    assert street.make("chapter=gemm_1", "run").lines[-1] == "gemm_10_tile|"
    for name in ("2", "3", "gemm_2", "nope", "*", ".", "..", "gemm_01_naive/x",
                 "[a-z]*", "-x"):
        street.refused(f"chapter={name} fits none", f"chapter={name}", "run").has(
            "make list names all")
    street.refused("chapter=gemmm_10 fits none (did you mean gemm_10?); ",
                   "chapter=gemmm_10", "run")


@pytest.mark.parametrize("begins, words", [
    ("chapter= is missing, as in chapter=gemm_01; ", ["run"]),
    ("chapter= is missing, as in chapter=gemm_01; ", ["run", "chapter=chapters/"]),
    ('M= is an option of the program: args="--M ..."', ["chapter=scan", "run", "M=8"]),
    ("make run takes no chaptr=; it takes: chapter ", ["run", "chaptr=scan"]),
    ("make diff takes no args=; it takes: ", ["chapter=scan", "diff", "args=--x"]),
    ("make rnu: no such goal (did you mean run?); make help names them",
     ["chapter=scan", "rnu"]),
    ("make scan: no goal; chapter=scan names a chapter", ["scan", "run"]),
    ("compare: ", ["compare", "args=--x"]),
    *(("compare: sizes=", ["compare", f"sizes={sizes}"])
      for sizes in ("abc", "256 0", "064", "2x2", "-1", "*")),
    ("picture: args= is --check, which compares, or nothing", ["picture", "args=x"]),
    ("on=cpu: gpu or simulator", ["chapter=scan", "run", "on=cpu"]),
    ("on=gpu: ", ["chapter=scan", "run", "on=gpu"]),
    *(("variant=mine fits none; gemm_01_naive has no variants",
       ["chapter=gemm_01", goal, "variant=mine"])
      for goal in ("run", "check", "debug", "profile", "sanitize")),
    ("scan has no exercise", ["chapter=scan", "exercise"]),
    ("file=none.cu: no such file", ["run", "file=none.cu"]),
    ("chapters: a folder, not a source", ["run", "file=chapters"]),
    ("args=--M 3\": a quote is not closed", ["chapter=scan", "run", 'args=--M 3"']),
    ("args=--M 5; touch x: ; is no word for the program",
     ["chapter=scan", "run", "args=--M 5; touch x"]),
    ("from=gemm_77 fits none", ["new", "chapter=mine", "from=gemm_77"]),
])
def test_what_means_nothing_is_refused_before_anything_is_built(
        street: House, begins: str, words: list) -> None:
    street.refused(begins, *words)
    assert not os.path.exists("simcc.log")
    assert not os.path.exists("chapters/mine")


def test_of_several_goals_each_may_have_its_own_words(street: House) -> None:
    said = street.make("list", "chapter=scan", "run", "args=--x", "SIM_THREADS=1")
    assert said.lines[-1] == "scan|--x|"


def test_list_has_the_order_of_chapters_order_and_says_where_it_is_wrong(
        street: House) -> None:
    street.chapters("patterns", "conv")
    names = [line.split()[0] for line in street.make("list").lines]
    assert (names[0], *names[-2:]) == ("gemm_01_naive", "scan", "conv")
    street.edit("chapters/order", "conv patterns\n", "")
    street.refused("chapters/order has no line for chapters/conv: its name and "
                   "its group", "list")
    street.write("chapters/order", "conv patterns\n" + street.read("chapters/order"))
    street.without("conv")
    for line in ("more patterns\n", "alone\n"):
        street.write("chapters/order", street.read("chapters/order") + line)
        street.refused("chapters/order: ", "chapter=scan", "run")


# ---- what goes to the program ------------------------------------------------


def test_args_go_to_the_program_quotes_and_all(street: House) -> None:
    said = street.make("chapter=scan", "run", "args=--M 5 'two words'")
    assert said.lines[-1] == "scan|--M|5|two words|"
    said = street.make("chapter=scan", "run", "args='a;b' *")
    assert said.lines[-1] == "scan|a;b|*|"


def test_variant_goes_to_the_program_and_to_each_line(street: House) -> None:
    street.write("chapters/scan/scan.cu", "__global__ void scan_kernel(int n)\n")
    street.write("chapters/scan/kernels/1_mine.cuh")
    street.write("chapters/scan/checks",
                 "[sizes]\n--n 1\n--variant other --n 2\n--variant mine --n 3\n")
    said = street.make("chapter=scan", "run", "variant=mine", "args=--n 9")
    assert said.lines[-1] == "scan|--variant|mine|--n|9|"
    for goal, status in (("check", 2), ("sanitize", 0)):  # no record
        street.make("chapter=scan", goal, "variant=mine", wanted=status).has(
            " --variant mine --n 1", " --variant mine --n 3").lacks("other")
    # With arguments, those alone.
    street.make("chapter=scan", "sanitize", "variant=mine", "args=--n 7").has(
        " --variant mine --n 7").lacks("--n 1")


def test_a_program_without_options_takes_no_args(street: House) -> None:
    street.write("chapters/scan/scan.cu", "int main(void)\n")
    for goal in ("run", "check", "debug", "profile", "sanitize", "compare"):
        street.refused("scan takes no args=: its program has no options",
                       "chapter=scan", goal, "args=--M 0")
    # Of none its counts say "", and so does who reads them.
    for args in ("", '""'):
        said = street.make("chapter=scan", "run", f"args={args}")
        assert said.lines[-1].startswith("scan|")


def test_file_builds_a_program_of_ones_own_also_with_odd_names(
        street: House) -> None:
    path = "my programs/a b's.cu"
    street.write(path, "__global__ void mine(int n)\n")
    for goal in ("run", "sanitize"):
        said = street.make(goal, f"file={path}", "args=1 2", "flags=-Ix")
        assert said.lines[0] == f"no GPU answers: the simulator runs {path}"
    assert "own/a_b_s" in street.read("simcc.log")
    said = street.make("run", f"file={path}", "chapter=scan", wanted=2)
    assert said.lines[0] == "file= or chapter=, not both"


def test_flags_compile_a_chapter_anew_beside_its_program(
        street: House) -> None:
    said = street.make("chapter=scan", "run", "flags=-DEACH=8", "v=1")
    assert any("-DEACH=8" in line for line in said.lines)
    assert "build/simulator/own/scan" in street.read("simcc.log")


def test_debug_takes_a_program_of_ones_own(street: House) -> None:
    street.write("a b.cu", "__global__ void mine(int n)\n")
    street.tool("bin/gdb", 'printf "%s|" "$@"')
    said = street.make("debug", "file=a b.cu", "args=1 2")
    assert said.lines[-1].endswith("|break mine|--args|build/simulator/own/a_b-debug|1|2|")


def test_make_of_a_chapter_alone_says_what_to_type_also_in_its_folder(
        street: House) -> None:
    street.edit("chapters/scan/scan.cu", "//", "/**\n * @brief All sums.\n */\n//")
    street.make("chapter=scan").has("scan: All sums.\n", "make chapter=scan with one of ")
    os.symlink(ROOT / "chapters/Makefile", "chapters/scan/Makefile")
    street.make("-C", "chapters/scan", wanted=2).has("; make chapter=scan run\n")


@pytest.mark.parametrize("status", "15")
def test_the_statuses_of_programs_become_makes_2(street: House,
                                                 status: str) -> None:
    said = street.make("chapter=scan", "run", wanted=2, STATUS=status)
    assert said.lines[-1].endswith(f"Error {status}")


# ---- building ----------------------------------------------------------------


def builds(house: House, chapter: str) -> int:
    """Return how many programs its next run builds."""
    house.write("simcc.log")
    house.make(f"chapter={chapter}", "run")
    return len(house.read("simcc.log").splitlines())


def newer(path: str, seconds: int = 60) -> None:
    """Let a file be of another time."""
    os.utime(path, (time.time() + seconds,) * 2)


def test_a_chapter_is_built_once_and_when_its_own_files_change(
        street: House) -> None:
    assert [builds(street, name) for name in ("scan", "gemm_1", "scan")] == [1, 1, 0]
    newer("chapters/scan/scan.cu")
    assert [builds(street, name) for name in ("gemm_1", "scan")] == [0, 1]
    # Another compiler than last time.
    street.tool("bin/clang-22", ":")
    assert builds(street, "gemm_1") == 1


def test_a_header_that_is_included_or_the_simulators_counts(street: House) -> None:
    headers = ["common/x.h", "chapters/scan/kernels/one.cuh"]
    for path in (*headers, "simulator/include/y.h", "common/not_included.h"):
        street.write(path, "\n")
    street.write("chapters/scan/scan.cu",
                 "".join(f'#include "{path}"\n' for path in headers))
    street.make("chapter=scan", "run")
    newer("common/not_included.h")
    assert builds(street, "scan") == 0
    for path in (*headers, "simulator/include/y.h", "common/one.c"):
        newer(path)
        assert builds(street, "scan") == 1, path
        newer(path, -3600)


def test_a_program_is_written_beside_the_one_that_another_make_may_run(
        street: House) -> None:
    street.make("chapter=scan", "run")
    newer("chapters/scan/scan.cu")
    assert street.make("chapter=scan", "run").lines[-1] == "scan|"
    assert {name for name in os.listdir("build/simulator")
            if name.startswith("scan")} == {"scan", "scan.d"}


def test_a_failed_build_leaves_no_program_behind(street: House) -> None:
    street.write("simulator/simcc", 'raise SystemExit("chapters/scan/scan.cu:1:1: no")')
    street.make("chapter=scan", "run", wanted=2).has(
        "scan.cu:1:1: no", "make: ***").lacks("make[1]")
    assert not os.path.exists("build/simulator/scan")


def test_goals_of_one_line_run_in_their_order_also_with_j(street: House) -> None:
    street.write("tools/setup.sh", "sleep 1 && echo ready >is_set_up")
    street.write("tools/__main__.py", "import sys\nif sys.argv[1] == 'run':\n"
                 "    print(open('is_set_up').read().strip())\n")
    assert street.make("-j4", "setup", "chapter=scan", "run").lines[-1] == "ready"


def test_make_j_builds_once_and_warns_of_nothing(street: House) -> None:
    street.make("-j4", "check", "on=simulator", wanted=2).lacks("warning")
    built = street.read("simcc.log").splitlines()
    assert len(built) == len(set(built)) == 4


def test_make_n_runs_nothing(street: House) -> None:
    street.make("-n", "chapter=scan", "run")
    assert not os.path.exists("build")


def test_clean_removes_what_was_built_and_nothing_else(street: House) -> None:
    def files() -> list:
        return sorted(os.path.join(folder, name)
                      for folder, _, names in os.walk(".") for name in names)

    before = files()
    street.make("chapter=scan", "run")
    os.remove("simcc.log")
    os.mkdir("simulator/build")
    street.make("clean")
    assert files() == before
    assert not os.path.exists("simulator/build")
    street.make("clean")


def test_a_path_with_spaces_and_other_signs(street: House) -> None:
    odd = "a b's $c"
    os.mkdir(odd)
    for name in ("Makefile", "common", "simulator", "tools", "chapters"):
        os.rename(name, f"{odd}/{name}")
    os.chdir(odd)
    assert street.make("chapter=scan", "run", "args=x").lines[-1] == "scan|x|"
    street.make("clean")


# ---- a GPU -------------------------------------------------------------------


def test_a_gpu_that_answers_runs_the_chapter(street: House) -> None:
    street.fake_gpu()
    said = street.make("chapter=scan", "run")
    assert said.lines[0] == "NVIDIA H200 answers: it runs this chapter"
    assert said.lines[-1] == "on the GPU"
    street.make("chapter=scan", "run", "arch=sm_80")
    first, *_, last = [line for line in street.read("nvcc.log").splitlines()
                       if "chapters/scan/scan.cu" in line]
    assert "-arch=sm_90 " in first and "-arch=sm_80 " in last


def test_build_mk_by_hand_links_cublas_where_nvcc_on_the_path_has_it(
        street: House) -> None:
    street.fake_gpu()
    street.write("lib64/libcublas.so")
    street.make("-f", "tools/build.mk", "build/gpu/scan")
    assert any("-lcublas" in line and f"{os.getcwd()}/lib64" in line
               for line in street.read("nvcc.log").splitlines())


def test_profile_where_counters_may_not_be_read(street: House) -> None:
    street.fake_gpu()
    street.write("chapters/scan/scan.cu", "__global__ void scan_kernel(int n)\n")
    street.tool("bin/ncu", 'echo "==ERROR== ERR_NVGPUCTRPERM - no"; exit 1')
    street.make("chapter=scan", "profile", wanted=2).has(
        "NVreg_RestrictProfilingToAdminUsers=0").has("on=simulator")


def test_profile_has_the_simulators_names_and_keeps_the_report(
        street: House) -> None:
    street.fake_gpu()
    street.write("chapters/scan/scan.cu", "__global__ void scan_kernel(int n)\n")
    street.tool("bin/ncu", """echo "$@" >>ncu.log
case $1 in
--import)
    echo '"ID","Kernel Name","smsp__inst_executed_op_shared_ld.sum"'
    echo '"","","inst"'
    echo '"0","scan_kernel(int)","1,024"'
    ;;
*)
    while [ "$1" != --export ]; do shift; done
    touch "$2"
    ;;
esac""")
    said = street.make("chapter=scan", "profile", "args=--M 5")
    said.has("shared_load_requests ", " 1,024")
    said.has("build/gpu/scan.ncu-rep")
    log = street.read("ncu.log")
    assert "--clock-control none --profile-from-start off " in log
    assert "build/gpu/scan --M 5" in log
    # The counters are read apart from the many of the report.
    full = [line for line in log.splitlines() if "--set full" in line]
    assert full and not any("--metrics" in line for line in full)
    os.remove("ncu.log")
    street.make("chapter=scan", "profile", "args=--M 5", "json=read.jsonl")
    assert "--set full" not in street.read("ncu.log")
    record = street.read("read.jsonl")
    assert '"chapter": "scan", "variant": null, "args": "--M 5"' in record
    assert '"shared_load_requests": 1024' in record


def test_compare_on_a_gpu_time_rate_step_share_of_cublas(street: House) -> None:
    street.fake_gpu("""case $0 in *gemm_01*) ms=200 ;; *) ms=20 ;; esac
shift 7
echo '{"chapter":"gemm_02_coalesced","variant":null,"size":{"M":512,"N":512,\
"K":512,"lda":512},"time_ms":{"median":'$ms'},"gflops":5000,"baseline":{"ratio":0.1}}' >$1""")
    street.without("gemm_1")
    street.write("docs/results/h200.jsonl", '{"chapter":"gemm_02_coalesced",'
                 '"variant":null,"verified":true,"size":{"M":512,"N":512,"K":512},'
                 '"baseline":{"ratio":0.27}}\n')
    street.make("compare", "sizes=512 512").has("M = N = K = 512").has(
        "gemm_02_coalesced ", " 20 ", " 5.00", " 10.00x ", " 10.0 %  27.0 %  #").lacks(
        "scan")  # it is no rung
    street.make("compare", "sizes=512 513").has(  # the matrix
        "share of cuBLAS ", " 512 ", " 513", "gemm_02_coalesced ", " 10.0 % ",
        " 10.0 %")


@pytest.mark.parametrize("status, has, lacks", [
    ("2", "", "M = N = K"), ("1", "failed", "clang")])
def test_compare_stops_at_what_a_program_refuses_and_names_what_failed(
        street: House, status: str, has: str, lacks: str) -> None:
    street.make("compare", "sizes=64", wanted=2, STATUS=status).has(has).lacks(lacks)


# ---- what a machine lacks ----------------------------------------------------


@pytest.mark.parametrize("tools, edit, begins", [
    ("cc", ("Makefile", "wildcard /usr/bin/python3", "wildcard none"),
     "run needs python3: make setup"),
    ("python3", (), "no C compiler: make setup"),
    ("python3 cc", ("tools/machine.py", "os.uname().sysname", '"Darwin"'),
     "the simulator runs on Linux; docs/commands.md")])
def test_what_is_missing_is_one_line(street: House, tools: str, edit: tuple,
                                     begins: str) -> None:
    if edit:
        street.edit(*edit)
    street.refused(begins, "chapter=scan", "run", **street.path_of(*tools.split()))


NOWHERE = ("tools/machine.py", 'FOLDERS = ["/usr/local/cuda/bin", "/opt/cuda/bin"]',
           "FOLDERS = []")


def test_with_nvcc_no_clang_is_needed_without_it_a_line_says_why(
        street: House) -> None:
    street.fake_gpu()
    settings = street.path_of("python3", "cc")
    for name in ("nvcc", "nvidia-smi", "program"):
        os.rename(f"bin/{name}", f"path/{name}")
    assert street.make("chapter=scan", "run", **settings).lines[-1] == "on the GPU"
    for goal in ("profile", "sanitize", "debug"):
        street.edit(*NOWHERE) if goal == "profile" else None
        street.make("chapter=scan", goal, "on=gpu", wanted=2, **settings).has(
            " is missing; it comes with CUDA")
    os.remove("path/nvcc")
    street.refused("asm: nvcc is missing; it comes with CUDA 12 or 13",
                   "chapter=scan", "asm", **settings)
    said = street.make("chapter=scan", "run", **settings)
    assert said.lines[0] == ("NVIDIA H200 answers, but nvcc is missing: the "
                             "simulator runs this chapter")


def test_doctor_names_every_piece_and_never_fails(street: House) -> None:
    said = street.make("doctor")
    for piece in ("compiler", "clang >= 14", "python3", "gdb", "GPU", "driver",
                  "nvcc", "cuBLAS", "cuda-gdb", "compute-sanitizer", "cuobjdump",
                  "ncu"):
        said.has(piece + " ")
    assert said.lines[-1].startswith("missing pieces: ")
    assert said.lines[-1].endswith(" of a GPU")


# ---- new ---------------------------------------------------------------------


def test_new_keeps_the_files_of_variants(street: House) -> None:
    street.write("chapters/scan/host/problem.cuh", 'const char *name = "scan";\n')
    for name in ("kernels/10_ring.cuh", "tune.py"):
        street.write(f"chapters/scan/{name}")
    street.write("chapters/scan/checks", "[sizes]\n--n 1\n\n[predict]\nargs: --n 1\n")
    street.make("new", "chapter=my_scan", "from=scan")
    # The others are of the old one's lesson.
    assert not os.path.exists("chapters/my_scan/tune.py")
    assert street.read("chapters/my_scan/checks") == "[sizes]\n--n 1\n"
    for name in ("my_scan.cu", "kernels/10_ring.cuh"):
        assert os.path.isfile(f"chapters/my_scan/{name}")
    assert '"my_scan"' in street.read("chapters/my_scan/host/problem.cuh")


@pytest.mark.parametrize("name", ["", "Gemm", "../x", "1a", "scan"])
def test_new_refuses_a_name_that_is_none_or_is_there(street: House,
                                                     name: str) -> None:
    said = street.make("new", f"chapter={name}", "from=gemm_02", wanted=2)
    assert len(said.lines) <= 2
