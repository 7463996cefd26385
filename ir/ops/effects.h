// What an operation does with all that stands in its regions.
#pragma once

#include <vector>

#include "ir/ops/record.h"

namespace tsr::ir {

struct Touches {
    std::vector<ValueId> reads;  // memory operands, of nested operations too; each once
    std::vector<ValueId> writes;
    std::vector<Effect> effects;  // each once

    [[nodiscard]] bool has(Effect effect) const;
    // Nothing remains of it when its results are unused. (An allocation may go, its memory is then unnamed.)
    [[nodiscard]] bool removable() const;
    // Two of equal operands are one.
    [[nodiscard]] bool pure() const { return reads.empty() && writes.empty() && effects.empty(); }
};

// Of the operation alone, without its regions: the operands whose memory it reads, and those whose memory it writes. An
// atomic does both.
std::vector<ValueId> read_memories(const Function& function, const Op& op);
std::vector<ValueId> written_memories(const Function& function, const Op& op);

// True for operations that all tiles of a group (or warp) do together; everything on register tiles is.
bool is_collective(const Function& function, const Op& op);
// An operand or result of it is a register tile.
bool is_of_register_tiles(const Function& function, const Op& op);

Touches touches(const Function& function, OpId op);
Touches touches(const Function& function, RegionId region);

// Calls `visit` for every operation that stands in the region, outer before inner, in the order of the text.
template <typename Visit>
void for_each_op(const Function& function, RegionId region, Visit&& visit) {
    for (size_t i = 0; i < function.region(region).ops.size(); ++i) {
        const OpId op = function.region(region).ops[i];
        visit(op);
        for (RegionId inner : function.op(op).regions) for_each_op(function, inner, visit);
    }
}

}  // namespace tsr::ir
