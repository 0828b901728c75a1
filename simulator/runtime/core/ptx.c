/**
 * @file ptx.c
 * @brief Inline PTX: an asm statement is a small program of instructions.
 *
 * ptx_text.c has taken it apart when it ran for the first time.
 *
 * Semantics: "PTX ISA", chapter "Instruction Set". A chapter that needs an
 * instruction adds it to the table here. lower.py reads the tables, too, and
 * refuses a program that uses another instruction or register.
 */
#include "inside.h"

#define MAX_SOURCES 8 /**< of an instruction that is a function */

/** An instruction with the values of its sources. */
typedef struct {
    const char *name;         /**< with modifiers: "mad.lo.u32" */
    unsigned bits;            /**< of its type: 16, 32, 64 */
    bool is_signed;           /**< .s32 and so on */
    uint64_t in[MAX_SOURCES]; /**< sources; signed ones are extended */
    unsigned count;           /**< of them */
    uint64_t *predicate;      /**< p of a result "d|p"; NULL: there is none */
    uint32_t site;            /**< for fences and copies */
} instruction;

/* ---- instructions ------------------------------------------------------- */

/** Does the name have a modifier such as ".hi"? */
static bool has(const instruction *i, const char *modifier)
{
    return strstr(i->name, modifier) != NULL;
}

/** One that is an expression. */
#define OPERATION(name, value)                                                 \
    static uint64_t name(const instruction *i)                                 \
    {                                                                          \
        return value;                                                          \
    }

OPERATION(move, i->in[0])
OPERATION(add, i->in[0] + i->in[1])
OPERATION(subtract, i->in[0] - i->in[1])

/** mul.lo, mul.hi, mul.wide: of 16 and 32 bits the product fits 64. */
static uint64_t multiply(const instruction *i)
{
    if (!has(i, ".hi"))
        return i->in[0] * i->in[1];
    if (i->bits < 64)
        return i->in[0] * i->in[1] >> i->bits;
    if (i->is_signed)
        return (uint64_t)((__int128)(int64_t)i->in[0] * (int64_t)i->in[1] >>
                          64);
    return (uint64_t)((unsigned __int128)i->in[0] * i->in[1] >> 64);
}

OPERATION(multiply_add, multiply(i) + i->in[2])

static bool is_less(const instruction *i)
{
    return i->is_signed ? (int64_t)i->in[0] < (int64_t)i->in[1]
                        : i->in[0] < i->in[1];
}

OPERATION(minimum, i->in[is_less(i) ? 0 : 1])
OPERATION(maximum, i->in[is_less(i) ? 1 : 0])
OPERATION(and_bits, i->in[0] & i->in[1])
OPERATION(or_bits, i->in[0] | i->in[1])
OPERATION(xor_bits, i->in[0] ^ i->in[1])
OPERATION(not_bits, ~i->in[0])

/** Any function of three bits; the last source is its table of truth. */
static uint64_t logic(const instruction *i)
{
    uint64_t result = 0;
    for (unsigned bit = 0; bit < i->bits; bit++) {
        unsigned row =
            (unsigned)((i->in[0] >> bit & 1) << 2 | (i->in[1] >> bit & 1) << 1 |
                       (i->in[2] >> bit & 1));
        result |= (i->in[3] >> row & 1) << bit;
    }
    return result;
}

/** By 32 bits, wide enough: a shift by the width or more empties the word. */
static uint64_t shift_left(const instruction *i)
{
    uint32_t by = (uint32_t)i->in[1];
    return by >= i->bits ? 0 : i->in[0] << by;
}

static uint64_t shift_right(const instruction *i)
{
    uint32_t by = (uint32_t)i->in[1];
    if (i->is_signed)
        return (uint64_t)((int64_t)i->in[0] >> (by < 63 ? by : 63));
    return by >= i->bits ? 0 : i->in[0] >> by;
}

/** shf: a 64-bit word of two halves, its upper or its lower half. */
static uint64_t funnel_shift(const instruction *i)
{
    uint64_t both = i->in[1] << 32 | (uint32_t)i->in[0];
    uint32_t by = (uint32_t)i->in[2];
    by = has(i, ".wrap") ? by & 31 : by < 32 ? by : 32;
    if (has(i, ".l."))
        return by == 32 ? i->in[0] : both << by >> 32;
    return both >> by;
}

