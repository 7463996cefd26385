#include "sema/functions/header.h"

#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "sema/annotations/annotations.h"
#include "sema/annotations/dimension_annotations.h"
#include "sema/functions/bind_dimensions.h"
#include "sema/functions/tuning.h"
#include "sema/state/entities.h"
#include "sema/types/containers.h"
#include "sema/types/elements.h"
#include "sema/types/numeric.h"
#include "sema/types/writable_types.h"
#include "sema/values/requirements.h"

namespace tsr::sema {

namespace {

struct Part {
    std::string path;
    Type type;
};

// The first part of a parameter that a graph function does not take.
Part refused_part(const Type& type, std::string path) {
    if (type.is(Kind::list) && type.length() && !type.parts().empty())
        return refused_part(type.parts()[0], std::move(path) + "[0]");
    if (!type.is(Kind::tuple) && !type.is(Kind::record)) return {std::move(path), type};
    for (size_t i = 0; i < type.parts().size(); ++i) {
        if (is_tree(type.parts()[i])) continue;
        const std::string name = type.is(Kind::tuple)   ? fmt::format("[{}]", i)
                                 : type.is_keyed_dict() ? fmt::format("[\"{}\"]", type.names()[i + 1])
                                                        : fmt::format(".{}", type.names()[i + 1]);
        return refused_part(type.parts()[i], std::move(path) + name);
    }
    return {std::move(path), type};
}

}  // namespace

// What a graph function takes: values. What it leaves in a `mut` tensor is written to the caller's.
static void require_graph_parameter(Body& b, const Annotation& written, ParameterInfo& info) {
    const Type& type = info.type;
    const bool tree = is_tree(type) || written.fixed;
    const Part part = tree ? Part{} : refused_part(type, info.name);
    if (written.mut && !type.is(Kind::tensor) && !type.is_unknown()) {
        b.refuse(Feature::graphs, info.declared,
                 fmt::format("a graph function that writes a parameter that is {} is", shown(type)));
    } else if (tree) {
        return;
    } else if (part.type.is(Kind::list) && is_tree(Type::list(part.type.parts()[0], 0))) {
        say_unknown_length(b, info.declared, part.path);
    } else if (part.path != info.name) {
        b.refuse(Feature::graphs, info.declared,
                 fmt::format("a graph function that takes {}, whose `{}` is {}, is", shown(type), part.path,
                             shown(part.type)));
    } else {
        b.refuse(Feature::graphs, info.declared, fmt::format("a graph function that takes {} is", shown(type)));
    }
    info.type = Type::unknown();
}

// Of the tensors in a tuple that a field holds nothing is known but how many axes they have.
static Type as_field(const Type& given) { return given.is(Kind::tuple) ? as_item(given) : given; }

// Of a list or dictionary that a graph takes, the length and the keys are those of what is given; so of records and
// tuples that hold some. Nothing of the extents in it is in the header.
static void take_given_form(Body& b, ParameterInfo& info, const Type& given, bool mut) {
    if (given.is_unknown() || info.type.is_unknown()) return;
    if (has_form(given, info.type)) {
        info.type = given.with_mut(mut);
        return;
    }
    b.error("E0302", info.declared,
            fmt::format("`{}` is declared as {}, it is given {}", info.name, shown(info.type), shown(given)));
    info.type = Type::unknown();
}

// `a: f32[m]` that is given a shared buffer or an array of each tile's own: m is its extent, a static value.
static void fix_extents(Body& b, const ast::Parameter& parameter, const Type& given) {
    const ast::Expr* type = parameter.annotation;
    if (const auto* qualified = type ? std::get_if<ast::Qualified>(&type->node) : nullptr) type = qualified->type;
    const auto* tensor = type ? std::get_if<ast::Subscript>(&type->node) : nullptr;
    if (!tensor || !is_memory_of_kernel(given)) return;
    const std::vector<ir::Dim> shape = given.shape();
    for (size_t axis = 0; axis < std::min(shape.size(), tensor->indices.size()); ++axis) {
        const auto* name = std::get_if<ast::Name>(&tensor->indices[axis]->node);
        if (!name || b.checker.lookup(b.function->module, name->text).kind != Symbol::Kind::none) continue;
        b.fixed.try_emplace(name->text, Static::of(shape[axis].constant_value().value()));
    }
}

// A static parameter of the library that is given what only the run knows.
static bool is_given_by_run(const Body& b, const Request& request, size_t parameter, const Type& type) {
    return b.checker.is_library(b.function->module) && parameter < request.values.size() &&
           !request.values[parameter] && type.is_scalar();
}

static void read_parameters(Body& b, const Request& request) {
    const ast::FunctionDef& def = b.def();
    for (size_t i = 0; i < def.parameters.size(); ++i) {
        if (b.enclosing) b.fixed.erase(def.parameters[i].name.text);
        if (i < request.values.size() && request.values[i]) b.fixed[def.parameters[i].name.text] = *request.values[i];
    }
    for (size_t i = 0; i < std::min(def.parameters.size(), request.types.size()); ++i)
        fix_extents(b, def.parameters[i], request.types[i]);
    for (size_t i = 0; i < def.parameters.size(); ++i) {
        const ast::Parameter& parameter = def.parameters[i];
        ParameterInfo info;
        info.name = parameter.name.text;
        info.declared = parameter.name.span;
        info.annotation = id_of(parameter.annotation);
        info.default_value = id_of(parameter.default_value);
        Annotation written;
        written.generic = true;
        if (parameter.annotation) written = annotation(b, *parameter.annotation, true);
        const Type given = i < request.types.size() ? request.types[i] : Type::unknown();
        info.type = written.type;
        info.any_tree = written.tree;
        info.values_shape = written.values_shape;
        if (!written.type_variable.empty()) {
            b.type_variables.insert(written.type_variable);
            auto known = b.bound_types.find(written.type_variable);
            if (known == b.bound_types.end() && !given.is_unknown()) {
                DType elem = settled_type(given, {}).elem();
                known = b.bound_types.emplace(written.type_variable, elem).first;
            }
            if (known != b.bound_types.end())
                info.type =
                    written.type.is(Kind::tensor) ? written.type.with_elem(known->second) : Type::scalar(known->second);
        } else if (written.generic) {
            info.type = given;
            // What the caller may write does not matter: only `mut` lets a function write what it is given.
            if (given.is(Kind::tensor) || given.is(Kind::record)) info.type = given.with_mut(written.mut);
        }
        if (!written.generic && b.checker.takes_given_form(*b.function, parameter))
            take_given_form(b, info, given, written.mut);
        // How memory is rounded to is its own matter: a parameter that says nothing of it has what is given.
        const bool tensors = info.type.is(Kind::tensor) && given.is(Kind::tensor);
        if (tensors && given.policy().round && !info.type.policy().round) {
            Policy policy = info.type.policy();
            policy.round = given.policy().round;
            info.type = info.type.with_policy(policy, info.type.tensor().scaling);
        }
        if (info.type.is(Kind::tensor) && is_memory_of_kernel(given) && info.type.elem() == given.elem() &&
            info.type.shape() == given.shape() && info.type.policy().empty())
            info.type = given;
        if (b.function->makes && written.tree) info.type = as_field(info.type);
        if (b.function->makes && ((written.generic && !written.tree) || info.type.is(Kind::none))) {
            b.error("E0337", parameter.annotation->span, fmt::format("the field `{}` needs a type", info.name));
            info.type = Type::unknown();
        }
        if (written.privilege != Privilege::none && info.type.is(Kind::tensor)) {
            TensorDetail detail = info.type.tensor();
            detail.privilege = written.privilege;
            info.type = Type::tensor(info.type.elem(), std::move(detail));
        }
        // `main` may write what it was given: it is its own.
        if (b.function->name == "main" && !b.function->enclosing && info.type.is(Kind::tensor))
            info.type = info.type.with_mut(true);
        bool held =
            info.type.is_unknown() || info.type.is(Kind::tensor) || info.type.is_scalar() || info.type.is_literal();
        const bool record = info.type.is(Kind::record) && !info.type.is_keyed_dict();
        held |= record && b.checker.holds_numbers(info.type.function_id());
        // What is known when the kernel is compiled is not given to it when it runs.
        held |= written.fixed || info.type.is(Kind::none);
        held |= info.type.is(Kind::function) && !b.checker.is_capturing(info.type);
        if (rules_of(b.function->kind).of_group && !held) {
            auto& d = b.error("E0410", parameter.name.span,
                              fmt::format("a kernel takes tensors, numbers, bools and records of them, `{}` is {}",
                                          info.name, shown(info.type)));
            if (info.type.is(Kind::string) || info.type.is(Kind::tuple) || info.type.is(Kind::dtype))
                d.note(fmt::format("`{}: static` has a kernel for each value that the program gives it", info.name));
            info.type = Type::unknown();
        }
        if (b.rules().in_group && record && written.mut) {
            b.error("E0410", parameter.name.span,
                    fmt::format("`{}` is given by value: a kernel writes tensors alone", info.name))
                .note("a function returns the record that has changed");
            info.type = Type::unknown();
        }
        if (rules_of(b.function->kind).of_values) require_graph_parameter(b, written, info);
        info.is_static = written.fixed && !is_given_by_run(b, request, i, info.type);
        if (i < request.values.size()) info.value = request.values[i];
        info.is_dimension = info.type.is_integer() && info.type.is_scalar();
        b.instance.parameters.push_back(info);
        Slot& slot = b.add_slot(info.name, parameter.name.span);
        b.note(parameter.name.span, parameter_entity(b.checker.program, b.function->id, info.name), true);
        if (b.names.contains(info.name))
            b.error("E0205", parameter.name.span, fmt::format("there are two parameters `{}`", info.name));
        b.names[info.name] = slot.id;
        slot.settled = info.type;
        slot.known = true;
        slot.bindings = 1;
        slot.joined = info.type;
        slot.given = info.type;
        // Only numbers are converted where they come in.
        slot.keeps_type = !written.generic || !(info.type.is_scalar() || info.type.is_literal());
        Value value;
        value.type = info.type;
        value.value = info.value;
        slot.once = value;
        Variable& variable = b.instance.variables[slot.id.index];
        variable.type = info.type;
        variable.parameter = static_cast<int>(i);
        b.mark_assigned(slot);
    }
}

// `tile[(128,)]`, `tile[n]`, `shared(8_KiB)`.
static void read_clauses(Body& b) {
    std::map<std::string, Span> seen;
    for (const ast::Decorator& decorator : b.def().decorators) {
        for (const ast::Expr* clause : decorator.clauses) {
            const auto* tile = std::get_if<ast::Subscript>(&clause->node);
            const auto* shared = std::get_if<ast::Call>(&clause->node);
            const ast::Expr* word = tile ? tile->base : shared ? shared->callee : nullptr;
            std::string text = word ? dotted(*word) : "";
            if (auto [first, fresh] = seen.emplace(text, clause->span); !fresh) {
                b.error("E0405", clause->span, fmt::format("a kernel has one clause `{}`", text))
                    .label(first->second, "the first");
                continue;
            }
            if (text == "tile" || text == "shared") b.note(*word, language_entity(NameKind::clause, text));
            if (tile && text == "tile") {
                std::vector<const ast::Expr*> extents = tile->indices;
                bool grouped = extents.size() == 1 && std::holds_alternative<ast::Tuple>(extents[0]->node);
                if (grouped) extents = std::get<ast::Tuple>(extents[0]->node).elements;
                std::vector<ir::Dim> dims;
                for (const ast::Expr* extent : extents) {
                    auto dim = dimension(b, *extent, true);
                    if (!dim) return;
                    for (const std::string& name : dim->symbols()) {
                        if (b.find_symbol(name)) continue;
                        b.error("E0313", extent->span, fmt::format("`{}` is not a dimension of this kernel", name));
                        return;
                    }
                    dims.push_back(*dim);
                }
                std::vector<int64_t> sizes;
                for (const ir::Dim& dim : dims) {
                    if (dim.constant_value()) sizes.push_back(*dim.constant_value());
                }
                if (sizes.size() != dims.size() || dims.empty()) {
                    b.instance.kernel.flat = dims;
                    if (grouped && !sizes.empty() && !dims.empty())
                        b.error("E0405", clause->span, "the size of a group is static");
                    continue;
                }
                b.instance.kernel.group_shape = sizes;
                bool positive = std::ranges::all_of(sizes, [](int64_t n) { return n > 0; });
                if (!positive || b.instance.kernel.group_size() > 1024 || sizes.size() > 3) {
                    b.error("E0405", clause->span,
                            fmt::format("a group has 1 to 1024 tiles on at most three axes, this is {}",
                                        b.instance.kernel.group_size()));
                }
            } else if (shared && text == "shared" && shared->arguments.size() == 1) {
                auto bytes = static_integer(b, *shared->arguments[0].value, "the limit of shared memory");
                if (bytes && *bytes < 0) b.error("E0405", clause->span, "the limit of shared memory is not negative");
                b.instance.kernel.shared_limit = bytes;
                b.instance.kernel.shared_span = clause->span;
            } else {
                b.error("E0405", clause->span,
                        fmt::format("`{}` is not a clause of a kernel: there are `tile[…]` and `shared(…)`", text));
            }
        }
    }
}

void read_header(Body& b, const Request& request) {
    const ast::FunctionDef& def = b.def();
    if (b.enclosing) {
        for (const SymbolInfo& outer : b.enclosing->instance.symbols) {
            SymbolInfo symbol = outer;
            if (outer.source != SymbolInfo::Source::enclosing) symbol.owner = b.enclosing->instance.id;
            symbol.source = SymbolInfo::Source::enclosing;
            b.instance.symbols.push_back(std::move(symbol));
        }
        for (const auto& [name, value] : b.enclosing->fixed) b.fixed[name] = value;
        b.header_dimensions = b.enclosing->header_dimensions;
    }
    b.passes_dimensions_on =
        std::ranges::any_of(request.types, [&](const Type& type) { return b.checker.is_capturing(type); });
    if (!b.function->space.empty()) read_tuning(b, request);
    read_parameters(b, request);
    if (def.result) {
        Annotation written = annotation(b, *def.result, true);
        if (written.type.is_unknown() && !written.type_variable.empty() &&
            !b.type_variables.contains(written.type_variable)) {
            b.error("E0309", def.result->span, fmt::format("`{}` is not a type", written.type_variable));
        }
        b.result_type = written.type;
        b.result_values_shape = written.values_shape;
        b.result_at = def.result->span;
        b.state().declared_result = true;
        b.instance.result = written.type;
    }
    bind_dimensions(b);
    if (b.instance.tuned) return bind_space(b);
    if (rules_of(b.function->kind).of_group) read_clauses(b);
}

}  // namespace tsr::sema
