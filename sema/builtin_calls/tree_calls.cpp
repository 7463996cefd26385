#include "sema/builtin_calls/tree_calls.h"

#include <algorithm>

#include <fmt/format.h>

#include "sema/expressions/comprehensions.h"
#include "sema/program/param_fields.h"
#include "sema/state/recursion.h"
#include "sema/types/containers.h"
#include "sema/types/numeric.h"

namespace tsr::sema {

namespace {

// One part of a tree: where it stands in the text of the call, the expression that reads it, its type.
struct Part {
    const ast::Expr* written;
    const ast::Expr* read;
    Type type;
};

class TreeCall {
public:
    TreeCall(Body& b, const ast::Expr& e, const ast::Expr* function, bool updates)
        : b_(b), e_(e), function_(function), updates_(updates), syntax_(b.checker.program.made) {}

    // The trees as parts; nothing after a message.
    std::optional<std::vector<Part>> trees(const std::vector<const ast::Expr*>& written) {
        std::vector<Part> parts;
        bool ok = true;
        for (size_t i = 0; i < written.size(); ++i) {
            const Value value = expression(b_, *written[i]);
            ok &= !value.broken();
            if (!ok) continue;
            parts.push_back({written[i], written[i], value.type});
            if (std::holds_alternative<ast::Name>(written[i]->node)) continue;
            const ast::Expr& name = named(i, *written[i]);
            bind_inner_names(b_, name);
            assign_to(b_, name, value, *written[i]);
            parts.back().read = &name;
            parts.back().type = expression(b_, name).type;
        }
        return ok ? std::optional(std::move(parts)) : std::nullopt;
    }

    // The tree of what the function gives; unknown after a message.
    Type mapped(const std::vector<Part>& parts, const std::string& path, bool trained = true) {
        const Type& form = parts[0].type;
        if (!is_inner(form)) return trained || !moves_parameters() ? leaf(parts, path) : Type::none();
        std::vector<Type> given;
        bool ok = true;
        for (size_t i = 0; i < count_of(form); ++i) {
            auto below = parts_below(parts, path, i);
            if (!below) return {};
            const bool below_trained = is_trained_part(b_.checker.program, form, i, trained);
            given.push_back(mapped(*below, path_of(path, form, i), below_trained));
            ok &= !given.back().is_unknown();
        }
        if (!ok) return {};
        return tree_of(form, std::move(given));
    }

    // The leaves; with `names` their paths.
    void leaves(const Part& part, const std::string& path, bool names, Value& all, std::vector<Type>& types) {
        if (!is_inner(part.type)) {
            const ast::Expr& read = names ? path_text(part, path) : *part.read;
            const Value value = expression(b_, read);
            all.elements.push_back(value);
            types.push_back(value.type);
            b_.instance.tree_leaves[e_.id].push_back(read.id);
            return;
        }
        for (size_t i = 0; i < count_of(part.type); ++i) {
            const auto below = parts_below({part}, path, i);
            if (!below) return;
            leaves((*below)[0], path_of(path, part.type, i), names, all, types);
        }
    }

