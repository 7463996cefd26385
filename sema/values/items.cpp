#include "sema/values/items.h"

#include <algorithm>

#include <fmt/format.h>

#include "sema/types/containers.h"
#include "sema/types/nested_elements.h"
#include "sema/types/numeric.h"
#include "sema/values/dimensions.h"

namespace tsr::sema {

namespace {

bool holds_shaped_tensors(const Type& type) {
    if (type.is(Kind::tensor)) return type.rank() > 0;
    return type.is(Kind::tuple) && std::any_of(type.parts().begin(), type.parts().end(), holds_shaped_tensors);
}

}  // namespace

Type item_type(Body& b, const Type& item, const ast::Expr& source, int element) {
    if (item.is(Kind::tensor)) {
        std::vector<ir::Dim> shape = item.tensor().shape;
        for (size_t axis = 0; axis < shape.size(); ++axis) {
            if (shape[axis].symbol_name() == "_") shape[axis] = fresh_symbol(b, "extent", source, axis, element);
        }
        return item.with_shape(std::move(shape));
    }
    if (!item.is(Kind::tuple) || !holds_shaped_tensors(item)) return item;
    std::vector<Type> parts;
    for (size_t i = 0; i < item.parts().size(); ++i) {
        if (!has_nested_element(element, i) && holds_shaped_tensors(item.parts()[i])) {
            b.refuse(Feature::host, source.span, "tensors in tuples in tuples in tuples of a container are");
            return {};
        }
        parts.push_back(item_type(b, item.parts()[i], source, nested_element(element, i)));
    }
    return Type::tuple(std::move(parts));
}

namespace {

bool is_hashable(const Type& type) {
    if (type.is(Kind::tuple)) return std::all_of(type.parts().begin(), type.parts().end(), is_hashable);
    return type.is_number() || type.is_bool() || type.is(Kind::string) || type.is_unknown();
}

}  // namespace

std::optional<Type> join_items(Body& b, const std::optional<Type>& before, const ast::Expr& e, const Value& value,
                               const char* what) {
    if (b.rules().host_objects && !is_item(value.type)) {
        b.error("E0208", e.span, fmt::format("a container does not hold {}", shown(value.type)));
        return std::nullopt;
    }
    Type item = b.rules().host_objects ? as_item(value.type) : value.type;
    // A literal that an i32 does not hold makes it a container of a larger type.
    const bool large = item.is(Kind::int_literal) && value.value && settled(item, value.value) != DType::i32;
    if (large && b.rules().host_objects) item = Type::scalar(settled(item, value.value));
    if (!before) return item;
    auto joined = join(*before, item, {}, value.value);
    if (!joined && b.rules().new_values) joined = join(without_extents(*before), without_extents(item));
    if (joined) return joined;
    auto& d = b.error(
        "E0303", e.span,
        fmt::format("{} have one type: this is {}, those before it are {}", what, shown(value.type), shown(*before)));
    if (value.type.is(Kind::function)) d.note("functions stand in a tuple: `for f in (relu, tanh):`");
    return std::nullopt;
}

void widen_container(Body& b, const ast::Expr& container, const Type& type) {
    if (const auto* variable = std::get_if<VariableId>(&b.instance.info(container).referent)) {
        Slot& slot = b.slots[variable->index];
        if (!slot.joined || slot.declared) return;
        slot.any_keys |= type.is(Kind::dict);
        b.add_to_type(slot, stored(type), {});
        return;
    }
    const auto* subscript = std::get_if<ast::Subscript>(&container.node);
    if (!subscript) return;
    const Type& base = b.instance.type(*subscript->base);
    if (base.is(Kind::list)) widen_container(b, *subscript->base, Type::list(type, std::nullopt));
    if (base.is(Kind::dict)) widen_container(b, *subscript->base, Type::dict(base.parts()[0], type));
}

bool require_known(Body& b, const ast::Expr& e, const Value& value) {
    if (!b.rules().host_objects || !b.aloud || !names_no_type(value.type)) return true;
    b.error("E0327", e.span, "the type of an empty container is not known").note("name it first: `xs: list[f32] = []`");
    return false;
}

bool require_hashable(Body& b, const ast::Expr& e, const Value& key) {
    if (key.broken() || is_hashable(key.type)) return true;
    b.error("E0302", e.span,
            fmt::format("a key is a number, a string or a tuple of them, this is {}", shown(key.type)));
    return false;
}

std::optional<Type> items_of(Body& b, const ast::Expr& e, const Value& value) {
    if (value.broken()) return std::nullopt;
    if (value.type.is(Kind::list) || value.type.is(Kind::dict)) return value.type.parts()[0];
    if (value.type.is(Kind::string) && b.rules().host_objects) return Type::string();
    if (value.type.is(Kind::range)) return Type::index();
    if (value.type.is(Kind::tuple) && !value.type.parts().empty()) {
        if (auto joined = common_item(value.type.parts())) return joined;
        b.error("E0330", e.span, fmt::format("the elements of {} have no common type", shown(value.type)))
            .note("`tree.map(f, …)` calls a function for each leaf, whatever type it has");
        return std::nullopt;
    }
    if (value.type.is(Kind::tensor) && value.type.rank() > 0 && b.rules().tensor_values) {  // elements, or rows
        std::vector<ir::Dim> shape = value.type.tensor().shape;
        shape.erase(shape.begin());
        if (shape.empty() && value.type.elem() == DType::c64 && !b.rules().host_objects) {
            b.refuse(Feature::host, e.span, "a single complex number is");
            return std::nullopt;
        }
        if (shape.empty()) return Type::scalar(value.type.elem()).carrying(value.type.policy());
        return value.type.with_shape(std::move(shape));
    }
    auto& d = b.error("E0330", e.span, fmt::format("{} is not iterated", shown(value.type)));
    if (value.type.is_integer()) d.suggest(e.span, fmt::format("range({})", b.source(e)), "iterate a range");
    if (value.type.is(Kind::tensor) && !b.rules().tensor_values) d.note("iterate its indices: `for i in range(n)`");
    return std::nullopt;
}

Value item_for(Body& b, const Type& item, const ast::Expr& target) {
    const std::vector<const ast::Expr*>* targets = nullptr;
    if (const auto* tuple = std::get_if<ast::Tuple>(&target.node)) targets = &tuple->elements;
    if (const auto* list = std::get_if<ast::List>(&target.node)) targets = &list->elements;
    if (!targets || !item.is(Kind::tuple) || targets->size() != item.parts().size())
        return typed(item_type(b, item, target));
    Value whole;
    std::vector<Type> types;
    for (size_t i = 0; i < targets->size(); ++i) {
        whole.elements.push_back(item_for(b, item.parts()[i], *(*targets)[i]));
        types.push_back(whole.elements.back().type);
    }
    whole.type = Type::tuple(std::move(types));
    return whole;
}

}  // namespace tsr::sema
