// The steps before the parser, for who runs the generated parser by itself: the test that the grammar is unambiguous.
#pragma once

#include <span>
#include <string_view>

#include "frontend/parse.h"
#include "frontend/parse_layout.h"

namespace tsr {

// Text (valid UTF-8) → the words that the parser reads.
Layout read_words(std::string_view text, SyntaxReport& report, std::span<const LaterBody> later = {});

}  // namespace tsr
