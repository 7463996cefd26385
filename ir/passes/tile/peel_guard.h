// `if i < n: …` as the whole of a flat kernel becomes the end of its domain: the lanes inside need no mask.
#pragma once

#include "ir/core/function.h"

namespace tsr::ir {

// `kernel` is in group form.
void peel_guard(Function& kernel);

}  // namespace tsr::ir
