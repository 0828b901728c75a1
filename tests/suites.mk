# The suites of `make test`: what each runs, and which files it reads.
#
# make runs a suite if it has not passed since a file that it reads, or a tool
# that is here, changed. build/test/GROUP/NAME is the stamp of one that passed,
# .log beside it what it said. tests/suite.py runs one and sums up.
#
# words= the groups or suites that are asked for, none for all; all=--all: those
# of make test-all; fuzz=N lengthens the fuzz test.

.SECONDEXPANSION:
python ?= python3
stamps := build/test$(if $(all),/all)
suite := $(python) -B -m tests.suite
run = @$(suite) run $@
test = $(run) $(python) -B -m tests.$1
pytest = $(run) $(python) -B -m pytest -q -rs --tb=short -p no:cacheprovider
# fresh NAME, WORDS: what tools/author/NAME.py would write is there. Pictures of a
# trace and what lessons print are counted by the simulator.
clang := $(shell $(python) -B simulator/simcc --clang)
fresh = $(run) sh -c '$(if $(clang),$(python) -B -m tools.author.$1 --check $2 \
    && echo 1 passed$(comma) 0 failed,echo skip: $1 needs clang 14; echo 1 skipped)'
comma := ,
space := $() $()
export began := $(shell date +%s)
export TEST_ALL := $(all)
export NO_COLOR := 1
export MALLOC_PERTURB_ := 85 # no memory is 0 by chance
# A version manager's script in place of python3 would cost each call 0.1 s.
$(shell mkdir -p build/test/bin && \
    ln -sfn "$$(command -v $(python))" build/test/bin/python3)
export PATH := $(CURDIR)/build/test/bin:$(PATH)

# ---- what there is to read ---------------------------------------------------

# With their folders, whose time tells that a file has gone.
files := $(shell find * .[a-z]* \( -path .git -o -path build -o -path mine \
    -o -path node_modules -o -path simulator/build -o -name __pycache__ \) \
    -prune -o -type d -printf '%p/\n' -o -printf '%p\n')
# read 'PATTERNS', 'BUT NOT': the files that fit; % stands for slashes, too.
read = $(filter-out $2,$(filter $1,$(files)))
# What makes a program of a chapter for the simulator, and runs it; a page of it.
program := $(call read,Makefile common/% simulator/% tools/% chapters/order,\
    %.md simulator/tests/% tools/author/% tools/classroom/% tools/site/%)
page := $(program) $(call read,tools/% docs/results/% chapters/%/checks)
# of CHAPTER: its program and its check.
of = $(program) $(call read,chapters/$1/%,%.md chapters/$1/pictures/%)
# Chapters by the short names in a page: gemm_05 for gemm_05_thread_tile_2d.
short := $(shell sed 's/ .*//; s/^\(gemm\|tensor\|attention\)\(_[0-9]*\)_.*/\1\2/' \
    chapters/order)
named_in = $(foreach name,$(shell grep -ohwE \
    '$(subst $(space),|,$(short))[a-z_0-9]*' $1 | sort -u),\
    $(call read,chapters/$(name)/% chapters/$(name)_%,%.md))

# A tool that comes, goes or changes: what tests look for, and pass or skip by.
looked_for := as buildah cc chromium clang clang-format clang-format-14 \
    cuobjdump doxygen g++ gcc gdb git gs make node npm nvcc perl python3 \
    qemu-aarch64 script shellcheck wasm-ld wasm-ld-14
here := build/test/versions
$(shell { PATH=$$PATH:/usr/local/cuda/bin; \
    ls -lLd --time-style=full-iso $$(command -v $(looked_for)) \
    /usr/include/cmocka.h /usr/include/png.h \
    $$($(python) -c 'import jsonschema, yaml; print(yaml.__file__)'); \
    } >$(here).now 2>/dev/null; \
    cmp -s $(here).now $(here) && rm $(here).now || mv $(here).now $(here))

# ---- the suites --------------------------------------------------------------

