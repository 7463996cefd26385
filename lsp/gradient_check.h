// A program that checks the derivatives of one function of a document.
#pragma once

#include <optional>
#include <string>

#include "lsp/places.h"

namespace tsr::lsp {

// Whether one can be made of it: a function of whole tensors at the top of its file whose arguments can be made up.
bool has_gradient_check(const Analysis& analysis, const sema::Function& function);

// Calls `check_grads` with random floats in small extents, one for each dimension of the header, and with zeros for
// indices. Nothing where it can not be made.
std::optional<std::string> gradient_check(const Analysis& analysis, const sema::Function& function);

}  // namespace tsr::lsp