/** bfe: a field of bits, at the bottom; signed: with its sign. */
static uint64_t extract_field(const instruction *i)
{
    unsigned from = i->in[1] & 255, length = i->in[2] & 255;
    uint64_t value = shift_right(&(instruction){
        .bits = i->bits, .is_signed = i->is_signed, .in = {i->in[0], from}});
    if (length >= i->bits)
        return value;
    if (length == 0)
        return 0;
    value &= (UINT64_C(1) << length) - 1;
    if (i->is_signed && value >> (length - 1) & 1)
        value |= ~UINT64_C(0) << length;
    return value;
}

/** bfi: the second source with some bits replaced by those of the first. */
static uint64_t insert_field(const instruction *i)
{
    unsigned from = i->in[2] & 255, length = i->in[3] & 255;
    if (from >= i->bits || length == 0)
        return i->in[1];
    uint64_t ones = length >= 64 ? ~UINT64_C(0) : (UINT64_C(1) << length) - 1;
    return (i->in[1] & ~(ones << from)) | (i->in[0] & ones) << from;
}

OPERATION(count_ones, (uint64_t)__builtin_popcountll(i->in[0]))
OPERATION(count_leading_zeros,
          i->in[0] ? (uint64_t)__builtin_clzll(i->in[0]) - (64 - i->bits)
                   : i->bits)

static uint64_t reverse_bits(const instruction *i)
{
    uint64_t result = 0;
    for (unsigned bit = 0; bit < i->bits; bit++)
        result |= (i->in[0] >> bit & 1) << (i->bits - 1 - bit);
    return result;
}

/** membar and fence: of the block, the device or the system. */
static uint64_t fence(const instruction *i)
{
    if (has(i, ".proxy.async")) {
        sim_fence_proxy(i->site);
        return 0;
    }
    if (has(i, ".mbarrier_init"))
        sim_self->lane->init_fence_clock = ++sim_self->clock;
    bool block = has(i, ".cta");
    sim_fence(block ? 0 : has(i, ".sys") ? 2 : 1, i->site);
    return 0;
}

/** cp.async.ca and .cg: to, from, bytes, and how many of them are read. What
 *  says how long a cache shall keep it comes last and has no effect. */
static uint64_t copy_async(const instruction *i)
{
    size_t bytes = i->in[2];
    bool read_given = i->count - has(i, ".L2::cache_hint") > 3;
    size_t read = read_given && i->in[3] < bytes ? i->in[3] : bytes;
    sim_async_copy(sim_shared_at(i->in[0], i->site), (const void *)i->in[1],
                   bytes, bytes - read, NULL, i->site);
    return 0;
}

/** The barrier at an address, which is one of shared memory or any. */
static sim_mbarrier *barrier_of(const instruction *i, uint64_t address)
{
    if (!has(i, ".shared"))
        address = sim_shared_address((const void *)address);
    return sim_mbarrier_at((uint32_t)address, i->site);
}

/** Arrive, once or as often as is said; .expect_tx: for so many bytes. */
static uint64_t barrier_arrive(const instruction *i)
{
    sim_mbarrier *barrier = barrier_of(i, i->in[0]);
    bool bytes = has(i, ".expect_tx");
    if (bytes)
        sim_mbarrier_expect(barrier, (uint32_t)i->in[1], i->site);
    int count = !bytes && i->count > 1 ? (int)i->in[1] : 1;
    return sim_mbarrier_arrive(barrier, count, 0, NULL, 0, i->site);
}

/** try_wait.parity: waits as long as it takes. */
static uint64_t barrier_wait(const instruction *i)
{
    sim_mbarrier_wait_parity(barrier_of(i, i->in[0]), i->in[1] & 1, NULL, 0,
                             i->site);
    return 1;
}

/** Where the box of .2d, .3d or .4d begins. @return how many dimensions */
static unsigned begin_of(const instruction *i, unsigned first, int32_t *at)
{
    unsigned rank = (unsigned)atoi(strstr(i->name, ".tensor.") + 8);
    for (unsigned d = 0; d < rank; d++)
        at[d] = (int32_t)i->in[first + d];
    return rank;
}

/** cp.async.bulk.tensor to shared memory: to, map, x, y, ..., barrier;
 *  multicast: and the blocks of the cluster that get it. */
static uint64_t copy_tensor(const instruction *i)
{
    int32_t at[TMA_RANK] = {0};
    unsigned next = 2 + begin_of(i, 2, at);
    uint32_t to = (uint32_t)i->in[0];
    uint16_t blocks = has(i, ".multicast")
                          ? (uint16_t)i->in[next + 1]
                          : (uint16_t)(1u << (to >> RANK_SHIFT));
    sim_tma_load(to, (const sim_tensor_map *)i->in[1], at,
                 (uint32_t)i->in[next], blocks, i->site);
    return 0;
}

