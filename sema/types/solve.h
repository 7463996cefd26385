// Solving a dimension for one name in it: what binds a symbol to the extent of an argument.
#pragma once

#include <optional>
#include <string>

#include "ir/core/dim.h"

namespace tsr::sema {

// The value of `symbol` for which `extent` is `value`; nothing where that is not determined (`n//2`, `n*n`, `n + m/n`).
// `K/tp` = v gives v*tp, `n+1` = v gives v-1, `2*n` = v gives v/2 (exact).
std::optional<ir::Dim> solve(const ir::Dim& extent, const std::string& symbol, const ir::Dim& value);

// True when the symbol stands anywhere in the dimension.
bool mentions(const ir::Dim& dim, const std::string& symbol);

}  // namespace tsr::sema
