#include "ir/ops/control.h"

#include <algorithm>

#include "ir/ops/record.h"
#include "ir/passes/target/cpu/lanes/code.h"

namespace tsr::ir {

// ---- masks ----

std::vector<ValueId> LaneCode::all_lanes() {
    return std::vector<ValueId>(static_cast<size_t>(copies_), emit_.splat(emit_.boolean(true), width_));
}

ValueId LaneCode::any(const std::vector<ValueId>& mask) {
    ValueId all = mask[0];
    for (size_t i = 1; i < mask.size(); ++i) all = emit_.binary(OpKind::bit_or, all, mask[i]);
    return emit_.op(OpKind::vector_reduce, {all}, {{Attr::op, static_cast<int64_t>(ReduceOp::any)}});
}

std::vector<ValueId> LaneCode::mask_and(const std::vector<ValueId>& a, const std::vector<ValueId>& b) {
    if (a.empty()) return b;
    std::vector<ValueId> out;
    for (size_t i = 0; i < a.size(); ++i) out.push_back(emit_.binary(OpKind::bit_and, a[i], b[i]));
    return out;
}

std::vector<ValueId> LaneCode::merge(const std::vector<ValueId>& mask, const std::vector<ValueId>& then,
                                     const std::vector<ValueId>& otherwise) {
    std::vector<ValueId> out;
    for (size_t i = 0; i < then.size(); ++i) {
        out.push_back(then[i] == otherwise[i] ? then[i] : emit_.select(mask[i % mask.size()], then[i], otherwise[i]));
    }
    return out;
}

// ---- if ----

bool LaneCode::is_cheap(RegionId region) const {
    const auto& ops = s_.tile.region(region).ops;
    return ops.size() <= 9 && std::ranges::all_of(ops, [&](OpId id) {
               const Op& op = s_.tile.op(id);
               return (is_element(op.kind) && record(op.kind).cost <= Cost::light) || op.kind == OpKind::constant ||
                      op.kind == OpKind::yield || op.kind == OpKind::dim;
           });
}

void LaneCode::branch(const Op& op) {
    if (value(IfOp(s_.tile, op).condition()).kind == LaneValue::Kind::uniform) return uniform_branch(op);
    divergent_branch(op);
}

void LaneCode::uniform_branch(const Op& op) {
    Carried results = carried(op.results);
    RegionId outside = emit_.region;
    OpId made = emit_.open_if(value(IfOp(s_.tile, op).condition()).scalar, results.types);
    for (RegionId region : op.regions) {
        emit_.region = emit_.add_region(made);
        run(region);
        std::vector<ValueId> out;
        flatten(results, s_.yielded(region), out);
        emit_.yield(out);
    }
    emit_.close(made, outside);
    size_t at = 0;
    unflatten(op.results, s_.target.op(made).results, at);
}

void LaneCode::divergent_branch(const Op& op) {
    std::vector<ValueId> condition = vectors(IfOp(s_.tile, op).condition());
    Carried results = carried(op.results);
    auto side = [&](size_t number, const std::vector<ValueId>& mask) {
        std::vector<ValueId> outer = mask_;
        mask_ = mask;
        std::vector<ValueId> out;
        RegionId region = op.regions[number];
        if (is_cheap(region)) {
            run(region);
            flatten(results, s_.yielded(region), out);
        } else {
            RegionId outside = emit_.region;
            OpId made = emit_.open_if(any(mask), results.types);
            emit_.region = emit_.add_region(made);
            run(region);
            flatten(results, s_.yielded(region), out);
            emit_.yield(out);
            emit_.region = emit_.add_region(made);
            std::vector<ValueId> nothing;
            for (const Type& type : results.types) {
                const ValueId zero = emit_.zero(type.elem);
                nothing.push_back(type.is_vector() ? emit_.splat(zero, width_) : zero);
            }
            emit_.yield(nothing);
            emit_.close(made, outside);
            out = s_.target.op(made).results;
        }
        mask_ = outer;
        return out;
    };
    std::vector<ValueId> then = side(0, mask_and(mask_, condition));
    std::vector<ValueId> otherwise;
    bool has_else = s_.tile.region(op.regions[1]).ops.size() > 1;
    if (has_else) {
        std::vector<ValueId> inverse;
        for (ValueId c : condition) inverse.push_back(emit_.op(OpKind::bit_not, {c}));
        otherwise = side(1, mask_and(mask_, inverse));
    } else {
        flatten(results, s_.yielded(op.regions[1]), otherwise);
    }
    size_t at = 0;
    unflatten(op.results, merge(condition, then, otherwise), at);
}

// ---- for ----

namespace {

constexpr int64_t kUnroll = 8;

}  // namespace

bool LaneCode::is_short(RegionId body) const {
    const auto& ops = s_.tile.region(body).ops;
    return ops.size() <= 12 && std::ranges::all_of(ops, [&](OpId id) { return s_.tile.op(id).regions.empty(); });
}

void LaneCode::loop(OpId id) {
    const Op& op = s_.tile.op(id);
    const ForOp counted(s_.tile, id);
    const LaneValue::Kind lower = value(counted.lower()).kind, upper = value(counted.upper()).kind;
    constexpr auto kUniform = LaneValue::Kind::uniform;
    bool uniform_step = value(counted.step()).kind == kUniform;
    if (lower == kUniform && upper == kUniform && uniform_step) {
        if (!loop_over_rows(id)) uniform_loop(op);
        return;
    }
    bool forward = uniform_step && emit_.integer_value(value(counted.step()).scalar).value_or(0) > 0;
    bool dimension =
        uniform_step && s_.tile.type(counted.step()).elem == DType::index && s_.ranges.is_positive(counted.step());
    bool consecutive =
        lower == LaneValue::Kind::affine && upper == kUniform && s_.tile.type(counted.upper()).elem == DType::index;
    if (consecutive && (forward || dimension)) return affine_loop(op);
    divergent_loop(op);
}

void LaneCode::uniform_loop(const Op& op) {
    const Carried state = carried(op.results);
    std::vector<ValueId> inits;
    const ForOp loop(s_.tile, op);
    flatten(state, {loop.inits().begin(), loop.inits().end()}, inits);
    const ValueId lower = value(loop.lower()).scalar;
    const ValueId upper = value(loop.upper()).scalar;
    size_t at = 0;
    unflatten(op.results, counted_iterations(op, state, lower, upper, inits), at);
}

std::vector<ValueId> LaneCode::counted_iterations(const Op& loop, const Carried& state, ValueId lower, ValueId upper,
                                                  const std::vector<ValueId>& current) {
    const auto& args = s_.tile.region(loop.regions[0]).args;
    std::vector<ValueId> operands{lower, upper, value(ForOp(s_.tile, loop).step()).scalar};
    operands.insert(operands.end(), current.begin(), current.end());
    // No vector shares the counting of a single lane, which is most of what a short iteration does.
    const bool unrolls = s_.lanes() == 1 && is_short(loop.regions[0]);
    RegionId outside = emit_.region;
    OpId made = emit_.open(OpKind::for_, operands, unrolls ? Attrs{{Attr::unroll, kUnroll}} : Attrs{});
    emit_.region = emit_.add_region(made);
    values_[args[0]] = uniform(s_.target.add_arg(emit_.region, s_.tile.type(args[0]), s_.tile.value(args[0]).name));
    size_t at = 0;
    unflatten({args.begin() + 1, args.end()}, add_args(emit_.region, state.types), at);
    run(loop.regions[0]);
    std::vector<ValueId> out;
    flatten(state, s_.yielded(loop.regions[0]), out);
    emit_.yield(out);
    emit_.close(made, outside);
    return s_.target.op(made).results;
}

// Lanes start one stride apart and step together: the index stays consecutive. As long as the last lane is in, no mask.
void LaneCode::affine_loop(const Op& op) {
    const auto& args = s_.tile.region(op.regions[0]).args;
    const ForOp loop(s_.tile, op);
    LaneValue start = value(loop.lower());
    ValueId limit = value(loop.upper()).scalar;
    ValueId step = value(loop.step()).scalar;
    Carried state = carried(op.results);
    std::vector<ValueId> outer = mask_;
    std::vector<Type> types{Type::scalar(DType::index)};
    types.insert(types.end(), state.types.begin(), state.types.end());
    std::vector<ValueId> current{start.scalar};
    flatten(state, {loop.inits().begin(), loop.inits().end()}, current);
    RegionId outside = emit_.region;
    auto round = [&](bool masked) {
        OpId made = emit_.open(OpKind::while_, current);
        emit_.region = emit_.add_region(made);
        std::vector<ValueId> tested = add_args(emit_.region, types);
        int64_t far = (width_ * copies_ - 1) * start.stride;
        int64_t offset = masked == (start.stride > 0) ? std::min<int64_t>(far, 0) : std::max<int64_t>(far, 0);
        if (masked && !outer.empty()) {
            std::vector<ValueId> in =
                mask_and(outer, compare_affine(OpKind::lt, affine(tested[0], start.stride), limit));
            emit_.yield({any(in)});
        } else {
            emit_.yield({emit_.compare(
                OpKind::lt, emit_.add(tested[0], emit_.integer(masked ? std::min<int64_t>(far, 0) : offset)), limit)});
        }
        emit_.region = emit_.add_region(made);
        std::vector<ValueId> inside = add_args(emit_.region, types);
        values_[args[0]] = affine(inside[0], start.stride);
        size_t at = 1;
        unflatten({args.begin() + 1, args.end()}, inside, at);
        if (masked) mask_ = mask_and(outer, compare_affine(OpKind::lt, affine(inside[0], start.stride), limit));
        std::vector<ValueId> active = mask_;
        run(op.regions[0]);
        std::vector<ValueId> next;
        flatten(state, s_.yielded(op.regions[0]), next);
        if (masked) next = merge(active, next, {inside.begin() + 1, inside.end()});
        next.insert(next.begin(), emit_.add(inside[0], step));
        emit_.yield(next);
        emit_.close(made, outside);
        current = s_.target.op(made).results;
    };
    if (outer.empty()) round(false);
    round(true);
    mask_ = outer;
    size_t at = 1;
    unflatten(op.results, current, at);
}

// Each lane has its own bounds: a loop while any lane is in.
void LaneCode::divergent_loop(const Op& op) {
    const auto& args = s_.tile.region(op.regions[0]).args;
    DType type = s_.tile.type(args[0]).elem;
    std::vector<ValueId> outer = mask_;
    const ForOp loop(s_.tile, op);
    std::vector<ValueId> upper = vectors(value(loop.upper()), type);
    std::vector<ValueId> step = vectors(value(loop.step()), type);
    std::vector<ValueId> zero(step.size(), emit_.splat(emit_.integer(0, type), width_));
    Carried state = carried(op.results);
    auto inside = [&](const std::vector<ValueId>& index) {
        std::vector<ValueId> in;
        for (size_t c = 0; c < index.size(); ++c) {
            ValueId forward = emit_.binary(OpKind::bit_and, emit_.compare(OpKind::gt, step[c], zero[c]),
                                           emit_.compare(OpKind::lt, index[c], upper[c]));
            ValueId backward = emit_.binary(OpKind::bit_and, emit_.compare(OpKind::lt, step[c], zero[c]),
                                            emit_.compare(OpKind::gt, index[c], upper[c]));
            in.push_back(emit_.binary(OpKind::bit_or, forward, backward));
        }
        return in;
    };
    auto copies = static_cast<size_t>(copies_);
    std::vector<ValueId> start = vectors(value(loop.lower()), type);
    std::vector<ValueId> current = mask_and(outer, inside(start));
    current.insert(current.end(), start.begin(), start.end());
    flatten(state, {loop.inits().begin(), loop.inits().end()}, current);
    std::vector<Type> types(copies, Type::vector(DType::boolean, static_cast<uint32_t>(width_)));
    types.insert(types.end(), copies, Type::vector(type, static_cast<uint32_t>(width_)));
    types.insert(types.end(), state.types.begin(), state.types.end());
    RegionId outside = emit_.region;
    OpId made = emit_.open(OpKind::while_, current);
    emit_.region = emit_.add_region(made);
    std::vector<ValueId> tested = add_args(emit_.region, types);
    emit_.yield({any({tested.begin(), tested.begin() + copies_})});
    emit_.region = emit_.add_region(made);
    std::vector<ValueId> in = add_args(emit_.region, types);
    std::vector<ValueId> active(in.begin(), in.begin() + copies_);
    std::vector<ValueId> index(in.begin() + copies_, in.begin() + 2 * copies_);
    mask_ = active;
    values_[args[0]] = of(index);
    size_t at = 2 * copies;
    unflatten({args.begin() + 1, args.end()}, in, at);
    run(op.regions[0]);
    std::vector<ValueId> next;
    flatten(state, s_.yielded(op.regions[0]), next);
    next = merge(active, next, {in.begin() + 2 * copies_, in.end()});
    std::vector<ValueId> following;
    for (size_t c = 0; c < copies; ++c) following.push_back(emit_.binary(OpKind::add, index[c], step[c]));
    std::vector<ValueId> out = mask_and(active, inside(following));
    out.insert(out.end(), following.begin(), following.end());
    out.insert(out.end(), next.begin(), next.end());
    emit_.yield(out);
    emit_.close(made, outside);
    mask_ = outer;
    at = 2 * copies;
    unflatten(op.results, s_.target.op(made).results, at);
}

// ---- while ----

void LaneCode::repeat(const Op& op) {
    if (s_.differing[s_.yielded(op.regions[0])[0].index]) return divergent_repeat(op);
    uniform_repeat(op);
}

void LaneCode::uniform_repeat(const Op& op) {
    Carried state = carried(op.results);
    std::vector<ValueId> inits;
    flatten(state, op.operands, inits);
    RegionId outside = emit_.region;
    OpId made = emit_.open(OpKind::while_, inits);
    for (size_t number = 0; number < 2; ++number) {
        RegionId region = op.regions[number];
        emit_.region = emit_.add_region(made);
        size_t at = 0;
        unflatten(s_.tile.region(region).args, add_args(emit_.region, state.types), at);
        run(region);
        std::vector<ValueId> out;
        if (number == 0) {
            out.push_back(value(s_.yielded(region)[0]).scalar);
        } else {
            flatten(state, s_.yielded(region), out);
        }
        emit_.yield(out);
    }
    emit_.close(made, outside);
    size_t at = 0;
    unflatten(op.results, s_.target.op(made).results, at);
}

// Lanes leave one by one; the loop goes on while any is in. A lane that has left keeps its values.
void LaneCode::divergent_repeat(const Op& op) {
    Carried state = carried(op.results);
    std::vector<ValueId> outer = mask_;
    auto copies = static_cast<size_t>(copies_);
    auto test = [&](const std::vector<ValueId>& flat, const std::vector<ValueId>& mask) {
        size_t at = 0;
        unflatten(s_.tile.region(op.regions[0]).args, flat, at);
        mask_ = mask;
        run(op.regions[0]);
        return mask_and(mask, vectors(s_.yielded(op.regions[0])[0]));
    };
    std::vector<ValueId> inits;
    flatten(state, op.operands, inits);
    std::vector<ValueId> current = test(inits, outer);
    current.insert(current.end(), inits.begin(), inits.end());
    std::vector<Type> types(copies, Type::vector(DType::boolean, static_cast<uint32_t>(width_)));
    types.insert(types.end(), state.types.begin(), state.types.end());
    RegionId outside = emit_.region;
    OpId made = emit_.open(OpKind::while_, current);
    emit_.region = emit_.add_region(made);
    std::vector<ValueId> tested = add_args(emit_.region, types);
    emit_.yield({any({tested.begin(), tested.begin() + copies_})});
    emit_.region = emit_.add_region(made);
    std::vector<ValueId> in = add_args(emit_.region, types);
    std::vector<ValueId> active(in.begin(), in.begin() + copies_);
    std::vector<ValueId> before(in.begin() + copies_, in.end());
    mask_ = active;
    size_t at = 0;
    unflatten(s_.tile.region(op.regions[1]).args, before, at);
    run(op.regions[1]);
    std::vector<ValueId> next;
    flatten(state, s_.yielded(op.regions[1]), next);
    next = merge(active, next, before);
    std::vector<ValueId> out = test(next, active);
    out.insert(out.end(), next.begin(), next.end());
    emit_.yield(out);
    emit_.close(made, outside);
    mask_ = outer;
    std::vector<ValueId> results = s_.target.op(made).results;
    results.erase(results.begin(), results.begin() + copies_);
    at = 0;
    unflatten(op.results, results, at);
}

}  // namespace tsr::ir