    // The leaves for a file, by their names in it; with `read` also what takes what the file holds. False after a
    // message.
    bool filed(const Part& part, const std::string& name, bool read) {
        if (is_inner(part.type)) {
            bool ok = true;
            for (size_t i = 0; i < count_of(part.type); ++i) {
                const auto below = parts_below({part}, name, i);
                const std::string field = part.type.is(Kind::record) ? part.type.names()[i + 1] : std::to_string(i);
                ok = below && filed((*below)[0], fmt::format("{}.{}", name, field), read) && ok;
            }
            return ok;
        }
        if (part.type.is(Kind::string)) return true;  // stays as it is, as in derivatives and optimizers
        if (part.type.is(Kind::list) && !part.type.length()) {
            say_unknown_length(b_, part.written->span, name);
            return false;
        }
        const Value value = expression(b_, *part.read);
        if (value.broken()) return false;
        const bool tensor = part.type.is(Kind::tensor);
        if (!tensor && !part.type.is_number() && !part.type.is_bool()) {
            b_.error("E0302", part.written->span,
                     fmt::format("a checkpoint holds tensors, numbers and bools, `{}` is {}", name, shown(part.type)));
            return false;
        }
        b_.instance.leaf_names[e_.id].push_back(name);
        b_.instance.tree_leaves[e_.id].push_back(part.read->id);
        if (!read) {
            b_.instance.tree_leaves[e_.id].emplace_back();
            return true;
        }
        return update(part, value, *part.read);
    }

private:
    // `opt.step(params, grads)`: the optimizers move what is declared `param`, in records with such fields.
    bool moves_parameters() const {
        return updates_ && b_.checker.is_library(b_.instance.module) && b_.function && b_.function->method_of;
    }
    static bool is_inner(const Type& type) {
        return type.is(Kind::tuple) || type.is(Kind::record) || (type.is(Kind::list) && type.length());
    }
    static size_t count_of(const Type& type) {
        return type.is(Kind::list) ? static_cast<size_t>(type.length().value_or(0)) : type.parts().size();
    }

    // As in source, so that a tuple and a record have parts of their own.
    static std::string path_of(const std::string& path, const Type& form, size_t i) {
        return path + part_text(form, i);
    }

    const ast::Expr& path_text(const Part& part, const std::string& path) {
        ast::ExprId& made = syntax_.tree_parts[{b_.key(*part.read), "path " + path}];
        if (!made.valid()) made = syntax_.expr(part.written->span, ast::StringLiteral{path, {}}).id;
        return *b_.expr(made);
    }

    // A name for a tree that is not a name itself: it is computed once.
    const ast::Expr& named(size_t tree, const ast::Expr& written) {
        ast::ExprId& made = syntax_.tree_names[b_.key(written)];
        if (!made.valid()) made = syntax_.expr(written.span, ast::Name{fmt::format("tree {}", tree)}).id;
        return *b_.expr(made);
    }

    // Part `i` of each tree; nothing after a message.
    std::optional<std::vector<Part>> parts_below(const std::vector<Part>& parts, const std::string& path, size_t i) {
        const Type& form = parts[0].type;
        std::vector<Part> below;
        for (size_t tree = 0; tree < parts.size(); ++tree) {
            const Part& part = parts[tree];
            const bool same = part.type.kind() == form.kind() && count_of(part.type) == count_of(form) &&
                              (!form.is(Kind::record) ||
                               (part.type.function_id() == form.function_id() && part.type.names() == form.names()));
            if (!same) {
                const std::string where = path.empty() ? "" : fmt::format(" at `{}`", path);
                b_.error("E0302", part.written->span,
                         fmt::format("trees of one form are wanted: this is {}{}, the first is {}", shown(part.type),
                                     where, shown(form)))
                    .label(parts[0].written->span, "the first");
                return std::nullopt;
            }
            const ast::Expr& read = part_read(part, form, i);
            below.push_back({part.written, &read, expression(b_, read).type});
            if (below.back().type.is_unknown()) return std::nullopt;
        }
        return below;
    }

    const ast::Expr& part_read(const Part& part, const Type& form, size_t i) {
        const std::string name = path_of("", form, i);
        ast::ExprId& made = syntax_.tree_parts[{b_.key(*part.read), name}];
        if (made.valid()) return *b_.expr(made);
        const Span at = part.written->span;
        if (form.is_keyed_dict()) {
            const ast::Expr& key = syntax_.expr(at, ast::StringLiteral{form.names()[i + 1]});
            made = syntax_.expr(at, ast::Subscript{part.read, {&key}}).id;
        } else if (form.is(Kind::record)) {
            made = syntax_.expr(at, ast::Attribute{part.read, {form.names()[i + 1], at}}).id;
        } else {
            const ast::Expr& number = syntax_.expr(at, ast::IntLiteral{i});
            made = syntax_.expr(at, ast::Subscript{part.read, {&number}}).id;
        }
        return *b_.expr(made);
    }

