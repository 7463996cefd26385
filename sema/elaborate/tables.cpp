#include "sema/elaborate/tables.h"

#include <bit>

#include "sema/elaborate/local_arrays.h"
#include "sema/elaborate/recursion.h"
#include "sema/program/static_tables.h"

namespace tsr::elaborate {

using sema::Static;

namespace {

constexpr size_t kMostChosen = 8;  // elements among which selects choose in as few instructions as a load takes

// The bits of the elements, in order.
void collect_bits(const Static& list, DType type, std::vector<int64_t>& elements) {
    if (const auto* parts = list.tuple()) {
        for (const Static& part : *parts) collect_bits(part, type, elements);
    } else if (is_float(type)) {
        const double number = list.real().value_or(list.boolean().value_or(false) ? 1 : 0);
        elements.push_back(type == DType::f32 ? std::bit_cast<int32_t>(static_cast<float>(number))
                                              : std::bit_cast<int64_t>(number));
    } else if (const auto* large = std::get_if<uint64_t>(&list.value)) {
        elements.push_back(static_cast<int64_t>(*large));
    } else {
        elements.push_back(list.integer().value_or(list.boolean().value_or(false) ? 1 : 0));
    }
}

void collect(Body& b, const Static& list, DType type, std::vector<ir::ValueId>& elements) {
    const auto* parts = list.tuple();
    if (!parts) return elements.push_back(b.scalar(Val::of(list), type));
    for (const Static& part : *parts) collect(b, part, type, elements);
}

// The elements of a list of numbers, or of such lists.
class Elements {
public:
    Elements(Body& b, const Static& list) : type_(sema::table_element(list)) {
        collect_bits(list, type_, bits_);
        if (bits_.size() <= kMostChosen) collect(b, list, type_, values_);
        bits_.resize(std::bit_ceil(bits_.size()), bits_.back());
    }

    // The element at an index into all of them.
    ir::ValueId at(Body& b, const Val& index) const {
        if (!values_.empty()) return chosen_element(b, values_, index);
        return b.emit.inferred(ir::OpKind::table, {b.index(index)},
                               {{ir::Attr::type, type_}, {ir::Attr::elements, bits_}});
    }

private:
    DType type_;
    std::vector<int64_t> bits_;
    std::vector<ir::ValueId> values_;  // of short lists
};

// The element at the indices, or the list of those below it.
Val item(Body& b, const Static& list, const std::vector<Val>& indices, const Elements& elements) {
    std::vector<int64_t> shape;
    const Static* below = &list;
    for (size_t i = 0; i < indices.size(); ++i) {
        shape.push_back(static_cast<int64_t>(below->tuple()->size()));
        below = &below->tuple()->front();
    }
    const auto* parts = below->tuple();
    const DType type = sema::table_element(list);
    if (!parts) return Val::ssa(elements.at(b, row_major(b, shape, indices)), type);
    Val row = Val::list({});
    for (size_t i = 0; i < parts->size(); ++i) {
        std::vector<Val> inner = indices;
        inner.push_back(Val::index(static_cast<int64_t>(i)));
        row.parts.push_back(item(b, list, inner, elements));
    }
    return row;
}

}  // namespace

Val table_item(Body& b, const ast::Expr& e, const Static& list) {
    std::vector<const ast::Expr*> written;
    for (const auto* node = std::get_if<ast::Subscript>(&e.node); node;
         node = std::get_if<ast::Subscript>(&node->base->node)) {
        written.insert(written.begin(), node->indices[0]);
    }
    // Static indices at the front say which part of the list is meant.
    const Static* part = &list;
    std::vector<Val> indices;
    for (const ast::Expr* index : written) {
        const Val at = expression(b, *index);
        const auto number = at.is_fixed() ? at.fixed.integer() : std::nullopt;
        const bool inside =
            number && part->tuple() && *number >= 0 && *number < static_cast<int64_t>(part->tuple()->size());
        if (indices.empty() && inside) {
            part = &(*part->tuple())[static_cast<size_t>(*number)];
        } else {
            indices.push_back(at);
        }
    }
    if (indices.empty()) return Val::of(*part);
    const At at(b.emit, e.span);
    return item(b, *part, indices, Elements(b, *part));
}

}  // namespace tsr::elaborate
