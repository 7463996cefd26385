// Copies of boxes of tensors, what waits for them, and who does: calls (Target, `runtime`) of
//   mbarrier_init {count} m     m, a u64 in shared memory: phases of `count` arrivals and the bytes that they expect
//   mbarrier_end m              its place is common memory again
//   mbarrier_fence              the other threads' copies see the mbarriers that this thread has made
//   mbarrier_arrive {count} m   with `count`: and so many bytes of copies more
//   mbarrier_arrive m, block    at the same place in that block of the cluster
//   mbarrier_wait m, parity     until the phase of this parity, the running one or the one before, has ended; with
//                               `mode` "cluster" what others did in the cluster before they arrived is seen
//   copy_box {axes, width} to, m, tensor, starts…    one thread: the box of extents `axes` of the tensor of a slot
//                               (0 outside of it) in dense rows of `width` bytes, whose pieces of 16 bytes change
//                               places (PTX ISA, swizzling modes); without `width` none does. Its bytes arrive at m.
//                               With `mode` "cluster" in both blocks of the cluster, at the same places.
//   store_matrices p, values    four matrices of eight rows of 16 bytes (or two), elements of 16 bits: lane l gives the
//                               address of row l % 8 of number l / 8, and has two elements of each: 2 (l % 4) and the
//                               next one of row l / 4 (PTX ISA, stmatrix)
//   store_box {axes, width} from, tensor, starts…    one thread: the same back to the tensor, but what lies outside of
//                               it, as a group of its own. It reads what was written before a proxy_fence.
//   boxes_read {count}          until all of this thread's groups but so many have been read
//   warp_barrier                the lanes of the warp meet
//   block_count                 blocks of the launch; who asks takes groups in turn, so that there may be fewer
//   cluster_rank, cluster_count this block's number in its cluster, and how many that has; a launch may have none: 0, 1
//   cluster_barrier             all threads of the cluster meet
//   fewer_registers {count}, more_registers {count}  of each thread of the warp group from here on
// All of them but the copies order memory for those who meet (PTX ISA, mbarrier, cp.async.bulk.tensor, setmaxnreg).
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "ir/core/function.h"

namespace tsr::codegen {

// TsrCudaMap of runtime/abi/boxes.h.
struct BoxMap {
    int64_t slot = 0;   // of the launch
    int64_t bytes = 0;  // of an element
    int64_t swizzle = 0;
    std::vector<int64_t> box;

    bool operator==(const BoxMap&) const = default;
};

bool is_box_call(const ir::Op& op);
// What a `copy_box` or `store_box` wants.
BoxMap box_map(const ir::Function& function, const ir::Op& copy);
// Whether tensors whose boxes are copied into shared memory have the same shown of those that boxes are stored to: rows
// that are multiples of 16 bytes. `kernel`: of level Tile, from which the function was made.
bool stored_rows_suit(const ir::Function& kernel, const ir::Function& function);
// Those of all of a function, each once, in the order of its parameters.
std::vector<BoxMap> box_maps(const ir::Function& function);
// Blocks of a launch may be fewer than its groups.
bool takes_groups_in_turn(const ir::Function& function);
inline bool copies_boxes(const ir::Function& function) { return !box_maps(function).empty(); }

}  // namespace tsr::codegen
