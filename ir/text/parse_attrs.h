// Attributes, constants and plans of IR text. For `parse_text.cpp`. False or nothing: the cursor holds the error.
#pragma once

#include "ir/core/function.h"
#include "ir/text/text_cursor.h"

namespace tsr::ir {

// Attributes: behind the opening brace, up to and with the closing one.
bool parse_attrs(TextCursor& in, OpKind kind, Attrs& attrs);
std::optional<AttrValue> parse_constant(std::string_view literal, DType type);
bool parse_integers(TextCursor& in, std::vector<int64_t>& into);  // with the brackets
std::optional<Plan> parse_plan(TextCursor& in);                   // with the braces
bool parse_point(TextCursor& in, TuningPoint& point);             // `"gemm" {BM = 64}`

std::optional<ProductPanel> parse_panel(std::string_view text);

}  // namespace tsr::ir
