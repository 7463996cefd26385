#include "sema/builtin_calls/reshape_calls.h"

#include <algorithm>

#include <fmt/format.h>

#include "sema/state/recursion.h"
#include "sema/types/elements.h"
#include "sema/values/dimensions.h"
#include "sema/values/requirements.h"

namespace tsr::sema {

namespace {

// Without the symbols that both have: what is left of b*s*e elements in rows of b*s*2 is e//2, also where b is 0.
ir::Dim open_extent(const ir::Dim& elements, const ir::Dim& others) {
    const auto plain = [](const ir::Dim& dim) {
        return dim.terms().size() == 1 && std::ranges::all_of(dim.terms()[0].factors, [](const ir::Dim::Atom& factor) {
                   return factor.kind == ir::Dim::Atom::Kind::symbol;
               });
    };
    if (!plain(elements) || !plain(others)) return ir::Dim::floor_quotient(elements, others);
    const auto remaining = [](const ir::Dim::Term& term, std::vector<ir::Dim::Atom> taken) {
        ir::Dim rest = ir::Dim::constant(term.coefficient);
        for (const ir::Dim::Atom& factor : term.factors) {
            const auto found = std::ranges::find(taken, factor);
            if (found == taken.end()) {
                rest = rest * ir::Dim::symbol(factor.name);
            } else {
                taken.erase(found);
            }
        }
        return rest;
    };
    const ir::Dim::Term &all = elements.terms()[0], &row = others.terms()[0];
    return ir::Dim::floor_quotient(remaining(all, row.factors), remaining(row, all.factors));
}

// In a graph function, where an extent that is left open is a quotient.
Value graph_reshape(Body& b, const ast::Expr& e, const Value& x, std::vector<ir::Dim> shape,
                    std::optional<size_t> open) {
    const ir::Dim elements = ir::element_count(x.type.shape());
    if (open) {
        shape[*open] = ir::Dim::constant(1);
        const ir::Dim others = ir::element_count(shape);
        shape[*open] = open_extent(elements, others);
    }
    const ir::Dim wanted = ir::element_count(shape);
    const ir::Equality same = ir::compare(elements, wanted);
    if (same == ir::Equality::different) {
        b.error("E0312", e.span,
                fmt::format("{} has {} elements, the shape has {}", shown(x.type), readable(elements.text()),
                            readable(wanted.text())));
        return {};
    }
    if (same == ir::Equality::unknown)
        b.instance.extents[e.id] = {{0, 0, elements, wanted, wanted.text(), std::nullopt, {}}};
    return typed(new_tensor(element_type(x.type), std::move(shape)));
}

Value say_several_open(Body& b, const ast::Expr& at) {
    b.error("E0312", at.span, "only one extent is left open by -1");
    return {};
}

}  // namespace

Value reshape_call(Body& b, const ast::Expr& e, const Matched& m) {
    const Value x = expression(b, *m.arguments[0]);
    std::vector<const ast::Expr*> written = m.rest;
    const auto* tuple = m.rest.size() == 1 ? std::get_if<ast::Tuple>(&m.rest[0]->node) : nullptr;
    const auto* list = m.rest.size() == 1 ? std::get_if<ast::List>(&m.rest[0]->node) : nullptr;
    const bool whole = tuple || list;
    if (whole) {
        expression(b, *m.rest[0]);
        written = tuple ? tuple->elements : list->elements;
    }
    std::vector<ir::Dim> shape;
    std::optional<size_t> open;  // the axis of the extent -1
    for (const ast::Expr* extent : written) {
        const Value v = expression(b, *extent);
        if (v.type.is(Kind::tuple) && written.size() == 1 && !whole) {
            const auto given = shape_argument(b, *extent, true);
            if (!given) return {};
            shape = *given;
            for (size_t axis = 0; axis < shape.size(); ++axis) {
                if (shape[axis].constant_value() != -1) continue;
                if (open) return say_several_open(b, *extent);
                open = axis;
                shape[axis] = b.rules().has_elements ? fresh_symbol(b, "extent", e, axis) : ir::Dim();
            }
            break;
        }
        require_integer(b, *extent, v, "an extent");
        if (v.broken() || !v.type.is_integer()) return {};
        const bool rest = v.value && v.value->integer() == -1;
        if (rest && open) return say_several_open(b, *extent);
        if (rest) open = shape.size();
        const bool of_run = rest && b.rules().has_elements;
        shape.push_back(of_run ? fresh_symbol(b, "extent", e, shape.size())
                        : rest ? ir::Dim()
                               : dimension_of(b, *extent, v));
    }
    if (x.broken()) return {};
    if (!x.type.is(Kind::tensor)) {
        b.error("E0302", m.arguments[0]->span, fmt::format("`reshape` takes a tensor, this is {}", shown(x.type)));
        return {};
    }
    int64_t elements = 1, wanted = 1;
    bool known = true;
    for (const ir::Dim& extent : x.type.shape()) {
        known &= extent.constant_value().has_value();
        elements *= extent.constant_value().value_or(1);
    }
    for (size_t axis = 0; axis < shape.size(); ++axis) {
        if (open == axis) continue;
        known &= shape[axis].constant_value().has_value();
        wanted *= shape[axis].constant_value().value_or(1);
    }
    if (known && (open ? wanted <= 0 || elements % wanted != 0 : elements != wanted)) {
        b.error("E0312", e.span,
                open ? fmt::format("{} has {} elements: they are not divided into parts of {}", shown(x.type), elements,
                                   wanted)
                     : fmt::format("{} has {} elements, the shape has {}", shown(x.type), elements, wanted));
        return {};
    }
    if (known && open) shape[*open] = ir::Dim::constant(elements / wanted);
    if (b.rules().has_elements) return typed(x.type.with_shape(std::move(shape)));
    return graph_reshape(b, e, x, std::move(shape), known ? std::nullopt : open);
}

}  // namespace tsr::sema
