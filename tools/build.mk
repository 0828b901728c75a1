# What is compiled, and how: make -f tools/build.mk build/gpu/NAME
#
# machine.py finds the tools and passes them in; these are for those who
# call this file by hand.
cc ?= cc
nvcc := $(or $(nvcc),$(shell command -v nvcc || :))
python ?= python3
arch ?= sm_75

MAKEFLAGS += --no-builtin-rules
.DELETE_ON_ERROR:
.SECONDEXPANSION:
.PHONY: FORCE
FORCE:

# The lines of chapters/order are names and groups; a name has a source.
chapters := $(foreach word,$(file <chapters/order),\
    $(if $(wildcard chapters/$(word)/$(word).cu),$(word)))
ends := gpu simulator

# ---- GPU: nvcc, with cuBLAS where it is installed --------------------------

gpu_objects := $(basename $(wildcard $(addprefix common/,*.c gpu/*.c gpu/*.cu)))
nvcc_flags = -O3 -lineinfo $(code) --default-stream per-thread -I common
# machine.py knows which GPUs a source can be compiled for.
code = $(shell "$(python)" -B -m tools.machine \
    '$(or $(firstword $(filter %.cu,$^)),$(file))' $(arch))
# nvcc lies in bin/, its libraries in lib64/ or lib/ beside it.
libraries := $(wildcard $(patsubst %/bin/,%/lib64,$(dir $(nvcc))) \
    /usr/lib/*-linux-gnu)
run_path = $(addprefix -Xlinker -rpath -Xlinker ,$(filter %/lib64,$(libraries)))
cublas = $(if $(wildcard $(libraries:%=%/libcublas.so)),-lcublas -lcublasLt $(run_path))
# The chapter conv: NPP to compare with.
npp = $(if $(wildcard $(libraries:%=%/libnppif.so)),\
    -DWITH_NPP -lnppif -lnppc $(run_path))
build/gpu/conv build/gpu/conv-debug build/gpu/tuned/conv \
    $(addprefix build/gpu/grade/,chapters/conv parents/conv objects/conv.o): \
    with = $(npp)

gpu_c = "$(nvcc)" $(nvcc_flags) $(if $(cublas),,-DWITHOUT_CUBLAS)
gpu_cu = "$(nvcc)" $(nvcc_flags)
gpu_own = "$(nvcc)" -O3 -lineinfo $(code) -I common
gpu_libraries = $(cublas) $(with)
# For cuda-gdb: -G leaves kernels as they are written.
gpu_debug = $(subst -O3 -lineinfo,-g -G,$(gpu_own))
build/gpu/tools: now := $(nvcc) $(arch) $(CUDA_HOME)

# ---- simulator: simcc; common/gpu is for GPU builds, common/sim for these ----

simcc := simulator/simcc
simcc_sources := $(wildcard $(simcc) $(addprefix simulator/,passes/* include/* \
    include/*/* runtime/*/*))
simulator_objects := $(basename $(wildcard common/*.c common/sim/*.c))
simulator_c = "$(cc)" -std=gnu11 -O2 -Wall -Wextra -I simulator/include \
    -I common -DCUDA_API_PER_THREAD_DEFAULT_STREAM
# For tests that run a kernel once: optimize=-O0.
simulator_own = "$(python)" $(simcc) $(or $(optimize),-O2) -I common
simulator_cu = $(simulator_own) --default-stream per-thread
# For gdb: plain mode runs kernels as ordinary functions.
simulator_debug = "$(python)" $(simcc) --plain -O0 -g -I common
build/simulator/tools: now := $(cc) $(clang) $(CLANG)

# ---- both -------------------------------------------------------------------

# A file of headers beside what was made of them.
depend = -MMD -MP -MF $@.d -MT $@
# with_common SOURCES: the end of a command that links. A program is written
# beside its name and then gets it, so that another make can start it meanwhile.
with_common = $(1) build/$(end)/libcommon.a $($(end)_libraries) -o $@.$$$$ && \
    mv $@.$$$$ $@

# rules END
define rules
.PHONY: $(1)
$(1): $(chapters:%=build/$(1)/%)
build/$(1)/%: end := $(1)

# The tools that the last build used: when they change, all is built anew.
build/$(1)/tools: FORCE
	@mkdir -p $$(@D)/common/$(if $(filter gpu,$(1)),gpu,sim) $$(@D)/grade/objects
	@echo '$$(now)' | cmp -s - $$@ || echo '$$(now)' >$$@

build/$(1)/common/%.o: common/%.c build/$(1)/tools
	$$($(1)_c) $$(depend) -c $$< -o $$@
build/$(1)/libcommon.a: $($(1)_objects:%=build/$(1)/%.o)
	@rm -f $$@
	ar rcs $$@ $$^

$(chapters:%=build/$(1)/%): build/$(1)/%: chapters/$$$$*/$$$$*.cu \
    build/$(1)/libcommon.a $$($(1)_sources)
	@echo building $$*
	$$($(1)_cu) $$(depend) $$(call with_common,$$<)
$(chapters:%=build/$(1)/%-debug): build/$(1)/%-debug: chapters/$$$$*/$$$$*.cu \
    build/$(1)/libcommon.a $$($(1)_sources)
	@echo building $$*-debug
	$$($(1)_debug) --default-stream per-thread $$(depend) $$(call with_common,$$<)

# file=: a program of one's own, as nvcc or simcc alone would build it; always
# built.
build/$(1)/own/%-debug: build/$(1)/libcommon.a FORCE
	@mkdir -p $$(@D)
	$$($(1)_debug) $$(flags) $$(call with_common,"$$$$file")
build/$(1)/own/%: build/$(1)/libcommon.a FORCE
	@mkdir -p $$(@D)
	$$($(1)_own) $$(flags) $$(call with_common,"$$$$file")

# make grade: parents are solutions' programs that hand each run to another
# process, chapters and own are such processes; common/grade/ says how. The names
# below grade/own are new each time: what is there is of this grading.
.PRECIOUS: $(addprefix build/$(1)/grade/,%.o objects/%.o own/%.o)
build/$(1)/grade/%.o: common/grade/%.c build/$(1)/tools
	$$($(1)_c) $$(depend) -c $$< -o $$@
build/$(1)/grade/objects/%.o: solutions/%.cu $$($(1)_sources) build/$(1)/tools
	$$($(1)_cu) $$(filter -D%,$$(with)) $$(depend) -c $$< -o $$@
build/$(1)/grade/parents/%: build/$(1)/grade/objects/%.o build/$(1)/libcommon.a \
    $(patsubst %,build/$(1)/grade/%.o,parent child_process confine)
	@mkdir -p $$(@D)
	$$($(1)_cu) $$(call with_common,$$(filter %.o,$$^))
build/$(1)/grade/chapters/%: chapters/$$$$*/$$$$*.cu build/$(1)/grade/child.o \
    build/$(1)/libcommon.a $$($(1)_sources)
	@mkdir -p $$(@D)
	$$($(1)_cu) $$(depend) $$(call with_common,$$< build/$(1)/grade/child.o)
build/$(1)/grade/confined: $(patsubst %,build/$(1)/grade/%.o,confined confine) \
    build/$(1)/libcommon.a
	$$($(1)_cu) $$(call with_common,$$(filter %.o,$$^))
build/$(1)/grade/own/%.o:
	@mkdir -p $$(@D)
	$$(confined) $$($(1)_cu) $$(flags) -c "$$$$file" -o "$$$$file.o"
	@mv "$$$$file.o" $$@
build/$(1)/grade/own/%: build/$(1)/grade/own/%.o
	$$($(1)_cu) $$(call with_common,$$< build/$(1)/grade/child.o)
endef
simulator_sources := $(simcc_sources)
$(foreach end,$(ends),$(eval $(call rules,$(end))))

# ---- for a GPU alone --------------------------------------------------------

build/gpu/common/%.o: common/%.cu build/gpu/tools
	$(gpu_cu) $(depend) -c $< -o $@

# make asm: machine code of a chapter's kernels, always made anew, for any arch;
# what ptxas says of them lies beside it.
build/gpu/%.cubin: chapters/$$*/$$*.cu FORCE
	@mkdir -p $(@D)
	$(gpu_cu) -Xptxas -v -cubin $< -o $@ 2>$@.txt || \
	    { cat $@.txt >&2; exit 1; }

# make autotune: a chapter with the parameters of a header. Each candidate has
# one of its own; the best of them is build/gpu/CHAPTER.h, and `make run` takes
# build/gpu/tuned/CHAPTER instead of build/gpu/CHAPTER.
build/gpu/autotune/%: build/gpu/autotune/%.h chapters/$$(*D)/$$(*D).cu \
    build/gpu/libcommon.a
	$(gpu_cu) -include $< $(call with_common,chapters/$(*D)/$(*D).cu)
build/gpu/tuned/%: build/gpu/%.h chapters/$$*/$$*.cu build/gpu/libcommon.a
	@mkdir -p $(@D)
	@echo building $* as make autotune found best
	$(gpu_cu) -include $< $(depend) $(call with_common,chapters/$*/$*.cu)

# make ablation: what is taken out may leave a variable that nobody reads (177).
build/gpu/ablation/%: build/gpu/ablation/%.cu build/gpu/libcommon.a
	$(gpu_cu) -diag-suppress 177 $(call with_common,$<)

# The programs of make test-gpu.
vpath %.cu tests/gpu tests/unit
build/gpu/tests/%: %.cu build/gpu/libcommon.a
	@mkdir -p $(@D)
	$(gpu_cu) $(depend) $(call with_common,$<)

# ---- for the simulator alone ------------------------------------------------

# make banks
build/simulator/banks: common/tools/banks.cu build/simulator/libcommon.a \
    $(simcc_sources)
	$(simulator_cu) $(depend) $(call with_common,$<)

-include $(wildcard $(foreach end,$(ends),$(addprefix build/$(end)/,*.d common/*.d \
    common/*/*.d grade/*.d grade/*/*.d tests/*.d tuned/*.d)))
