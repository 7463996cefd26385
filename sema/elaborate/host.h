// Tensors, lists and calls of the runtime in host functions. The entries and their arguments: ir/passes/host/entries.h.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "frontend/ast.h"
#include "sema/elaborate/body.h"
#include "sema/elaborate/rounding.h"

namespace tsr::elaborate {

ir::ValueId host(Body& b, const std::string& entry, std::vector<ir::ValueId> operands, const ir::Type& result,
                 ir::Attrs attrs = {});
void host_effect(Body& b, const std::string& entry, std::vector<ir::ValueId> operands, ir::Attrs attrs = {});

Val host_args(Body& b, const sema::Type& type);

// ---- tensors ----
// X[...] by NumPy's rules, sharing memory.
Val host_view(Body& b, const Val& tensor, const std::vector<const ast::Expr*>& items, const sema::Type& type);
// The same tensor as a value of another type: of extents that are not known.
ir::ValueId whole_view(Body& b, ir::ValueId tensor, const ir::Type& type);
Val host_transpose(Body& b, const Val& tensor, const sema::Type& type);
// view[...] = value, a tensor or a number that is rounded as the storage says.
void host_assign(Body& b, const Val& view, const Val& value, const sema::Type& type, const Storage& storage);

// ---- progress lines ----
ir::ValueId progress_begin(Body& b, const Val& label, const Val& total);
void progress_step(Body& b, ir::ValueId line);
void progress_end(Body& b, ir::ValueId line);

// `n`, `(n, m)` or `[n, m]`.
std::vector<ir::ValueId> shape_values(Body& b, const Val& shape);
// A random tensor or number; nothing where the builtin is another.
std::optional<Val> random_builtin(Body& b, const ast::Expr& e, const sema::CallInfo& info);
// A builtin that only host functions have.
Val host_builtin(Body& b, const ast::Expr& e, const sema::CallInfo& info);

}  // namespace tsr::elaborate
