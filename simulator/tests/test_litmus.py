#!/usr/bin/env python3
"""The memory model in small programs: what orders accesses, and what does not.

Message passing in the ways of CUDA, PTX and libcu++:
One thread stores a word and then a flag; another waits for the flag and loads the
word. The model ("PTX ISA", chapter "Memory Consistency Model") gives it the word
if the flag is strong for both, what comes before it is released and what comes
behind it acquired, at a scope in which both are. Each way to write the flag is
tried with a right way to wait for it, and each way to wait with a right way to
write. Between two blocks the word lies in global memory, between two warps of a
block in shared memory.

And the other shapes that such models are tried with, two words and up to four
blocks: weak accesses are a race, strong ones are none, and what the model forbids
is not seen, whichever block runs first.
"""
from harness import (check, command, counted_mode, finish, parallel, simcc, skip,
                     workdir)

ORDERS = 0, 1, 5  # of SIM_ORDER
ORDERED, FENCE, RACE, SHARED = "", "missing-fence", "global-race", "shared-race"

# The code, and what is found between blocks.
WRITES = (
    ("__threadfence(); atomicExch(f, 1u);", ORDERED),
    ("__threadfence_system(); atomicExch(f, 1u);", ORDERED),
    ("__threadfence_block(); atomicExch(f, 1u);", FENCE),
    ("atomicExch(f, 1u);", FENCE),
    ("__threadfence(); atomicExch_system(f, 1u);", ORDERED),
    ("__threadfence(); atomicExch_block(f, 1u);", RACE),
    ("__threadfence(); atomicCAS(f, 0u, 1u);", ORDERED),
    ("__threadfence(); *(volatile unsigned *)f = 1;", ORDERED),
    ("__threadfence_block(); *(volatile unsigned *)f = 1;", FENCE),
    ("*(volatile unsigned *)f = 1;", FENCE),
    ("__threadfence(); *f = 1;", RACE),
    ("ST(release.gpu)", ORDERED),
    ("ST(release.sys)", ORDERED),
    ("ST(release.cta)", FENCE),
    ("ST(relaxed.gpu)", FENCE),
    ("ST(volatile)", FENCE),
    ("PTX(fence.acq_rel.gpu;) ST(relaxed.gpu)", ORDERED),
    ("PTX(fence.sc.gpu;) ST(relaxed.gpu)", ORDERED),
    ("PTX(fence.acq_rel.sys;) ST(relaxed.sys)", ORDERED),
    ("PTX(fence.acq_rel.cta;) ST(relaxed.gpu)", FENCE),
    ("PTX(fence.proxy.async;) ST(relaxed.gpu)", FENCE),
    ("PTX(membar.gl;) ST(volatile)", ORDERED),
    ("PTX(membar.cta;) ST(volatile)", FENCE),
    ("RED(release.gpu)", ORDERED),
    ("RED(relaxed.gpu)", FENCE),
    ("RED(release.cta)", RACE),
    ("ATOM(acq_rel.gpu)", ORDERED),
    ("ATOM(release.gpu)", ORDERED),
    ("ATOM(acquire.gpu)", FENCE),
    ("ATOM(relaxed.gpu)", FENCE),
    ("REF(device).store(1);", ORDERED),
    ("REF(device).store(1, cuda::memory_order_release);", ORDERED),
    ("REF(device).store(1, cuda::memory_order_relaxed);", FENCE),
    ("REF(block).store(1, cuda::memory_order_release);", FENCE),
    ("REF(system).fetch_add(1, cuda::memory_order_release);", ORDERED),
    ("REF(device).exchange(1, cuda::memory_order_relaxed);", FENCE),
    ("ORDER(release, device) REF(device).store(1, cuda::memory_order_relaxed);",
     ORDERED),
    ("ORDER(release, block) REF(device).store(1, cuda::memory_order_relaxed);",
     FENCE),
)
READS = (
    ("while (!atomicAdd(f, 0u)) {} __threadfence();", ORDERED),
    ("while (!atomicAdd(f, 0u)) {} __threadfence_system();", ORDERED),
    ("while (!atomicAdd(f, 0u)) {} __threadfence_block();", FENCE),
    ("while (!atomicAdd(f, 0u)) {}", FENCE),
    ("while (!atomicOr_system(f, 0u)) {} __threadfence();", ORDERED),
    ("while (!*(volatile unsigned *)f) {} __threadfence();", ORDERED),
    ("while (!*(volatile unsigned *)f) {}", FENCE),
    ("while (!__ldcv(f)) {} __threadfence();", ORDERED),
    ("__threadfence(); while (!atomicAdd(f, 0u)) {} __threadfence_block();", FENCE),
    ("while (!LD(acquire.gpu)) {}", ORDERED),
    ("while (!LD(acquire.sys)) {}", ORDERED),
    ("while (!LD(acquire.cta)) {}", FENCE),
    ("while (!LD(relaxed.gpu)) {}", FENCE),
    ("while (!LD(volatile)) {} PTX(membar.gl;)", ORDERED),
    ("while (!LD(relaxed.gpu)) {} PTX(fence.acq_rel.gpu;)", ORDERED),
    ("while (!LD(relaxed.gpu)) {} PTX(fence.acq_rel.cta;)", FENCE),
    ("while (!GET(acquire.gpu)) {}", ORDERED),
    ("while (!GET(acq_rel.sys)) {}", ORDERED),
    ("while (!GET(relaxed.gpu)) {}", FENCE),
    ("while (!GET(acquire.cta)) {}", RACE),
    ("while (!REF(device)) {}", ORDERED),
    ("while (!REF(device).load(cuda::memory_order_acquire)) {}", ORDERED),
    ("while (!REF(device).load(cuda::memory_order_relaxed)) {}", FENCE),
    ("while (!REF(system).fetch_or(0, cuda::memory_order_acq_rel)) {}", ORDERED),
    ("while (!REF(device).load(cuda::memory_order_relaxed)) {} "
     "ORDER(acquire, device)", ORDERED),
    ("while (!REF(device).load(cuda::memory_order_relaxed)) {} "
     "ORDER(acquire, block)", FENCE),
)
# A flag in the upper half of a word of 64 bits: who waits polls that half.
HALF = ("__threadfence(); *(volatile long long *)f = 1ll << 32;",
        "while (!((volatile unsigned *)f)[1]) {} __threadfence();", ORDERED)
