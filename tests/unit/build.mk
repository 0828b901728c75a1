# The unit tests: common/ in plain mode, and again as a GPU gets it.
# make -f tests/unit/build.mk unit
include tools/build.mk

# The tests say how long a sample takes: see stand_ins.cu.
unit_cc = "$(cc)" -std=gnu11 -O1 -Wall -Wextra -I common -I tests/unit \
    -I simulator/include -DcudaEventElapsedTime=fake_elapsed_time -MMD -MP \
    -DCUDA_API_PER_THREAD_DEFAULT_STREAM
unit_link = "$(python)" $(simcc) --plain -O1 -I common -I tests/unit \
    --default-stream per-thread
shared := $(notdir $(wildcard common/*.c))
shared := $(shared:.c=.o) stand_ins.o
unit_objects := $(addprefix build/unit/,$(shared) device_sim.o)
as_gpu_objects := $(addprefix build/unit/as_gpu/,$(shared) device_gpu.o \
    reference_kernel.o attention_kernels.o)
headers := $(wildcard common/*.h) $(simcc_sources)
programs := faults faults_bf16 faults_attention variants
unit_tests := $(patsubst tests/unit/%.c,build/unit/%,$(wildcard tests/unit/test_*.c))
vpath %.c common common/sim common/gpu
vpath %.cu common/gpu tests/unit

.PHONY: unit
unit: $(unit_tests) $(addprefix build/unit/,$(programs) gpu_reference) \
    $(addprefix build/unit/as_gpu/,$(programs) conv stencil \
    $(patsubst common/%.c,%.o,$(wildcard common/grade/*.c)))
build/unit/%.o: %.c
	@mkdir -p $(@D)
	$(unit_cc) -c $< -o $@
build/unit/as_gpu/%.o: %.c
	@mkdir -p $(@D)
	$(unit_cc) -DSIMULATED=0 -c $< -o $@
build/unit/%.o: %.cu $(headers)
	@mkdir -p $(@D)
	$(unit_link) -c $< -o $@
build/unit/as_gpu/%.o: %.cu $(headers)
	@mkdir -p $(@D)
	$(unit_link) -DSIMULATED=0 -c $< -o $@
$(unit_tests): build/unit/%: tests/unit/%.c tests/unit/unit.h $(unit_objects) \
    $(headers)
	$(unit_link) $< $(filter %.o,$^) -lcmocka -o $@
build/unit/gpu_reference: tests/gpu/reference.cu common/gpu/reference_kernel.cu
$(programs:%=build/unit/%) build/unit/gpu_reference: build/unit/%: \
    $(unit_objects) $(headers)
	$(unit_link) $(filter %.cu %.o,$^) -o $@

# The grader's two processes: a parent, and children that are right or cheat.
cheats := $(patsubst %,build/unit/as_gpu/grade/%,skip lazy replay memo)
children := $(cheats) $(patsubst %,build/unit/as_gpu/grade/%,child chapter)
build/unit/as_gpu/grade/parent: solutions/gemm_01_naive.cu \
    $(patsubst %,build/unit/as_gpu/grade/%.o,parent child_process confine)
$(children): build/unit/as_gpu/grade/child.o
build/unit/as_gpu/grade/child: solutions/gemm_01_naive.cu
build/unit/as_gpu/grade/chapter: chapters/gemm_01_naive/gemm_01_naive.cu
# tests/unit/grade.py writes them, cheats of tests/changes.
$(cheats): build/unit/as_gpu/grade/%: build/unit/as_gpu/grade/%.cu
# Chapters whose reference is a kernel on a GPU.
with_references := build/unit/as_gpu/conv build/unit/as_gpu/stencil
$(with_references): build/unit/as_gpu/%: chapters/$$*/$$*.cu \
    $$(wildcard chapters/$$*/*/*.cuh) build/unit/as_gpu/floor.o
$(programs:%=build/unit/%): build/unit/%: tests/unit/%.cu
$(programs:%=build/unit/as_gpu/%): build/unit/as_gpu/%: tests/unit/%.cu
$(programs:%=build/unit/as_gpu/%) $(with_references) $(children) \
    build/unit/as_gpu/grade/parent: $(as_gpu_objects) $(headers)
	$(unit_link) -DSIMULATED=0 $(filter %.cu %.o,$^) -o $@

-include $(wildcard $(addprefix build/unit/,*.d as_gpu/*.d as_gpu/grade/*.d))
