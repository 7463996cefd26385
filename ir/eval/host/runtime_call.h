// Calls of the runtime by name, with arguments in slots.
#pragma once

#include <span>
#include <string_view>

#include "runtime/abi.h"

namespace tsr::ir::eval {

// One slot per C parameter: pointers and integers as bits, floats as `f64`; the result likewise, 0 for none.
using HostThunk = TsrSlot (*)(const TsrHostApi&, std::span<const TsrSlot>);

// Null for a name that the table does not have.
HostThunk host_thunk(std::string_view name);

}  // namespace tsr::ir::eval