/** cp.async.bulk.tensor from shared memory: map, x, y, ..., from. */
static uint64_t store_tensor(const instruction *i)
{
    int32_t at[TMA_RANK] = {0};
    unsigned next = 1 + begin_of(i, 1, at);
    sim_tma_store((const sim_tensor_map *)i->in[0], at,
                  sim_shared_at((uint32_t)i->in[next], i->site), i->site);
    return 0;
}

/** mapa: what is there in another block's shared memory; without .shared an
 *  address of any memory. */
static uint64_t map_address(const instruction *i)
{
    if (has(i, ".shared"))
        return (i->in[0] & RANK_OFFSET) | i->in[1] << RANK_SHIFT;
    return (uintptr_t)sim_cluster_map((const void *)i->in[0],
                                      (unsigned)i->in[1], i->site);
}

/** bar.sync: some threads of the block, at one of 16 barriers; all of them: 0
 *  as __syncthreads. */
static uint64_t block_barrier(const instruction *i)
{
    if (i->count == 1 && i->in[0] == 0)
        sim_barrier(SIM_BARRIER, 0, NULL, 0, i->site);
    else
        sim_numbered_barrier(
            (unsigned)i->in[0],
            i->count > 1 ? (int)i->in[1] : (int)sim_now.threads, i->site);
    return 0;
}

/** One that is a call. */
#define ACTION(name, call)                                                     \
    static uint64_t name(const instruction *i)                                 \
    {                                                                          \
        (void)i;                                                               \
        call;                                                                  \
        return 0;                                                              \
    }

ACTION(commit_group, sim_async_commit())
ACTION(wait_group, sim_async_wait((uint32_t)i->in[0], i->site))
ACTION(bulk_commit, sim_bulk_commit())
ACTION(bulk_wait, sim_bulk_wait((uint32_t)i->in[0]))
ACTION(wait_all, sim_async_commit(); sim_async_wait(0, i->site))
ACTION(barrier_init,
       sim_mbarrier_init(barrier_of(i, i->in[0]), (int)i->in[1], i->site))
ACTION(barrier_expect, sim_mbarrier_expect(barrier_of(i, i->in[0]),
                                           (uint32_t)i->in[1], i->site))
ACTION(wgmma_fence, sim_wgmma_fence())
ACTION(wgmma_commit, sim_wgmma_commit())
ACTION(wgmma_wait, sim_wgmma_wait((uint32_t)i->in[0]))
ACTION(set_registers, sim_registers_set((unsigned)i->in[0], i->site))
ACTION(cluster_arrive, sim_cluster_arrive(i->site))
ACTION(cluster_wait, sim_cluster_wait(i->site))

/** cvta.to.shared: from an address to the offset in the block's memory. */
static uint64_t shared_offset(const instruction *i)
{
    return has(i, ".to.shared") ? sim_shared_address((const void *)i->in[0])
                                : i->in[0];
}

/* The GPU's are exact to about 2^-22, these are rounded. */
OPERATION(
    power_of_two,
    sim_bits_of(sim_flush(exp2f(sim_flush(sim_float_of((uint32_t)i->in[0]))))))
OPERATION(reciprocal,
          sim_bits_of(sim_flush(1.0f /
                                sim_flush(sim_float_of((uint32_t)i->in[0])))))

OPERATION(to_tf32, sim_bits_of(sim_to_tf32(sim_float_of((uint32_t)i->in[0]))))

/** setp.lt.s32 and so on. */
static uint64_t compare(const instruction *i)
{
    uint64_t a = i->in[0], b = i->in[1];
    bool less = is_less(i);
    return has(i, ".eq.")                     ? a == b
           : has(i, ".ne.")                   ? a != b
           : has(i, ".lt.") || has(i, ".lo.") ? less
           : has(i, ".le.") || has(i, ".ls.") ? less || a == b
           : has(i, ".gt.") || has(i, ".hi.") ? !less && a != b
                                              : !less; /* .ge, .hs */
}

OPERATION(choose, i->in[i->in[2] ? 0 : 1])

/** How far the four bytes of two words differ, and a number: their sum. */
static uint64_t sum_of_differences(const instruction *i)
{
    uint32_t sum = (uint32_t)i->in[2];
    for (unsigned bit = 0; bit < 32; bit += 8) {
        uint8_t a = (uint8_t)(i->in[0] >> bit), b = (uint8_t)(i->in[1] >> bit);
        sum += a > b ? a - b : b - a;
    }
    return sum;
}