    Type leaf(const std::vector<Part>& parts, const std::string& path) {
        if (parts[0].type.is(Kind::list)) {
            say_unknown_length(b_, parts[0].written->span, b_.source(*parts[0].written) + path);
            return {};
        }
        if (parts[0].type.is(Kind::dict)) {
            b_.refuse(Feature::graphs, parts[0].written->span,
                      fmt::format("going through {} in a tree is", shown(parts[0].type)));
            return {};
        }
        std::string key = path + "(";
        for (const Part& part : parts) key += fmt::format("{} ", part.read->id.index);
        ast::ExprId& made = syntax_.tree_calls[{b_.key(e_), key}];
        if (!made.valid()) {
            ast::Call call{function_, {}};
            for (const Part& part : parts) call.arguments.push_back({std::nullopt, part.read});
            made = syntax_.expr(e_.span, std::move(call)).id;
        }
        const Value value = expression(b_, *b_.expr(made));
        if (value.broken()) return {};
        b_.instance.tree_leaves[e_.id].push_back(made);
        if (!updates_) return settled_type(value.type, value.value);
        return update(parts[0], value, *b_.expr(made)) ? Type::none() : Type();
    }

    // A tensor is written as by `t.w[:] = value`, a number as by `t.rate = value`; false after a message.
    bool update(const Part& part, const Value& value, const ast::Expr& call) {
        std::vector<ast::ExprId>& leaves = b_.instance.tree_leaves[e_.id];
        if (value.type.is(Kind::none)) {
            leaves.emplace_back();  // the leaf stays, or the function wrote it
            return true;
        }
        const ast::Expr* target = part.read;
        if (part.type.is(Kind::tensor) && part.type.rank() != 0) {
            ast::ExprId& made = syntax_.tree_parts[{b_.key(*part.read), "[:]"}];
            if (!made.valid()) {
                const ast::Expr& all = syntax_.expr(part.written->span, ast::Slice{});
                made = syntax_.expr(part.written->span, ast::Subscript{part.read, {&all}}).id;
            }
            target = b_.expr(made);
        } else if (!is_place(*target)) {
            b_.error("E0319", part.written->span,
                     fmt::format("{} that is no field of a record is not written", shown(part.type)))
                .note("a tensor of one element is");
            return false;
        }
        assign_to(b_, *target, value, call);
        leaves.push_back(target->id);
        return true;
    }

    // A field of a record, or what a key of a dictionary stands for.
    bool is_place(const ast::Expr& e) const {
        if (const auto* item = std::get_if<ast::Subscript>(&e.node))
            return b_.instance.type(*item->base).is(Kind::record);
        return std::holds_alternative<ast::Attribute>(e.node);
    }

    // Nothing where the function gives nothing.
    Type tree_of(const Type& form, std::vector<Type> given) {
        size_t none = 0;
        for (const Type& part : given) none += part.is(Kind::none) ? 1 : 0;
        if (none == given.size() && none != 0) return Type::none();
        if (none != 0) {
            b_.error("E0302", e_.span, "the function gives a value for some leaves of the tree and none for others");
            return {};
        }
        if (form.is(Kind::list)) {
            const auto item = common_item(given);
            const auto length = static_cast<int64_t>(given.size());
            if (item) return Type::list(b_.rules().host_objects ? as_item(*item) : without_extents(*item), length);
            return Type::tuple(std::move(given));
        }
        if (form.is(Kind::tuple)) return Type::tuple(std::move(given));
        for (Type& part : given) {
            if (!b_.rules().host_objects) continue;
            if (!is_item(part)) {
                b_.error("E0208", e_.span, fmt::format("a record does not hold {}", shown(part)));
                return {};
            }
        }
        for (Type& part : given) {
            if (!b_.rules().host_objects && !form.is_keyed_dict()) continue;
            part = part == Type::index() ? Type::scalar(DType::i64) : without_extents(part);
        }
        return Type::record_like(form, std::move(given), b_.rules().host_objects);
    }

