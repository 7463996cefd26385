#include "sema/program/static_tables.h"

#include "sema/types/numeric.h"

namespace tsr::sema {

const Static* table_below(const Instance& instance, const ast::Expr& e) {
    const ast::Expr* root = &e;
    while (const auto* node = std::get_if<ast::Subscript>(&root->node)) {
        if (node->indices.size() != 1) return nullptr;
        root = node->base;
    }
    const ExprInfo& info = instance.info(*root);
    const bool list = info.value && info.value->is_list && info.value->tuple();
    return list && std::holds_alternative<ModuleConstant>(info.referent) ? &*info.value : nullptr;
}

namespace {

// The lengths of the lists in each other; false where neighbours differ.
bool shape_of(const Static& value, std::vector<size_t>& shape) {
    const auto* parts = value.tuple();
    if (!parts) return value.is_number() || value.boolean().has_value();
    if (parts->empty()) return false;
    shape.push_back(parts->size());
    std::vector<size_t> first;
    for (const Static& part : *parts) {
        std::vector<size_t> inner;
        if (!shape_of(part, inner)) return false;
        if (&part == &parts->front()) first = inner;
        if (inner != first) return false;
    }
    shape.insert(shape.end(), first.begin(), first.end());
    return true;
}

void join_elements(const Static& value, std::optional<DType>& type) {
    if (const auto* parts = value.tuple()) {
        for (const Static& part : *parts) join_elements(part, type);
        return;
    }
    const DType own = value.boolean()      ? DType::boolean
                      : value.is_integer() ? settled(Type::int_literal(), value)
                                           : settled(Type::float_literal(), value);
    if (!type) {
        type = own;
    } else if (is_float(own) != is_float(*type)) {
        type = DType::f32;  // a list of integers and floats is one of float literals
    } else if (bits(own) > bits(*type) || own == DType::u64) {
        type = own;
    }
}

}  // namespace

bool is_rectangular(const Static& list) {
    std::vector<size_t> shape;
    return shape_of(list, shape) && !shape.empty();
}

DType table_element(const Static& list) {
    std::optional<DType> type;
    join_elements(list, type);
    return type.value_or(DType::i32);
}

}  // namespace tsr::sema
