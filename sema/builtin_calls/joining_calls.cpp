#include "sema/builtin_calls/joining_calls.h"

#include <fmt/format.h>

#include "sema/builtin_calls/axis_calls.h"
#include "sema/builtin_calls/einsum_calls.h"
#include "sema/builtins/builtin_cases.h"
#include "sema/program/movements.h"
#include "sema/state/recursion.h"
#include "sema/types/elements.h"
#include "sema/types/numeric.h"
#include "sema/values/items.h"
#include "sema/values/requirements.h"

namespace tsr::sema {

namespace {

using Extents = std::vector<ir::Dim>;

// A tensor of a list, and where it stands.
struct Item {
    const ast::Expr* at;
    Value value;
};

// What `[a, b]` or `(a, b)` holds; lists of a graph function are of known length. Nothing after a message.
std::optional<std::vector<Item>> joined_items(Body& b, const BuiltinEntry& row, const ast::Expr& e) {
    std::vector<Item> items;
    const auto* list = std::get_if<ast::List>(&e.node);
    const auto* tuple = std::get_if<ast::Tuple>(&e.node);
    if (list || tuple) {
        for (const ast::Expr* one : list ? list->elements : tuple->elements)
            items.push_back({one, expression(b, *one)});
    } else {
        const Value whole = expression(b, e);
        if (whole.broken()) return std::nullopt;
        const bool known = !b.rules().host_objects && (whole.type.is(Kind::tuple) || whole.type.length().has_value());
        if (!known) {
            b.error("E0302", e.span,
                    fmt::format("`{}` takes tensors in brackets, `[a, b]`, this is {}", row.paths.front(),
                                shown(whole.type)));
            return std::nullopt;
        }
        const bool parts = whole.type.is(Kind::tuple);
        const size_t count = parts ? whole.type.parts().size() : static_cast<size_t>(*whole.type.length());
        for (size_t i = 0; i < count; ++i)
            items.push_back({&e, typed(item_type(b, whole.type.parts()[parts ? i : 0], e, static_cast<int>(i)))});
    }
    for (Item& item : items) {
        const bool number = item.value.type.is_number() || item.value.type.is_bool();
        if (number && row.id == Builtin::stack) {  // a tensor of no axes
            item.value.type = settled_type(item.value.type, item.value.value);
        } else if (!require_tensor(b, *item.at, row, item.value)) {
            return std::nullopt;
        }
    }
    if (items.empty()) {
        b.error("E0302", e.span, fmt::format("`{}` takes one tensor at least", row.paths.front()));
        return std::nullopt;
    }
    return items;
}

// Numbers have no axes.
size_t rank_of(const Type& type) { return type.is(Kind::tensor) ? type.rank() : 0; }
Extents shape_of(const Type& type) { return type.is(Kind::tensor) ? type.shape() : Extents{}; }

bool alike(Body& b, const ast::Expr& e, const BuiltinEntry& row, const Item& first, const Item& other) {
    const Type &one = first.value.type, &another = other.value.type;
    if (one.elem() == another.elem() && rank_of(one) == rank_of(another)) return true;
    b.error(one.elem() == another.elem() ? "E0312" : "E0301", e.span,
            fmt::format("`{}` of {} and {}", row.paths.front(), shown(one), shown(another)))
        .label(first.at->span, shown(one))
        .label(other.at->span, shown(another));
    return false;
}

// All axes but one are the same; `without`: that one.
bool fits(Body& b, const ast::Expr& e, const BuiltinEntry& row, const Item& first, const Item& other,
          std::optional<size_t> without, std::vector<DimCheck>& checks) {
    if (!alike(b, e, row, first, other)) return false;
    const Extents wanted = shape_of(first.value.type), found = shape_of(other.value.type);
    for (size_t axis = 0; axis < wanted.size(); ++axis) {
        if (axis == without) continue;
        const ir::Equality same = ir::compare(wanted[axis], found[axis]);
        if (same == ir::Equality::unknown)
            checks.push_back({0, axis, found[axis], wanted[axis], wanted[axis].text(), std::nullopt, {}});
        if (same != ir::Equality::different) continue;
        b.error("E0312", e.span,
                fmt::format("`{}` of {} and {}: axis {} has {} and {} elements", row.paths.front(),
                            shown(first.value.type), shown(other.value.type), axis, readable(wanted[axis].text()),
                            readable(found[axis].text())))
            .label(first.at->span, shown(first.value.type))
            .label(other.at->span, shown(other.value.type));
        return false;
    }
    return true;
}

Value joined(Body& b, const ast::Expr& e, const BuiltinEntry& row, const Matched& m) {
    const auto items = joined_items(b, row, *m.arguments[0]);
    if (!items) {
        if (m.arguments[1]) expression(b, *m.arguments[1]);
        return {};
    }
    const bool stacks = row.id == Builtin::stack;
    const Type& first = items->front().value.type;
    const auto axis = axis_argument(b, m.arguments[1], first, rank_of(first) + (stacks ? 1 : 0));
    if (!axis) return {};
    std::vector<DimCheck> checks;
    ir::Dim total;
    for (const Item& item : *items) {
        if (!fits(b, e, row, items->front(), item, stacks ? std::nullopt : std::optional(*axis), checks)) return {};
        if (!stacks) total = total + item.value.type.shape()[*axis];
    }
    if (!checks.empty()) b.instance.extents[e.id] = std::move(checks);
    Extents shape = shape_of(first);
    if (stacks) {
        shape.insert(shape.begin() + static_cast<ptrdiff_t>(*axis),
                     ir::Dim::constant(static_cast<int64_t>(items->size())));
    } else {
        shape[*axis] = total;
    }
    return typed(new_tensor(element_type(first), std::move(shape)));
}

// The sizes along an axis: equal parts, or those that a tuple names.
std::optional<std::vector<ir::Dim>> sizes_of(Body& b, const ast::Expr& e, const ast::Expr& parts, const Value& x,
                                             size_t axis) {
    const ir::Dim extent = x.type.shape()[axis];
    const auto& given = b.instance.info(parts).value;
    std::vector<ir::Dim> sizes;
    if (const auto* named = given->tuple()) {
        ir::Dim total;
        for (const Static& size : *named) {
            const auto number = size.integer();
            if (!number || *number < 0) {
                b.error("E0312", parts.span, fmt::format("a size is an integer of 0 or more, this is {}", size.text()));
                return std::nullopt;
            }
            sizes.push_back(ir::Dim::constant(*number));
            total = total + sizes.back();
        }
        const ir::Equality same = ir::compare(total, extent);
        if (same == ir::Equality::different) {
            b.error("E0312", parts.span,
                    fmt::format("axis {} of {} has {} elements, the parts {}", axis, shown(x.type), extent.text(),
                                total.text()));
            return std::nullopt;
        }
        if (same == ir::Equality::unknown)
            b.instance.extents[e.id] = {{0, axis, extent, total, total.text(), std::nullopt, {}}};
        return sizes;
    }
    const auto count = given->integer();
    const auto whole = extent.constant_value();
    if (!count || *count <= 0 || (whole && *whole % *count != 0)) {
        b.error("E0312", parts.span,
                fmt::format("axis {} of {} has {} elements: `{}` equal parts are not made of them", axis, shown(x.type),
                            readable(extent.text()), b.source(parts)));
        return std::nullopt;
    }
    const ir::Dim number = ir::Dim::constant(*count);
    const ir::Dim size = ir::Dim::floor_quotient(extent, number);
    if (!whole && !(size * number == extent))
        b.instance.extents[e.id] = {{0, axis, extent, size * number, (size * number).text(), std::nullopt, {}}};
    return std::vector<ir::Dim>(static_cast<size_t>(*count), size);
}

Value divided(Body& b, const ast::Expr& e, const BuiltinEntry& row, const Matched& m) {
    const Value x = expression(b, *m.arguments[0]);
    const Value parts = expression(b, *m.arguments[1]);
    if (!require_tensor(b, *m.arguments[0], row, x) || parts.broken()) {
        if (m.arguments[2]) expression(b, *m.arguments[2]);
        return {};
    }
    const auto axis = axis_argument(b, m.arguments[2], x.type, x.type.rank());
    if (!axis || !require_static(b, *m.arguments[1], parts, "the parts")) return {};
    const auto sizes = sizes_of(b, e, *m.arguments[1], x, *axis);
    if (!sizes) return {};
    std::vector<Type> types;
    for (const ir::Dim& size : *sizes) {
        Extents shape = x.type.shape();
        shape[*axis] = size;
        types.push_back(new_tensor(element_type(x.type), std::move(shape)));
    }
    return typed(Type::tuple(std::move(types)));
}

// Elements that are mirrored or repeated are there.
bool require_mirror(Body& b, const ast::Expr& e, const Value& x, const std::string& mode,
                    const std::vector<PadWidth>& widths) {
    const Extents shape = x.type.shape();
    for (size_t axis = 0; axis < shape.size(); ++axis) {
        const int64_t most = std::max(widths[axis].before, widths[axis].behind);
        const int64_t least = mode == "reflect" ? most + 1 : 1;
        const auto extent = shape[axis].constant_value();
        if (most == 0 || !extent || *extent >= least) continue;
        b.error("E0312", e.span,
                fmt::format("axis {} of {} has {} elements, `{}` of {} needs {}", axis, shown(x.type), *extent, mode,
                            most, least));
        return false;
    }
    return true;
}

Value padded(Body& b, const ast::Expr& e, const BuiltinEntry& row, const Matched& m) {
    const Value x = expression(b, *m.arguments[0]);
    const Value given = expression(b, *m.arguments[1]);
    const Value fill = m.arguments[2] ? expression(b, *m.arguments[2]) : Value{};
    const auto mode = m.arguments[3] ? static_string(b, *m.arguments[3], "`mode`") : std::string("constant");
    if (!require_tensor(b, *m.arguments[0], row, x) || given.broken() || !mode) return {};
    if (m.arguments[2] && !require_converts(b, *m.arguments[2], fill, Type::scalar(x.type.elem()), "an element"))
        return {};
    const bool by_the_run = !given.value && given.rounds == 0 && !m.arguments[3];  // in no form that has a meaning
    if (!by_the_run && !require_static(b, *m.arguments[1], given, "a width")) return {};
    const auto widths = by_the_run ? std::nullopt : pad_widths(*b.instance.info(*m.arguments[1]).value, x.type.rank());
    if (!widths) {
        b.error("E0312", m.arguments[1]->span,
                fmt::format("{} has {} axes: `{}` is no width of 0 or more, pair of widths, or pair for each axis",
                            shown(x.type), x.type.rank(), b.source(*m.arguments[1])));
        return {};
    }
    if (*mode != "constant" && *mode != "reflect" && *mode != "edge") {
        b.error("E0302", m.arguments[3]->span,
                fmt::format("`mode` is \"constant\", \"reflect\" or \"edge\", this is \"{}\"", *mode));
        return {};
    }
    if (*mode != "constant" && !require_mirror(b, e, x, *mode, *widths)) return {};
    Extents shape = x.type.shape();
    for (size_t axis = 0; axis < shape.size(); ++axis)
        shape[axis] = shape[axis] + ir::Dim::constant((*widths)[axis].before + (*widths)[axis].behind);
    return typed(new_tensor(element_type(x.type), std::move(shape)));
}

}  // namespace

Value joining_call(Body& b, const ast::Expr& e, const BuiltinEntry& row, const Matched& m) {
    switch (row.id) {
        case Builtin::concat:
        case Builtin::stack:
            return joined(b, e, row, m);
        case Builtin::split:
            return divided(b, e, row, m);
        case Builtin::pad:
            return padded(b, e, row, m);
        case Builtin::einsum:
            return einsum_call(b, e, row, m);
            TSR_CASES_TILE
            TSR_CASES_REGISTER_TILE
            TSR_CASES_MATH
            TSR_CASES_HOST
            TSR_CASES_INDEXED
            TSR_CASES_AXES
            TSR_CASES_FORM
            break;
    }
    __builtin_unreachable();
}

}  // namespace tsr::sema
