#include "sema/elaborate/assignments.h"

#include "sema/elaborate/containers.h"
#include "sema/elaborate/dimensions.h"
#include "sema/elaborate/elements.h"
#include "sema/elaborate/memory.h"

namespace tsr::elaborate {

void assign_to(Body& b, const ast::Expr& target, const Val& value) {
    const std::vector<const ast::Expr*>* parts = nullptr;
    if (const auto* tuple = std::get_if<ast::Tuple>(&target.node)) parts = &tuple->elements;
    if (const auto* list = std::get_if<ast::List>(&target.node)) parts = &list->elements;
    if (!parts) return write_target(b, evaluate_target(b, target), value);
    const sema::Type& whole = b.info(target).type;
    if (value.is_ssa() && whole.is(sema::Kind::list)) require_length(b, value.id, parts->size());
    for (size_t i = 0; i < parts->size(); ++i) {
        if (value.has_elements() && i < value.element_count()) {
            assign_to(b, *(*parts)[i], value.element(i));
        } else if (value.is_ssa() && whole.is(sema::Kind::list)) {
            const Val item = list_element(b, value.id, Val::index(static_cast<int64_t>(i)), whole.parts()[0]);
            assign_to(b, *(*parts)[i], item);
            bind_symbols_of(b, *(*parts)[i], item);
        } else if (value.is_ssa()) {
            assign_to(b, *(*parts)[i], element_of(b, value, Val::index(static_cast<int64_t>(i))));
        }
    }
}

void bind_target(Body& b, const ast::Expr& target, const Val& element) {
    assign_to(b, target, element);
    const auto* tuple = std::get_if<ast::Tuple>(&target.node);
    if (!tuple) return bind_symbols_of(b, target, element);
    for (size_t i = 0; element.has_elements() && i < tuple->elements.size(); ++i) {
        if (std::holds_alternative<ast::Tuple>(tuple->elements[i]->node)) {
            bind_target(b, *tuple->elements[i], element.element(i));
        } else {
            bind_symbols_of(b, *tuple->elements[i], element.element(i));
        }
    }
}

}  // namespace tsr::elaborate
