// A dimension that gets its value while a function runs.
#pragma once

#include <algorithm>
#include <string>

#include "ir/ops/handle.h"

namespace tsr::ir {

// A `dim` with an operand: its symbol has the operand's value from here to the end of the region.
struct BoundDimOp : Handle<OpKind::dim> {
    using Handle::Handle;
    static bool is_one(const Op& op) { return op.kind == OpKind::dim && !op.operands.empty(); }
    [[nodiscard]] ValueId value() const { return operand(0); }
    [[nodiscard]] std::string symbol() const { return attrs().dim(Attr::dim).symbol_name().value(); }
};

// One more symbol of the function, named like this.
inline Dim make_symbol(Function& fn, const std::string& like) {
    std::string name = like;
    for (int i = 1; std::ranges::find(fn.symbols, name) != fn.symbols.end(); ++i) name = like + "_" + std::to_string(i);
    fn.symbols.push_back(name);
    return Dim::symbol(std::move(name));
}

}  // namespace tsr::ir