/** elect.sync: the lowest of the lanes, which have come together. */
static uint64_t elect(const instruction *i)
{
    uint32_t mask = (uint32_t)i->in[0];
    unsigned leader = (unsigned)__builtin_ctz(mask);
    sim_warp(SIM_BALLOT, mask, 1, 0, LANES, NULL, 0, i->site);
    if (i->predicate)
        *i->predicate = lane_index(sim_self, sim_self->lane) % LANES == leader;
    return leader;
}

/** shfl.sync: value, lanes, bounds, mask. The bounds are 5 bits of the last
 * lane of a segment, and 8 bits higher those that all its lanes share. */
static uint64_t shuffle(const instruction *i)
{
    unsigned lane = lane_index(sim_self, sim_self->lane) % LANES;
    unsigned by = i->in[1] & 31, fixed = i->in[2] >> 8 & 31;
    unsigned bound = (lane & fixed) | (i->in[2] & 31 & ~fixed);
    bool up = has(i, ".up");
    unsigned from = up                ? lane - by
                    : has(i, ".down") ? lane + by
                    : has(i, ".bfly") ? lane ^ by
                                      : (lane & fixed) | (by & ~fixed);
    bool inside = up ? (int)from >= (int)bound : from <= bound;
    if (i->predicate)
        *i->predicate = inside;
    return sim_warp(SIM_SHUFFLE, (uint32_t)i->in[3], i->in[0],
                    (int)(inside ? from : lane), LANES, NULL, 0, i->site);
}

/** It only says what will be read soon. */
static uint64_t prefetch(const instruction *i)
{
    (void)i;
    return 0;
}

/** Instructions by the first words of their name. */
static const struct {
    const char *name;                     /**< modifiers may follow */
    uint64_t (*run)(const instruction *); /**< its result */
    bool silent;                          /**< it has none */
} instructions[] = {
    {"mov", move},
    {"add", add},
    {"sub", subtract},
    {"mul", multiply},
    {"mad", multiply_add},
    {"min", minimum},
    {"max", maximum},
    {"and", and_bits},
    {"or", or_bits},
    {"xor", xor_bits},
    {"not", not_bits},
    {"lop3", logic},
    {"shl", shift_left},
    {"shr", shift_right},
    {"shf", funnel_shift},
    {"bfe", extract_field},
    {"bfi", insert_field},
    {"popc", count_ones},
    {"brev", reverse_bits},
    {"clz", count_leading_zeros},
    {"setp", compare},
    {"selp", choose},
    {"vabsdiff4.u32.u32.u32.add", sum_of_differences},
    {"elect.sync", elect},
    {"shfl.sync", shuffle},
    {"cvta", shared_offset},
    {"cvt.rna.tf32.f32", to_tf32},
    {"ex2.approx.ftz.f32", power_of_two},
    {"rcp.approx.ftz.f32", reciprocal},
    {"mapa", map_address},
    {"bar.sync", block_barrier, true},
    {"barrier.sync", block_barrier, true},
    {"barrier.cluster.arrive", cluster_arrive, true},
    {"barrier.cluster.wait", cluster_wait, true},
    {"membar", fence, true},
    {"fence", fence, true},
    {"cp.async.bulk.tensor.2d.shared::cluster.global", copy_tensor, true},
    {"cp.async.bulk.tensor.3d.shared::cluster.global", copy_tensor, true},
    {"cp.async.bulk.tensor.4d.shared::cluster.global", copy_tensor, true},
    {"cp.async.bulk.tensor.2d.global.shared::cta", store_tensor, true},
    {"cp.async.bulk.tensor.3d.global.shared::cta", store_tensor, true},
    {"cp.async.bulk.tensor.4d.global.shared::cta", store_tensor, true},
    {"cp.async.bulk.commit_group", bulk_commit, true},
    {"cp.async.bulk.wait_group", bulk_wait, true},
    {"mbarrier.init", barrier_init, true},
    {"mbarrier.arrive", barrier_arrive},
    {"mbarrier.expect_tx", barrier_expect, true},
    {"mbarrier.try_wait.parity", barrier_wait},
    {"setmaxnreg", set_registers, true},
    {"prefetch.tensormap", prefetch, true},
    {"wgmma.fence", wgmma_fence, true},
    {"wgmma.commit_group", wgmma_commit, true},
    {"wgmma.wait_group", wgmma_wait, true},
    {"cp.async.ca", copy_async, true},
    {"cp.async.cg", copy_async, true},
    {"cp.async.commit_group", commit_group, true},
    {"cp.async.wait_group", wait_group, true},
    {"cp.async.wait_all", wait_all, true},
};