# The same between two warps of a block.
WARP_WRITES = (
    ("__threadfence_block(); atomicExch(f, 1u);", ORDERED),
    ("__threadfence_block(); atomicExch_block(f, 1u);", ORDERED),
    ("__threadfence(); atomicAdd(f, 1u);", ORDERED),
    ("atomicExch(f, 1u);", SHARED),
    ("atomicExch(f, 1u); __threadfence_block();", SHARED),
    ("RED(release.cta)", ORDERED),
    ("RED(relaxed.cta)", SHARED),
    ("ATOM(acquire.cta)", SHARED),
    ("REF(block).fetch_add(1, cuda::memory_order_release);", ORDERED),
    ("REF(block).fetch_add(1, cuda::memory_order_relaxed);", SHARED),
    ("__threadfence_block(); *(volatile unsigned *)f = 1;", ORDERED),
    ("*(volatile unsigned *)f = 1;", SHARED),
    ("__threadfence_block(); *f = 1;", SHARED),
    ("ST(release.cta)", ORDERED),
    ("ST(relaxed.cta)", SHARED),
    ("REF(block).store(1, cuda::memory_order_release);", ORDERED),
    ("REF(block).store(1, cuda::memory_order_relaxed);", SHARED),
)
WARP_READS = (
    ("while (!atomicAdd(f, 0u)) {} __threadfence_block();", ORDERED),
    ("while (!atomicOr_block(f, 0u)) {} __threadfence();", ORDERED),
    ("while (!atomicAdd(f, 0u)) {}", SHARED),
    ("__threadfence_block(); while (!atomicAdd(f, 0u)) {}", SHARED),
    ("while (!GET(acquire.cta)) {}", ORDERED),
    ("while (!GET(relaxed.cta)) {}", SHARED),
    ("while (!REF(block).fetch_or(0, cuda::memory_order_acquire)) {}", ORDERED),
    ("while (!REF(block).fetch_or(0, cuda::memory_order_relaxed)) {}", SHARED),
    ("while (!*(volatile unsigned *)f) {} __threadfence_block();", ORDERED),
    ("while (!*(volatile unsigned *)f) {}", SHARED),
    ("while (!LD(acquire.cta)) {}", ORDERED),
    ("while (!LD(relaxed.cta)) {}", SHARED),
    ("while (!REF(block).load(cuda::memory_order_acquire)) {}", ORDERED),
    ("while (!REF(block).load(cuda::memory_order_relaxed)) {}", SHARED),
)
# Name, what each block does with words f and g (r is what it has read), what is
# found, what of r must not be.
SHAPES = [
    (f"{name}, {how}", [code.replace("SET(", f"{store}(").replace("SEE(", f"{load}(")
                        .replace("FENCE", fence) for code in blocks],
     found, forbidden if fence or name == "coherence" else "0")
    for name, blocks, forbidden in (
        ("store buffering", ("SET(f) FENCE r[0] = SEE(g);",
                             "SET(g) FENCE r[1] = SEE(f);"), "!r[0] && !r[1]"),
        ("load buffering", ("r[0] = SEE(f); FENCE SET(g)",
                            "r[1] = SEE(g); FENCE SET(f)"), "r[0] && r[1]"),
        ("coherence", ("SET(f)", "r[0] = SEE(f); FENCE r[1] = SEE(f);"),
         "r[0] && !r[1]"),
        ("independent reads of independent writes",
         ("SET(f)", "SET(g)", "r[0] = SEE(f); FENCE r[1] = SEE(g);",
          "r[2] = SEE(g); FENCE r[3] = SEE(f);"),
         "r[0] && !r[1] && r[2] && !r[3]"))
    for how, store, load, fence, found in (
        ("weak", "PUT", "AT", "", RACE), ("weak, fences", "PUT", "AT",
                                          "__threadfence();", RACE),
        ("relaxed", "ST_RELAXED", "LD_RELAXED", "", ORDERED),
        ("atomic", "EXCHANGE", "ADD_0", "", ORDERED),
        ("atomic of the block", "EXCHANGE_BLOCK", "ADD_0", "", RACE),
        ("both atomic of the block", "EXCHANGE_BLOCK", "ADD_0_BLOCK", "", RACE),
        ("relaxed, fence.sc", "ST_RELAXED", "LD_RELAXED", "PTX(fence.sc.gpu;)",
         ORDERED))]
