// Calls of the runtime in host functions. The entries and their arguments: ir/passes/host/entries.h.
#pragma once

#include <string>
#include <vector>

#include "sema/elaborate/body.h"

namespace tsr::elaborate {

ir::ValueId host(Body& b, const std::string& entry, std::vector<ir::ValueId> operands, const ir::Type& result,
                 ir::Attrs attrs = {});
void host_effect(Body& b, const std::string& entry, std::vector<ir::ValueId> operands, ir::Attrs attrs = {});

Val host_args(Body& b, const sema::Type& type);

// The same tensor as a value of another type: of extents that are not known.
ir::ValueId whole_view(Body& b, ir::ValueId tensor, const ir::Type& type);

// ---- progress lines ----
ir::ValueId progress_begin(Body& b, const Val& label, const Val& total);
// The loss that stands on the line.
void progress_loss(Body& b, ir::ValueId line, const Val& loss);
void progress_step(Body& b, ir::ValueId line);
void progress_end(Body& b, ir::ValueId line);

}  // namespace tsr::elaborate