/* ---- special registers -------------------------------------------------- */

static unsigned thread_number(void)
{
    return lane_index(sim_self, sim_self->lane);
}

/** The bit of the calling lane. */
static uint64_t own_bit(void)
{
    return UINT64_C(1) << thread_number() % LANES;
}

/** The registers: what follows the %, a function, its value for the calling
 *  thread. */
#define REGISTERS(X)                                                           \
    X("laneid", lane_id, thread_number() % LANES)                              \
    X("warpid", warp_id, thread_number() / LANES)                              \
    /* No multiprocessors here: blocks go round those of the device. */        \
    X("smid", multiprocessor, sim_block_x() % MULTIPROCESSORS)                 \
    X("lanemask_lt", mask_lower, own_bit() - 1)                                \
    X("lanemask_le", mask_lower_or_equal, 2 * own_bit() - 1)                   \
    X("lanemask_eq", mask_equal, own_bit())                                    \
    X("lanemask_gt", mask_greater, (uint32_t)~mask_lower_or_equal())           \
    X("lanemask_ge", mask_greater_or_equal, (uint32_t)~mask_lower())           \
    X("tid.x", thread_x, sim_thread_x())                                       \
    X("tid.y", thread_y, sim_thread_y())                                       \
    X("tid.z", thread_z, sim_thread_z())                                       \
    X("ctaid.x", block_x, sim_block_x())                                       \
    X("ctaid.y", block_y, sim_block_y())                                       \
    X("ctaid.z", block_z, sim_block_z())                                       \
    X("ntid.x", block_dim_x, sim_block_dim_x())                                \
    X("ntid.y", block_dim_y, sim_block_dim_y())                                \
    X("ntid.z", block_dim_z, sim_block_dim_z())                                \
    X("nctaid.x", grid_dim_x, sim_grid_dim_x())                                \
    X("nctaid.y", grid_dim_y, sim_grid_dim_y())                                \
    X("nctaid.z", grid_dim_z, sim_grid_dim_z())                                \
    X("cluster_ctaid.x", in_cluster_x, sim_block_x() % sim_now.cluster[0])     \
    X("cluster_ctaid.y", in_cluster_y, sim_block_y() % sim_now.cluster[1])     \
    X("cluster_ctaid.z", in_cluster_z, sim_block_z() % sim_now.cluster[2])     \
    X("cluster_nctaid.x", cluster_dim_x, sim_now.cluster[0])                   \
    X("cluster_nctaid.y", cluster_dim_y, sim_now.cluster[1])                   \
    X("cluster_nctaid.z", cluster_dim_z, sim_now.cluster[2])                   \
    X("clusterid.x", cluster_x, sim_block_x() / sim_now.cluster[0])            \
    X("clusterid.y", cluster_y, sim_block_y() / sim_now.cluster[1])            \
    X("clusterid.z", cluster_z, sim_block_z() / sim_now.cluster[2])            \
    X("nclusterid.x", clusters_x, sim_grid_dim_x() / sim_now.cluster[0])       \
    X("nclusterid.y", clusters_y, sim_grid_dim_y() / sim_now.cluster[1])       \
    X("nclusterid.z", clusters_z, sim_grid_dim_z() / sim_now.cluster[2])       \
    X("cluster_ctarank", cluster_rank, sim_cluster_rank())                     \
    X("cluster_nctarank", cluster_blocks, sim_cluster_blocks())                \
    X("clock", clock_32, sim_clock())                                          \
    X("clock64", clock_64, sim_clock())                                        \
    X("globaltimer", global_timer, sim_clock())

#define VALUE(name, function, value)                                           \
    static uint64_t function(void)                                             \
    {                                                                          \
        return value;                                                          \
    }
REGISTERS(VALUE)

#define ROW(name, function, value) {name, function},
static const struct {
    const char *name;
    uint64_t (*value)(void);
} registers[] = {REGISTERS(ROW)};

/* ---- operands ------------------------------------------------------------ */

/** Find %laneid and so on in the table. @return it is there */
static bool find_register(ptx_operand *o)
{
    for (o->index = 0; o->index < sizeof registers / sizeof *registers;
         o->index++)
        if (!strcmp(o->name, registers[o->index].name))
            return true;
    return false;
}

/** Where an operand has its value; NULL: nowhere. */
static uint64_t *place_of(const ptx_operand *o, ptx_frame *frame)
{
    return o->kind == PTX_SLOT    ? &frame->slots[o->index]
           : o->kind == PTX_LOCAL ? &frame->locals[o->index]
                                  : NULL;
}

