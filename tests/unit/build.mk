# The unit tests: common/ in plain mode, and again as a GPU gets it.
# make -f tests/unit/build.mk unit
include tools/build.mk

headers := $(wildcard common/*.h)

# The tests say how long a sample takes: see clock.c.
unit_cc = "$(cc)" -std=gnu11 -O1 -Wall -Wextra -I common -I tests/unit \
    -I simulator/include -DcudaEventElapsedTime=fake_elapsed_time -MMD -MP \
    -DCUDA_API_PER_THREAD_DEFAULT_STREAM
unit_link = "$(python)" $(simcc) --plain -O1 -I common -I tests/unit \
    --default-stream per-thread
unit_sources := $(notdir $(wildcard common/*.c) tests/unit/clock.c)
unit_objects := $(unit_sources:%.c=build/unit/%.o) build/unit/device_sim.o
as_gpu_objects := $(unit_sources:%.c=build/unit/as_gpu/%.o) \
    $(patsubst %,build/unit/as_gpu/%.o,device_gpu library reference_kernel)
unit_tests := $(patsubst tests/unit/%.c,build/unit/%,$(wildcard tests/unit/test_*.c))
vpath %.c common common/sim common/gpu tests/unit
vpath %.cu common/gpu tests/unit

.PHONY: unit
unit: $(unit_tests) $(patsubst %,build/unit/%,faults faults_bf16 variants \
    gpu_reference as_gpu/faults as_gpu/faults_bf16 as_gpu/variants \
    as_gpu/conv as_gpu/stencil \
    $(patsubst common/%.c,as_gpu/%.o,$(wildcard common/grade/*.c)))
build/unit/%.o: %.c
	@mkdir -p $(@D)
	$(unit_cc) -c $< -o $@
build/unit/as_gpu/%.o: %.c
	@mkdir -p $(@D)
	$(unit_cc) -DSIMULATED=0 -c $< -o $@
build/unit/as_gpu/%.o: %.cu $(headers) $(simcc_sources)
	@mkdir -p $(@D)
	$(unit_link) -DSIMULATED=0 -c $< -o $@
$(unit_tests): build/unit/%: tests/unit/%.c build/unit/unit.o $(unit_objects) \
    tests/unit/unit.h $(headers) $(simcc_sources)
	$(unit_link) $< $(filter %.o,$^) -lcmocka -o $@
build/unit/faults build/unit/faults_bf16 build/unit/variants: build/unit/%: \
    tests/unit/%.cu
build/unit/gpu_reference: tests/gpu/reference.cu common/gpu/reference_kernel.cu
build/unit/faults build/unit/faults_bf16 build/unit/variants \
    build/unit/gpu_reference: $(unit_objects) \
    $(headers) $(simcc_sources)
	$(unit_link) $(filter %.cu %.o,$^) -o $@
build/unit/as_gpu/faults build/unit/as_gpu/faults_bf16 \
    build/unit/as_gpu/variants: build/unit/as_gpu/%: tests/unit/%.cu \
    $(as_gpu_objects) $(headers) $(simcc_sources)
	$(unit_link) -DSIMULATED=0 $(filter %.cu %.o,$^) -o $@
# The grader's two processes: a parent, and children that are right or cheat.
children := child chapter skip lazy replay memo
children := $(children:%=build/unit/as_gpu/grade/%)
build/unit/as_gpu/grade/parent $(children): $(as_gpu_objects) $(simcc_sources)
	$(unit_link) -DSIMULATED=0 $(filter %.cu %.o,$^) -o $@
build/unit/as_gpu/grade/parent: solutions/gemm_01_naive.cu \
    $(patsubst %,build/unit/as_gpu/grade/%.o,parent child_process confine)
$(children): build/unit/as_gpu/grade/child.o
build/unit/as_gpu/grade/child: solutions/gemm_01_naive.cu
build/unit/as_gpu/grade/chapter: chapters/gemm_01_naive/gemm_01_naive.cu
# tests/grading.py writes them, cheats of tests/changes.
$(patsubst %,build/unit/as_gpu/grade/%,skip lazy replay memo): \
    build/unit/as_gpu/grade/%: build/unit/as_gpu/grade/%.cu
# Chapters whose reference is a kernel on a GPU.
build/unit/as_gpu/conv build/unit/as_gpu/stencil: build/unit/as_gpu/%: \
    chapters/$$*/$$*.cu $$(wildcard chapters/$$*/*/*.cuh) \
    build/unit/as_gpu/floor.o $(as_gpu_objects) $(headers) $(simcc_sources)
	$(unit_link) -DSIMULATED=0 $(filter %.cu %.o,$^) -o $@

-include $(wildcard $(addprefix build/unit/,*.d as_gpu/*.d as_gpu/grade/*.d))
