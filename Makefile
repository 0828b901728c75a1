# Learn CUDA one measured step at a time. `make` alone says what can be typed.
#
# Each target is one script in common/make/. A script looks for compilers and
# GPUs when it runs, so `make setup chapter=gemm_01 run` works on a machine
# that has nothing yet. What is compiled, and how, is in common/make/build.mk.

# + : the scripts call make again and share the jobs of make -j.
S := +@MAKE="$(MAKE)" sh common/make

# Goals of one line run in the order typed, also with -j: setup before run.
# What a goal compiles still uses all cores.
.NOTPARALLEL:
.PHONY: help list setup doctor run debug check diff profile sanitize asm \
        autotune compare ablation results lessons charts test test-gpu \
        test-aarch64 bench-simulator clean

help: ## this text
	$(S)/help.sh Makefile
list: ## the chapters, one line each
	$(S)/list.sh
setup: ## install what is missing for the other goals of the line
	$(S)/setup.sh $(MAKECMDGOALS)
doctor: ## what this machine has, and what each missing piece would add
	$(S)/doctor.sh

run: ## build a chapter, verify it, measure or count it
	$(S)/run.sh $(args)
debug: ## the chapter in gdb (simulator) or cuda-gdb (GPU)
	$(S)/debug.sh $(args)
check: ## every line of check.args, every number of counts; all chapters
	$(S)/check.sh $(args)
diff: ## the change from the chapter before; or from=gemm_01 to=gemm_03
	$(S)/diff.sh
profile: ## counters per source line; on a GPU Nsight Compute
	$(S)/profile.sh $(args)
sanitize: ## search for races and stray accesses
	$(S)/sanitize.sh $(args)
asm: ## registers, shared memory, spills, the inner loop in PTX and SASS
	$(S)/asm.sh
autotune: ## the tile sizes of gemm_09 that are best on this GPU
	$(S)/autotune.sh $(args)
compare: ## all gemm chapters in one table; sizes="256 512"
	$(S)/compare.sh

ablation: ## gemm_10 with one idea taken out at a time, on this GPU
	$(S)/ablation.sh $(args)
results: ## every chapter at every size on this GPU: docs/results/
	$(S)/results.sh
lessons: ## renew the code and the tables quoted in the lessons
	$(S)/lessons.sh
charts: ## draw docs/charts/ from the data (needs gnuplot)
	$(S)/charts.sh
test: ## everything that needs no GPU
	$(S)/test.sh
test-gpu: ## everything that needs one
	$(S)/test-gpu.sh
test-aarch64: ## the simulator's tests on 64-bit Arm, emulated
	$(S)/test-aarch64.sh
bench-simulator: ## how fast the simulator is on this machine
	$(S)/bench.sh
clean: ## remove build/ and nothing else
	@rm -rf build

# A program by its path: make build/gpu/gemm_01_naive
build/%: FORCE
	$(S)/build.sh $@
FORCE:
