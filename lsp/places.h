// What most requests begin with: the document, its program and the place in it that they ask about.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lsp/analysis.h"
#include "lsp/json.h"
#include "lsp/workspace.h"
#include "sema/query.h"

namespace tsr::lsp {

inline constexpr sema::ModuleId kRoot{0};

struct Place {
    Document& document;
    const Analysis& analysis;
    uint32_t offset;  // in the root's text

    [[nodiscard]] const sema::Program& program() const { return analysis.program; }
    [[nodiscard]] std::string_view text() const { return analysis.sources.text(analysis.root); }
    [[nodiscard]] const sema::NameUse* name() const { return sema::name_at(program(), kRoot, offset); }
    [[nodiscard]] sema::FunctionId function() const { return sema::function_at(program(), kRoot, text(), offset); }
};

// Nothing where the program was not checked: its text is too large.
std::optional<Place> place_of(Workspace& workspace, const Json& params);

// "f32[n]", "f32 or f64"; empty without types.
std::string text_of(const std::vector<sema::Type>& types);

// Whether a text is a name, and no word of the language.
bool is_name(const std::string& text);
// The letters of a name end, or begin, at this place of a text.
bool is_name_letter(char c);
// Where the name begins that ends at this place; the place itself where none does.
uint32_t name_begin(std::string_view text, uint32_t end);

}  // namespace tsr::lsp