static uint64_t value_of(const ptx_operand *o, ptx_frame *frame)
{
    const uint64_t *place = place_of(o, frame);
    return o->number + (place                     ? *place
                        : o->kind == PTX_REGISTER ? registers[o->index].value()
                                                  : 0);
}

/** The places of operands that must be registers of the statement. */
static void places_of(const ptx_operand *o, unsigned count, ptx_frame *frame,
                      uint64_t **places)
{
    for (unsigned i = 0; i < count; i++)
        places[i] = place_of(&o[i], frame);
}

/** Are operands registers of the statement, with nothing added? */
static bool are_places(const ptx_operand *o, unsigned count)
{
    for (unsigned i = 0; i < count; i++)
        if (o[i].kind > PTX_LOCAL || o[i].number)
            return false;
    return true;
}

/* ---- tensor cores -------------------------------------------------------- */

static const sim_mma products[] = {
    {"mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32", 8, SIM_HALF,
     SIM_FLOAT},
    {"mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32", 16, SIM_HALF,
     SIM_FLOAT},
    {"mma.sync.aligned.m16n8k8.row.col.f16.f16.f16.f16", 8, SIM_HALF, SIM_HALF},
    {"mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16", 16, SIM_HALF,
     SIM_HALF},
    {"mma.sync.aligned.m16n8k8.row.col.f32.bf16.bf16.f32", 8, SIM_BFLOAT16,
     SIM_FLOAT},
    {"mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32", 16, SIM_BFLOAT16,
     SIM_FLOAT},
    {"mma.sync.aligned.m16n8k4.row.col.f32.tf32.tf32.f32", 4, SIM_TF32,
     SIM_FLOAT},
    {"mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32", 8, SIM_TF32,
     SIM_FLOAT},
};

/** ldmatrix and stmatrix, without what says that the memory is shared. */
static const struct {
    const char *name; /**< all of it */
    unsigned count;   /**< of matrices */
    bool store, transposed;
} matrices[] = {
    {"ldmatrix.sync.aligned.m8n8.x1.b16", 1, false, false},
    {"ldmatrix.sync.aligned.m8n8.x2.b16", 2, false, false},
    {"ldmatrix.sync.aligned.m8n8.x4.b16", 4, false, false},
    {"ldmatrix.sync.aligned.m8n8.x1.trans.b16", 1, false, true},
    {"ldmatrix.sync.aligned.m8n8.x2.trans.b16", 2, false, true},
    {"ldmatrix.sync.aligned.m8n8.x4.trans.b16", 4, false, true},
    {"stmatrix.sync.aligned.m8n8.x1.b16", 1, true, false},
    {"stmatrix.sync.aligned.m8n8.x2.b16", 2, true, false},
    {"stmatrix.sync.aligned.m8n8.x4.b16", 4, true, false},
    {"stmatrix.sync.aligned.m8n8.x1.trans.b16", 1, true, true},
    {"stmatrix.sync.aligned.m8n8.x2.trans.b16", 2, true, true},
    {"stmatrix.sync.aligned.m8n8.x4.trans.b16", 4, true, true},
};

static bool run_product(const ptx_part *part, ptx_frame *frame)
{
    uint64_t *places[TENSOR_REGISTERS];
    places_of(part->operands, part->count, frame, places);
    sim_mma_run(&products[part->row], places, frame->site);
    return true;
}

static bool find_product(ptx_part *part)
{
    part->run = run_product;
    for (part->row = 0; part->row < sizeof products / sizeof *products;
         part->row++)
        if (!strcmp(part->name, products[part->row].name))
            return part->count == sim_mma_registers(&products[part->row]) &&
                   are_places(part->operands, part->count);
    return false;
}

/** An address and registers: the address comes first in a store, else last. */
static bool run_matrix(const ptx_part *part, ptx_frame *frame)
{
    unsigned count = matrices[part->row].count;
    bool store = matrices[part->row].store;
    uint64_t *places[4];
    places_of(part->operands + store, count, frame, places);
    uintptr_t row = value_of(&part->operands[store ? 0 : count], frame);
    if (part->shared)
        row = (uintptr_t)sim_shared_at((uint32_t)row, frame->site);
    sim_tensor_rows(store, count, matrices[part->row].transposed, places, row,
                    frame->site);
    return true;
}

