// Words whose meaning hangs on where they stand.
#pragma once

#include <string_view>
#include <vector>

#include "frontend/parse_lex.h"

namespace tsr {

// `static` and `param` become QUALIFIER at the head of an annotation; `try`, `with`, `del`, … become REFUSED where they
// can only be the Python statement, `except` and `finally` REFUSED_TAIL. Everywhere else all of these are names.
void mark_contextual_words(std::vector<Lexeme>& words, std::string_view text);

}  // namespace tsr
