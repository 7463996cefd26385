// What is wrong in a function of the standard library is wrong in the call: its message stands at the user's argument,
// in the user's names, and points at the library's line second.
#include <algorithm>
#include <cctype>

#include <fmt/format.h>

#include "sema/state/body.h"

namespace tsr::sema {

namespace {

bool is_letter(char c) { return c == '_' || std::isalnum(static_cast<unsigned char>(c)) != 0; }

// Calls `name` for each name in a text, and `other` for what stands between.
template <class Name, class Other>
void split_names(std::string_view text, Name name, Other other) {
    for (size_t begin = 0; begin < text.size();) {
        size_t end = begin;
        while (end < text.size() && is_letter(text[end])) ++end;
        if (end == begin) {
            other(text.substr(begin++, 1));
        } else {
            name(text.substr(begin, end - begin));
            begin = end;
        }
    }
}

// The first parameter that the marked text names.
std::optional<size_t> parameter_within(const Instance& instance, std::string_view text) {
    std::optional<size_t> found;
    split_names(
        text,
        [&](std::string_view name) {
            for (size_t i = 0; !found && i < instance.parameters.size(); ++i) {
                if (instance.parameters[i].name == name) found = i;
            }
        },
        [](std::string_view) {});
    return found;
}

// Dimensions of the callee as the caller has them: `f32[x_0, 3]` is `f32[n, 3]` there.
std::string in_callers_names(std::string_view text, const CallInfo& call) {
    std::string result;
    split_names(
        text,
        [&](std::string_view name) {
            const auto bound = std::ranges::find(call.bindings, name, &DimBinding::symbol);
            result += bound == call.bindings.end() ? std::string(name) : readable(bound->value.text());
        },
        [&](std::string_view other) { result += other; });
    return result;
}

std::string value_or_type(const ExprInfo& argument) {
    return argument.value ? fmt::format("`{}`", argument.value->text()) : shown(argument.type);
}

// Where a user's program called an instance of the library, perhaps through others of it; and what it gave there for
// the parameter, nullptr where that is nothing of its own.
struct UsersCall {
    Span at;
    InstanceId caller, callee;
    const ast::Expr* argument = nullptr;
    std::string message;
};

std::optional<UsersCall> users_call(const Checker& checker, InstanceId id, std::optional<size_t> parameter,
                                    std::string message) {
    const Program& program = checker.program;
    // A cycle of functions is left at the first call of one that was noted.
    for (size_t depth = 0; depth < program.instances.size(); ++depth) {
        const InstanceState& state = checker.states[id.index];
        if (!state.called_by.valid()) return std::nullopt;
        const Instance& caller = program.instance(state.called_by);
        const auto call = caller.calls.find(state.call);
        const ast::Expr* argument = nullptr;
        if (call != caller.calls.end()) {
            message = in_callers_names(message, call->second);
            if (parameter && *parameter < call->second.arguments.size())
                argument = program.expr(caller.module, call->second.arguments[*parameter].expr);
        }
        if (!checker.is_library(caller.module)) return UsersCall{state.called_at, caller.id, id, argument, message};
        parameter = argument ? parameter_within(caller, checker.sources.text(argument->span)) : std::nullopt;
        id = caller.id;
    }
    return std::nullopt;
}

}  // namespace

// What an instance of the library says, without what follows from it: the first error.
std::vector<Diagnostic> Checker::at_users_call(InstanceId id) const {
    const std::vector<Diagnostic>& all = states[id.index].found.all();
    const auto wrong = std::ranges::find(all, Severity::error, &Diagnostic::severity);
    if (wrong == all.end()) return {};
    const Diagnostic& found = *wrong;
    std::vector<Span> marked{found.span};
    for (const Label& label : found.labels) marked.push_back(label.span);
    std::optional<UsersCall> call;
    for (size_t i = 0; i < marked.size() && (!call || !call->argument); ++i) {
        const auto parameter = parameter_within(program.instance(id), sources.text(marked[i]));
        auto named = users_call(*this, id, parameter, found.message);
        if (!call || (named && named->argument)) call = std::move(named);
    }
    if (!call) return {found};
    Diagnostic said = found;
    said.labels.clear();
    said.fix.reset();  // it would change the library
    said.span = call->argument ? call->argument->span : call->at;
    const Function& callee = program.function(program.instance(call->callee).function);
    said.message = call->message;
    std::string line = "the line of the standard library";
    const bool graph = program.instance(id).context == Context::graph;
    if (found.code == "E0601" && graph && !rules_of(callee.kind).of_values) {
        // A function for the host: what one of its statements lacks is not what the program lacks.
        said.message = fmt::format("`{}` in a graph function is not compiled yet", callee.name);
        line += ": " + found.message;
    } else if (found.code != "E0331") {
        said.message = fmt::format("in `{}`: {}", callee.name, call->message);
    } else if (call->argument) {
        said.message += ", this is " + value_or_type(program.instance(call->caller).info(*call->argument));
    }
    if (call->argument) said.label(call->at, fmt::format("the call of `{}`", callee.name));
    said.label(found.span, line);
    return {said};
}

}  // namespace tsr::sema
