# Learn CUDA one measured step at a time. `make` alone says what can be typed.
#
# Each goal is a function of tools/goals.py, which looks for compilers and GPUs
# when it runs, so `make setup chapter=vector_add run` works on a machine that
# has nothing yet. What is compiled, and how, is in tools/build.mk.

goals := $(or $(MAKECMDGOALS),help)

# What was typed as NAME=VALUE: a name that means nothing is refused.
given := $(strip $(foreach name,$(.VARIABLES),\
    $(if $(filter command,$(origin $(name))),$(name))))

# The system's own Python starts in 20 ms, a wrapper such as pyenv's in 100.
python := $(or $(wildcard /usr/bin/python3),python3)
export MAKE given goals

# Goals of one line run in the order typed, also with -j: setup before run.
# What a goal compiles still uses all cores.
.NOTPARALLEL:
.PHONY: $(sort $(goals))
# + : a goal calls make again and shares the jobs of make -j.
$(sort $(filter-out setup,$(goals))):
	+@command -v $(python) >/dev/null || \
	    { echo "$@ needs python3: make setup" >&2; exit 2; }
	+@exec $(python) -B -m tools $@

# Without Python, it installs that, too; else what was typed is checked first.
setup:
	+@! command -v $(python) >/dev/null || $(python) -B -m tools setup
	@for chapter in chapters/*/; do ln -sf ../Makefile "$$chapter"; done
	@sh tools/setup.sh $(filter-out setup,$(goals))
