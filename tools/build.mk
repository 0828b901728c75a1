# What is compiled, and how: make -f tools/build.mk build/gpu/NAME
#
# machine.py finds the tools and passes them in; these are for those who
# call this file by hand.
cc ?= cc
nvcc ?= nvcc
python ?= python3
arch ?= sm_75
# -DWITH_PNG where libpng is: for common/picture.c alone. It is linked as needed,
# so a program without pictures does not ask for it.
png ?=

MAKEFLAGS += --no-builtin-rules
comma := ,
.DELETE_ON_ERROR:
.SECONDEXPANSION:

# A chapter is a folder with a .cu of its name; a new one needs no edit here.
chapters := $(foreach d,$(patsubst chapters/%/,%,$(wildcard chapters/*/)),\
    $(if $(wildcard chapters/$d/$d.cu),$d))
# What a chapter's program includes besides common/.
parts = chapters/$$*/$$*.cu $$(wildcard chapters/$$*/*.cuh)

gpu := $(chapters:%=build/gpu/%)
simulator := $(chapters:%=build/simulator/%)
.PHONY: gpu simulator FORCE
gpu: $(gpu)
simulator: $(simulator)
FORCE:

# The tools that the last build used: when they change, all is built anew.
build/gpu/tools: now := $(nvcc) $(arch) $(CUDA_HOME) $(png)
build/simulator/tools: now := $(cc) $(clang) $(CLANG) $(png)
build/gpu/tools build/simulator/tools: FORCE
	@mkdir -p $(@D)/common/gpu
	@echo '$(now)' | cmp -s - $@ || echo '$(now)' >$@

# ---- GPU: nvcc, with cuBLAS where it is installed --------------------------

gpu_objects := $(patsubst common/%,build/gpu/common/%.o,\
    $(basename $(wildcard $(addprefix common/,*.c gpu/*.c gpu/*.cu))))
nvcc_flags := -O3 -lineinfo -arch=$(arch) --default-stream per-thread \
    $(png) -I common
# nvcc lies in bin/, its libraries in lib64/ or lib/ beside it.
libraries := $(wildcard $(patsubst %/bin/,%/lib64,$(dir $(nvcc))) \
    /usr/lib/*-linux-gnu)
run_path = $(addprefix -Xlinker -rpath -Xlinker ,$(filter %/lib64,$(libraries)))
cublas = $(if $(wildcard $(libraries:%=%/libcublas.so)),-lcublas $(run_path))

# The chapter conv: NPP to compare with.
npp = $(if $(wildcard $(libraries:%=%/libnppif.so)),\
    -DWITH_NPP -lnppif -lnppc $(run_path))
build/gpu/conv build/gpu/conv-debug build/gpu/tuned/conv \
    $(addprefix build/gpu/grade/,chapters/conv parents/conv objects/conv.o): \
    with = $(npp)

build/gpu/common/%.o: common/%.c build/gpu/tools
	"$(nvcc)" $(nvcc_flags) $(if $(cublas),,-DWITHOUT_CUBLAS) -MMD -MP -c $< -o $@
build/gpu/common/%.o: common/%.cu build/gpu/tools
	"$(nvcc)" $(nvcc_flags) -MMD -MP -c $< -o $@
build/gpu/libcommon.a: $(gpu_objects)
	@rm -f $@
	ar rcs $@ $(gpu_objects)

# link FLAGS-AND-SOURCE: a program with all of common/.
link = "$(nvcc)" $(nvcc_flags) $(1) build/gpu/libcommon.a $(cublas) $(with) \
    $(png:-D%=-Xlinker --as-needed -lpng) -o $@
$(gpu): build/gpu/%: $(parts) build/gpu/libcommon.a
	@echo building $*
	$(call link,-MMD -MP -MF $@.d $<)

# make asm: PTX and machine code of a chapter's kernels, always made anew, for
# any arch; what ptxas says of them lies beside the machine code.
.PRECIOUS: build/gpu/%.ptx
build/gpu/%.ptx: chapters/%/ FORCE
	@mkdir -p $(@D)
	"$(nvcc)" $(nvcc_flags) -ptx chapters/$*/$*.cu -o $@
build/gpu/%.cubin: build/gpu/%.ptx
	"$(nvcc)" $(nvcc_flags) -Xptxas -v -cubin $< -o $@ 2>$@.txt || \
	    { cat $@.txt >&2; exit 1; }

# make grade: parents are solutions' programs that hand each run to another
# process, chapters and own are such processes; common/grade/ says how. The
# names below own are new each time, so what is there is of this grading.
grade_objects = $(patsubst %,build/$(1)/grade/%.o,parent child_process confine)
wrapped := $(addprefix --wrap=variants_,open open_instance time close) \
    $(addprefix --wrap=device_,run_begin run_end launches counters \
    finding_count finding)
headers := $(wildcard common/*.h chapters/*/*.cuh)
.PRECIOUS: $(foreach end,gpu simulator,\
    $(addprefix build/$(end)/grade/,%.o objects/%.o own/%.o))
build/gpu/grade/%.o: common/grade/%.c build/gpu/tools
	@mkdir -p $(@D)
	"$(nvcc)" $(nvcc_flags) -MMD -MP -c $< -o $@
build/gpu/grade/objects/%.o: solutions/%.cu $(headers) build/gpu/tools
	@mkdir -p $(@D)
	"$(nvcc)" $(nvcc_flags) $(filter -D%,$(with)) -c $< -o $@
build/gpu/grade/parents/%: build/gpu/grade/objects/%.o \
    $(call grade_objects,gpu) build/gpu/libcommon.a
	@mkdir -p $(@D)
	$(call link,$(wrapped:%=-Xlinker %) $(filter %.o,$^))
build/gpu/grade/chapters/%: chapters/$$*/$$*.cu build/gpu/grade/child.o \
    build/gpu/libcommon.a $(headers)
	@mkdir -p $(@D)
	$(call link,$< build/gpu/grade/child.o)
build/gpu/grade/own/%.o:
	@mkdir -p $(@D)
	"$(nvcc)" $(nvcc_flags) $(flags) -c "$$file" -o $@
build/gpu/grade/own/%: build/gpu/grade/own/%.o
	$(call link,$< build/gpu/grade/child.o)

# make autotune: a chapter with the parameters of a header. Each candidate has
# one of its own; the best of them is build/gpu/CHAPTER.h, and `make run` takes
# build/gpu/tuned/CHAPTER instead of build/gpu/CHAPTER.
build/gpu/autotune/%: build/gpu/autotune/%.h chapters/$$(chapter)/$$(chapter).cu \
    build/gpu/libcommon.a
	$(call link,-include $< chapters/$(chapter)/$(chapter).cu)
$(gpu:build/gpu/%=build/gpu/tuned/%): build/gpu/tuned/%: build/gpu/%.h $(parts) \
    build/gpu/libcommon.a
	@mkdir -p $(@D)
	@echo building $* as make autotune found best
	$(call link,-include $< chapters/$*/$*.cu)

# make ablation: what is taken out may leave a variable that nobody reads (177).
build/gpu/ablation/%: build/gpu/ablation/%.cu build/gpu/libcommon.a
	$(call link,-diag-suppress 177 $<)

# The programs of make test-gpu.
gpu_tests := $(patsubst tests/gpu/%.cu,build/gpu/tests/%,$(wildcard tests/gpu/*.cu))
.PHONY: build/gpu/tests
build/gpu/tests: $(gpu_tests)
$(gpu_tests): build/gpu/tests/%: tests/gpu/%.cu build/gpu/libcommon.a
	@mkdir -p $(@D)
	$(call link,-MMD -MP -MF $@.d $<)

# For cuda-gdb: -G leaves kernels as they are written.
$(gpu:%=%-debug): nvcc_flags := -g -G $(filter-out -O3 -lineinfo,$(nvcc_flags))
$(gpu:%=%-debug): build/gpu/%-debug: $(parts) build/gpu/libcommon.a
	@echo building $*-debug
	$(call link,$<)

# file=: a program of one's own, as nvcc alone would build it; what it includes
# is not known, so it is always built.
build/gpu/own/%: nvcc_flags := -O3 -lineinfo -arch=$(arch) $(png) -I common
build/gpu/own/%: build/gpu/libcommon.a FORCE
	@mkdir -p $(@D)
	$(call link,$(flags) "$$file")

# ---- simulator: simcc; common/gpu is for GPU builds alone -------------------

simulator_objects := $(patsubst common/%.c,build/simulator/common/%.o,\
    $(wildcard common/*.c))
simcc := simulator/simcc
simcc_sources := $(wildcard $(simcc) $(addprefix simulator/,passes/* include/* \
    include/*/* runtime/*/*))

build/simulator/common/%.o: common/%.c build/simulator/tools
	"$(cc)" -std=gnu11 -O2 -Wall -Wextra $(png) -I simulator/include \
	    -I common -MMD -MP -c $< -o $@
build/simulator/libcommon.a: $(simulator_objects)
	@rm -f $@
	ar rcs $@ $(simulator_objects)
# simcc_link FLAGS,SOURCE: the same in the simulator.
simcc_link = "$(python)" $(simcc) $(1) -I common $(2) \
    build/simulator/libcommon.a $(png:-D%=-Wl,--as-needed -lpng) -o $@
# A program is built anew when any header of common/ changes.
$(simulator) $(simulator:%=%-debug): build/simulator/libcommon.a $(simcc_sources) \
    $(wildcard common/*.h) build/simulator/tools
$(simulator): build/simulator/%: $(parts)
	@echo building $*
	$(call simcc_link,-O2,$<)
# make banks
build/simulator/banks: common/tools/banks.cu build/simulator/libcommon.a \
    $(simcc_sources) build/simulator/tools
	$(call simcc_link,-O2,$<)
# make grade, as above.
build/simulator/grade/%.o: common/grade/%.c build/simulator/tools
	@mkdir -p $(@D)
	"$(cc)" -std=gnu11 -O2 -Wall -Wextra -I simulator/include -I common -MMD -MP \
	    -c $< -o $@
build/simulator/grade/objects/%.o: solutions/%.cu $(simcc_sources) $(headers) \
    build/simulator/tools
	@mkdir -p $(@D)
	"$(python)" $(simcc) -O2 -c -I common $< -o $@
build/simulator/grade/parents/%: build/simulator/grade/objects/%.o \
    $(call grade_objects,simulator) build/simulator/libcommon.a
	@mkdir -p $(@D)
	$(call simcc_link,$(wrapped:%=-Wl$(comma)%),$(filter %.o,$^))
build/simulator/grade/chapters/%: chapters/$$*/$$*.cu build/simulator/grade/child.o \
    build/simulator/libcommon.a $(simcc_sources) $(headers)
	@mkdir -p $(@D)
	$(call simcc_link,-O2,$< build/simulator/grade/child.o)
build/simulator/grade/own/%.o:
	@mkdir -p $(@D)
	"$(python)" $(simcc) -O2 -c $(flags) -I common "$$file" -o $@
build/simulator/grade/own/%: build/simulator/grade/own/%.o
	$(call simcc_link,,$< build/simulator/grade/child.o)
# For gdb: plain mode runs kernels as ordinary functions.
$(simulator:%=%-debug): build/simulator/%-debug: $(parts)
	@echo building $*-debug
	$(call simcc_link,--plain -O0 -g,$<)

# file=: as above.
build/simulator/own/%: build/simulator/libcommon.a FORCE
	@mkdir -p $(@D)
	$(call simcc_link,-O2 $(flags),"$$file")

# ---- unit tests: common/ in plain mode, and again as a GPU gets it ----------

# The tests say how long a sample takes: see clock.c.
unit_cc = "$(cc)" -std=gnu11 -O2 -Wall -Wextra -I common -I tests/unit \
    -I simulator/include -DcudaEventElapsedTime=fake_elapsed_time -MMD -MP
unit_link = "$(python)" $(simcc) --plain -O2 -I common -I tests/unit
unit_sources := $(notdir $(wildcard common/*.c) tests/unit/clock.c)
unit_objects := $(unit_sources:%.c=build/unit/%.o)
as_gpu_objects := $(unit_sources:%.c=build/unit/as_gpu/%.o)
unit_tests := $(patsubst tests/unit/%.c,build/unit/%,$(wildcard tests/unit/test_*.c))
vpath %.c common tests/unit

.PHONY: unit
unit: $(unit_tests) $(patsubst %,build/unit/%,faults variants gpu_reference \
    as_gpu/faults as_gpu/variants as_gpu/conv as_gpu/stencil)
build/unit/%.o: %.c
	@mkdir -p $(@D)
	$(unit_cc) -c $< -o $@
build/unit/as_gpu/%.o: %.c
	@mkdir -p $(@D)
	$(unit_cc) -DSIMULATED=0 -c $< -o $@
$(unit_tests): build/unit/%: tests/unit/%.c build/unit/unit.o $(unit_objects) \
    tests/unit/unit.h $(wildcard common/*.h) $(simcc_sources)
	$(unit_link) $< $(filter %.o,$^) -lcmocka -o $@
build/unit/faults build/unit/variants: build/unit/%: tests/unit/%.cu
build/unit/gpu_reference: tests/gpu/reference.cu common/gpu/reference_kernel.cu
build/unit/faults build/unit/variants build/unit/gpu_reference: $(unit_objects) \
    $(wildcard common/*.h) $(simcc_sources)
	$(unit_link) $(filter %.cu %.o,$^) -o $@
build/unit/as_gpu/faults build/unit/as_gpu/variants: build/unit/as_gpu/%: \
    tests/unit/%.cu tests/unit/library.cu common/gpu/reference_kernel.cu \
    $(as_gpu_objects) $(wildcard common/*.h) $(simcc_sources)
	$(unit_link) -DSIMULATED=0 $(filter %.cu %.o,$^) -o $@
# The grader's two processes: a parent, and children that are right or cheat.
children := child chapter chapter_alone skip lazy replay memo
children := $(children:%=build/unit/as_gpu/grade/%)
build/unit/as_gpu/grade/parent $(children): tests/unit/library.cu \
    common/gpu/reference_kernel.cu $(as_gpu_objects) $(simcc_sources)
	$(unit_link) -DSIMULATED=0 $(with) $(filter-out $(without),\
	    $(filter %.cu %.o,$^)) -o $@
build/unit/as_gpu/grade/parent: with = $(wrapped:%=-Wl$(comma)%)
build/unit/as_gpu/grade/parent: solutions/gemm_01_naive.cu \
    $(patsubst %,build/unit/as_gpu/grade/%.o,parent child_process confine)
$(children): without = build/unit/as_gpu/variants%.o
$(children): build/unit/as_gpu/grade/child.o
build/unit/as_gpu/grade/child: solutions/gemm_01_naive.cu
build/unit/as_gpu/grade/memo: tests/unit/memo.cu
build/unit/as_gpu/grade/chapter_alone: with = -DLIBRARY_MISSING
build/unit/as_gpu/grade/chapter build/unit/as_gpu/grade/chapter_alone: \
    chapters/gemm_01_naive/gemm_01_naive.cu
$(patsubst %,build/unit/as_gpu/grade/%,skip lazy replay): \
    build/unit/as_gpu/grade/%: tests/cheats/%.cu
build/unit/as_gpu/grade/%.o: common/grade/%.c
	@mkdir -p $(@D)
	$(unit_cc) -DSIMULATED=0 -c $< -o $@
# Chapters whose reference is a kernel on a GPU.
build/unit/as_gpu/conv build/unit/as_gpu/stencil: build/unit/as_gpu/%: $(parts) \
    tests/unit/library.cu common/gpu/reference_kernel.cu common/gpu/floor.cu \
    $(as_gpu_objects) $(wildcard common/*.h) $(simcc_sources)
	$(unit_link) -DSIMULATED=0 $(filter %.cu %.o,$^) -o $@

# ---- editors ----------------------------------------------------------------

# Made anew when a file is added or removed: folders change then.
compile_commands.json: $(wildcard common chapters chapters/*)
	@"$(python)" tools/compile_commands.py >$@

-include $(wildcard build/*/common/*.d build/*/grade/*.d build/gpu/common/gpu/*.d build/gpu/*.d \
    build/gpu/tests/*.d build/unit/*.d build/unit/as_gpu/*.d)
