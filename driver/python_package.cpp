#include "driver/python_package.h"

#include <algorithm>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <fmt/core.h>

#include "driver/commands.h"
#include "driver/compilation.h"
#include "driver/machines.h"
#include "driver/pages.h"
#include "driver/python_tree.h"

namespace tsr::driver {

namespace {

namespace fs = std::filesystem;

// Functions that are added behind the program's text are named so, behind the name of the one they belong to.
constexpr std::string_view kCall = "__call";
constexpr std::string_view kGradient = "__value_and_grad";
constexpr std::string_view kPullback = "__vjp";

// A `@jit` function of the program, as its text has it.
struct Graph {
    std::string name;
    const ast::FunctionDef* def = nullptr;
    bool has_static = false;                  // parameters that Python does not pass: they keep their defaults
    std::vector<std::string> differentiated;  // of its pullback: parameters with floating-point leaves

    [[nodiscard]] std::string called() const { return has_static ? name + std::string(kCall) : name; }
};

// What is added to the program for a function, and why it can not be.
struct Added {
    std::string name;
    std::string text;
    std::string refusal;  // empty: it is in the program
};

bool is_static(const ast::Parameter& parameter, const Sources& sources) {
    return parameter.annotation != nullptr && sources.text(parameter.annotation->span).starts_with("static");
}

// The parameters that Python passes: with their types, or their names alone.
std::string parameters(const Graph& graph, const Sources& sources, bool typed) {
    std::string out;
    for (const ast::Parameter& parameter : graph.def->parameters) {
        if (is_static(parameter, sources)) continue;
        out += (out.empty() ? "" : ", ") + parameter.name.text;
        if (typed) out += fmt::format(": {}", sources.text(parameter.annotation->span));
    }
    return out;
}

std::string call_text(const Graph& graph, const Sources& sources) {
    return fmt::format("@jit\ndef {}{}({}):\n    return {}({})\n", graph.name, kCall, parameters(graph, sources, true),
                       graph.name, [&] {
                           std::string out;
                           for (const ast::Parameter& parameter : graph.def->parameters) {
                               if (is_static(parameter, sources)) continue;
                               out += fmt::format("{0}{1}={1}", out.empty() ? "" : ", ", parameter.name.text);
                           }
                           return out;
                       }());
}

std::string gradient_text(const Graph& graph, const Sources& sources) {
    return fmt::format("@jit\ndef {}{}({}):\n    return value_and_grad({})({})\n", graph.name, kGradient,
                       parameters(graph, sources, true), graph.called(), parameters(graph, sources, false));
}

// The sum of the products of a result's leaves with those of its cotangent: its gradient is what the cotangent pulls
// back.
std::string products(const sema::Type& type, const std::string& path) {
    if (type.is(sema::Kind::tensor)) return fmt::format("cast(sum(result__{0} * cotangent__{0}), f64)", path);
    if (type.is_scalar()) return fmt::format("cast(result__{0} * cotangent__{0}, f64)", path);
    std::string out;
    const size_t count = type.is(sema::Kind::list) ? static_cast<size_t>(*type.length()) : type.parts().size();
    for (size_t i = 0; i < count; ++i) {
        const sema::Type& part = type.parts()[type.is(sema::Kind::list) ? 0 : i];
        const std::string name =
            type.is(sema::Kind::record) ? type.names()[type.names().size() - count + i] : std::string();
        const std::string step = type.is_keyed_dict()          ? fmt::format("[\"{}\"]", name)
                                 : type.is(sema::Kind::record) ? "." + name
                                                               : fmt::format("[{}]", i);
        out += (out.empty() ? "" : " + ") + products(part, path + step);
    }
    return out;
}

std::string pullback_text(const Graph& graph, const Sources& sources, const sema::Type& type,
                          const std::string& result) {
    std::string wrt;
    std::string names;
    for (const std::string& name : graph.differentiated) {
        wrt += (wrt.empty() ? "" : ", ") + name;
        names += fmt::format("{}\"{}\"", names.empty() ? "" : ", ", name);
    }
    if (graph.differentiated.size() > 1) names = "(" + names + ")";
    return fmt::format(
        "@jit\ndef {0}{1}({2}, cotangent__: {3}):\n    def of__({4}):\n        result__ = {5}({6})\n"
        "        return {8}\n\n    return grad(of__, wrt={7})({4})\n",
        graph.name, kPullback, parameters(graph, sources, true), result, wrt, graph.called(),
        parameters(graph, sources, false), names, products(type, ""));
}

bool has_float_leaf(const sema::Type& type) {
    if (type.is(sema::Kind::tensor) || type.is_scalar()) return tsr::is_float(type.elem());
    const bool compound = type.is(sema::Kind::tuple) || type.is(sema::Kind::list) || type.is(sema::Kind::record);
    return compound && std::ranges::any_of(type.parts(), has_float_leaf);
}

bool has_float_leaves_alone(const sema::Type& type) {
    if (type.is(sema::Kind::tensor) || type.is_scalar()) return tsr::is_float(type.elem());
    const bool compound = type.is(sema::Kind::tuple) || type.is(sema::Kind::list) || type.is(sema::Kind::record);
    return compound && !type.parts().empty() && std::ranges::all_of(type.parts(), has_float_leaves_alone);
}

// Whether the program's own file defines it, at its outermost level, under a name that others may use.
bool is_own(const sema::Program& program, const sema::Function& function) {
    return function.module == program.modules.front().id && !function.enclosing && function.method_of == nullptr &&
           function.makes == nullptr && !function.derived && !function.name.starts_with('_');
}

// The instance of a function of the program's own file that a library offers by this name.
const sema::Instance* offered(const sema::Program& program, const std::string& name) {
    for (const sema::Instance& instance : program.instances) {
        if (!instance.function.valid() || !instance.complete || instance.derived_from.valid()) continue;
        const sema::Function& function = program.function(instance.function);
        const bool graph = function.kind != sema::FunctionKind::graph || instance.context == sema::Context::graph;
        if (function.name == name && is_own(program, function) && graph) return &instance;
    }
    return nullptr;
}

// ---- the texts of the package
// -----------------------------------------------------------------------------------------

// A default that Python's text has, too.
std::optional<std::string> literal(const ast::Expr* value, const Sources& sources) {
    if (value == nullptr) return std::nullopt;
    const auto* negated = std::get_if<ast::Unary>(&value->node);
    const ast::Expr& of = negated != nullptr ? *negated->operand : *value;
    if (std::holds_alternative<ast::IntLiteral>(of.node)) return std::string(sources.text(value->span));
    if (std::holds_alternative<ast::FloatLiteral>(of.node)) return std::string(sources.text(value->span));
    if (negated == nullptr && std::holds_alternative<ast::BoolLiteral>(of.node))
        return std::string(sources.text(value->span));
    if (negated == nullptr && std::holds_alternative<ast::StringLiteral>(of.node))
        return std::string(sources.text(value->span));
    return std::nullopt;
}

// One function of the library, as Python calls it.
struct Callable {
    const sema::Instance* instance = nullptr;
    std::string symbol;
};

struct Offered {
    std::string name;
    std::string documentation;
    const ast::FunctionDef* def = nullptr;
    Callable call;
    std::optional<Callable> gradient, pullback;
    std::vector<std::string> differentiated;
};

class PackageTexts {
public:
    PackageTexts(const Library& library, const Sources& sources, std::vector<Offered> functions)
        : library_(library), sources_(sources), functions_(std::move(functions)) {
        for (const Offered& one : functions_) {
            for (const sema::ParameterInfo& parameter : one.call.instance->parameters)
                add_record_classes(parameter.type, classes_);
            add_record_classes(one.call.instance->result, classes_);
        }
    }

