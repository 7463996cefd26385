#include "sema/expressions/members.h"

#include <fmt/format.h>

#include "frontend/foreign_names.h"
#include "sema/expressions/names.h"
#include "sema/expressions/records.h"
#include "sema/expressions/stored_parts.h"
#include "sema/state/entities.h"
#include "sema/state/recursion.h"
#include "sema/types/elements.h"
#include "sema/types/numeric.h"
#include "sema/values/examples.h"
#include "sema/values/stored_forms.h"

namespace tsr::sema {

static void note_property(Body& b, const ast::Expr& e, const std::string& text) {
    for (const char* known : {"shape", "dtype", "size", "ndim", "T"}) {
        if (text == known) b.note(e, language_entity(NameKind::property, text));
    }
}

// What follows a dot without being called: `x.shape`, `x.dtype`, `x.T`, `ctx.BLOCK_M`.
static Value member_value(Body& b, const ast::Expr& e, const Value& base, const ast::Attribute& a) {
    Value value;
    const std::string& text = a.name.text;
    if (b.checker.program.made.find(e.id)) {
        if (base.type.is(Kind::function)) return typed(Type::tuple(base.type.parts()));
        if (const auto* name = std::get_if<ast::Name>(&a.base->node); name && text == kOneExample)
            return typed(type_of_example(b, name->text).value_or(Type::unknown()));
    }
    if (a.name.text == "T" && stored_form(b, base.type)) return transposed_stored(b, e, a, base);
    if (base.type.is(Kind::record)) return field_value(b, e, base, a);
    if (auto of_form = form_member(b, base.type, a)) return *of_form;
    if (base.type.is(Kind::context)) {
        if (auto known = b.fixed_name(text)) {
            value.type = known->is_integer() ? Type::int_literal()
                         : known->boolean()  ? Type::boolean()
                                             : Type::float_literal();
            value.value = known;
            value.referent = TuningParameter{text};
            return value;
        }
        if (const SymbolInfo* symbol = b.find_symbol(text)) {
            value.type = Type::index();
            value.dim = ir::Dim::symbol(symbol->name);
            value.referent = DimensionSymbol{symbol->name};
            return value;
        }
        b.error("E0202", a.name.span,
                fmt::format("the tile context has no `{}`: it has the tuning parameters and dimensions", text));
        return {};
    }
    bool shaped = base.type.is_memory() || base.type.is(Kind::tile);
    if (shaped || base.type.is_scalar() || base.type.is_literal()) note_property(b, e, text);
    if (shaped && text == "shape") {
        std::vector<Type> types;
        for (const ir::Dim& dim : base.type.shape()) {
            Value extent;
            extent.type = Type::index();
            extent.dim = dim;
            if (auto n = dim.constant_value()) {
                extent.value = Static::of(*n);
                extent.type = Type::int_literal();
            }
            types.push_back(extent.type);
            value.elements.push_back(std::move(extent));
        }
        value.type = Type::tuple(std::move(types));
        return value;
    }
    // To the library a string in a tree is a leaf that is no number, as a bool is.
    const bool no_number = base.type.is(Kind::string) && b.checker.is_library(b.instance.module);
    if ((shaped || base.type.is_scalar() || base.type.is_literal() || no_number) && text == "dtype") {
        const DType elem = no_number ? DType::boolean : settled(base.type, base.value);
        value.type = Type::dtype_value(elem);
        value.value = Static::of(elem);
        return value;
    }
    if (base.type.is(Kind::tensor) && text == "size") {
        value.type = Type::index();
        value.dim = ir::element_count(base.type.shape());
        return value;
    }
    const bool number = base.type.is_scalar() || base.type.is_literal();
    if (number && b.rules().tensor_values && text == "shape") return typed(Type::tuple({}));
    if ((shaped || number) && text == "ndim") {
        const auto rank = static_cast<int64_t>(number ? 0 : base.type.rank());
        value.type = Type::int_literal();
        value.value = Static::of(rank);
        value.dim = ir::Dim::constant(rank);
        return value;
    }
    if (is_complex(base.type) && (text == "real" || text == "imag")) {
        b.note(e, language_entity(NameKind::property, text));
        return library_call(b, e, {.name = text, .file = "complex_numbers", .signature = {}, .doc = {}}, {a.base});
    }
    if (shaped && text == "T") {
        if (base.type.rank() < 2) {
            b.error("E0310", a.name.span, fmt::format("`.T` swaps the last two axes; this has {}", base.type.rank()));
            return {};
        }
        if (b.rules().tensor_values || !base.type.is(Kind::tensor)) {
            value.type = base.type.with_last_axes_swapped();
            return value;
        }
    }
    if (!b.rules().tensor_values && text == "T" && (base.type.is(Kind::tensor) || base.type.is(Kind::view))) {
        b.error("E0310", a.name.span, "a kernel transposes register tiles and shared buffers, not tensors")
            .note("`tile.load(view).T`");
        return {};
    }
    if (is_complex(base.type) && b.rules().host_objects && (text == "real" || text == "imag"))
        return library_call(b, e, *library_function(text), {a.base});
    auto& d = b.error("E0328", a.name.span, fmt::format("{} has no `{}`", shown(base.type), text));
    const auto made =
        base.type.is(Kind::function) ? b.checker.program.function(base.type.function_id()).makes : nullptr;
    if (made && made->methods.contains(text)) {
        d.note(fmt::format("`{}` is a method: it is taken from a record of the class", text));
    } else if (auto near = nearest(text, {"astype", "copy", "item", "shape", "dtype", "ndim"}))
        d.suggest(a.name.span, *near, fmt::format("did you mean `{}`?", *near));
    return {};
}

static Value module_member(Body& b, const ast::Expr& e, const ast::Attribute& a, const Type& module) {
    const auto& known = b.checker.scopes[module.module_id().index].names;
    const auto found = known.find(a.name.text);
    if (found != known.end()) return symbol_value(b, e, found->second, a.name.span, a.name.text);
    std::vector<std::string> candidates;
    for (const auto& [candidate, unused] : known) {
        if (!is_dotted(candidate)) candidates.push_back(candidate);
    }
    auto& d = b.error("E0202", a.name.span, fmt::format("module `{}` has no `{}`", module.path(), a.name.text));
    if (const auto near = nearest(a.name.text, candidates))
        d.suggest(a.name.span, *near, fmt::format("did you mean `{}`?", *near));
    return {};
}

Value attribute_value(Body& b, const ast::Expr& e, const ast::Attribute& a) {
    Value base = expression(b, *a.base);
    if (base.broken()) return {};
    if (base.type.is(Kind::module) || base.type.is(Kind::name_space)) {
        const Symbol* imported = b.checker.imported_at(b.instance.module, e);
        if (imported) return symbol_value(b, e, *imported, a.name.span, a.name.text);
    }
    if (base.type.is(Kind::module)) return module_member(b, e, a, base.type);
    bool root_member = base.type.is(Kind::builtin) && !dotted(e).empty();
    if (!base.type.is(Kind::name_space) && !root_member) return member_value(b, e, base, a);
    std::string path = root_member ? entry(base.type.builtin_name()).paths.front() : base.type.path();
    Symbol symbol = root_symbol(path.empty() ? a.name.text : path + "." + a.name.text);
    if (symbol.kind != Symbol::Kind::none) return symbol_value(b, e, symbol, a.name.span, a.name.text);
    std::string shown_path = path.empty() ? "tessera" : path;
    auto& d = b.error("E0202", a.name.span, fmt::format("`{}` has no `{}`", shown_path, a.name.text));
    if (auto ours = own_spelling(path + "." + a.name.text)) {
        d.suggest(e.span, std::string(*ours), fmt::format("here this is `{}`", *ours));
    } else if (!path.empty() && root_symbol(a.name.text).kind == Symbol::Kind::builtin) {
        d.suggest(e.span, a.name.text, fmt::format("here this is `{}`", a.name.text));
    } else if (auto near = nearest(a.name.text, members(path))) {
        d.suggest(a.name.span, *near, fmt::format("did you mean `{}.{}`?", b.source(*a.base), *near));
    }
    return {};
}

}  // namespace tsr::sema