    Body& b_;
    const ast::Expr& e_;
    const ast::Expr* function_;
    bool updates_;  // the leaves of the first tree
    MadeSyntax& syntax_;
};

}  // namespace

Value tree_call(Body& b, const BuiltinEntry& row, const ast::Expr& e, const Matched& m) {
    const bool maps = row.id == Builtin::tree_map || row.id == Builtin::tree_update;
    if (maps && expression(b, *m.arguments[0]).broken()) return {};
    std::vector<const ast::Expr*> written{m.arguments[maps ? 1 : 0]};
    written.insert(written.end(), m.rest.begin(), m.rest.end());
    const size_t outer_names = b.inner_names.size();
    TreeCall call(b, e, maps ? m.arguments[0] : nullptr, row.id == Builtin::tree_update);
    b.instance.tree_leaves[e.id].clear();
    const auto parts = call.trees(written);
    Value value;
    if (parts && maps) {
        value.type = call.mapped(*parts, "");
    } else if (parts) {
        std::vector<Type> types;
        call.leaves((*parts)[0], "", row.id == Builtin::tree_paths, value, types);
        value.type = Type::tuple(std::move(types));
    }
    b.inner_names.resize(outer_names);
    return value;
}

Value checkpoint_call(Body& b, const BuiltinEntry& row, const ast::Expr& e, const ast::Call& c) {
    const ast::Expr* path = nullptr;
    std::vector<const ast::Expr*> written;
    std::vector<std::string> names;
    const auto refuse = [&](Span at, std::string message) {
        b.error("E0315", at, std::move(message));
        for (const ast::Argument& argument : c.arguments) expression(b, *argument.value);
        return Value{};
    };
    for (const ast::Argument& argument : c.arguments) {
        if (argument.unpacked) return refuse(argument.value->span, "no items are unpacked here");
        const bool is_path = argument.keyword ? argument.keyword->text == "path" : path == nullptr;
        if (is_path && path == nullptr) {
            path = argument.value;
        } else if (!argument.keyword) {
            return refuse(argument.value->span,
                          fmt::format("`{}` takes a path, then trees by keywords: `model=model`", spelling(row.id)));
        } else if (is_path || std::ranges::find(names, argument.keyword->text) != names.end()) {
            return refuse(argument.keyword->span, fmt::format("`{}` is given twice", argument.keyword->text));
        } else {
            written.push_back(argument.value);
            names.push_back(argument.keyword->text);
        }
    }
    if (path == nullptr || written.empty()) {
        return refuse(c.callee->span, fmt::format("`{}` lacks its {}", spelling(row.id),
                                                  path == nullptr ? "argument `path`" : "trees: `model=model`"));
    }
    const Value place = expression(b, *path);
    if (!place.broken() && !place.type.is(Kind::string))
        b.error("E0302", path->span, fmt::format("a path is a string, this is {}", shown(place.type)));
    CallInfo info;
    info.kind = CallKind::builtin;
    info.builtin = row.id;
    info.arguments.push_back({path->id, {}});
    for (const ast::Expr* tree : written) info.rest.push_back(tree->id);
    b.record_call(e, std::move(info));
    const size_t outer_names = b.inner_names.size();
    TreeCall call(b, e, nullptr, true);
    b.instance.tree_leaves[e.id].clear();
    b.instance.leaf_names[e.id].clear();
    const auto parts = call.trees(written);
    bool ok = parts.has_value();
    for (size_t i = 0; parts && i < parts->size(); ++i)
        ok = call.filed((*parts)[i], names[i], row.id == Builtin::load_checkpoint) && ok;
    b.inner_names.resize(outer_names);
    return ok ? typed(Type::none()) : Value{};
}

}  // namespace tsr::sema
