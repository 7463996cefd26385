// An `if` of the IR, and what slots hold behind it.
#include <algorithm>
#include <set>

#include "ir/ops/control.h"
#include "sema/elaborate/body.h"
#include "sema/elaborate/shape_checks.h"
#include "sema/elaborate/types.h"

namespace tsr::elaborate {

using ir::ValueId;

Body::OpenIf Body::open_if(ValueId condition) {
    OpenIf open;
    open.outer = emit.region();
    open.op = emit.op(ir::OpKind::if_, {condition});
    for (int side = 0; side < 2; ++side) {
        open.regions[side] = function().add_region(open.op);
        open.envs[side] = env;
    }
    return open;
}

void Body::in_side(OpenIf& open, int side, const std::function<void()>& body) {
    const Inside inside(emit, open.regions[side]);
    std::swap(env, open.envs[side]);
    body();
    std::swap(env, open.envs[side]);
}

Val Body::join_leaf(const Val& then, const Val& otherwise, const sema::Type* type, OpenIf& open) {
    const Val* sides[2] = {&then, &otherwise};
    std::vector<ValueId> leaves[2];
    // The defined side first: it says the type of the other.
    const int first = then.is(Val::Kind::undefined) || (then.is_fixed() && otherwise.is_ssa()) ? 1 : 0;
    for (int side : {first, 1 - first}) {
        const Inside inside(emit, open.regions[side]);
        const bool last = side != first;
        if (last && leaves[first].empty()) continue;
        if (last && sides[side]->is(Val::Kind::undefined)) {
            leaves[side] = {undefined_leaf(type_of(leaves[first][0]))};
        } else {
            flatten(*sides[side], type, leaves[side]);
        }
        if (last && leaves[side].size() == 1) {
            const ir::Type wanted = type_of(leaves[first][0]);
            if (computes_on(wanted)) leaves[side][0] = emit.cast(leaves[side][0], wanted.elem);
            leaves[side][0] = in_one_shape(*this, leaves[side][0], wanted, function().value(leaves[first][0]).name);
        }
    }
    if (leaves[0].size() != 1 || leaves[1].size() != 1) return {};
    const ir::Type result = type_of(leaves[first][0]);
    const ValueId id = function().add_result(open.op, result);
    function().value(id).name = function().value(leaves[first][0]).name;
    for (int side = 0; side < 2; ++side) open.yields[side].push_back(leaves[side][0]);
    return Val::ssa(id, computes_on(result) ? std::optional(result.elem) : std::nullopt);
}

Val Body::join(const Val& then, const Val& otherwise, const sema::Type* type, OpenIf& open) {
    if (then == otherwise) return then;
    const Val& shape = then.is(Val::Kind::undefined) ? otherwise : then;
    const bool missing = then.is(Val::Kind::undefined) || otherwise.is(Val::Kind::undefined);
    if (shape.is(Val::Kind::buffer)) {
        if (missing) return shape;
        if (!otherwise.is(Val::Kind::buffer)) return {};
        buffers.unite(then.site, otherwise.site);
        return Val::buffer(then.site, join(then.parts[0], otherwise.parts[0], nullptr, open));
    }
    if (shape.is(Val::Kind::local)) {
        return missing || otherwise == then ? shape : Val::local(Val::kUnknownArray);
    }
    if (shape.is(Val::Kind::view) || shape.is(Val::Kind::none)) return shape;
    if (!shape.has_elements()) return join_leaf(then, otherwise, type, open);
    if (!missing && (!otherwise.has_elements() || otherwise.element_count() != then.element_count())) return {};
    Val parts = shape.is(Val::Kind::list) ? Val::list({}) : Val::tuple({});
    for (size_t i = 0; i < shape.element_count(); ++i) {
        const bool list = type && type->is(sema::Kind::list);
        const size_t part = list ? 0 : i;
        const bool parted = type && (list || type->is(sema::Kind::tuple) || type->is(sema::Kind::record));
        const bool known = parted && part < type->parts().size();
        parts.parts.push_back(join(then.has_elements() ? then.element(i) : Val{},
                                   otherwise.has_elements() ? otherwise.element(i) : Val{},
                                   known ? &type->parts()[part] : nullptr, open));
    }
    return parts;
}

void Body::close_if(OpenIf& open) {
    Env joined;
    std::set<Slot> slots;
    for (const Env& side : open.envs) {
        for (const auto& [slot, value] : side) slots.insert(slot);
    }
    const auto held = [&](int side, Slot slot) {
        const auto found = open.envs[side].find(slot);
        return found == open.envs[side].end() ? Val{} : found->second;
    };
    for (const Slot slot : slots) {
        Val value = join(held(0, slot), held(1, slot), declared(slot), open);
        if (!value.is(Val::Kind::undefined)) joined.emplace(slot, std::move(value));
    }
    for (int side = 0; side < 2; ++side) {
        const Inside inside(emit, open.regions[side]);
        emit.yield(open.yields[side]);
    }
    env = std::move(joined);
}

namespace {

std::optional<ir::OpKind> opposite(ir::OpKind kind) {
    using enum ir::OpKind;
    constexpr std::pair<ir::OpKind, ir::OpKind> kPairs[] = {{lt, ge}, {ge, lt}, {gt, le}, {le, gt}, {eq, ne}, {ne, eq}};
    for (const auto& [one, other] : kPairs) {
        if (kind == one) return other;
    }
    return std::nullopt;
}

}  // namespace

void Body::turn_round(ir::OpId choice) {
    const ValueId condition = ir::IfOp(function(), choice).condition();
    const ir::OpId test = function().value(condition).op;
    const auto kind = test.valid() ? opposite(function().op(test).kind) : std::nullopt;
    // Of floats the opposite comparison differs: NaN fails both.
    if (!kind || is_float(type_of(ir::BinaryOp(function(), test).lhs()).elem)) return;
    const ir::OpId negated = function().add_op(*kind, function().op(test).place, function().op(test).operands,
                                               {ir::Type::scalar(DType::boolean)});
    const ir::RegionId region = function().op(choice).parent;
    const std::vector<ir::OpId>& ops = function().region(region).ops;
    function().insert(region, static_cast<size_t>(std::find(ops.begin(), ops.end(), choice) - ops.begin()), negated);
    ir::Op& op = function().op(choice);
    op.operands[ir::IfOp::kCondition] = function().op(negated).results[0];
    std::swap(op.regions[0], op.regions[1]);
}

void Body::guarded(Slot flag, const std::function<void()>& body) {
    const Val live = get(flag);
    if (live.is_fixed_bool(false)) return;
    if (live.is_fixed()) return body();
    OpenIf open = open_if(live.id);
    in_side(open, 0, [&] {
        set(flag, Val::truth(true));
        body();
    });
    in_side(open, 1, [&] { set(flag, Val::truth(false)); });
    close_if(open);
}

}  // namespace tsr::elaborate
