// Control flow to jumps and masks. What a loop carries stands in the slots of its results.
#include <fmt/format.h>

#include "ir/eval/compile.h"
#include "ir/eval/steps.h"
#include "ir/ops/control.h"

namespace tsr::ir::eval {

void Compiler::move_one(const Move& move, bool masked) {
    const uint32_t size = size_of(move.from);
    const uint32_t width = width_of(move.from);
    if (!move.to_many) {
        Inst& inst = emit(&steps::copy_bytes, {});
        inst.result = move.to.one;
        inst.a = home(move.from).one;
        inst.count = size * width;
        return;
    }
    if (!varies(move.from) && !masked) return spread_into(move.from, move.to.many, false);
    Slot from = home(move.from).many;
    const size_t temporaries = temporaries_.size();
    if (!varies(move.from)) {
        from = temporary(array_bytes(move.from));
        spread_into(move.from, from, false);
    }
    Inst& inst = emit(masked ? &steps::merge_lanes : &steps::copy_lanes, {});
    inst.loop = ops_.blend(size);
    inst.result = move.to.many;
    inst.a = from;
    inst.data = size;
    // copy_lanes takes the components as one stretch of elements.
    inst.count = (width - 1) * program_.lanes;
    drop_temporaries(temporaries);
}

// All at once: a value whose slot another move overwrites is saved first.
void Compiler::move(std::vector<Move> moves, bool masked) {
    std::erase_if(moves, [&](const Move& m) {
        const Home& from = home(m.from);
        return m.to_many ? varies(m.from) && from.many == m.to.many : from.one == m.to.one;
    });
    const size_t temporaries = temporaries_.size();
    std::vector<std::pair<ValueId, Home>> saved;
    for (const Move& m : moves) {
        const bool many = varies(m.from);
        const Slot source = many ? home(m.from).many : home(m.from).one;
        for (const Move& other : moves) {
            if (&other == &m || (other.to_many ? other.to.many : other.to.one) != source) continue;
            const uint64_t bytes =
                many ? array_bytes(m.from) : static_cast<uint64_t>(size_of(m.from)) * width_of(m.from);
            Move save{m.from, {}, many};
            (many ? save.to.many : save.to.one) = temporary(bytes);
            move_one(save, false);
            saved.emplace_back(m.from, home(m.from));
            (many ? home(m.from).many : home(m.from).one) = many ? save.to.many : save.to.one;
            break;
        }
    }
    for (const Move& m : moves) move_one(m, masked);
    for (const auto& [v, before] : saved) home(v) = before;
    drop_temporaries(temporaries);
}

void Compiler::bind_carried(const Op& op, std::span<const ValueId> initial, std::span<const ValueId> args) {
    std::vector<Move> moves;
    for (size_t i = 0; i < args.size(); ++i) {
        const ValueId result = op.results[i];
        take_home(result);
        const bool many = varies(result);
        Home& arg = home(args[i]);
        arg = many ? Home{0, home(result).many, false} : Home{home(result).one, 0, true};
        moves.push_back({initial[i], home(result), many});
    }
    if (!initial.empty()) move(std::move(moves), false);
}

// At the head of a region: arrays of what is one for all in this round.
void Compiler::spread_args(RegionId id) {
    for (ValueId arg : fn_.region(id).args) {
        Home& at = home(arg);
        if (varies(arg) || !facts_.needs_array[arg.index]) continue;
        at.many = take_array(arg);
        at.owned = true;
        spread_into(arg, at.many, !in_lanes_);
    }
}

void Compiler::move_yield(RegionId id, const Op& op, bool masked) {
    std::vector<Move> moves;
    const std::vector<ValueId>& values = yielded(id);
    for (size_t i = 0; i < op.results.size(); ++i) {
        moves.push_back({values[i], home(op.results[i]), varies(op.results[i])});
    }
    move(std::move(moves), masked);
    // What only the yield used is free again.
    release_after(fn_.region(id).ops.back());
}

void Compiler::for_loop(OpId id, const Op& op) {
    return facts_.divergent[id.index] ? for_divergent(id, op) : for_uniform(id, op);
}

void Compiler::while_loop(OpId id, const Op& op) {
    return facts_.divergent[id.index] ? while_divergent(id, op) : while_uniform(id, op);
}

void Compiler::branch(OpId id, const Op& op) {
    return facts_.divergent[id.index] ? if_divergent(id, op) : if_uniform(id, op);
}

void Compiler::for_uniform(OpId id, const Op& op) {
    const auto args = std::span(fn_.region(op.regions[0]).args);
    const ForOp written(fn_, id);
    bind_carried(op, written.inits(), written.carried());
    LoopData loop;
    loop.lower = wide_one(written.lower());
    loop.upper = wide_one(written.upper());
    loop.step = wide_one(written.step());
    loop.rounds = frame_.take(8);
    loop.iv = frame_.take(8);  // little-endian: its low bytes are the counter in its own type
    loop.is_signed = is_signed(fn_.type(args[0]).elem);
    home(args[0]) = {loop.iv, 0, true};
    const auto row = static_cast<uint32_t>(program_.loops.size());
    program_.loops.push_back(loop);

    const uint32_t begin = here();
    emit(&steps::loop_begin, id).data = row;
    const uint32_t body = here();
    spread_args(op.regions[0]);
    region(op.regions[0]);
    if (failure_) return;
    move_yield(op.regions[0], op, false);
    Inst& again = emit(&steps::loop_next, id);
    again.data = row;
    again.target = body;
    program_.code[begin].target = here();
    for (ValueId result : op.results) spread(result);
}

void Compiler::while_uniform(OpId id, const Op& op) {
    bind_carried(op, op.operands, fn_.region(op.regions[0]).args);
    for (size_t i = 0; i < op.results.size(); ++i) {
        home(fn_.region(op.regions[1]).args[i]) = home(fn_.region(op.regions[0]).args[i]);
    }
    const uint32_t test = here();
    spread_args(op.regions[0]);
    region(op.regions[0]);
    if (failure_) return;
    const uint32_t leave = here();
    emit(&steps::loop_test, id).a = home(yielded(op.regions[0])[0]).one;
    release_after(fn_.region(op.regions[0]).ops.back());
    spread_args(op.regions[1]);
    region(op.regions[1]);
    if (failure_) return;
    move_yield(op.regions[1], op, false);
    emit(&steps::jump, id).target = test;
    program_.code[leave].target = here();
    for (ValueId result : op.results) spread(result);
}

void Compiler::for_divergent(OpId id, const Op& op) {
    const auto args = std::span(fn_.region(op.regions[0]).args);
    const ForOp written(fn_, id);
    const size_t temporaries = temporaries_.size();
    bind_carried(op, written.inits(), written.carried());
    const DType type = fn_.type(args[0]).elem;
    const uint64_t bytes = 8ULL * program_.lanes;
    LoopData loop;
    loop.lower = wide_many(written.lower());
    loop.upper = wide_many(written.upper());
    loop.step = wide_many(written.step());
    loop.rounds = temporary(bytes);
    loop.iv = temporary(bytes);
    loop.live = temporary(program_.lanes);
    loop.saved = frame_.take(16);
    loop.is_signed = is_signed(type);
    const auto row = static_cast<uint32_t>(program_.loops.size());
    program_.loops.push_back(loop);

    emit(&steps::mask_for_begin, id).data = row;
    const uint32_t test = here();
    emit(&steps::mask_for_test, id).data = row;
    home(args[0]) = {0, loop.iv, false};
    if (stored_size(type) != 8) {
        const Slot narrow = temporary(array_bytes(args[0]));
        home(args[0]).many = narrow;
        Inst& cast = emit(&steps::lanes, id);
        cast.loop = ops_.cast(loop.is_signed ? DType::i64 : DType::u64, type);
        cast.result = narrow;
        cast.a = loop.iv;
    }
    region(op.regions[0]);
    if (failure_) return;
    move_yield(op.regions[0], op, true);
    Inst& again = emit(&steps::mask_for_next, id);
    again.data = row;
    again.target = test;
    program_.code[test].target = here();
    drop_temporaries(temporaries);
}

void Compiler::while_divergent(OpId id, const Op& op) {
    const size_t temporaries = temporaries_.size();
    bind_carried(op, op.operands, fn_.region(op.regions[0]).args);
    for (size_t i = 0; i < op.results.size(); ++i) {
        home(fn_.region(op.regions[1]).args[i]) = home(fn_.region(op.regions[0]).args[i]);
    }
    LoopData loop;
    loop.live = temporary(program_.lanes);
    loop.saved = frame_.take(16);
    const auto row = static_cast<uint32_t>(program_.loops.size());
    program_.loops.push_back(loop);

    emit(&steps::mask_loop_begin, id).data = row;
    const uint32_t test = here();
    region(op.regions[0]);
    if (failure_) return;
    const uint32_t leave = here();
    Inst& check = emit(&steps::mask_while_test, id);
    check.data = row;
    check.a = home(yielded(op.regions[0])[0]).many;
    release_after(fn_.region(op.regions[0]).ops.back());
    region(op.regions[1]);
    if (failure_) return;
    move_yield(op.regions[1], op, true);
    emit(&steps::jump, id).target = test;
    program_.code[leave].target = here();
    drop_temporaries(temporaries);
}

void Compiler::if_uniform(OpId id, const Op& op) {
    for (ValueId result : op.results) take_home(result);
    const uint32_t begin = here();
    emit(&steps::jump_unless, id).a = home(IfOp(fn_, id).condition()).one;
    region(op.regions[0]);
    if (failure_) return;
    move_yield(op.regions[0], op, false);
    const uint32_t over = here();
    emit(&steps::jump, id);
    program_.code[begin].target = here();
    region(op.regions[1]);
    if (failure_) return;
    move_yield(op.regions[1], op, false);
    program_.code[over].target = here();
    for (ValueId result : op.results) spread(result);
}

void Compiler::if_divergent(OpId id, const Op& op) {
    const size_t temporaries = temporaries_.size();
    for (ValueId result : op.results) take_home(result);
    BranchData branch;
    branch.then_mask = temporary(program_.lanes);
    branch.else_mask = temporary(program_.lanes);
    branch.saved = frame_.take(16);
    const auto row = static_cast<uint32_t>(program_.branches.size());
    program_.branches.push_back(branch);

    const uint32_t begin = here();
    Inst& first = emit(&steps::mask_if, id);
    first.data = row;
    first.a = home(IfOp(fn_, id).condition()).many;
    region(op.regions[0]);
    if (failure_) return;
    move_yield(op.regions[0], op, false);
    const uint32_t between = here();
    program_.code[begin].target = between;
    emit(&steps::mask_else, id).data = row;
    region(op.regions[1]);
    if (failure_) return;
    move_yield(op.regions[1], op, true);
    emit(&steps::mask_end, id).data = row;
    program_.code[between].target = here();
    drop_temporaries(temporaries);
}

AxesData Compiler::axes_of(const Op& op) {
    AxesData axes;
    for (size_t k = 0; k + 2 < op.operands.size(); k += 3) {
        axes.lower.push_back(wide_one(op.operands[k]));
        axes.upper.push_back(wide_one(op.operands[k + 1]));
        axes.step.push_back(wide_one(op.operands[k + 2]));
    }
    return axes;
}

void Compiler::lanes(OpId id, const Op& op) {
    const size_t temporaries = temporaries_.size();
    for (ValueId result : op.results) take_home(result);
    AxesData axes = axes_of(op);
    axes.over = static_cast<LanesOver>(op.attrs.integer(Attr::over));
    if (axes.over == LanesOver::domain) program_.flat = true;
    const auto& args = fn_.region(op.regions[0]).args;
    for (size_t k = 0; k < args.size(); ++k) axes.iv.push_back(temporary(8ULL * program_.lanes));

    const uint32_t begin = here();
    emit(&steps::lanes_begin, id).data = static_cast<uint32_t>(program_.axes.size());
    in_lanes_ = true;
    for (size_t k = 0; k < args.size(); ++k) {
        const DType type = fn_.type(args[k]).elem;
        home(args[k]) = {0, axes.iv[k], false};
        if (stored_size(type) == 8) continue;
        home(args[k]).many = temporary(array_bytes(args[k]));
        Inst& cast = emit(&steps::lanes, id);
        cast.loop = ops_.cast(DType::i64, type);
        cast.result = home(args[k]).many;
        cast.a = axes.iv[k];
    }
    program_.axes.push_back(std::move(axes));
    region(op.regions[0]);
    if (failure_) return;
    move_yield(op.regions[0], op, false);
    in_lanes_ = false;
    emit(&steps::lanes_end, id).target = begin;
    program_.code[begin].target = here();
    drop_temporaries(temporaries);
}

void Compiler::grid(OpId id, const Op& op) {
    AxesData axes = axes_of(op);
    axes.round = frame_.take(16);
    for (ValueId arg : fn_.region(op.regions[0]).args) {
        axes.iv.push_back(frame_.take(8));
        home(arg) = {axes.iv.back(), 0, true};
    }
    const auto row = static_cast<uint32_t>(program_.axes.size());
    program_.axes.push_back(std::move(axes));
    emit(&steps::grid_begin, id).data = row;
    const uint32_t head = here();
    emit(&steps::grid_next, id).data = row;
    spread_args(op.regions[0]);
    region(op.regions[0]);
    if (failure_) return;
    emit(&steps::jump, id).target = head;
    program_.code[head].target = here();
}

}  // namespace tsr::ir::eval
