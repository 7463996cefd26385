#include "sema/values/examples.h"

namespace tsr::sema {

std::optional<Type> example_type(const Type& type, int64_t axis) {
    if (type.is(Kind::tuple) || type.is(Kind::record)) {
        std::vector<Type> parts;
        for (const Type& part : type.parts()) {
            auto one = example_type(part, axis);
            if (!one) return std::nullopt;
            parts.push_back(std::move(*one));
        }
        return type.is(Kind::tuple) ? Type::tuple(std::move(parts)) : Type::record_like(type, std::move(parts), false);
    }
    if (type.is(Kind::list)) {
        const auto one = example_type(type.parts()[0], axis);
        return one ? std::optional(Type::list(*one, type.length())) : std::nullopt;
    }
    const auto rank = type.is(Kind::tensor) ? static_cast<int64_t>(type.rank()) : 0;
    const int64_t place = axis < 0 ? axis + rank : axis;
    if (place < 0 || place >= rank) return std::nullopt;
    std::vector<ir::Dim> shape = type.shape();
    shape.erase(shape.begin() + place);
    if (shape.empty()) return Type::scalar(type.elem());
    return type.with_shape(std::move(shape)).with_mut(false);
}

void add_examples(const Type& type, int64_t axis, std::vector<ir::Dim>& extents) {
    if (type.is(Kind::tuple) || type.is(Kind::record) || type.is(Kind::list)) {
        for (const Type& part : type.parts()) add_examples(part, axis, extents);
        return;
    }
    const auto rank = static_cast<int64_t>(type.rank());
    extents.push_back(type.shape()[static_cast<size_t>(axis < 0 ? axis + rank : axis)]);
}

std::optional<Type> batched_type(const Type& of, int64_t axis, const ir::Dim& examples) {
    if (of.is(Kind::tuple) || of.is(Kind::record)) {
        // What a record holds says no extents.
        const ir::Dim within = of.is(Kind::record) ? ir::Dim::symbol("_") : examples;
        std::vector<Type> parts;
        for (const Type& part : of.parts()) {
            auto one = batched_type(part, axis, within);
            if (!one) return std::nullopt;
            parts.push_back(std::move(*one));
        }
        return of.is(Kind::tuple) ? Type::tuple(std::move(parts)) : Type::record_like(of, std::move(parts), false);
    }
    if (of.is(Kind::list)) {
        const auto all = batched_type(of.parts()[0], axis, ir::Dim::symbol("_"));
        return all ? std::optional(Type::list(*all, of.length())) : std::nullopt;
    }
    if (!of.is(Kind::tensor) && !of.is_scalar()) return std::nullopt;
    std::vector<ir::Dim> shape = of.shape();
    const auto rank = static_cast<int64_t>(shape.size()) + 1;
    const int64_t place = axis < 0 ? axis + rank : axis;
    if (place < 0 || place >= rank) return std::nullopt;
    shape.insert(shape.begin() + place, examples);
    return Type::tensor(of.elem() == DType::index ? DType::i64 : of.elem(), {.shape = std::move(shape)});
}

std::optional<Type> type_of_example(const Body& b, const std::string& parameter) {
    const std::optional<Derivation>& derivation = b.function ? b.function->derived : std::nullopt;
    if (!derivation || derivation->kind != DerivationKind::batch) return std::nullopt;
    for (size_t i = 0; i < b.instance.parameters.size(); ++i) {
        if (b.instance.parameters[i].name == parameter && derivation->in_axes[i])
            return example_type(b.instance.parameters[i].type, *derivation->in_axes[i]);
    }
    return std::nullopt;
}

}  // namespace tsr::sema