    [[nodiscard]] std::string module(const std::string& documentation) const {
        std::string out = fmt::format("\"\"\"{}\"\"\"\n\n", in_docstring(documentation));
        out +=
            "import ctypes as _ctypes\nimport dataclasses as _dataclasses\nimport os as _os\n"
            "import typing as _typing\n\nfrom . import _tessera\nfrom ._tessera import ArgumentError, TesseraError\n\n";
        out += fmt::format("_library = _ctypes.CDLL(_os.path.join(_os.path.dirname(__file__), \"lib{}.so\"))\n",
                           library_.name);
        for (const sema::Type& type : classes_) {
            out += fmt::format("\n\n@_dataclasses.dataclass\nclass {}:\n", type.names().front());
            for (size_t i = 1; i < type.names().size(); ++i)
                out += fmt::format("    {}: _typing.Any\n", python_name(type.names()[i]));
        }
        for (const Offered& one : functions_) out += function(one);
        out += "\n\n__all__ = [\"ArgumentError\", \"TesseraError\"";
        for (const sema::Type& type : classes_) out += ", " + python_string(type.names().front());
        for (const Offered& one : functions_) out += ", " + python_string(one.name);
        return out + "]\n";
    }

    [[nodiscard]] std::string hints() const {
        std::string out =
            "from dataclasses import dataclass\nfrom typing import Any, Callable, Mapping, Protocol\n\n"
            "Array = Any  # NumPy's, PyTorch's: that of the first tensor argument\n"
            "ArrayLike = Any  # anything with DLPack or the array interface; lists of numbers\n\n"
            "class TesseraError(RuntimeError): ...\nclass ArgumentError(TesseraError, TypeError, ValueError): ...\n";
        for (const sema::Type& type : classes_) {
            out += fmt::format("\n@dataclass\nclass {}:\n", type.names().front());
            for (size_t i = 0; i < type.parts().size(); ++i)
                out +=
                    fmt::format("    {}: {}\n", python_name(type.names()[i + 1]), python_hint(type.parts()[i], true));
        }
        for (const Offered& one : functions_) out += hint_of(one);
        return out;
    }

private:
    static std::string in_docstring(std::string_view text) {
        std::string out;
        for (char c : text) out += c == '\\' || c == '"' ? fmt::format("\\{}", c) : std::string(1, c);
        return out;
    }

