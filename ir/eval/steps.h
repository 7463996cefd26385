// The instructions. Each file steps_*.cpp holds a family.
#pragma once

#include "ir/eval/program.h"

namespace tsr::ir::eval::steps {

// Where an instruction that does not jump goes on.
inline const Inst* next(const Inst& inst) { return &inst + 1; }

#define TSR_STEP(name) const Inst* name(Machine& machine, const Inst& inst);
// Element operations: `loop` over `count` elements, or over the lanes at work (`count` more for vectors).
TSR_STEP(one)
TSR_STEP(lanes)
TSR_STEP(check_one)  // of the operation before, whose slots and count it has: is its result finite?
TSR_STEP(check_lanes)
TSR_STEP(check_finite)  // the parts of a text: operands, last the result
TSR_STEP(fill)          // result[lanes] = a
TSR_STEP(fill_all)      // of every lane of a full frame
TSR_STEP(copy_bytes)    // `count` bytes
TSR_STEP(copy_chosen)   // `count` bytes of a where c holds, else of b
TSR_STEP(copy_lanes)    // `data` bytes per element, `count` more elements
TSR_STEP(merge_lanes)   // the same where the mask is true
TSR_STEP(number)        // result = a number of the launch, see `LaunchNumber`
TSR_STEP(lane_number)
// Control.
TSR_STEP(stop)
TSR_STEP(jump)
TSR_STEP(jump_unless)
TSR_STEP(loop_begin)
TSR_STEP(loop_next)
TSR_STEP(loop_test)  // counts rounds of a uniform while
TSR_STEP(mask_if)
TSR_STEP(mask_else)
TSR_STEP(mask_end)
TSR_STEP(mask_loop_begin)
TSR_STEP(mask_while_test)
TSR_STEP(mask_for_begin)
TSR_STEP(mask_for_test)
TSR_STEP(mask_for_next)
TSR_STEP(lanes_begin)
TSR_STEP(lanes_end)
TSR_STEP(grid_begin)
TSR_STEP(grid_next)
// Memory.
TSR_STEP(read)
TSR_STEP(write)
TSR_STEP(atomic)
TSR_STEP(stage)
TSR_STEP(barrier)
TSR_STEP(copy_async)
TSR_STEP(commit)
TSR_STEP(wait_group)
// Register tiles.
TSR_STEP(load_tile)
TSR_STEP(store_tile)
TSR_STEP(atomic_tile)
TSR_STEP(expand)
TSR_STEP(tile_iota)
TSR_STEP(transpose)
TSR_STEP(move_tile)
TSR_STEP(reduce)
TSR_STEP(scan)
TSR_STEP(mma)
// The group together.
TSR_STEP(group_reduce)
TSR_STEP(group_scan)
TSR_STEP(shuffle)
TSR_STEP(ballot)
TSR_STEP(buffer_reduce)
TSR_STEP(result)
// Text.
TSR_STEP(print)
TSR_STEP(assert_true)
#undef TSR_STEP

// Which number `number` gives.
enum class LaunchNumber : uint32_t { group, group_x, group_y, group_z, count, count_x, count_y, count_z };

}  // namespace tsr::ir::eval::steps
