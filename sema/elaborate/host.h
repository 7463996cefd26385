// Tensors, lists and calls of the runtime in host functions. The entries and their arguments: ir/passes/host/entries.h.
#pragma once

#include <string>
#include <vector>

#include "frontend/ast.h"
#include "sema/elaborate/body.h"

namespace tsr::elaborate {

ir::ValueId host(Body& b, const std::string& entry, std::vector<ir::ValueId> operands, const ir::Type& result,
                 ir::Attrs attrs = {});
void host_effect(Body& b, const std::string& entry, std::vector<ir::ValueId> operands, ir::Attrs attrs = {});

// ---- lists ----
ir::ValueId make_list(Body& b, const Val& elements, const sema::Type& type);
ir::ValueId empty_list(Body& b, const ir::Type& type, int64_t capacity);
ir::ValueId list_length(Body& b, ir::ValueId list);
Val list_element(Body& b, ir::ValueId list, const Val& index, const sema::Type& element);
void set_list_element(Body& b, ir::ValueId list, const Val& index, const Val& value, const sema::Type& element);
void append_to_list(Body& b, const Val& list, const Val& value, const sema::Type& element);
Val list_comprehension(Body& b, const ast::Expr& e, const ast::Comprehension& node);
Val host_args(Body& b, const sema::Type& type);

// ---- tensors ----
// X[...] by NumPy's rules, sharing memory.
Val host_view(Body& b, const Val& tensor, const std::vector<const ast::Expr*>& items, const sema::Type& type);
Val host_transpose(Body& b, const Val& tensor, const sema::Type& type);
// view[...] = value, a tensor or a number.
void host_assign(Body& b, const Val& view, const Val& value, const sema::Type& type);

// ---- progress lines ----
ir::ValueId progress_begin(Body& b, const Val& label, const Val& total);
void progress_step(Body& b, ir::ValueId line);
void progress_end(Body& b, ir::ValueId line);

// A builtin that only host functions have.
Val host_builtin(Body& b, const ast::Expr& e, const sema::CallInfo& info);

}  // namespace tsr::elaborate
