// The race check's share of an access, and how sanitizers name places.
#pragma once

#include <span>
#include <string>

#include "ir/eval/machine.h"

namespace tsr::ir::eval {

// One touch of one element of view `row` by those who make the access: it is held against the touches before it,
// copies under way, and, read from a buffer, against being written at all.
void watch_element(Machine& machine, const Inst& inst, uint32_t row, const View& view, int64_t element, TouchKind kind,
                   std::span<const Actor> actors);

// The group's own touch of `count` elements, `step` apart.
void watch_row(Machine& machine, const Inst& inst, uint32_t row, const View& view, int64_t first, int64_t step,
               size_t count, TouchKind kind);

// "[2, 3]", of a buffer with stages as the source writes it: the stage, then the element.
std::string position(const Machine& machine, uint32_t row, const View& view, int64_t element);
// The same of a register tile's element.
std::string tile_position(const Type& tile, size_t element);

}  // namespace tsr::ir::eval