    // The names, those with a default that Python can write behind the others with it.
    [[nodiscard]] std::string signature(const Offered& one, bool hints) const {
        const auto& parameters = one.call.instance->parameters;
        std::vector<std::optional<std::string>> defaults;
        for (const sema::ParameterInfo& parameter : parameters) {
            const auto found = std::ranges::find_if(
                one.def->parameters, [&](const ast::Parameter& p) { return p.name.text == parameter.name; });
            defaults.push_back(found == one.def->parameters.end() ? std::nullopt
                                                                  : literal(found->default_value, sources_));
        }
        for (size_t i = defaults.size(); i-- > 1;) {
            if (!defaults[i]) defaults[i - 1].reset();
        }
        std::string out;
        for (size_t i = 0; i < parameters.size(); ++i) {
            out += (out.empty() ? "" : ", ") + python_name(parameters[i].name);
            if (hints) out += ": " + python_hint(parameters[i].type, true);
            if (defaults[i]) out += (hints ? " = " : "=") + *defaults[i];
        }
        return out;
    }

    static std::string names(const Offered& one) {
        std::string out;
        for (const sema::ParameterInfo& parameter : one.call.instance->parameters)
            out += (out.empty() ? "" : ", ") + python_name(parameter.name);
        return out;
    }

    static std::string tree(const Callable& callable, const sema::Type& type) {
        return python_tree(type, callable.instance->context == sema::Context::graph);
    }

    static std::string trees(const Callable& callable) {
        std::string out;
        for (const sema::ParameterInfo& parameter : callable.instance->parameters)
            out += fmt::format("({}, {}), ", python_string(parameter.name), tree(callable, parameter.type));
        return "(" + out + ")";
    }

    [[nodiscard]] std::string caller(const std::string& name, const Callable& callable) const {
        return fmt::format("{} = _tessera.caller(_library, \"{}\", \"{}\",\n    {},\n    {})\n", name, callable.symbol,
                           library_.last_error(), trees(callable), tree(callable, callable.instance->result));
    }

    [[nodiscard]] std::string function(const Offered& one) const {
        const std::string inner = fmt::format("_{}_call", one.name);
        std::string out =
            fmt::format("\n\n{}\n\ndef {}({}):\n", caller(inner, one.call), one.name, signature(one, false));
        if (!one.documentation.empty()) out += fmt::format("    \"\"\"{}\"\"\"\n", in_docstring(one.documentation));
        out += fmt::format("    return {}({})\n", inner, names(one));
        if (one.gradient) {
            const std::string gradient = fmt::format("_{}_gradient", one.name);
            out += fmt::format("\n\n{}\n\ndef _{}_value_and_grad({}):\n", caller(gradient, *one.gradient), one.name,
                               signature(one, false));
            out += fmt::format("    \"\"\"What `{}` gives, and its gradient.\"\"\"\n    return {}({})\n", one.name,
                               gradient, names(one));
            out +=
                fmt::format("\n\ndef _{0}_grad({1}):\n    \"\"\"The gradient of `{0}`.\"\"\"\n    return {2}({3})[1]\n",
                            one.name, signature(one, false), gradient, names(one));
            out += fmt::format("\n\n{0}.value_and_grad = _{0}_value_and_grad\n{0}.grad = _{0}_grad\n", one.name);
        }
        if (one.pullback) out += pullback(one);
        return out;
    }

