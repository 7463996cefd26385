#include "ir/passes/target/gpu/refuse.h"

#include <algorithm>

#include <fmt/format.h>

#include "ir/passes/target/cpu/tiles/uses.h"
#include "ir/passes/target/gpu/tiles/layouts.h"

namespace tsr::ir {

namespace {

constexpr int64_t kRegistersOfThread = 512;  // elements of a tile in one thread

}  // namespace

std::optional<NoGpuCode> without_tile_code(const Function& kernel, OpId id) {
    const Op& op = kernel.op(id);
    std::vector<ValueId> tiles;
    for (const auto* list : {&op.operands, &op.results}) {
        std::ranges::copy_if(*list, std::back_inserter(tiles), [&](ValueId v) { return is_tile(kernel, v); });
    }
    if (tiles.empty()) return std::nullopt;
    for (ValueId tile : tiles) {
        const Type& type = kernel.type(tile);
        if (element_count(type) / tile_threads(kernel).value_or(1) > kRegistersOfThread) {
            return NoGpuCode{id, fmt::format("a register tile as large as {}", type.text())};
        }
    }
    if (op.kind == OpKind::mma_words || op.kind == OpKind::pack_rows) return NoGpuCode{id, "packed operands"};
    return std::nullopt;
}

}  // namespace tsr::ir
