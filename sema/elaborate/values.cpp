// Values as the IR needs them: constants of a type, conversions, handles.
#include "base/numerics.h"
#include "sema/elaborate/body.h"
#include "sema/elaborate/complex_values.h"
#include "sema/elaborate/containers.h"
#include "sema/elaborate/graph_random.h"
#include "sema/elaborate/host.h"
#include "sema/elaborate/narrowing.h"
#include "sema/elaborate/types.h"
#include "sema/types/containers.h"
#include "sema/types/elements.h"
#include "sema/types/fold.h"
#include "sema/types/nested_elements.h"
#include "sema/types/numeric.h"

namespace tsr::elaborate {

using ir::Attr;
using ir::OpKind;
using ir::ValueId;
using sema::Kind;
using sema::Static;

namespace {

bool is_number_like(const Static& value) { return value.is_number() || value.boolean().has_value(); }

}  // namespace

Val Val::nested(int number) const {
    Val found = *this;
    for (const size_t i : sema::path_of_element(number)) {
        if (!found.has_elements() || i >= found.element_count()) break;
        found = found.element(i);
    }
    return found;
}

bool Body::computes_on(const ir::Type& type) {
    return holds_elements(type) || (type.kind == ir::TypeKind::tensor && function().level == ir::Level::graph);
}

std::optional<DType> Body::computed_dtype(const sema::Type& type) {
    if (sema::is_complex_number(type)) return std::nullopt;
    if (type.is(Kind::tensor) && function().level == ir::Level::graph) return type.elem();
    return element_dtype(type);
}

Val Body::rounded(const Val& value) {
    if (!value.is_ssa() || !value.type || *value.type == DType::c64) return value;
    const ir::Type& held = type_of(value.id);
    if (!computes_on(held)) return value;
    const auto wide = unrounded_type(held.elem, *value.type);
    if (value.rounds_at != nullptr && value.round == Rounding::stochastic && wide) {
        const RandomKey key = random_key(*this, *value.rounds_at);
        return Val::ssa(rounded_by_chance(*this, key, emit.cast(value.id, *wide), *value.type), value.type);
    }
    if (value.round == Rounding::toward_zero) return Val::ssa(cut(*this, value.id, *value.type), value.type);
    return Val::ssa(emit.cast(value.id, *value.type), value.type);
}

Val Body::coerce(const Val& value, DType type) {
    if (type == DType::c64) {
        const bool tensor = value.is_ssa() && type_of(value.id).rank() > 0;
        return tensor || value.is(Val::Kind::undefined) ? value : complex_number(*this, value);
    }
    if (value.is_fixed())
        return is_number_like(value.fixed) ? Val::of(sema::converted(value.fixed, type), type) : value;
    if (!value.is_ssa()) return value;
    if (!computes_on(type_of(value.id))) return value;
    return Val::ssa(emit.cast(value.id, type), type);
}

Val Body::coerce(const Val& value, const sema::Type& type) {
    switch (type.kind()) {
        case Kind::scalar:
            return coerce(value, type.elem());
        case Kind::vector:
            return Val::ssa(vector(value, type.elem(), type.length().value_or(1)), type.elem());
        case Kind::tile:
            if (value.is(Val::Kind::undefined)) return value;
            return Val::ssa(tile(value, type.elem(), type.shape()), type.elem());
        case Kind::tuple:
        case Kind::list: {
            if (type.is(Kind::list) && rules().host_objects && !value.is(Val::Kind::undefined)) {
                return Val::ssa(container(*this, value, type));
            }
            if (!value.has_elements()) return value;
            Val parts = type.is(Kind::tuple) ? Val::tuple({}) : Val::list({});
            for (size_t i = 0; i < value.element_count(); ++i) {
                const size_t part = type.is(Kind::tuple) ? i : 0;
                const Val element = value.element(i);
                parts.parts.push_back(part < type.parts().size() ? coerce(element, type.parts()[part]) : element);
            }
            return parts;
        }
        case Kind::tensor:
            return function().level == ir::Level::graph ? coerce(value, type.elem()) : value;
        case Kind::dict:
            return value.is(Val::Kind::undefined) ? value : Val::ssa(container(*this, value, type));
        case Kind::unknown:
        case Kind::none:
        case Kind::local:
        case Kind::int_literal:
        case Kind::float_literal:
        case Kind::record:
        case Kind::string:
        case Kind::view:
        case Kind::buffer:
        case Kind::range:
        case Kind::function:
        case Kind::builtin:
        case Kind::launcher:
        case Kind::name_space:
        case Kind::module:
        case Kind::dtype:
        case Kind::type:
        case Kind::context:
            return value;  // references, static values, names
    }
    return value;
}

void Body::assign(sema::VariableId variable, const Val& value) {
    if (!variable.valid()) return;
    const sema::Variable& known = instance().variables[variable.index];
    require_type(known.type, "a variable", known.declared);
    Val stored = coerce(rounded(value), known.type);
    if (stored.is_ssa() && rules().host_objects && known.type.is(Kind::tensor)) {
        const bool other_policy = !(type_of(stored.id).policy == known.type.policy());
        const bool any_extent = sema::has_unknown_extents(known.type);
        if ((other_policy || any_extent) && !(type_of(stored.id) == ir_type(known.type)))
            stored = Val::ssa(whole_view(*this, stored.id, ir_type(known.type)));
    }
    if (stored.is_ssa()) {
        std::string& name = function().value(stored.id).name;
        if (name.empty()) name = known.name;
    }
    set(slot(variable), std::move(stored));
}

ValueId Body::scalar(const Val& value, DType type) {
    if (value.is_ssa()) return emit.cast(value.id, type);
    if (!value.is_fixed()) return emit.constant(int64_t{0}, type);
    if (const auto truth = value.fixed.boolean()) return emit.constant(static_cast<int64_t>(*truth), type);
    if (is_float(type)) return emit.constant(value.fixed.real().value_or(0), type);
    if (const auto whole = value.fixed.integer()) {
        return emit.constant(type == DType::boolean ? static_cast<int64_t>(*whole != 0) : *whole, type);
    }
    if (const auto* large = std::get_if<uint64_t>(&value.fixed.value)) {
        return emit.constant(static_cast<int64_t>(*large), type);
    }
    return emit.constant(static_cast<int64_t>(value.fixed.real().value_or(0)), type);
}

ValueId Body::vector(const Val& value, DType type, int64_t width) {
    if (value.is_ssa() && type_of(value.id).is_vector()) return emit.cast(value.id, type);
    const ValueId element = scalar(value, type);
    return emit.inferred(OpKind::vector_build, std::vector<ValueId>(static_cast<size_t>(width), element));
}

ValueId Body::tile(const Val& value, DType type, const std::vector<ir::Dim>& shape) {
    const ValueId id = scalar(value, type);
    const ir::Type& held = type_of(id);
    const bool graph = function().level == ir::Level::graph;
    if (!held.is_scalar() && held.shape == shape) return id;
    if (graph && held.is_scalar()) return emit.inferred(OpKind::full, {id}, {{Attr::shape, shape}});
    std::vector<int64_t> axes;
    for (size_t i = 0; i < held.rank(); ++i) axes.push_back(static_cast<int64_t>(shape.size() - held.rank() + i));
    return emit.inferred(OpKind::expand, {id}, {{Attr::axes, axes}, {Attr::shape, shape}});
}

ValueId Body::truth(const Val& value) {
    if (!value.is_ssa() || type_of(value.id).elem == DType::boolean) return scalar(value, DType::boolean);
    const DType type = compute_type(type_of(value.id).elem, {});
    return emit.inferred(OpKind::ne, {emit.cast(value.id, type), emit.constant(int64_t{0}, type)});
}

// A text that only the run chooses: kernels have none.
ValueId Body::text_handle(const std::string& text) {
    if (!rules().host_objects && !rules().new_values && !failed) {
        error("E0417", emit.span(), "a kernel has no text that is chosen while it runs")
            .note("`print` each text where it is chosen");
    }
    return emit.inferred(OpKind::string, {}, {{Attr::value, text}});
}

ValueId Body::handle(const Val& value, const sema::Type& type) {
    if (sema::is_complex_number(type)) return boxed(*this, value, type);
    if (value.is_ssa() && type.is_scalar()) return emit.cast(value.id, type.elem());
    if (value.is_ssa()) return value.id;
    if (type.is(Kind::string)) {
        const std::string* text = value.is_fixed() ? value.fixed.string() : nullptr;
        return text_handle(text ? *text : std::string());
    }
    if (type.is(Kind::list) || type.is(Kind::dict)) return container(*this, value, type);
    if (type.is(Kind::tuple) && rules().host_objects) return boxed(*this, value, type);
    if (type.is(Kind::vector)) return vector(value, type.elem(), type.length().value_or(1));
    if (value.is_fixed()) {
        if (const std::string* text = value.fixed.string()) {
            return text_handle(*text);
        }
        return scalar(value, type.is_scalar() ? type.elem() : value.type.value_or(sema::settled(value.fixed)));
    }
    return emit.constant(int64_t{0}, DType::index);
}

ValueId Body::memory(const Val& value) {
    if (value.is(Val::Kind::view)) return memory(value.parts[0]);
    if (!value.is(Val::Kind::buffer)) return value.id;
    ValueId& handle = buffers.handle(value.site);
    if (!handle.valid()) {
        const sema::Type& type = buffers.type(value.site);
        const sema::BufferDetail& detail = type.buffer();
        ir::Attrs attrs{{Attr::type, type.elem()}, {Attr::shape, type.shape()}, {Attr::name, buffers.name(value.site)}};
        if (buffers.stages(value.site) > 1) attrs.set(Attr::count, buffers.stages(value.site));
        if (detail.layout != "row") attrs.set(Attr::layout, detail.layout);
        if (detail.swizzle != "none") attrs.set(Attr::swizzle, detail.swizzle);
        if (detail.alignment != 0) attrs.set(Attr::alignment, detail.alignment);
        const At allocation(emit, buffers.span(value.site));
        handle = emit.entry(OpKind::buffer, std::move(attrs));
        function().value(handle).name = buffers.name(value.site);
    }
    const Val& stage = value.parts[0];
    if (stage.is_fixed() && stage.fixed.integer() == 0) return handle;
    const ValueId number = index(stage);  // makes values: no reference to a type is kept over it
    return emit.inferred(OpKind::stage, {handle, number});
}

ValueId Body::undefined_leaf(ir::Type type) {  // NOLINT(performance-unnecessary-value-param)
    switch (type.kind) {
        case ir::TypeKind::vector:
            return vector(Val::of(Static::of(int64_t{0})), type.elem, type.width);
        case ir::TypeKind::tile: {
            const ValueId made = tile(Val::of(Static::of(int64_t{0})), type.elem, type.shape);
            placeholders.insert(function().value(made).op);
            return made;
        }
        case ir::TypeKind::tensor: {
            // The tensors of a kernel are its parameters: one of them is of this type.
            for (const ValueId param : function().params()) {
                if (!rules().tensor_values && type_of(param) == type) return param;
            }
            if (function().level == ir::Level::graph) {
                const ValueId zero = emit.constant(int64_t{0}, type.elem);
                type.mut = false;
                return emit.inferred(OpKind::full, {zero}, {{Attr::shape, type.shape}});
            }
            std::vector<ValueId> shape(type.rank(), emit.constant(int64_t{0}, DType::index));
            return emit.given(OpKind::host, std::move(shape), type,
                              {{Attr::callee, std::string("empty")}, {Attr::type, type.elem}});
        }
        case ir::TypeKind::string:
            return emit.inferred(OpKind::string, {}, {{Attr::value, std::string()}});
        case ir::TypeKind::list:
        case ir::TypeKind::dict:
            return empty_container(*this, type, 0);
        case ir::TypeKind::tuple:
        case ir::TypeKind::record: {
            std::vector<ValueId> parts;
            for (const ir::Type& part : type.parts) parts.push_back(undefined_leaf(part));
            return container_of(*this, type, std::move(parts));
        }
        case ir::TypeKind::scalar:
        case ir::TypeKind::none:
        case ir::TypeKind::buffer:
        case ir::TypeKind::lane_array:
        case ir::TypeKind::pointer:
            break;
    }
    return emit.constant(int64_t{0}, type.elem);
}

Val Body::undefined(const sema::Type& type) {
    if (sema::is_complex_number(type)) return undefined(parts_of_complex());
    if (type.is(Kind::tuple) || (type.is(Kind::record) && !rules().host_objects)) {
        Val parts = Val::tuple({});
        for (const sema::Type& part : type.parts()) parts.parts.push_back(undefined(part));
        return parts;
    }
    const ir::Type held = held_type(*this, type);
    if (held.kind == ir::TypeKind::none || held.kind == ir::TypeKind::buffer ||
        (!rules().host_objects && type.is(Kind::list))) {
        return {};
    }
    return Val::ssa(undefined_leaf(held), computes_on(held) ? std::optional(held.elem) : std::nullopt);
}

void Body::flatten(const Val& value, const sema::Type* type, std::vector<ValueId>& leaves) {
    if (type && sema::is_complex_number(*type) && !value.is(Val::Kind::undefined))
        return flatten(complex_number(*this, value), &parts_of_complex(), leaves);
    switch (value.kind) {
        case Val::Kind::ssa:
            leaves.push_back(value.id);
            return;
        case Val::Kind::buffer:
            leaves.push_back(index(value.parts[0]));
            return;
        case Val::Kind::view:
            leaves.push_back(memory(value.parts[0]));
            for (size_t i = 1; i < value.parts.size(); ++i) leaves.push_back(index(value.parts[i]));
            return;
        case Val::Kind::undefined:
        case Val::Kind::none:
        case Val::Kind::local:
            return;
        case Val::Kind::fixed:
        case Val::Kind::tuple:
        case Val::Kind::list:
            break;
    }
    if (!value.has_elements()) {
        const bool typed = type && ir_type(*type).kind != ir::TypeKind::none && !type->is_literal();
        if (value.fixed.is_none() || value.fixed.dtype()) return;
        leaves.push_back(typed ? handle(value, *type) : handle(value, sema::Type::unknown()));
        return;
    }
    for (size_t i = 0; i < value.element_count(); ++i) {
        const size_t part = type && type->is(Kind::list) ? 0 : i;
        const bool parted = type && (type->is(Kind::tuple) || type->is(Kind::list) || type->is(Kind::record) ||
                                     type->is(Kind::function));
        const bool known = parted && part < type->parts().size();
        flatten(value.element(i), known ? &type->parts()[part] : nullptr, leaves);
    }
}

Val Body::unflatten(const Val& shape, const std::vector<ValueId>& leaves, size_t& next) {
    const auto leaf = [&] {
        const ValueId id = leaves[next++];
        const ir::Type& type = type_of(id);
        return Val::ssa(id, computes_on(type) ? std::optional(type.elem) : std::nullopt);
    };
    switch (shape.kind) {
        case Val::Kind::ssa:
            return leaf();
        case Val::Kind::buffer:
            return Val::buffer(shape.site, leaf());
        case Val::Kind::view: {
            Val view = shape;
            ++next;  // the memory itself does not change
            for (size_t i = 1; i < view.parts.size(); ++i) view.parts[i] = leaf();
            return view;
        }
        case Val::Kind::undefined:
        case Val::Kind::none:
        case Val::Kind::local:
            return shape;
        case Val::Kind::fixed:
            if (!shape.has_elements()) return shape.fixed.is_none() || shape.fixed.dtype() ? shape : leaf();
            break;
        case Val::Kind::tuple:
        case Val::Kind::list:
            break;
    }
    Val parts = shape.is(Val::Kind::list) ? Val::list({}) : Val::tuple({});
    for (size_t i = 0; i < shape.element_count(); ++i) parts.parts.push_back(unflatten(shape.element(i), leaves, next));
    return parts;
}

}  // namespace tsr::elaborate