    [[nodiscard]] std::string pullback(const Offered& one) const {
        const std::string inner = fmt::format("_{}_pullback", one.name);
        std::string wrt;
        for (const std::string& name : one.differentiated) wrt += python_string(name) + ", ";
        const std::string last = one.call.instance->parameters.empty() ? "" : ", ";
        std::string out =
            fmt::format("\n\n{}\n\ndef _{}_vjp({}):\n", caller(inner, *one.pullback), one.name, signature(one, false));
        out += fmt::format(
            "    \"\"\"What `{0}` gives, and a function from its cotangent to those of {1}: computes `{0}` "
            "again.\"\"\"\n"
            "    return {2}({3}), lambda cotangent: {4}({3}{5}cotangent)\n",
            one.name, in_words(one.differentiated), fmt::format("_{}_call", one.name), names(one), inner, last);
        out += fmt::format("\n\n{0}.vjp = _{0}_vjp\n", one.name);
        return out + fmt::format(
                         "{0}.torch = _tessera.torch_function(_{0}_call,\n"
                         "    lambda cotangent, *arguments: {1}(*arguments, cotangent),\n    {2},\n    {3}, ({4}))\n",
                         one.name, inner, trees(one.call), tree(one.call, one.call.instance->result), wrt);
    }

    static std::string in_words(const std::vector<std::string>& names) {
        std::string out;
        for (size_t i = 0; i < names.size(); ++i)
            out += fmt::format("{}`{}`", i == 0 ? "" : i + 1 == names.size() ? " and " : ", ", names[i]);
        return out;
    }

    [[nodiscard]] std::string hint_of(const Offered& one) const {
        const std::string takes = signature(one, true);
        const std::string gives = python_hint(one.call.instance->result, false);
        if (!one.gradient && !one.pullback) return fmt::format("\ndef {}({}) -> {}: ...\n", one.name, takes, gives);
        const std::string self = takes.empty() ? "self" : "self, ";
        std::string out =
            fmt::format("\nclass _{}(Protocol):\n    def __call__({}{}) -> {}: ...\n", one.name, self, takes, gives);
        if (one.gradient) {
            const sema::Type& both = one.gradient->instance->result;
            out += fmt::format("    def value_and_grad({}{}) -> {}: ...\n", self, takes, python_hint(both, false));
            out += fmt::format("    def grad({}{}) -> {}: ...\n", self, takes, python_hint(both.parts()[1], false));
        }
        if (one.pullback) {
            out += fmt::format("    def vjp({}{}) -> tuple[{}, Callable[[Any], {}]]: ...\n", self, takes, gives,
                               python_hint(one.pullback->instance->result, false));
            out += fmt::format("    def torch({}{}) -> {}: ...\n", self, takes, gives);
        }
        return out + fmt::format("\n{0}: _{0}\n", one.name);
    }

    const Library& library_;
    const Sources& sources_;
    std::vector<Offered> functions_;
    std::vector<sema::Type> classes_;
};

// ---- from the program to the package
// ------------------------------------------------------------------------------------

class PackageMaker {
public:
    explicit PackageMaker(const Options& options) : options_(options) {
        options_.emit = Emit::shared;
        options_.library_parts = {Emit::shared};
        options_.for_python = true;
        options_.output.clear();
        folder_ = options.output;
    }

    int run() {
        Session session(options_);
        Compilation compilation(session);
        if (!compilation.read()) return session.finish();
        find_graphs(compilation.checked(), session.sources);
        text_ = std::string(session.sources.text(compilation.tree()->file));
        if (!text_.ends_with('\n')) text_ += '\n';
        add(Kind::call, [&](const Graph& graph, const sema::Program&, const Sources& sources) {
            return graph.has_static ? call_text(graph, sources) : std::string();
        });
        add(Kind::gradient, [&](const Graph& graph, const sema::Program& program, const Sources& sources) {
            const sema::Instance* instance = offered(program, graph.called());
            const bool scalar = instance != nullptr && instance->result.is_scalar() && instance->result.is_float();
            return scalar ? gradient_text(graph, sources) : std::string();
        });
        add(Kind::pullback, [&](Graph& graph, const sema::Program& program, const Sources& sources) {
            const sema::Instance* instance = offered(program, graph.called());
            if (instance == nullptr || !has_float_leaves_alone(instance->result)) return std::string();
            for (const sema::ParameterInfo& parameter : instance->parameters) {
                if (has_float_leaf(parameter.type)) graph.differentiated.push_back(parameter.name);
            }
            if (graph.differentiated.empty()) return std::string();
            const std::string result(graph.def->result != nullptr ? sources.text(graph.def->result->span)
                                                                  : instance->result.text());
            return pullback_text(graph, sources, instance->result, result);
        });
        return make();
    }

private:
    enum class Kind { call, gradient, pullback };