chapters := $(shell sed 's/ .*//' chapters/order)
# The hunts of a chapter, and a task of another kind.
tasks = $(filter-out README exercise,$(basename $(notdir \
    $(wildcard chapters/$1/*.md))))
# Suites of one file each: tests/NAME.py, and tests/GROUP/test_NAME.py.
alone := docs machine_code grading claims class_parts budgets test_changed
packages := $(subst /test_,/,$(patsubst tests/%.py,%,$(wildcard \
    tests/tools/test_*.py tests/programs/test_*.py)))
# The long ones first, so that none is left alone at the end.
suites := $(packages) $(alone) asks without simulator unit format charts \
    $(if $(all),aarch64 cards) \
    $(foreach group,check mutants pictures,$(chapters:%=$(group)/%)) \
    $(foreach name,$(chapters),$(if $(wildcard solutions/$(name).cu)$(call \
    tasks,$(name)),exercises/$(name))) \
    $(patsubst chapters/%/checks,predictions/%,$(shell \
    grep -l '^\[predict\]' chapters/*/checks)) \
    $(patsubst %,lessons/%,docs/zh/glossary.md $(shell grep -lE '^<!-- (snippet|table|output)' \
    README.md simulator/README.md docs/*.md docs/*/*.md chapters/*/README.md))
once = $(if $1,$(firstword $1) $(call once,$(filter-out $(firstword $1),$1)))
groups := $(call once,$(foreach suite,$(suites),$(firstword $(subst /, ,$(suite)))))

# No thread of theirs leaves anything out.
$(stamps)/check/%: $$(call of,$$*)
	$(run) sh -c 'SIM_COVERAGE=1 make -s chapter=$* check on=simulator \
	    && ! grep -q coverage-note $@.log'

changed = $(call test,changed) $(if $(all),--rules,--some)
$(stamps)/mutants/%: $$(call of,$$*) tests/changed.py tests/rules.py \
    $$(wildcard tests/changes/$$* tests/said/$$*.jsonl)
	$(changed) wrong $*

$(stamps)/exercises/%: $$(call read,chapters/$$*/% solutions/%.cu) $(page) \
    tests/exercises.py $$(wildcard tests/changes/$$*)
	$(call test,exercises) $(if $(wildcard solutions/$*.cu),$*) $(call tasks,$*)

# Pictures of a rung may show another, too.
$(stamps)/pictures/%: $$(call read,chapters/$$*/%) $(page) \
    $$(call named_in,chapters/$$*/pictures/draw.py)
	$(call fresh,picture,chapters/$*/pictures)

$(stamps)/predictions/%: $$(call of,$$*) chapters/%/README.md tests/predictions.py
	$(call test,predictions) $*

$(stamps)/lessons/%: % $(page) $$(call named_in,$$*) $(call read,\
    tests/changes/% simulator/tests/findings/% simulator/tests/golden/%) \
    $$(if $$(shell grep -E '<!-- table (ladder|patterns|experiments)' $$*),\
    $(call read,chapters/%/README.md docs/experiments/%)) \
    $$(if $$(filter docs/zh/%,$$*),$(call read,README.md docs/glossary.md docs/zh/%.csv \
    chapters/%/README.md))
	$(call fresh,lessons,$*)

# These may read anything that is no other suite.
anything := $(call read,%,tests/tools/% tests/programs/% tests/unit/% \
    $(alone:%=tests/%.py))
$(alone:%=$(stamps)/%): $(stamps)/%: tests/%.py $(anything)
	$(call test,$*) $(if $(filter machine_code grading,$*),$(all))
$(stamps)/asks $(stamps)/without: $(stamps)/%: $(anything)
	$(changed) $*
# Tools on a made-up house; programs and goals on the real one.
$(stamps)/tools/%: tests/tools/test_%.py $(anything)
	$(pytest) $<
$(stamps)/programs/%: tests/programs/test_%.py $(anything)
	$(pytest) $<

$(stamps)/simulator: $(call read,simulator/%) $(if $(fuzz),always)
	$(run) make -C simulator test fuzz=$(fuzz)
$(stamps)/aarch64: $(call read,simulator/%)
	$(run) make -C simulator test-aarch64
$(stamps)/cards: $(call read,chapters/%.cu chapters/%.cuh common/% docs/results/% \
    tools/cards.py tools/machine.py tools/asm.py)
	$(run) $(python) -B -m tools.cards --check
$(stamps)/unit: $(program) $(call read,tests/unit/% tests/gpu/% \
    tests/changes/% docs/record.schema.json solutions/gemm_01% chapters/conv/% \
    chapters/stencil/% chapters/gemm_01%)
	$(call test,unit)
$(stamps)/format: tests/format.sh .clang-format $(call read,%.c %.h %.cu %.cuh)
	$(run) sh tests/format.sh
$(stamps)/charts: $(page) $(call read,%.md docs/% chapters/%.cu chapters/%.cuh)
	$(call fresh,picture,docs/charts)

# ---- which, and the sums -----------------------------------------------------

words ?=
$(foreach word,$(words),$(if $(filter $(word) $(word)/%,$(suites)),,\
    $(error no group $(word); there are: $(sort $(groups)))))
chosen := $(if $(words),$(filter $(words) $(words:%=%/%),$(suites)),$(suites))

.PHONY: test always built $(groups:%=show-%)
.DEFAULT_GOAL := test
test: $(foreach group,$(groups),$(if $(filter $(group) $(group)/%,$(chosen)),\
    show-$(group)))
	@$(suite) total $(chosen:%=$(stamps)/%)
$(groups:%=show-%): show-%:
	@$(suite) show $* $^
$(foreach group,$(groups),$(eval show-$(group): \
    $(addprefix $(stamps)/,$(filter $(group) $(group)/%,$(chosen)))))

# Two suites that build the same objects would meet: they are built first. If
# that fails, the suites say why.
built:
	-@$(python) -B -m tools build/simulator/banks simulator >$(here).log 2>&1
$(suites:%=$(stamps)/%): tests/checks.py tests/suite.py tests/suites.mk $(here) | built