/** Take a modifier out of a name. @return it was there */
static bool drop(char *name, const char *modifier)
{
    char *found = strstr(name, modifier);
    if (found)
        memmove(found, found + strlen(modifier),
                strlen(found + strlen(modifier)) + 1);
    return found != NULL;
}

static bool find_matrix(ptx_part *part)
{
    part->shared = drop(part->name, ".shared");
    drop(part->name, "::cta");
    part->run = run_matrix;
    for (part->row = 0; part->row < sizeof matrices / sizeof *matrices;
         part->row++)
        if (!strcmp(part->name, matrices[part->row].name))
            return part->count == matrices[part->row].count + 1 &&
                   are_places(part->operands + matrices[part->row].store,
                              part->count - 1);
    return false;
}

/** wgmma.mma_async: sums, a, b, add, 1, 1, transposed a, transposed b; with a
 *  in four registers there is no transposed a.
 *  @return we have it: no factors of -1 */
static bool run_wgmma(const ptx_part *part, ptx_frame *frame)
{
    uint64_t *sums[WGMMA_COLUMNS / 2], value[9];
    unsigned count = part->row / 2, more = part->count - count;
    bool held = more == 9, bf16 = strstr(part->name, ".bf16") != NULL;
    places_of(part->operands, count, frame, sums);
    for (unsigned i = 0; i < more; i++)
        value[i] = value_of(&part->operands[count + i], frame);
    const uint64_t *last = &value[held ? 4 : 1]; /* b, add, 1, 1 */
    if (last[2] != 1 || last[3] != 1)
        return false;
    sim_wgmma product = {.n = part->row,
                         .format = bf16 ? SIM_BFLOAT16 : SIM_HALF,
                         .a = value[0],
                         .b = last[0],
                         .a_held = held,
                         .add = last[1],
                         .a_by_columns = !held && last[4],
                         .b_by_rows = value[more - 1],
                         .site = frame->site};
    for (unsigned i = 0; i < 4; i++)
        product.held[i] = (uint32_t)value[i];
    sim_wgmma_run(&product, sums);
    return true;
}

/** m64nNk16, N in the place of a table's row. */
static bool find_wgmma(ptx_part *part)
{
    char form[96];
    part->run = run_wgmma;
    const char *n = strstr(part->name, ".m64n");
    part->row = n ? (unsigned)atoi(n + 5) : 0;
    const char *const types[] = {"bf16.bf16", "f16.f16"};
    for (unsigned i = 0; i < 2; i++) {
        snprintf(form, sizeof form,
                 "wgmma.mma_async.sync.aligned.m64n%uk16.f32.%s", part->row,
                 types[i]);
        if (!strcmp(part->name, form))
            return part->row % 8 == 0 && part->row > 0 &&
                   part->row <= WGMMA_COLUMNS &&
                   (part->count == part->row / 2 + 7 ||
                    part->count == part->row / 2 + 9) &&
                   are_places(part->operands, part->row / 2);
    }
    return false;
}

/* ---- memory -------------------------------------------------------------- */

/** Results, an address, sources: "ld d, [a]", "st [a], v", "atom d, [a], v". */
static bool run_access(const ptx_part *part, ptx_frame *frame)
{
    const sim_ptx_access *a = &part->access;
    unsigned results = a->kind == PTX_LOAD ? a->count : a->kind == PTX_ATOMIC;
    const ptx_operand *sources = part->operands + results + 1;
    uint64_t value[PTX_ELEMENTS] = {0};
    for (unsigned i = 0; a->kind != PTX_LOAD && i < sim_ptx_values(a); i++)
        value[i] = value_of(&sources[i], frame);
    sim_ptx_access_run(a, value_of(&part->operands[results], frame), value,
                       frame->site);
    for (unsigned i = 0; i < results; i++) {
        uint64_t *place = place_of(&part->operands[i], frame);
        if (place)
            *place = value[i];
    }
    return true;
}

/** @return it is one; known: and one that we have, with so many operands */
static bool find_access(ptx_part *part, bool *known)
{
    sim_ptx_access *a = &part->access;
    if (strncmp(part->name, "ld.", 3) && strncmp(part->name, "st.", 3) &&
        strncmp(part->name, "atom.", 5) && strncmp(part->name, "red.", 4))
        return false;
    part->run = run_access;
    *known &= sim_ptx_find_access(part->name, a) &&
              part->count == 1 + (a->kind == PTX_ATOMIC) + sim_ptx_values(a);
    return true;
}

/* ---- one instruction ----------------------------------------------------- */

