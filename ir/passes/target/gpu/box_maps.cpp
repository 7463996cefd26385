#include "ir/passes/target/gpu/box_maps.h"

#include <algorithm>

#include "ir/core/internal.h"

namespace tsr::ir {

namespace {

template <typename Visit>
void each_op(const Function& function, Visit visit) {
    for (size_t i = 0; i < function.op_count(); ++i) {
        const Op& op = function.op(OpId(i));
        if (op.parent.valid()) visit(op);
    }
}

}  // namespace

BoxMap box_map(const Function& function, const Op& copy) {
    const ValueId tensor = BoxOp(function, copy).tensor();
    const Op& slot = function.op(function.value(tensor).op);
    if (slot.kind != OpKind::slot) internal_error("a box of a tensor that is no argument");
    return {slot.attrs.integer(Attr::count), bits(function.type(tensor).elem) / 8, copy.attrs.integer(Attr::width, 0),
            copy.attrs.integers(Attr::extents)};
}

std::vector<BoxMap> box_maps(const Function& function) {
    std::vector<BoxMap> maps;
    each_op(function, [&](const Op& op) {
        if (!is_box(op.kind)) return;
        BoxMap map = box_map(function, op);
        if (std::ranges::find(maps, map) == maps.end()) maps.push_back(std::move(map));
    });
    return maps;
}

bool takes_groups_in_turn(const Function& function) {
    bool asks = false;
    each_op(function, [&](const Op& op) { asks |= op.kind == OpKind::block_count; });
    return asks;
}

bool stored_rows_suit(const Function& kernel, const Function& function) {
    constexpr int64_t kUnit = 16;
    const auto row = [&](int64_t slot) { return kernel.type(kernel.params()[static_cast<size_t>(slot)]).shape.back(); };
    std::vector<BoxMap> loaded, stored;
    each_op(function, [&](const Op& op) {
        if (op.kind == OpKind::copy_box) loaded.push_back(box_map(function, op));
        if (op.kind == OpKind::store_box) stored.push_back(box_map(function, op));
    });
    return std::ranges::all_of(stored, [&](const BoxMap& to) {
        if (const auto known = row(to.slot).constant_value()) return *known * to.bytes % kUnit == 0;
        return std::ranges::any_of(
            loaded, [&](const BoxMap& from) { return row(from.slot) == row(to.slot) && to.bytes % from.bytes == 0; });
    });
}

}  // namespace tsr::ir
