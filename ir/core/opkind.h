// The names of all operations, once. What is true of each stands in its record (ir/ops).
#pragma once

#include <cstdint>
#include <string_view>

// clang-format off
// Two numbers are compared: a bool.
#define TSR_COMPARISON_OPS(X) X(eq) X(ne) X(lt) X(le) X(gt) X(ge)
// One or a few instructions on every machine.
#define TSR_ARITHMETIC_OPS(X)                                                                                     \
    X(add) X(sub) X(mul) X(div) X(floordiv) X(mod) X(neg) X(fma) X(minimum) X(maximum)                            \
    X(bit_and) X(bit_or) X(bit_xor) X(bit_not) X(shl) X(shr)                                                      \
    TSR_COMPARISON_OPS(X) X(select) X(cast) X(bitcast)
// Functions that the C library has, too, under the same name, and that become formulas (ir/passes/math).
#define TSR_LIBRARY_OPS(X)                                                                                        \
    X(pow) X(atan2) X(exp) X(exp2) X(expm1) X(log) X(log2) X(log10) X(log1p)                                      \
    X(sin) X(cos) X(tan) X(asin) X(acos) X(atan) X(sinh) X(cosh) X(tanh) X(erf) X(cbrt)
// Others that become formulas.
#define TSR_FORMULA_OPS(X) X(rsqrt) X(sign) X(isnan) X(isinf) X(isfinite)
// And those of rounding to narrower floats (ir/passes/math/expand_rounding.h).
#define TSR_ROUNDING_OPS(X) X(cut) X(dither) X(philox)
// The rest.
#define TSR_OTHER_ELEMENT_OPS(X)                                                                                  \
    X(table) X(abs) X(sqrt) X(floor) X(ceil) X(round) X(trunc) TSR_ROUNDING_OPS(X)
// The one vocabulary of element operations: scalars, vectors, lanes and register tiles alike.
#define TSR_ELEMENT_OPS(X) TSR_ARITHMETIC_OPS(X) TSR_LIBRARY_OPS(X) TSR_FORMULA_OPS(X) TSR_OTHER_ELEMENT_OPS(X)
// Values and structured control flow, on every level.
#define TSR_CONTROL_OPS(X) X(constant) X(yield) X(for_) X(while_) X(if_) X(call) X(dim) X(print) X(assert_)
// Memory, on levels Host and Tile.
#define TSR_MEMORY_OPS(X) X(read) X(write) X(read_vector) X(write_vector) X(vector_extract) X(vector_build)
// Copies that run beside the program, and what orders them.
#define TSR_COPY_OPS(X) X(copy_async) X(commit) X(wait_group) X(barrier)
// What is done to a slot of a ring, in this order.
#define TSR_RING_OPS(X) X(acquire) X(fill) X(take) X(release)
#define TSR_PIPELINE_OPS(X) TSR_COPY_OPS(X) TSR_RING_OPS(X)
// What the tiles of a group are, have and do together.
#define TSR_GROUP_OPS(X)                                                                                          \
    X(tile_id) X(lane_id) X(group_id) X(group_size) X(group_count)                                                \
    X(buffer) X(stage) X(atomic)                                                                                  \
    X(group_reduce) X(group_scan) X(shuffle) X(broadcast) X(ballot) X(buffer_reduce)                              \
    X(grid) X(lanes) X(lane_read) X(result)
// A kernel: the program of one group.
#define TSR_TILE_OPS(X) TSR_GROUP_OPS(X) TSR_PIPELINE_OPS(X)
// Axes of register tiles, and of the tensors of graphs.
#define TSR_AXIS_OPS(X) X(expand) X(transpose) X(reduce) X(scan)
// Register tiles: values of the whole group.
#define TSR_REGISTER_OPS(X)                                                                                       \
    TSR_AXIS_OPS(X) X(load_tile) X(store_tile) X(atomic_tile) X(tile_iota) X(flip) X(mma) X(pack_rows) X(mma_words)
// Whole tensors: what operator graphs have beside element operations and those of register tiles.
#define TSR_GRAPH_OPS(X)                                                                                          \
    X(full) X(contract) X(vjp) X(jvp) X(batch) X(stop) X(positions) X(reshape) X(slice) X(pad) X(concat)          \
    X(update) X(reduce_index) X(gather_axis) X(scatter_axis) X(sort) X(sort_index)
// Host programs.
#define TSR_HOST_OPS(X) X(launch) X(host) X(shape_of) X(string)
// A machine's own: memory, vectors, what a task is told.
#define TSR_TARGET_OPS(X)                                                                                         \
    X(slot) X(task_begin) X(task_end) X(scratch) X(stack) X(pointer_add) X(load) X(store) X(gather) X(scatter)    \
    X(splat) X(iota) X(extract) X(insert) X(vector_reduce) X(for_active) X(atomic_rmw) X(memory_copy) X(prefetch)   \
    X(runtime) X(dot_words)
// Threads of a GPU.
#define TSR_GPU_OPS(X)                                                                                            \
    X(thread_id) X(block_id) X(block_count) X(block_barrier) X(warp_barrier) X(warp_shuffle) X(warp_vote)         \
    X(async_copy) X(async_commit) X(async_wait) X(load_matrix) X(store_matrix) X(matrix_descriptor)               \
    X(warp_mma) X(group_mma) X(group_wait) X(proxy_fence) X(fewer_registers) X(more_registers)            \
    X(await_turn) X(pass_turn)
// Copies of boxes of tensors, and clusters of blocks that share them.
#define TSR_BOX_OPS(X)                                                                                            \
    X(mbarrier_init) X(mbarrier_fence) X(mbarrier_arrive) X(mbarrier_wait) X(copy_box) X(store_box) X(boxes_read) \
    X(cluster_rank) X(cluster_count) X(cluster_barrier)
// clang-format on

namespace tsr::ir {

#define TSR_NAME(op) op,
enum class OpKind : uint8_t {
    TSR_ELEMENT_OPS(TSR_NAME) TSR_CONTROL_OPS(TSR_NAME) TSR_MEMORY_OPS(TSR_NAME) TSR_TILE_OPS(TSR_NAME)
        TSR_REGISTER_OPS(TSR_NAME) TSR_GRAPH_OPS(TSR_NAME) TSR_HOST_OPS(TSR_NAME) TSR_TARGET_OPS(TSR_NAME)
            TSR_GPU_OPS(TSR_NAME) TSR_BOX_OPS(TSR_NAME) count_
};
#undef TSR_NAME

#define TSR_ONE(op) +1
inline constexpr int kArithmeticOps = TSR_ARITHMETIC_OPS(TSR_ONE);
inline constexpr int kElementOps = TSR_ELEMENT_OPS(TSR_ONE);
inline constexpr int kLibraryOps = TSR_LIBRARY_OPS(TSR_ONE);
#undef TSR_ONE

// The operations are numbered in the order of the lists above, element operations first.
constexpr bool is_arithmetic(OpKind kind) { return static_cast<int>(kind) < kArithmeticOps; }
constexpr bool is_element(OpKind kind) { return static_cast<int>(kind) < kElementOps; }
// The C library has it.
constexpr bool is_library_function(OpKind kind) {
    return !is_arithmetic(kind) && static_cast<int>(kind) < kArithmeticOps + kLibraryOps;
}
#define TSR_IS(op) kind == OpKind::op ||
constexpr bool is_comparison(OpKind kind) { return TSR_COMPARISON_OPS(TSR_IS) false; }
constexpr bool is_of_ring(OpKind kind) { return TSR_RING_OPS(TSR_IS) false; }
#undef TSR_IS

}  // namespace tsr::ir
