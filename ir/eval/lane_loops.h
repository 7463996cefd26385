// What one instruction set's files of loops give each other. TSR_ISA is the set's namespace, given by the build.
#pragma once

#include "ir/eval/lane_ops.h"

namespace tsr::ir::eval::TSR_ISA {

LaneFn element_loop(OpKind op, DType type);
LaneFn cast_loop(DType from, DType to);
LaneFn random_word_loop();
void nearest_tf32(void* result, const void* a, const void* b, const void* c, size_t n);
LaneFn rounding_loop(OpKind op, DType from, DType to);
void set_mask_loops(LaneOps& ops);
void set_tile_loops(LaneOps& ops);

}  // namespace tsr::ir::eval::TSR_ISA
