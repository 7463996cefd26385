// What is told of a name: its declaration as source text, and its documentation.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "lsp/analysis.h"
#include "lsp/workspace.h"
#include "sema/query.h"

namespace tsr::lsp {

// Whether its first parameter is the record that it is called on. A method of a precision policy takes none: what its
// text calls `self` is the class.
inline bool takes_record(const sema::Function& function) { return function.method_of && function.self.empty(); }

// "@kernel\ndef fill(x: mut f32[n])", "class Layer:\n    w: f32[m]".
std::string declaration_text(const Analysis& analysis, sema::FunctionId function);
// "def fill(x: mut f32[n])", "(variable) y: f32[n]".
std::string declaration_text(const Analysis& analysis, const sema::Entity& entity);

// Markdown; empty where nothing is written.
std::string documentation_of(const Workspace& workspace, const Analysis& analysis, const sema::Entity& entity);

// A page of the documentation without its heading, which is the signature, where that is shown anyway.
std::string without_heading(std::string page);

// How something is called.
struct Callable {
    struct Parameter {
        std::string name;
        std::string text;  // "h: i32 = 2"; a part of the label
        bool variadic = false;
    };
    std::string label;  // "area(w: i32, h: i32 = 2) -> i32"
    std::vector<Parameter> parameters;
};
// Nothing of what is not called, and of what takes no named parameters.
std::optional<Callable> callable_of(const Analysis& analysis, const sema::Entity& entity);
std::optional<Callable> callable_of_path(std::string_view path);  // of the language: "tile.load", "softmax"

}  // namespace tsr::lsp
