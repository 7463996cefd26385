#include "sema/builtin_calls/tile_calls.h"

#include <fmt/format.h>

#include "ir/core/internal.h"
#include "sema/builtin_calls/memory_calls.h"
#include "sema/builtin_calls/reduction_types.h"
#include "sema/builtin_calls/register_tile_calls.h"
#include "sema/builtins/builtin_cases.h"
#include "sema/expressions/local_arrays.h"
#include "sema/expressions/register_tiles.h"
#include "sema/state/recursion.h"
#include "sema/types/elements.h"
#include "sema/types/numeric.h"
#include "sema/values/requirements.h"

namespace tsr::sema {

namespace {

Value group_value(Body& b, const ast::Expr& call, const BuiltinEntry& row, const Matched& m) {
    const ast::Expr& e = *m.arguments[0];
    Value value = expression(b, e);
    if (value.broken()) return {};
    if (row.id == Builtin::scan && value.type.is(Kind::tile)) return register_tile_call(b, call, row, m);
    bool of_buffer = row.id >= Builtin::buffer_reduce_sum && row.id <= Builtin::buffer_reduce_prod;
    if (of_buffer && !value.type.is(Kind::buffer)) {
        auto& d = b.error("E0302", e.span,
                          fmt::format("`{}` takes a shared buffer, this is {}", row.paths.front(), shown(value.type)));
        if (value.type.is(Kind::tile)) d.note("of a register tile: `tile.reduce(t, axis, op)`");
        return {};
    }
    if (of_buffer && !require_untransposed(b, e, value.type)) return {};
    if (!of_buffer && !value.type.is_number()) {
        auto& d =
            b.error("E0302", e.span,
                    fmt::format("`{}` takes a number of each tile, this is {}", row.paths.front(), shown(value.type)));
        if (value.type.is(Kind::tile)) d.note("of a register tile: `tile.reduce(t, axis, op)`");
        return {};
    }
    DType elem = of_buffer ? value.type.elem() : settled(value.type, value.value);
    bool sums = row.id == Builtin::group_reduce_sum || row.id == Builtin::group_reduce_prod ||
                row.id == Builtin::buffer_reduce_sum || row.id == Builtin::buffer_reduce_prod;
    if (row.id == Builtin::scan) {
        auto op = m.arguments[1] ? static_string(b, *m.arguments[1], "the operation of a scan") : std::string("add");
        if (!op) return {};
        sums = *op == "add" || *op == "sum" || *op == "mul" || *op == "prod";
        if (!sums && *op != "min" && *op != "max") {
            b.error("E0315", m.arguments[1]->span,
                    fmt::format("\"{}\" is no operation of a scan: \"add\", \"mul\", \"min\", \"max\"", *op));
            return {};
        }
        if (m.arguments[2]) {
            expression(b, *m.arguments[2]);
            b.error("E0315", m.arguments[2]->span, "`axis` belongs to the scan of a register tile")
                .label(e.span, shown(value.type));
            return {};
        }
    }
    Value result;
    result.compute = sums ? accumulation_type(elem, value.type.policy()) : elem;
    result.type = Type::scalar(sums ? accumulated_type(elem, value.type.policy()) : elem);
    if (row.id != Builtin::scan && !choose_result(b, m.arguments[1], result)) return {};
    return result;
}

Value local_id(Body& b, const Matched& m) {
    if (!m.arguments[0]) return typed(Type::index());
    auto axis = static_integer(b, *m.arguments[0], "an axis");
    const auto& shape = b.instance.kernel.group_shape;
    size_t rank = shape ? shape->size() : 1;
    bool known = b.function && rules_of(b.function->kind).of_group;
    if (axis && (*axis < 0 || (known && static_cast<size_t>(*axis) >= rank) || *axis > 2)) {
        b.error("E0416", m.arguments[0]->span,
                fmt::format("the group has {} ax{}, there is no axis {}", rank, rank == 1 ? "is" : "es", *axis));
        return {};
    }
    return typed(Type::index());
}

Value warp_value(Body& b, const BuiltinEntry& row, const Matched& m) {
    Value value = expression(b, *m.arguments[0]);
    if (m.arguments[1]) require_integer(b, *m.arguments[1], expression(b, *m.arguments[1]), "a lane");
    if (value.broken()) return {};
    if (!value.type.is_number() && !value.type.is_bool()) {
        b.error("E0302", m.arguments[0]->span,
                fmt::format("`{}` takes a value of one element, this is {}", row.paths.front(), shown(value.type)));
        return {};
    }
    return typed(settled_type(value.type, value.value));
}

}  // namespace

Value tile_call(Body& b, const ast::Expr& e, const BuiltinEntry& row, const Matched& m) {
    if (is_of_group(row.id)) b.name_group(e.span, std::string(row.paths.front()));
    if (is_of_register_tiles(row.id)) return register_tile_call(b, e, row, m);
    switch (row.id) {
        case Builtin::tile_local:
            return local_array(b, e, m);
        case Builtin::linear_id:
        case Builtin::lane_id:
            return typed(Type::index());
        case Builtin::local_id:
            return local_id(b, m);
        case Builtin::group_id:
            if (m.arguments[0]) {
                auto axis = static_integer(b, *m.arguments[0], "an axis");
                if (axis && (*axis < 0 || *axis > 2))
                    b.error("E0416", m.arguments[0]->span,
                            fmt::format("groups have axes 0 to 2, there is no axis {}", *axis));
            }
            return typed(Type::index());
        case Builtin::group_size: {
            Value value = typed(Type::index());
            if (b.function && rules_of(b.function->kind).of_group) {
                value.type = Type::int_literal();
                value.value = Static::of(b.instance.kernel.group_size());
                value.dim = ir::Dim::constant(b.instance.kernel.group_size());
            }
            return value;
        }
        case Builtin::context:
            return typed(Type::context());
        case Builtin::barrier:
        case Builtin::cp_commit_group:
            return typed(Type::none());
        case Builtin::cp_wait_group: {
            auto n = static_integer(b, *m.arguments[0], "the number of copies left under way");
            if (n && *n < 0)
                b.error("E0302", m.arguments[0]->span, "the number of copies left under way is not negative");
            return typed(Type::none());
        }
        case Builtin::cp_async:
        case Builtin::load:
        case Builtin::store:
        case Builtin::load_vector:
        case Builtin::store_vector:
        case Builtin::atomic_add:
        case Builtin::atomic_min:
        case Builtin::atomic_max:
        case Builtin::atomic_bit_and:
        case Builtin::atomic_bit_or:
        case Builtin::atomic_bit_xor:
        case Builtin::atomic_exchange:
        case Builtin::atomic_compare_exchange:
            return memory_call(b, e, row, m);
        case Builtin::group_any:
        case Builtin::group_all:
        case Builtin::ballot:
            require_bool(b, *m.arguments[0], expression(b, *m.arguments[0]));
            return typed(row.id == Builtin::ballot ? Type::scalar(DType::u32) : Type::boolean());
        case Builtin::shuffle:
        case Builtin::warp_broadcast:
            return warp_value(b, row, m);
        case Builtin::alloc_register: {
            Value written = expression(b, *m.arguments[0]);
            if (written.type.is(Kind::dtype)) return typed(Type::scalar(written.type.elem()));
            if (!written.broken())
                b.error("E0309", m.arguments[0]->span, "`tile.alloc_register` takes an element type");
            return {};
        }
        case Builtin::tile_range:
            for (const ast::Expr* argument : m.arguments) {
                if (argument) expression(b, *argument);
            }
            return typed(Type::range());
        case Builtin::group_reduce_sum:
        case Builtin::group_reduce_max:
        case Builtin::group_reduce_min:
        case Builtin::group_reduce_prod:
        case Builtin::scan:
        case Builtin::buffer_reduce_sum:
        case Builtin::buffer_reduce_max:
        case Builtin::buffer_reduce_min:
        case Builtin::buffer_reduce_prod:
            return group_value(b, e, row, m);
        case Builtin::grid_groups:
        case Builtin::alloc_shared:
        case Builtin::tshared_alloc:
            break;  // a value; allocations, which are called elsewhere
            TSR_CASES_REGISTER_TILE
            TSR_CASES_MATH
            TSR_CASES_MADE
            TSR_CASES_FORM
            break;
    }
    ir::internal_error("a function of tiles without a rule");
}

}  // namespace tsr::sema
