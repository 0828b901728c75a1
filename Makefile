# Learn CUDA one measured step at a time. `make` alone says what can be typed.
#
# Each goal is a function of common/make/make.sh, which looks for compilers and
# GPUs when it runs, so `make setup chapter=gemm_01 run` works on a machine that
# has nothing yet. What is compiled, and how, is in common/make/build.mk.

## For readers

help: ## this text
list: ## the chapters, one line each
setup: ## install what is missing for the other goals typed
doctor: ## what this machine has, what each missing piece would add
run: ## build a chapter, verify it, measure or count it
debug: ## the chapter in gdb (simulator) or cuda-gdb (GPU)
predict: ## the numbers of the lesson's Predict table, asked and checked
check: ## every line of check.args, every number of counts
diff: ## the change from the chapter before; or from=gemm_01 to=03
profile: ## counters per source line; on a GPU Nsight Compute
sanitize: ## search for races and stray accesses
asm: ## registers, shared memory, spills, the hot loop's instructions
banks: ## the banks of a warp's access: stride=33 width=4 rows=32
compare: ## the gemm chapters, sizes="256 512"; chapter=: its variants
limits: ## the least time that each resource allows a chapter's kernels
picture: ## draw a lesson's pictures from a trace of its kernels
bench: ## time every chapter at every size here; goes on if stopped
compare-results: ## two files of bench or two commits: a=OLD b=NEW
autotune: ## the tile sizes of gemm_09 that are best on this GPU
docs: ## the site: build/docs/html/index.html
test: ## everything that needs no GPU
clean: ## remove build/ and nothing else

## Exercises: chapter=X, or hunt=NAME, where a bug is to be found

exercise: ## copy the skeleton to mine/; what to do, what it prints now
hint: ## the next of three hints
grade: ## correct? the counts? on a GPU: fast? a table with points
solution: ## for those who have passed, or ask twice
reset: ## begin anew; asks, and keeps what was there
progress: ## what is done, what is next, all exercises and hunts
grade-all: ## everything in mine/; grade submissions=DIR: a whole class

## For authors

new: ## a chapter to begin with: chapter=gemm_13_mine from=gemm_10
ablation: ## rungs with one idea taken out at a time, on this GPU
results: ## bench, and Nsight Compute's counters: docs/results/
lessons: ## renew the code and the tables quoted in the lessons
charts: ## draw docs/charts/
test-mutants: ## wrong kernels, each of which check must refuse
test-class: ## every exercise, and a class of 30 made-up students
test-gpu: ## everything that needs a GPU
test-aarch64: ## the simulator's tests on 64-bit Arm, emulated
bench-simulator: ## how fast the simulator is on this machine (2 minutes)

goals := help list setup doctor run predict debug check diff profile sanitize \
    asm compare banks picture exercise hint grade solution reset progress \
    grade-all bench compare-results autotune test clean new ablation limits results \
    lessons charts test-mutants test-class test-gpu test-aarch64 bench-simulator docs

# What was typed as NAME=VALUE: a name that means nothing is refused.
given := $(strip $(foreach name,$(.VARIABLES),\
    $(if $(filter command,$(origin $(name))),$(name))))

# + : the scripts call make again and share the jobs of make -j.
make := +@MAKE="$(MAKE)" given="$(given)" goals="$(MAKECMDGOALS)" \
    sh common/make/make.sh

# Goals of one line run in the order typed, also with -j: setup before run.
# What a goal compiles still uses all cores.
.NOTPARALLEL:
.PHONY: $(goals)
$(goals):
	$(make) $@ $(args)

# A program by its path: make build/gpu/gemm_01_naive
build/%: FORCE
	$(make) build $@
FORCE:

.DEFAULT:
	@set -- chapters/*$@*; [ ! -e "$$1" ] || \
	    { echo "make $@: no goal; chapter=$@ names a chapter" >&2; exit 2; }
	@echo "make $@: no such goal; make help names them" >&2; exit 2
