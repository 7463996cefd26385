#include "lsp/gradient_check.h"

#include <algorithm>
#include <array>
#include <map>
#include <set>

#include <fmt/format.h>

namespace tsr::lsp {

namespace {

using sema::Kind;
using sema::Type;

// Extents of dimensions in the order in which headers name them: small ones, no two the same at first.
constexpr std::array kExtents{3, 4, 5, 2, 6, 7};

// "shapes" of "/tmp/shapes.tsr", where programs can import it; else empty.
std::string module_name(const std::string& path) {
    std::string name = path.substr(path.rfind('/') + 1);
    name = name.substr(0, name.rfind('.'));
    const bool fits = !name.empty() && (name[0] < '0' || name[0] > '9') && std::ranges::all_of(name, is_name_letter);
    return fits ? name : "";
}

// An instance that the program was checked with; of a function that is not generic there is one.
const sema::Instance* instance_of(const sema::Program& program, const sema::Function& function) {
    for (const sema::Instance& instance : program.instances) {
        if (instance.function == function.id && instance.complete) return &instance;
    }
    return nullptr;
}

class Arguments {
public:
    explicit Arguments(const sema::Program& program) : program_(program) {}

    // Empty: there is no value of the type that could be made up.
    std::string value(const Type& type) {
        switch (type.kind()) {
            case Kind::scalar:
                return scalar(type);
            case Kind::tensor:
                return tensor(type);
            case Kind::tuple:
                return several(type.parts(), "(", type.parts().size() == 1 ? ",)" : ")");
            case Kind::record:
                return record(type);
            case Kind::list:
                return list(type);
            default:
                return {};
        }
    }

    bool differentiates = false;    // there is a float among them
    std::set<std::string> classes;  // of the document, that the values name

private:
    // Derivatives are compared in f32 and f64 alone.
    bool is_compared(DType type) {
        const bool compared = type == DType::f32 || type == DType::f64;
        differentiates |= compared;
        return compared;
    }

    std::string scalar(const Type& type) {
        const std::string name = type.text();
        if (type.is_bool()) return "True";
        if (type.is_integer()) return type.elem() == DType::index ? "1" : fmt::format("{}(1)", name);
        return is_compared(type.elem()) ? fmt::format("{}(0.7)", name) : "";
    }

    std::string tensor(const Type& type) {
        if (type.writable() || !type.tensor().policy.empty() || type.rank() == 0) return {};
        std::string shape;
        for (const ir::Dim& dim : type.shape()) {
            const auto extent = dim.evaluate([this](const std::string& symbol) { return extent_of(symbol); });
            if (!extent || *extent < 1) return {};
            shape += fmt::format("{}{}", shape.empty() ? "" : ", ", *extent);
        }
        if (type.rank() == 1) shape += ",";
        const DType elem = type.elem();
        const std::string name = Type::scalar(elem).text();
        if (is_float(elem))
            return is_compared(elem) ? fmt::format("randn(({}), {}, seed={})", shape, name, ++seeds_) : "";
        return fmt::format("zeros(({}), {})", shape, name);
    }

    std::string record(const Type& type) {
        const std::vector<std::string>& names = type.names();
        // The types of a class's fields name dimensions; those of a record of it do not.
        const sema::Instance* made =
            type.is_keyed_dict() ? nullptr : instance_of(program_, program_.function(type.function_id()));
        if (!type.is_keyed_dict() && !made) return {};
        std::string text;
        for (size_t i = 0; i < type.parts().size(); ++i) {
            const std::string one = value(made ? made->parameters[i].type : type.parts()[i]);
            if (one.empty()) return {};
            const std::string& field = names[i + 1];
            text += fmt::format("{}{}{}", text.empty() ? "" : ", ",
                                type.is_keyed_dict() ? fmt::format("\"{}\": ", field) : field + "=", one);
        }
        if (type.is_keyed_dict()) return "{" + text + "}";
        if (program_.function(type.function_id()).module != kRoot) return {};
        classes.insert(names[0]);
        return fmt::format("{}({})", names[0], text);
    }

    std::string list(const Type& type) {
        if (!type.length()) return {};
        return several(std::vector<Type>(static_cast<size_t>(*type.length()), type.parts()[0]), "[", "]");
    }

    std::string several(const std::vector<Type>& types, std::string_view open, std::string_view close) {
        std::string text;
        for (const Type& type : types) {
            const std::string one = value(type);
            if (one.empty()) return {};
            text += (text.empty() ? "" : ", ") + one;
        }
        return types.empty() ? "" : fmt::format("{}{}{}", open, text, close);
    }

    std::optional<int64_t> extent_of(const std::string& symbol) {
        if (symbol == "_") return std::nullopt;
        const auto next = static_cast<int64_t>(kExtents[extents_.size() % kExtents.size()]);
        return extents_.try_emplace(symbol, next).first->second;
    }

    const sema::Program& program_;
    std::map<std::string, int64_t> extents_;
    int seeds_ = 0;
};

// No derivative is asked of a kernel itself.
bool is_of_graphs(const sema::Function& function) {
    if (sema::rules_of(function.kind).launched) return false;
    return function.kind == sema::FunctionKind::graph || function.differentiable || function.rule;
}

}  // namespace

std::optional<std::string> gradient_check(const Analysis& analysis, const sema::Function& function) {
    const sema::Instance* instance = instance_of(analysis.program, function);
    const std::string module = module_name(analysis.sources.path(analysis.root));
    const bool at_top = function.module == kRoot && !function.enclosing && !function.method_of && !function.makes;
    if (!instance || module.empty() || !at_top || function.derived || !is_of_graphs(function)) return std::nullopt;
    Arguments make(analysis.program);
    std::string arguments;
    size_t count = 0;
    for (const sema::ParameterInfo& parameter : instance->parameters) {
        if (parameter.default_value.valid()) break;
        const std::string one = parameter.is_static || parameter.is_dimension ? "" : make.value(parameter.type);
        if (one.empty()) return std::nullopt;
        arguments += (arguments.empty() ? "" : ", ") + one;
        ++count;
    }
    if (!make.differentiates) return std::nullopt;
    if (count == 1) arguments += ",";
    std::string imported = function.name;
    for (const std::string& name : make.classes) imported += ", " + name;
    return fmt::format(
        "\"\"\"Compares the derivatives of `{0}` in {1}.tsr with differences.\"\"\"\n\n"
        "from {1} import {2}\n\n\n"
        "def main():\n"
        "    check_grads({0}, ({3}))\n"
        "    print(\"the derivatives of {0} agree with differences\")\n",
        function.name, module, imported, arguments);
}

bool has_gradient_check(const Analysis& analysis, const sema::Function& function) {
    return gradient_check(analysis, function).has_value();
}

}  // namespace tsr::lsp