    void find_graphs(const sema::Program& program, const Sources& sources) {
        for (const sema::Function& function : program.functions) {
            if (!is_own(program, function) || function.kind != sema::FunctionKind::graph) continue;
            Graph graph{function.name, &program.def(function), false, {}};
            bool typed = true;
            for (const ast::Parameter& parameter : graph.def->parameters) {
                const bool fixed = is_static(parameter, sources);
                graph.has_static = graph.has_static || fixed;
                typed = typed && parameter.annotation != nullptr && (!fixed || parameter.default_value != nullptr);
            }
            if (typed) graphs_.push_back(std::move(graph));
        }
    }

    // What is added for a function is held to its `@jit(memory=…)`, which does not count for calls from graph
    // functions.
    [[nodiscard]] std::map<std::string, std::string> limits() const {
        std::map<std::string, std::string> out;
        for (const Graph& graph : graphs_) {
            for (const std::string_view kind : {kCall, kGradient, kPullback}) {
                out.emplace(graph.name + std::string(kind), graph.name);
            }
        }
        return out;
    }

    // The program with what was added to it so far, and a text behind.
    std::string extended(const std::string& text) const { return text_ + (text.empty() ? "" : "\n\n" + text); }

    // Runs `with` on the checked program of a text. What is wrong with it is the message.
    std::string check(const std::string& text, const std::function<void(Compilation&, Session&)>& with) {
        Session session(options_);
        session.sources.overlay(options_.input, text);
        Compilation compilation(session);
        compilation.limit_like(limits());
        if (compilation.read() && compilation.check()) {
            with(compilation, session);
            return {};
        }
        for (const Diagnostic& one : session.diagnostics.all()) {
            if (one.severity == Severity::error) return one.message;
        }
        return "it could not be compiled";
    }

    // Adds a function for each graph that `made` gives a text for: all at once, and where that fails, each half by
    // itself.
    template <class Made>
    void add(Kind kind, const Made& made) {
        std::vector<std::pair<const Graph*, std::string>> texts;
        (void)check(text_, [&](Compilation& compilation, Session& session) {
            for (Graph& graph : graphs_) {
                std::string text = made(graph, compilation.checked(), session.sources);
                if (!text.empty()) texts.emplace_back(&graph, std::move(text));
            }
        });
        add_some(kind, texts);
    }

    using Texts = std::span<const std::pair<const Graph*, std::string>>;

    void add_some(Kind kind, Texts texts) {
        if (texts.empty()) return;
        std::string all;
        for (const auto& [graph, text] : texts) all += (all.empty() ? "" : "\n\n") + text;
        const std::string refusal = check(extended(all), [](Compilation&, Session&) {});
        if (refusal.empty()) {
            text_ = extended(all);
        } else if (texts.size() == 1) {
            left_out_.push_back(left_out(*texts.front().first, kind, refusal));
        } else {
            add_some(kind, texts.first(texts.size() / 2));
            add_some(kind, texts.subspan(texts.size() / 2));
        }
    }

    static std::string left_out(const Graph& graph, Kind kind, const std::string& why) {
        const std::string_view what = kind == Kind::call       ? "`{}`: {}"
                                      : kind == Kind::gradient ? "`{}.grad`: {}"
                                                               : "`{}.vjp`: {}";
        return fmt::format(fmt::runtime(what), graph.name, why);
    }

    int make() {
        Session session(options_);
        session.sources.overlay(options_.input, text_);
        Compilation compilation(session);
        compilation.limit_like(limits());
        codegen::prepare();
        std::vector<std::string> objects;
        std::string library;
        const bool built = compilation.read() && compilation.lower() && has_functions(session, compilation) &&
                           compilation.lower_to_machines() && compilation.generate(codegen::Emit::objects, objects) &&
                           compilation.link(objects, library);
        if (built) write(session, compilation, library);
        compilation.report_times();
        return session.finish();
    }

