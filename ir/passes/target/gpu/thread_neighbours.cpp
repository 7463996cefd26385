// Neighbouring tiles that one thread does at once: what they read and write side by side goes in wide accesses.
#include <algorithm>

#include "ir/ops/memory.h"
#include "ir/passes/target/gpu/thread_code.h"

namespace tsr::ir {

void ThreadCode::neighbours(const Op& op, const Axis& axis, ValueId first) {
    const auto many = static_cast<size_t>(plan.gpu().tiles_per_thread);
    const Region& body = tile.region(op.regions[0]);
    const ValueId index = body.args[0];
    std::vector<std::unordered_map<ValueId, ValueId>> own(many);  // values of each tile
    for (size_t i = 0; i < many; ++i) {
        ValueId number = emit.add(first, emit.integer(static_cast<int64_t>(i)));
        own[i][index] = emit.add(axis.lower, emit.mul(number, axis.step));
    }
    auto value = [&](size_t i, ValueId old) {
        auto found = own[i].find(old);
        return found != own[i].end() ? found->second : scalars.at(old);
    };
    // How many elements of the memory one access takes.
    auto width = [&](DType elem) {
        return std::min<size_t>(many, static_cast<size_t>(kAccess / ((bits(elem) + 7) / 8)));
    };
    auto attrs = [&](DType elem) {
        const auto bytes = static_cast<int64_t>(width(elem)) * ((bits(elem) + 7) / 8);
        return Attrs{{Attr::alignment, bytes}};
    };
    auto read = [&](const ReadOp& access) {
        const DType elem = tile.type(access.memory()).elem;
        const size_t step = width(elem);
        for (size_t i = 0; i < many; i += step) {
            ValueId from = address(memories.at(access.memory()), {own[i].at(index)});
            Attrs wide = attrs(elem);
            wide.set(Attr::width, static_cast<int64_t>(step));
            ValueId all = emit.op(OpKind::load, {from}, wide);
            for (size_t part = 0; part < step; ++part) {
                own[i + part][access.result()] =
                    emit.op(OpKind::extract, {all}, {{Attr::axis, static_cast<int64_t>(part)}});
            }
        }
    };
    auto write = [&](const WriteOp& access) {
        const DType elem = tile.type(access.memory()).elem;
        const size_t step = width(elem);
        for (size_t i = 0; i < many; i += step) {
            ValueId all = emit.splat(value(i, access.value()), static_cast<int64_t>(step));
            for (size_t part = 1; part < step; ++part) {
                all = emit.op(OpKind::insert, {all, value(i + part, access.value())},
                              {{Attr::axis, static_cast<int64_t>(part)}});
            }
            ValueId to = address(memories.at(access.memory()), {own[i].at(index)});
            emit.statement(OpKind::store, {to, all}, attrs(elem));
        }
    };
    for (OpId id : body.ops) {
        const Op& inner = tile.op(id);
        emit.place = inner.place;
        if (inner.kind == OpKind::yield) continue;
        if (inner.kind == OpKind::read) {
            read(ReadOp(tile, inner));
        } else if (inner.kind == OpKind::write) {
            write(WriteOp(tile, inner));
        } else {
            for (size_t i = 0; i < many; ++i) {
                for (ValueId v : inner.operands) scalars[v] = value(i, v);
                scalar_operation(inner);
                own[i][inner.results[0]] = scalars.at(inner.results[0]);
            }
        }
    }
}

}  // namespace tsr::ir
