# The suites of `make test`: what each runs, and which files it reads.
#
# make runs a suite if it has not passed since a file that it reads, or a tool
# that is here, changed. build/test/GROUP/NAME is the stamp of one that passed,
# .log beside it what it said; `make clean` forgets all. A suite that begins to
# read another file says so here. tests/suite.py runs one and sums up.
#
# words= the groups or suites that are asked for, none for all; all=--all: those
# of make test-all; fuzz=N lengthens the fuzz test.

.SECONDEXPANSION:
python ?= python3
stamps := build/test$(if $(all),/all)
suite := $(python) -B tests/suite.py
run = @$(suite) run $@
test = $(run) $(python) -B -m tests.$1
# fresh NAME, WORDS: what tools/author/NAME.py would write is there. Pictures of a
# trace and what lessons print are counted by the simulator.
clang := $(shell $(python) -B simulator/simcc --clang)
fresh = $(run) sh -c '$(if $(clang),$(python) -B -m tools.author.$1 --check $2 \
    && echo 1 passed$(comma) 0 failed,echo skip: $1 needs clang 14; echo 1 skipped)'
comma := ,
began := $(shell date +%s)
export TEST_ALL := $(all)
export NO_COLOR := 1
export MALLOC_PERTURB_ := 85 # no memory is 0 by chance
export began
# A version manager's script in place of python3 would cost each call 0.1 s.
$(shell mkdir -p build/test/bin && \
    ln -sfn "$$(command -v $(python))" build/test/bin/python3)
export PATH := $(CURDIR)/build/test/bin:$(PATH)

# ---- what there is to read ---------------------------------------------------

# With their folders, whose time tells that a file has gone.
files := $(shell find * .[a-z]* \( -path .git -o -path build -o -path mine \
    -o -path node_modules -o -path simulator/build -o -name __pycache__ \) \
    -prune -o -type d -printf '%p/\n' -o -printf '%p\n')
chapters := $(shell sed 's/ .*//' chapters/order)
# read 'PATTERNS', 'BUT NOT': the files that fit; % stands for slashes, too.
read = $(filter-out $2,$(filter $1,$(files)))
# What makes a program of a chapter for the simulator, and runs it.
program := $(call read,Makefile common/% simulator/% tools/% chapters/order,\
    %.md simulator/tests/% tools/author/% tools/classroom/% tools/site/%)
sources := $(call read,chapters/%.cu chapters/%.cuh)
tools := $(call read,Makefile tools/%)
page := $(program) $(tools) $(call read,docs/results/% chapters/%/checks)
python_tests := tests/checks.py
# of CHAPTER: its program and its check.
of = $(program) $(call read,chapters/$1/%,%.md chapters/$1/pictures/%)
# Chapters by the short names in a page: gemm_05 for gemm_05_thread_tile_2d.
short := $(shell sed 's/ .*//; s/^\(gemm\|tensor\|attention\)\(_[0-9]*\)_.*/\1\2/' \
    chapters/order)
named_in = $(foreach name,$(shell grep -ohwE \
    '$(subst $(space),|,$(short))[a-z_0-9]*' $1 | sort -u),\
    $(call read,chapters/$(name)/% chapters/$(name)_%,%.md))
space := $() $()

# A tool that comes, goes or changes: what tests look for, and pass or skip by.
looked_for := as bats buildah cc chromium clang clang-format clang-format-14 \
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

bats := $(notdir $(wildcard tests/*.bats))
# The long ones first, so that none is left alone at the end.
groups := programs docs machine_code grading wrong_answers simulator unit tools \
    $(bats) class_parts exam budgets claims \
    test_mutants format charts check mutants exercises \
    pictures predictions lessons $(if $(all),aarch64)
pages := $(shell grep -lE '^<!-- (snippet|table|output)' README.md \
    simulator/README.md docs/*.md docs/*/*.md chapters/*/README.md)
with = $(patsubst chapters/%/,%,$(sort $(dir $(wildcard $1))))
# The hunts of a chapter, and a task of another kind.
tasks = $(filter-out README exercise,$(basename $(notdir \
    $(wildcard chapters/$1/*.md))))
solved := $(foreach name,$(chapters),$(if \
    $(wildcard solutions/$(name).cu)$(call tasks,$(name)),$(name)))
suites := $(filter-out programs tools check mutants exercises pictures predictions \
    lessons,$(groups)) $(foreach group,check mutants pictures,$(chapters:%=$(group)/%)) \
    $(solved:%=exercises/%) $(pages:%=lessons/%) \
    $(patsubst %,predictions/%,$(call with,chapters/*/predict)) \
    $(patsubst tests/%.py,%,$(subst /test_,/,$(wildcard \
    tests/programs/test_*.py tests/tools/test_*.py)))

# Those of chapters and pages.
$(stamps)/check/%: $$(call of,$$*)
	$(run) make -s chapter=$* check on=simulator

