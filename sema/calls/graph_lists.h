// Methods of lists in graph functions, where a list is a value of known length: `ys.append(h)` gives the name another.
#pragma once

#include "sema/program/host_methods.h"
#include "sema/state/body.h"

namespace tsr::sema {

// `method` takes the arguments of the call. The receiver is a variable of this function.
Value graph_list_call(Body& b, const ast::Expr& e, const ast::Call& c, const ast::Attribute& a, const Value& base,
                      const HostMethod& method);

}  // namespace tsr::sema
