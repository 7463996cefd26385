#include "sema/annotations/annotations.h"

#include <algorithm>
#include <cctype>

#include <fmt/format.h>

#include "frontend/spelling.h"
#include "sema/annotations/dimension_annotations.h"
#include "sema/annotations/policy_annotations.h"
#include "sema/annotations/unknown_names.h"
#include "sema/state/entities.h"
#include "sema/types/containers.h"
#include "sema/values/requirements.h"
#include "sema/values/stored_forms.h"

namespace tsr::sema {

namespace {

// An unknown name with a capital is an element type to be bound (`T[M, K]`); a small one is a mistake.
bool may_be_type_variable(const std::string& text) {
    return !text.empty() && std::isupper(static_cast<unsigned char>(text[0]));
}

std::vector<std::string> type_names() {
    std::vector<std::string> names{"Tensor",  "Region",  "fp32", "fp16",  "fp64",  "fp8",
                                   "float32", "float16", "int8", "int16", "int32", "int64"};
    for (int i = 0; i < kDTypes; ++i) names.emplace_back(name(static_cast<DType>(i)));
    return names;
}

std::optional<Privilege> privilege_named(const std::string& text) {
    if (text == "read") return Privilege::read;
    if (text == "write") return Privilege::write;
    if (text == "reduce_sum") return Privilege::reduce_sum;
    if (text == "reduce_max") return Privilege::reduce_max;
    if (text == "reduce_min") return Privilege::reduce_min;
    if (text == "reduce_prod") return Privilege::reduce_prod;
    return std::nullopt;
}

const ast::Expr& root_of(const ast::Expr& e) {
    const auto* a = std::get_if<ast::Attribute>(&e.node);
    return a ? root_of(*a->base) : e;
}

}  // namespace

// `list[f32]`, `dict[str, i32]`, `tuple[f32, str]`; nothing where it is another type.
static std::optional<Type> container_annotation(Body& b, const ast::Subscript& s, bool in_header) {
    const auto* name = std::get_if<ast::Name>(&s.base->node);
    const bool one = name && (name->text == "list" || name->text == "dict" || name->text == "tuple");
    if (!one || (b.rules().in_group && name->text != "tuple")) return std::nullopt;
    Symbol symbol = b.checker.resolve(b.instance.module, *s.base);
    if (symbol.kind != Symbol::Kind::none && symbol.kind != Symbol::Kind::builtin) return std::nullopt;
    std::vector<const ast::Expr*> written = s.indices;
    if (written.size() == 1 && std::holds_alternative<ast::Tuple>(written[0]->node))
        written = std::get<ast::Tuple>(written[0]->node).elements;
    b.note(*s.base, language_entity(NameKind::builtin, name->text));
    std::vector<Type> parts;
    for (const ast::Expr* part : written) {
        const Annotation item = annotation(b, *part, in_header);
        if (item.type.is_unknown() && !item.type_variable.empty()) {
            b.error("E0309", part->span, fmt::format("`{}` is not a type", item.type_variable))
                .note(
                    "what stands for any type is the element of a tensor or a parameter; one without a type takes any "
                    "list");
        }
        parts.push_back(item.type);
        if (parts.back().is_unknown()) return Type::unknown();
    }
    const size_t wanted = name->text == "list" ? 1 : name->text == "dict" ? 2 : parts.size();
    if (parts.size() != wanted) {
        b.error("E0309", s.base->span,
                fmt::format("`{}[…]` names {} type{}", name->text, wanted, wanted == 1 ? "" : "s"));
        return Type::unknown();
    }
    if (name->text == "list") return stored(Type::list(parts[0], std::nullopt));
    if (name->text == "dict") return stored(Type::dict(parts[0], parts[1]));
    return Type::tuple(std::move(parts));
}

// `fp8_e4m3[M, K] @block_scale(32, e8m0)` is a record of values and scales.
static Type in_blocks(Body& b, const ast::Expr& e, const Type& type, Annotation& out) {
    if (!type.is(Kind::tensor) || !type.tensor().scaling.block) return type;
    const BlockScale block = *type.tensor().scaling.block;
    const auto rule = block_rule(type.elem(), block.elements, block.type);
    if (!rule) {
        b.error("E0326", e.span,
                fmt::format("blocks of {} elements of {} with scales of {} have no rule", block.elements,
                            tsr::name(type.elem()), tsr::name(block.type)))
            .note(
                "floats of 8 bits or fewer have scales of e8m0 in blocks of 32, fp4_e2m1 those of fp8_e4m3 in blocks "
                "of 16; "
                "a precision policy says others");
        return {};
    }
    const auto rank = static_cast<int64_t>(type.rank());
    StoredForm form{.rule = *rule, .storage = type.elem(), .scale = block.type, .block = block.elements};
    form.axis = block.axis < 0 ? block.axis : block.axis - rank;
    if (form.axis >= 0) {
        b.error("E0326", e.span, fmt::format("there is no axis {} of {}", block.axis, rank));
        return {};
    }
    out.values_shape = type.tensor().shape;
    return stored_type(b, e, b.checker.class_of(form), type.tensor().shape);
}

// `Tensor["M", "K", bf16 @accum(f32)]`: the last part is the element type.
static Type tensor_spelling(Body& b, const ast::Expr& e, const ast::Subscript& s, bool in_header, Annotation& out) {
    std::vector<const ast::Expr*> parts = s.indices;
    if (parts.size() == 1 && std::holds_alternative<ast::Tuple>(parts[0]->node))
        parts = std::get<ast::Tuple>(parts[0]->node).elements;
    if (parts.empty()) {
        b.error("E0309", e.span, "`Tensor[…]` names its dimensions and then its element type");
        return {};
    }
    TensorDetail detail;
    if (const auto made = b.checker.stored_class(b.checker.resolve(b.instance.module, *parts.back()))) {
        note_path(b, *parts.back());
        b.record(*parts.back(), typed(Type::function(*made)));
        for (size_t i = 0; i + 1 < parts.size(); ++i) {
            auto dim = dimension(b, *parts[i], in_header);
            if (!dim) return {};
            detail.shape.push_back(*dim);
        }
        out.values_shape = detail.shape;
        return stored_type(b, e, *made, detail.shape);
    }
    Annotation elem = annotation(b, *parts.back(), in_header);
    if (elem.generic) {
        out.generic = true;
        out.type_variable = elem.type_variable;
        elem.type = Type::scalar(DType::f32);
    }
    if (!elem.type.is_scalar()) {
        if (!elem.type.is_unknown())
            b.error("E0309", parts.back()->span, "the last part of `Tensor[…]` is its element type");
        return {};
    }
    detail.policy = elem.type.policy();
    if (const auto* with = std::get_if<ast::WithPolicy>(&parts.back()->node)) {
        detail.policy = {};  // the scaling, too, which an element does not have
        policy_annotations(b, with->policies, detail.policy, detail.scaling);
    }
    for (size_t i = 0; i + 1 < parts.size(); ++i) {
        auto dim = dimension(b, *parts[i], in_header);
        if (!dim) return {};
        detail.shape.push_back(*dim);
    }
    return in_blocks(b, e, Type::tensor(elem.type.elem(), std::move(detail)), out);
}

static void region_annotation(Body& b, const ast::Expr& e, const ast::Subscript& s, bool in_header, Annotation& out) {
    auto privilege = s.indices.empty() ? std::nullopt : privilege_named(last_name(*s.indices[0]));
    if (!privilege || s.indices.size() > 2) {
        b.error("E0309", s.indices.empty() ? e.span : s.indices[0]->span,
                "`Region[…]` takes read, write, reduce_sum, reduce_max, reduce_min or reduce_prod");
        return;
    }
    b.note(*s.indices[0], language_entity(NameKind::policy, last_name(*s.indices[0])));
    out.privilege = *privilege;
    out.mut = *privilege != Privilege::read;
    if (s.indices.size() == 1) {
        out.generic = true;
        return;
    }
    Annotation inner = annotation(b, *s.indices[1], in_header);
    out.generic = inner.generic;
    out.type_variable = inner.type_variable;
    out.type = out.mut && inner.type.is(Kind::tensor) ? inner.type.with_mut(true) : inner.type;
}

// `f32[n]`, `T[M, K]`, `Tensor[…]`, `Region[…]`.
static Type tensor_annotation(Body& b, const ast::Expr& e, const ast::Subscript& s, bool in_header, Annotation& out) {
    Symbol symbol = b.checker.resolve(b.instance.module, *s.base);
    note_path(b, *s.base);
    if (symbol.kind == Symbol::Kind::builtin && symbol.builtin->id == Builtin::tensor)
        return tensor_spelling(b, e, s, in_header, out);
    if (symbol.kind == Symbol::Kind::builtin && symbol.builtin->id == Builtin::region) {
        region_annotation(b, e, s, in_header, out);
        return out.type;
    }
    // `Region[read][f32[n]]`
    if (const auto* inner = std::get_if<ast::Subscript>(&s.base->node)) {
        Symbol outer = b.checker.resolve(b.instance.module, *inner->base);
        if (outer.kind == Symbol::Kind::builtin && outer.builtin->id == Builtin::region && s.indices.size() == 1) {
            note_path(b, *inner->base);
            region_annotation(b, *s.base, *inner, in_header, out);
            Annotation type = annotation(b, *s.indices[0], in_header);
            out.generic = type.generic;
            out.type_variable = type.type_variable;
            return out.mut && type.type.is(Kind::tensor) ? type.type.with_mut(true) : type.type;
        }
    }
    std::string text = dotted(*s.base);
    const ast::Expr& root = root_of(*s.base);
    if (&root != &(*s.base) && !dotted(root).empty() &&
        b.checker.lookup(b.instance.module, dotted(root)).kind == Symbol::Kind::none) {
        say_unknown(b, root.span, dotted(root));
        return {};
    }
    if (symbol.kind == Symbol::Kind::broken) return {};
    DType elem = DType::f32;
    const auto stored = b.checker.stored_class(symbol);
    if (stored) {
        // below
    } else if (symbol.kind == Symbol::Kind::dtype) {
        elem = symbol.dtype;
    } else if (const auto bound = symbol.kind == Symbol::Kind::none ? b.bound_type(text) : std::nullopt) {
        b.note(*s.base, type_variable_entity(b, text));
        elem = *bound;
    } else if (symbol.kind == Symbol::Kind::none && in_header && may_be_type_variable(text)) {
        out.type_variable = text;
        out.generic = true;
        b.note(*s.base, type_variable_entity(b, text));
    } else {
        auto& d =
            b.error("E0309", s.base->span,
                    text.empty() ? "an element type is wanted here" : fmt::format("`{}` is not an element type", text));
        if (auto near = nearest(last_name(*s.base), type_names()))
            d.suggest(s.base->span, *near, fmt::format("did you mean `{}`?", *near));
        return {};
    }
    TensorDetail detail;
    for (const ast::Expr* index : s.indices) {
        auto dim = dimension(b, *index, in_header);
        if (!dim) return {};
        detail.shape.push_back(*dim);
    }
    if (!stored) return Type::tensor(elem, std::move(detail));
    out.values_shape = detail.shape;
    return stored_type(b, e, *stored, detail.shape);
}

static Type record_annotation(Body& b, const ast::Expr& e, FunctionId constructor) {
    if (b.rules().in_group && !b.checker.holds_numbers(constructor)) {
        say_elsewhere(b, e.span, "records are").note("in kernels a record holds numbers and truth values");
        return {};
    }
    if (const auto type = b.checker.record_type(constructor)) return *type;
    b.error("E0337", e.span, "a record does not hold records of its own class")
        .note("a list of positions may stand for them");
    return {};
}

static Value value_of(const Annotation& written) {
    Value value;
    if (!written.type.is_unknown()) value.type = Type::type_value(written.type);
    return value;
}

bool names_containers(const Checker& checker, ModuleId module, const ast::Expr& type, int depth) {
    constexpr int kDeepest = 16;  // of classes in classes
    if (depth > kDeepest) return false;
    const auto inner = [&](const ast::Expr* part) {
        return part && names_containers(checker, module, *part, depth + 1);
    };
    if (const auto* qualified = std::get_if<ast::Qualified>(&type.node)) return inner(qualified->type);
    if (const auto* tuple = std::get_if<ast::Tuple>(&type.node)) return std::ranges::any_of(tuple->elements, inner);
    if (const auto* s = std::get_if<ast::Subscript>(&type.node)) {
        const std::string name = dotted(*s->base);
        return name == "list" || name == "dict" || (name == "tuple" && std::ranges::any_of(s->indices, inner));
    }
    const Symbol symbol = checker.resolve(module, type);
    if (symbol.kind != Symbol::Kind::class_) return false;
    const Function& made = checker.program.function(symbol.function);
    return std::ranges::any_of(checker.program.def(made).parameters, [&](const ast::Parameter& field) {
        return field.annotation && names_containers(checker, made.module, *field.annotation, depth + 1);
    });
}

Annotation annotation(Body& b, const ast::Expr& e, bool in_header) {
    Annotation written = read_annotation(b, e, in_header);
    b.record(e, value_of(written));
    return written;
}

Value written_type(Body& b, const ast::Expr& e) { return value_of(read_annotation(b, e, false)); }

Annotation read_annotation(Body& b, const ast::Expr& e, bool in_header) {
    Annotation out;
    if (const auto* qualified = std::get_if<ast::Qualified>(&e.node)) {
        if (qualified->type) {
            out = annotation(b, *qualified->type, in_header);
        } else {
            out.generic = true;
        }
        out.mut |= qualified->qualifier == ast::Qualified::Qualifier::mut;
        out.fixed |= qualified->qualifier == ast::Qualified::Qualifier::fixed;
        const bool container = out.type.is(Kind::list) || out.type.is(Kind::dict) || out.type.is(Kind::tuple);
        const bool written = out.type.is(Kind::tensor) || out.type.is(Kind::record) ||
                             (container && !(out.type.with_mut(true) == out.type));
        if (out.mut && written) out.type = out.type.with_mut(true);
        if (out.mut && !out.generic && !written && !out.type.is_unknown()) {
            b.error(
                "E0332", e.span,
                fmt::format("`mut` stands before what is or holds tensors or records, this is {}", shown(out.type)));
        }
        return out;
    }
    if (const auto* with = std::get_if<ast::WithPolicy>(&e.node)) {
        out = annotation(b, *with->type, in_header);
        Policy policy;
        Scaling scaling;
        const bool element = out.type.is(Kind::tensor) || out.type.is_scalar();
        if (!policy_annotations(b, with->policies, policy, scaling)) {
            out.type = Type::unknown();
        } else if (element && is_float(out.type.elem()) && policy.accum && is_integer(*policy.accum)) {
            b.error("E0326", e.span, fmt::format("floats are not accumulated in `{}`", tsr::name(*policy.accum)));
            out.type = Type::unknown();
        } else if (out.type.is(Kind::tensor)) {
            out.type = in_blocks(b, e, out.type.with_policy(policy, scaling), out);
        } else if (out.type.is_scalar()) {
            out.type = out.type.carrying(policy);
        }
        return out;
    }
    if (const auto* tuple = std::get_if<ast::Tuple>(&e.node)) {
        std::vector<Type> parts;
        for (const ast::Expr* element : tuple->elements) {
            const Annotation part = annotation(b, *element, in_header);
            parts.push_back(part.type);
            out.type_variable = part.type.is_unknown() ? part.type_variable : std::string();
            if (part.type.is_unknown()) return out;
        }
        out.type = Type::tuple(std::move(parts));
        return out;
    }
    if (std::holds_alternative<ast::NoneLiteral>(e.node)) {
        out.type = Type::none();
        return out;
    }
    if (const auto* s = std::get_if<ast::Subscript>(&e.node)) {
        if (const auto container = container_annotation(b, *s, in_header)) {
            out.type = *container;
            return out;
        }
        out.type = tensor_annotation(b, e, *s, in_header, out);
        return out;
    }
    if (std::holds_alternative<ast::Hole>(e.node)) return out;
    std::string text = dotted(e);
    const ast::Expr& root = root_of(e);
    if (&root != &(e) && !dotted(root).empty() &&
        b.checker.lookup(b.instance.module, dotted(root)).kind == Symbol::Kind::none) {
        say_unknown(b, root.span, dotted(root));
        return out;
    }
    note_path(b, e);
    if (text == "str") {
        out.type = Type::string();
        return out;
    }
    Symbol symbol = b.checker.resolve(b.instance.module, e);
    if (symbol.kind == Symbol::Kind::dtype) {
        out.type = Type::scalar(symbol.dtype);
        return out;
    }
    if (symbol.kind == Symbol::Kind::builtin && symbol.builtin->id == Builtin::int_) {
        out.type = Type::scalar(DType::i32);
    } else if (symbol.kind == Symbol::Kind::builtin && symbol.builtin->id == Builtin::float_) {
        out.type = Type::scalar(DType::f32);
    } else if (symbol.kind == Symbol::Kind::builtin && symbol.builtin->id == Builtin::tree_type) {
        out.generic = out.tree = true;
        if (!in_header) b.error("E0309", e.span, "`Tree` stands for what a parameter or a field is given");
    } else if (symbol.kind == Symbol::Kind::broken) {
        return out;
    } else if (b.checker.stored_class(symbol)) {
        b.error("E0309", e.span, fmt::format("a tensor of `{0}` is written with its axes: `{0}[M, N]`", text));
    } else if (symbol.kind == Symbol::Kind::class_ && b.checker.program.function(symbol.function).generic) {
        b.error("E0309", e.span, fmt::format("the fields of `{}` are of any type: `Tree` takes it", text));
    } else if (symbol.kind == Symbol::Kind::class_) {
        out.type = record_annotation(b, e, symbol.function);
    } else if (const auto bound = symbol.kind == Symbol::Kind::none ? b.bound_type(text) : std::nullopt) {
        b.note(e, type_variable_entity(b, text));
        out.type = Type::scalar(*bound);
    } else if (symbol.kind == Symbol::Kind::none && in_header && may_be_type_variable(text)) {
        out.type_variable = text;
        out.generic = true;
        b.note(e, type_variable_entity(b, text));
    } else {
        auto& d =
            b.error("E0309", e.span, text.empty() ? "a type is wanted here" : fmt::format("`{}` is not a type", text));
        if (auto near = nearest(last_name(e), type_names()))
            d.suggest(e.span, *near, fmt::format("did you mean `{}`?", *near));
    }
    return out;
}

}  // namespace tsr::sema