HEAD = r"""
#include <cstdlib>
#include <cuda/atomic>
#define REF(scope) cuda::atomic_ref<unsigned, cuda::thread_scope_##scope>(*f)
#define ORDER(order, scope) cuda::atomic_thread_fence(cuda::memory_order_##order, \
                                                      cuda::thread_scope_##scope);
#define PTX(...) asm volatile(#__VA_ARGS__ ::: "memory");
#define ST(how) asm volatile("st." #how ".u32 [%0], 1;" ::"l"(f) : "memory");
#define RED(how) asm volatile("red." #how ".or.b32 [%0], 1;" ::"l"(f) : "memory");
#define ATOM(how) { unsigned was; asm volatile("atom." #how ".exch.b32 %0, [%1], 1;" \
                                  : "=r"(was) : "l"(f) : "memory"); }
#define LD(how) ({ unsigned x; asm volatile("ld." #how ".u32 %0, [%1];" \
                               : "=r"(x) : "l"(f) : "memory"); x; })
#define PUT(p) *p = 1;
#define AT(p) *p
#define ST_RELAXED(p) asm volatile("st.relaxed.gpu.u32 [%0], 1;" ::"l"(p) : "memory");
#define LD_RELAXED(p) ({ unsigned x; asm volatile("ld.relaxed.gpu.u32 %0, [%1];" \
                                     : "=r"(x) : "l"(p) : "memory"); x; })
#define EXCHANGE(p) atomicExch(p, 1u);
#define EXCHANGE_BLOCK(p) atomicExch_block(p, 1u);
#define ADD_0(p) atomicAdd(p, 0u)
#define ADD_0_BLOCK(p) atomicAdd_block(p, 0u)
#define GET(how) ({ unsigned x; asm volatile("atom." #how ".or.b32 %0, [%1], 0;" \
                                : "=r"(x) : "l"(f) : "memory"); x; })
"""
KERNEL = """
__global__ void way%d(int *data, unsigned *f, int *out)
{
    if (blockIdx.x == 0) {
        *data = 42;
        %s
    } else {
        %s
        *out = *data;
    }
}
"""
# Two warps of a block, and global memory.
APART = KERNEL.replace("blockIdx.x == 0", "threadIdx.x == 0").replace(
    "else", "else if (threadIdx.x == 32)")
