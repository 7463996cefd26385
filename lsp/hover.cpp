// `textDocument/hover`: the declaration of a name with its type, and its documentation; the type of an expression.
#include <algorithm>

#include <fmt/format.h>

#include "lsp/costs.h"
#include "lsp/descriptions.h"
#include "lsp/methods.h"
#include "lsp/places.h"

namespace tsr::lsp {

namespace {

using sema::Entity;
using sema::NameKind;

bool takes_markdown(const Json& client) {
    const Json& formats = below(client, {"textDocument", "hover", "contentFormat"});
    return !formats.is_array() || std::ranges::find(formats, Json("markdown")) != formats.end();
}

// The expression that ends with this name: `x` or `a.x`.
const ast::Expr* expression_of(const Place& place, Span name) {
    const ast::Expr* found = nullptr;
    for (const ast::Expr& e : place.analysis.tree->exprs) {
        const bool named = std::holds_alternative<ast::Name>(e.node) || std::holds_alternative<ast::Attribute>(e.node);
        if (named && e.span.end == name.end && (!found || e.span.begin < found->span.begin)) found = &e;
    }
    return found;
}

// Where its value is read: here, or of a variable that the text assigns once, which stands here, at its next place.
const ast::Expr* read_of(const Place& place, const sema::NameUse& use) {
    if (!use.binds) return expression_of(place, use.at);
    const sema::NameUse* read = nullptr;
    for (const sema::NameUse& one : place.program().modules[kRoot.index].names) {
        if (one.entity != use.entity) continue;
        if (one.binds && one.at != use.at) return nullptr;
        if (!one.binds && !read) read = &one;
    }
    return read ? expression_of(place, read->at) : nullptr;
}

// What the call gives whose callee this is.
std::string result_of_call(const Place& place, const ast::Expr* callee) {
    if (!callee) return {};
    for (const ast::Expr& e : place.analysis.tree->exprs) {
        const auto* call = std::get_if<ast::Call>(&e.node);
        if (!call || call->callee->id != callee->id) continue;
        const auto types = sema::types_of(place.program(), kRoot, e.id);
        const bool value = std::ranges::any_of(types, [](const sema::Type& t) { return !t.is(sema::Kind::none); });
        return value ? text_of(types) : "";
    }
    return {};
}

constexpr size_t kMostValues = 8;
constexpr size_t kLongestValues = 100;

// " = 3", " = 32 or 64"; empty where they are not known, or too many to be of use.
std::string values_text(const Place& place, const ast::Expr& e) {
    const auto values = sema::values_of(place.program(), kRoot, e.id);
    std::string text;
    for (const sema::Static& value : values) text += (text.empty() ? " = " : " or ") + value.text();
    return values.size() > kMostValues || text.size() > kLongestValues ? "" : text;
}

bool is_value(NameKind kind) {
    return kind == NameKind::variable || kind == NameKind::parameter || kind == NameKind::tuning_parameter ||
           kind == NameKind::dimension;
}

bool all_literal(const std::vector<sema::Type>& types) {
    return std::ranges::all_of(types, [](const sema::Type& type) { return type.is_literal(); });
}

struct Told {
    std::string code;  // of the language
    std::string text;  // Markdown
    Span range;
};

std::optional<Told> of_name(const Workspace& workspace, const Place& place, const sema::NameUse& use) {
    const Entity& entity = use.entity;
    Told told{declaration_text(place.analysis, entity), documentation_of(workspace, place.analysis, entity), use.at};
    const ast::Expr* expression = expression_of(place, use.at);
    if (entity.kind == NameKind::property && expression) {
        const std::string types = text_of(sema::types_of(place.program(), kRoot, expression->id));
        if (!types.empty()) told.code += ": " + types;
    }
    if (const ast::Expr* read = is_value(entity.kind) ? read_of(place, use) : nullptr) {
        const std::string values = values_text(place, *read);
        if (!values.empty() && all_literal(sema::types_of(place.program(), entity)))
            told.code = fmt::format("({}) {}", sema::text(entity.kind), entity.name);
        told.code += values;
    }
    const std::string result = result_of_call(place, expression);
    const auto callable = entity.module.valid() ? std::nullopt : callable_of(place.analysis, entity);
    if (callable) {
        told.code = callable->label + (result.empty() ? "" : " -> " + result);
        told.text = without_heading(std::move(told.text));
    } else if (!result.empty() && !told.code.ends_with("-> " + result)) {
        told.code += "\n# gives " + result;
    }
    return told;
}

// Names say more than the expressions that they are.
std::optional<Told> of_expression(const Place& place) {
    const ast::Expr* e = sema::expression_at(place.program(), kRoot, place.offset);
    if (!e) return std::nullopt;
    const std::string types = text_of(sema::types_of(place.program(), kRoot, e->id));
    if (types.empty()) return std::nullopt;
    const bool literal = std::holds_alternative<ast::IntLiteral>(e->node) ||
                         std::holds_alternative<ast::FloatLiteral>(e->node) ||
                         std::holds_alternative<ast::StringLiteral>(e->node);
    return Told{literal ? types : types + values_text(place, *e), "", e->span};
}

// The kernels of a function: its instances, of a tuned one those of its points.
std::vector<std::string> kernels_of(const sema::Program& program, const sema::NameUse& use) {
    std::vector<std::string> kernels;
    const Entity& entity = use.entity;
    const bool kernel = entity.kind == NameKind::function && entity.function.valid() &&
                        program.function(entity.function).kind == sema::FunctionKind::kernel;
    for (const sema::Instance& instance : program.instances) {
        if (kernel && instance.function == entity.function && instance.reached && !instance.tuned)
            kernels.push_back(instance.name);
    }
    return kernels;
}

constexpr size_t kMostKernels = 4;  // whose resources are told

// What kernels take of a multiprocessor; a paragraph each, in which GPUs where it is the same stand together.
std::string resources_text(Workspace& workspace, const Place& place, const std::vector<std::string>& kernels,
                           const std::vector<std::string>& targets) {
    std::string all;
    for (size_t i = 0; i < std::min(kernels.size(), kMostKernels); ++i) {
        std::vector<std::pair<std::string, std::string>> told;  // what, and of which
        for (const std::string& target : targets) {
            const std::string& one = workspace.costs(place.document).resources(kernels[i], target);
            if (!told.empty() && told.back().first == one)
                told.back().second += ", " + target;
            else if (!one.empty())
                told.emplace_back(one, target);
        }
        std::string text;
        for (const auto& [what, of] : told) text += fmt::format("{}{}: {}", text.empty() ? "" : "; ", of, what);
        if (!text.empty()) all += fmt::format("\n\n{} on {}", kernels[i], text);
    }
    return all;
}

// GPUs that code is made for where none is named.
const std::vector<std::string> kUsualGpus{"sm_75", "sm_80", "sm_90a"};

// What the operators of the line become, a paragraph for each kernel; what is rounded there.
std::string costs_text(Workspace& workspace, const Place& place, const sema::NameUse* use) {
    if (use && is_value(use->entity.kind)) return {};
    const uint32_t line = place.analysis.position(place.analysis.root, place.offset).line;
    std::string all;
    const Settings& settings = workspace.settings;
    if (use && settings.resource_hover) {
        const std::vector<std::string> named{settings.target};
        const std::vector<std::string> kernels = kernels_of(place.program(), *use);
        if (!kernels.empty())
            all += resources_text(workspace, place, kernels, settings.target.empty() ? kUsualGpus : named);
    }
    if (!settings.cost_hover) return all;
    std::vector<std::string> made;
    const Costs& costs = workspace.costs(place.document);
    for (const DerivativeCost& cost : costs.derivatives()) {
        if (cost.line == line) all += "\n\n" + told(cost);
    }
    for (const KernelCost& cost : costs.kernels()) {
        if (!cost.lines.contains(line)) continue;
        all += fmt::format("\n\n{}: {}", cost.function, told_at(cost, line));
        for (const std::string* more : {&cost.intensity, &cost.limit}) all += more->empty() ? "" : "; " + *more;
        if (!cost.kept.empty()) all += fmt::format("; {} B of it are kept for later kernels", cost.kept);
        made.push_back(cost.kernel);
    }
    for (const auto& [rounding, times] : costs.roundings()) {
        if (rounding.line == line) all += "\n\n" + told(rounding, times);
    }
    return settings.resource_hover ? all + resources_text(workspace, place, made, {workspace.gpu()}) : all;
}

}  // namespace

Json answer_hover(Workspace& workspace, const Json& params) {
    const auto place = place_of(workspace, params);
    if (!place) return nullptr;
    const sema::NameUse* use = place->name();
    const auto told = use ? of_name(workspace, *place, *use) : of_expression(*place);
    if (!told) return nullptr;
    const bool markdown = takes_markdown(workspace.client);
    std::string value = told->code;
    if (markdown && !value.empty()) value = fmt::format("```tessera\n{}\n```", value);
    if (!told->text.empty()) value += (value.empty() ? "" : "\n\n") + told->text;
    value += costs_text(workspace, *place, use);
    return {{"contents", {{"kind", markdown ? "markdown" : "plaintext"}, {"value", value}}},
            {"range", place->analysis.range(told->range)}};
}

}  // namespace tsr::lsp