    bool has_functions(Session& session, const Compilation& compilation) {
        functions_ = offered_functions(compilation);
        if (!functions_.empty()) return true;
        session.fail("E0007", fmt::format("'{}' has no function that Python could call", options_.input));
        return false;
    }

    std::vector<Offered> offered_functions(const Compilation& compilation) {
        const sema::Program& program = compilation.checked();
        const Library& library = compilation.library();
        const auto callable = [&](const std::string& name) -> std::optional<Callable> {
            const auto found = std::ranges::find(library.functions, name, &Library::Function::name);
            const sema::Instance* instance = offered(program, name);
            if (found == library.functions.end() || instance == nullptr) return std::nullopt;
            const auto passes = [](const sema::ParameterInfo& p) { return passes_to_python(p.type); };
            if (!std::ranges::all_of(instance->parameters, passes) || !passes_to_python(instance->result))
                return std::nullopt;
            return Callable{instance, found->exported.symbol};
        };
        std::vector<Offered> out;
        for (const sema::Function& function : program.functions) {
            if (!is_own(program, function) || is_added(function.name) || function.name == "main") continue;
            const auto graph = std::ranges::find(graphs_, function.name, &Graph::name);
            const auto call = callable(graph == graphs_.end() ? function.name : graph->called());
            if (!call) {
                left_out_.push_back(fmt::format(
                    "`{}`: Python has no values of its parameters or results, or they have no types", function.name));
                continue;
            }
            const ast::FunctionDef& def = program.def(function);
            Offered made{python_name(function.name), def.docstring.value_or(""), &def, *call, {}, {}, {}};
            if (graph != graphs_.end()) {
                const auto derivative = [&](Kind kind, std::string_view suffix) {
                    const std::string name = function.name + std::string(suffix);
                    auto made_of_it = callable(name);
                    if (!made_of_it && offered(program, name) != nullptr)
                        left_out_.push_back(left_out(*graph, kind, "Python has no values of its results"));
                    return made_of_it;
                };
                made.gradient = derivative(Kind::gradient, kGradient);
                made.pullback = derivative(Kind::pullback, kPullback);
                made.differentiated = graph->differentiated;
            }
            out.push_back(std::move(made));
        }
        return out;
    }

    [[nodiscard]] bool is_added(const std::string& name) const {
        return std::ranges::any_of(graphs_, [&](const Graph& graph) {
            return name == graph.name + std::string(kCall) || name == graph.name + std::string(kGradient) ||
                   name == graph.name + std::string(kPullback);
        });
    }

    void write(Session& session, const Compilation& compilation, const std::string& bytes) {
        const Library& library = compilation.library();
        const fs::path folder = folder_.empty() ? library.name : folder_;
        const fs::path inner = folder / library.name;
        std::error_code wrong;
        fs::create_directories(inner, wrong);
        if (wrong)
            return session.fail("E0002",
                                fmt::format("can not make the folder '{}': {}", inner.string(), wrong.message()));
        std::string documentation = compilation.tree()->docstring.value_or("");
        if (!left_out_.empty())
            documentation += documentation.empty() ? "Not in this package:\n" : "\n\nNot in this package:\n";
        for (const std::string& one : left_out_) documentation += "- " + one + "\n";
        const PackageTexts texts(library, session.sources, functions_);
        const auto put = [&](const fs::path& path, std::string_view content, FileKind kind) {
            session.write_file(path.string(), content, kind);
        };
        put(inner / ("lib" + library.name + ".so"), bytes, FileKind::executable);
        put(inner / "__init__.py", texts.module(documentation), FileKind::data);
        put(inner / "__init__.pyi", texts.hints(), FileKind::data);
        put(inner / "py.typed", "", FileKind::data);
        for (const Page& file : python_files()) {
            put((file.name == "build_wheel.py" ? folder : inner) / std::string(file.name), file.text, FileKind::data);
        }
        put(folder / "pyproject.toml",
            fmt::format("[build-system]\nrequires = []\nbuild-backend = \"build_wheel\"\nbackend-path = [\".\"]\n\n"
                        "[project]\nname = \"{}\"\nversion = \"{}\"\nrequires-python = \">=3.8\"\n",
                        library.name, TSR_VERSION),
            FileKind::data);
    }

    Options options_;
    std::string folder_;
    std::string text_;
    std::vector<Graph> graphs_;
    std::vector<std::string> left_out_;
    std::vector<Offered> functions_;
};

}  // namespace

int make_python_package(const Options& options) { return PackageMaker(options).run(); }

}  // namespace tsr::driver
