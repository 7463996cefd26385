#include "ir/passes/tile/pending_lanes.h"

#include <algorithm>

#include "ir/passes/tile/walk.h"

namespace tsr::ir {

bool Touched::conflicts(const Touched& later) const {
    auto in = [](const std::unordered_set<ValueId>& a, const std::unordered_set<ValueId>& b) {
        return std::ranges::any_of(a, [&](ValueId v) { return b.contains(v); });
    };
    return in(written, later.read) || in(written, later.written) || in(read, later.written) || (says && later.says);
}

Touched touched_by(const Function& function, OpId op) {
    Touched touched;
    auto add = [&](const Op& o) {
        for (ValueId m : read_memories(function, o)) touched.read.insert(memory_root(function, m));
        for (ValueId m : written_memories(function, o)) touched.written.insert(memory_root(function, m));
        if (o.kind == OpKind::print || o.kind == OpKind::assert_) touched.says = true;
        return false;
    };
    any_in(function, op, add);
    return touched;
}

}  // namespace tsr::ir
