// The message about a name that nothing has, with what could be meant instead.
#pragma once

#include "sema/state/body.h"

namespace tsr::sema {

// Says that there is no such name, once in a function.
void say_unknown(Body& b, Span at, const std::string& text);

}  // namespace tsr::sema