WARPS = """
__global__ void way%d(int *, unsigned *, int *out)
{
    __shared__ int data[1];
    __shared__ unsigned f[1];
    if (threadIdx.x == 0)
        *f = 0;
    __syncthreads();
    if (threadIdx.x == 0) {
        *data = 42;
        %s
    } else if (threadIdx.x == 32) {
        %s
        *out = *data;
    }
}
"""
BLOCKS = """
__global__ void shape%d(unsigned *f, unsigned *g, unsigned *r)
{
    switch (blockIdx.x) {
%s    }
}
bool forbidden%d(const unsigned *r) { return %s; }
"""
MAIN = """
int main(int, char **argv)
{
    int *data, *out, host = 0;
    unsigned *f, *r;
    cudaMallocManaged(&r, 4 * sizeof *r);
    cudaMalloc(&f, 2 * sizeof *f);
    cudaMemset(f, 0, 2 * sizeof *f);
    switch (-atoi(argv[1])) {
%s
    }
    cudaMalloc(&data, 4);
    cudaMalloc(&out, 4);
    switch (atoi(argv[1])) {
%s
    }
    cudaMemcpy(&host, out, 4, cudaMemcpyDeviceToHost);
    return host != 42;
}
"""


def main():
    # Kernel, how it is launched, write, read, what is found.
    ways = [(KERNEL, "<<<2, 1>>>", *HALF),
            (APART, "<<<1, 64>>>", WRITES[0][0], READS[0][0], ORDERED)]
    for kernel, launch, writes, reads in ((KERNEL, "<<<2, 1>>>", WRITES, READS),
                                          (WARPS, "<<<1, 64>>>", WARP_WRITES,
                                           WARP_READS)):
        ways += [(kernel, launch, write, reads[0][0], found)
                 for write, found in writes]
        ways += [(kernel, launch, writes[0][0], read, found)
                 for read, found in reads]
    with workdir() as directory:
        if not counted_mode(directory):
            skip("litmus", "needs clang 14 or newer")
            finish()
        source, program = directory / "litmus.cu", directory / "litmus"
        source.write_text(HEAD + "".join(
            kernel % (i, write, read)
            for i, (kernel, _, write, read, _) in enumerate(ways)) + "".join(
            BLOCKS % (i, "".join(f"    case {k}: {code} break;\n"
                                 for k, code in enumerate(codes)), i, forbidden)
            for i, (_, codes, _, forbidden) in enumerate(SHAPES)) + MAIN % (
            "\n".join(f"    case {i + 1}: shape{i}<<<{len(shape[1])}, 1>>>(f, f + 1, "
                      f"r); cudaDeviceSynchronize(); return forbidden{i}(r);"
                      for i, shape in enumerate(SHAPES)),
            "\n".join(f"    case {i}: way{i}{way[1]}(data, f, out); break;"
                      for i, way in enumerate(ways))))
        built = simcc(source, program)
        # A block that waits for one with a smaller number needs the usual order.
        tried = [(i, f"{write} | {read}", found, ORDERS if kernel is WARPS else (0,))
                 for i, (kernel, _, write, read, found) in enumerate(ways)]
        tried += [(-1 - i, name, found, ORDERS)
                  for i, (name, _, found, _) in enumerate(SHAPES)]

        def problem(one):
            """Why it is not as it must be, whoever is first."""
            number, _, found, orders = one
            for order in orders:
                ran = command([program, number], env={"SIM_ORDER": order})
                kinds = {kind for kind in (FENCE, RACE, SHARED)
                         if f": {kind}:" in ran.stderr}
                if kinds != {found} - {""} or ran.returncode != 5 * bool(found):
                    return (f"{built.stderr}order {order}, status {ran.returncode}\n"
                            f"{ran.stderr[-600:]}")
            return ""

        for (_, name, found, _), text in zip(tried, parallel(problem, tried)):
            check(f"litmus: {name}: {found or 'in order'}", not text, text)
    finish()


if __name__ == "__main__":
    main()
