// The code of a program that an editor has open, on one level, with the lines that it comes from.
#pragma once

#include "lsp/shown_code.h"

namespace tsr::driver {

lsp::ShownCode show_code(const lsp::CodeOrder& order);

}  // namespace tsr::driver