$(stamps)/mutants/%: $$(call of,$$*) tests/mutants.py tests/rules.py \
    $(python_tests) $$(wildcard tests/changes/$$*)
	$(call test,mutants) $(if $(all),,--named) $*

$(stamps)/exercises/%: $$(call read,chapters/$$*/% solutions/%.cu) $(program) \
    $(tools) $(python_tests) tests/exercises.py $$(wildcard tests/changes/$$*)
	$(call test,exercises) $(if $(wildcard solutions/$*.cu),$*) $(call tasks,$*)

# Pictures of a rung may show another, too.
$(stamps)/pictures/%: $$(call read,chapters/$$*/%) $(page) \
    $$(call named_in,chapters/$$*/pictures/draw.py)
	$(call fresh,picture,chapters/$*/pictures)

$(stamps)/predictions/%: $$(call of,$$*) chapters/%/README.md $(python_tests) \
    tests/predictions.py
	$(call test,predictions) $*

$(stamps)/lessons/%: % $(page) $$(call named_in,$$*) $(call read,\
    tests/changes/% simulator/tests/findings/% simulator/tests/golden/%) \
    $$(if $$(shell grep -E '<!-- table (ladder|patterns|experiments)' $$*),\
    $(call read,chapters/%/README.md docs/experiments/%))
	$(call fresh,lessons,$*)

# Those that are about more than one chapter: tests/NAME.py.
alone := docs machine_code grading wrong_answers class_parts exam budgets \
    claims test_mutants
$(alone:%=$(stamps)/%): $(stamps)/%: tests/%.py $(python_tests)
	$(call test,$*) $(if $(filter $*,machine_code grading \
	    wrong_answers),$(all))

$(stamps)/docs: $(call read,Makefile %.md docs/% common/% chapters/% tools/% \
    simulator/% solutions/% tests/docs.html)
$(stamps)/machine_code: $(page) $(sources) $(call read,tests/% solutions/%.cu \
    docs/% chapters/%,%.bats)
$(stamps)/class_parts: $(tools) $(call read,docs/% solutions/% chapters/%.md)
$(stamps)/grading: $(page) $(sources) $(call read,solutions/% docs/% chapters/% \
    tests/changes/% tests/gpu/speed.py)
$(stamps)/wrong_answers: $(page) $(call read,solutions/% tests/changes/% \
    chapters/%)
$(stamps)/exam: $(page) $(sources) docs/exam.md solutions/exam.md
$(stamps)/budgets: $(tools) $(sources) README.md $(call read,chapters/%/README.md)
$(stamps)/claims: $(page) $(sources) $(call read,docs/% chapters/% tests/golden/% \
    tests/changes/%)
$(stamps)/test_mutants: $(call of,gemm_01_naive) tests/mutants.py tests/rules.py

# Tools on a made-up house, programs and goals on the real one.
pytest = $(run) $(python) -B -m pytest -q -rs --tb=short -p no:cacheprovider
$(stamps)/tools/%: tests/tools/test_%.py tests/conftest.py $(program) $(tools) \
    $(call read,.ci/% .github/% .devcontainer/% Containerfile tests/suite% \
    tests/gpu/% tests/unit/cases.py tests/changes/% chapters/% docs/results/%,chapters/%.md)
	$(pytest) $<
$(stamps)/programs/%: tests/programs/test_%.py tests/conftest.py $(page) \
    $(call read,LICENSE tests/changes/% tests/sass.py tests/gpu/streams.cu \
    chapters/%) $$(if $$(filter house,$$*),$(call read,docs/% %.md .clangd \
    compile_flags.txt))
	$(pytest) $<

$(stamps)/explorers.bats: $(call read,simulator/tests/golden/%)
$(stamps)/%.bats: tests/%.bats $(program) $(tools) $(call read,tests/% docs/% \
    solutions/% chapters/% .ci/% .github/% .devcontainer/% Containerfile %.md,\
    %.py tests/gpu/% tests/%.bats)
	$(run) bats --tap $<

$(stamps)/simulator: $(call read,simulator/%) $(if $(fuzz),always)
	$(run) make -C simulator test fuzz=$(fuzz)
$(stamps)/aarch64: $(call read,simulator/%)
	$(run) make -C simulator test-aarch64
$(stamps)/unit: $(program) $(python_tests) $(call read,tests/unit/% tests/gpu/% \
    tests/grading.py tests/changes/% docs/record.schema.json solutions/gemm_01% \
    chapters/conv/% chapters/stencil/% chapters/gemm_01%)
	$(call test,unit)
$(stamps)/format: tests/format.sh .clang-format $(call read,%.c %.h %.cu %.cuh)
	$(run) sh tests/format.sh
$(stamps)/charts: $(page) $(sources) $(call read,%.md docs/%)
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
	-@$(python) -B -m tools build simulator build/simulator/banks >$(here).log 2>&1
$(suites:%=$(stamps)/%): tests/suite.py tests/suites.mk $(here) | built