/** Keep the low bits of a value, with their sign if they have one. */
static uint64_t narrow(uint64_t value, unsigned bits, bool is_signed)
{
    unsigned unused = 64 - bits;
    if (is_signed)
        return (uint64_t)((int64_t)(value << unused) >> unused);
    return value << unused >> unused;
}

/** "mad.lo.u32 %0, %1, 3, %2": the result comes first, if there is one. */
static bool run_function(const ptx_part *part, ptx_frame *frame)
{
    bool silent = instructions[part->row].silent;
    instruction i = {.name = part->name,
                     .bits = part->bits,
                     .is_signed = part->is_signed,
                     .count = part->count - !silent,
                     .predicate = place_of(&part->second, frame),
                     .site = frame->site};
    for (unsigned k = 0; k < i.count; k++)
        i.in[k] = narrow(value_of(&part->operands[k + !silent], frame), i.bits,
                         i.is_signed);
    uint64_t value = instructions[part->row].run(&i);
    uint64_t *result = silent ? NULL : place_of(part->operands, frame);
    if (result)
        *result =
            part->wide || i.bits == 64 ? value : narrow(value, i.bits, false);
    return true;
}

/** Type at the end of a name: ".u32". .wide doubles the result only. Copies
 *  have none: their operands are addresses. */
static void read_type(ptx_part *part)
{
    const char *type = strrchr(part->name, '.');
    bool copy = !strncmp(part->name, "cp.", 3);
    unsigned bits = !copy && type ? (unsigned)atoi(type + 2) : 0;
    part->bits = copy || bits == 64 ? 64 : bits == 16 ? 16 : 32;
    part->is_signed = !copy && type && type[1] == 's';
    part->wide = strstr(part->name, ".wide") != NULL;
}

/** Is a name this one, or this one with modifiers? */
static bool begins_with(const char *name, const char *words)
{
    size_t length = strlen(words);
    return !strncmp(name, words, length) &&
           (!name[length] || name[length] == '.');
}

static bool find_function(ptx_part *part)
{
    read_type(part);
    part->run = run_function;
    for (part->row = 0; part->row < sizeof instructions / sizeof *instructions;
         part->row++) {
        if (!begins_with(part->name, instructions[part->row].name))
            continue;
        bool silent = instructions[part->row].silent;
        return part->count <= MAX_SOURCES + (silent ? 0u : 1u) &&
               (silent ||
                (part->count && (part->operands->kind == PTX_NOTHING ||
                                 are_places(part->operands, 1))));
    }
    return false;
}

/* ---- an asm statement ---------------------------------------------------- */

/** Look a program's words up in the tables; one that we do not know empties it.
 */
static ptx_program *look_up(ptx_program *program)
{
    bool known = true;
    for (unsigned i = 0; i < program->operand_count; i++)
        known &= program->operands[i].kind != PTX_REGISTER ||
                 find_register(&program->operands[i]);
    for (unsigned i = 0; i < program->count; i++) {
        ptx_part *part = &program->parts[i];
        if (!part->name || part->jumps || find_access(part, &known))
            continue;
        known &= begins_with(part->name, "wgmma.mma_async") ? find_wgmma(part)
                 : strstr(part->name, "matrix.")            ? find_matrix(part)
                 : begins_with(part->name, "mma")           ? find_product(part)
                                                  : find_function(part);
    }
    program->count *= known;
    return program;
}

/** Run all its instructions. @return are all known? */
static bool run_statement(const ptx_program *program, ptx_frame *frame)
{
    for (unsigned at = 0, next; at < program->count; at = next) {
        const ptx_part *part = &program->parts[at];
        const uint64_t *guard = place_of(&part->guard, frame);
        next = at + 1;
        if (guard && !*guard != part->negated)
            continue;
        if (part->jumps)
            next = part->row;
        else if (part->run && !part->run(part, frame))
            return false;
    }
    return program->count > 0;
}

void sim_hook_ptx(const char *text, void **kept, uint64_t *slots, uint32_t site)
{
    sim_worker *w = sim_self;
    if (!w->lane)
        return; /* host code has no PTX */
    /* Two threads may read it at once: both get the same. */
    ptx_program *program = __atomic_load_n(kept, __ATOMIC_ACQUIRE);
    if (!program) {
        program = look_up(sim_ptx_read(text));
        __atomic_store_n(kept, program, __ATOMIC_RELEASE);
    }
    if (run_statement(program, &(ptx_frame){.slots = slots, .site = site}))
        return;
    sim_finding("unknown-ptx", sim_place_at(w, site),
                "inline PTX that the simulator does not know: %s", text);
    sim_end_launch(w, cudaErrorInvalidPtx);
}
