// Extents that could not be compared when the program was compiled.
#pragma once

#include "sema/elaborate/body.h"

namespace tsr::elaborate {

// Of the arguments of a call, against what the callee's header says.
void check_shapes(Body& b, const sema::CallInfo& info, const std::vector<Val>& arguments);
// Of a value, against what a declared type says.
void check_declared_shape(Body& b, const std::vector<sema::DimCheck>& checks);
// In a graph: a value whose extents were compared with those of its declared type, which it has from here on.
Val in_declared_shape(Body& b, const Val& value, const sema::Type& type);
// In a graph: a variable has one shape where only the run knows which of two values it holds. The value in the shape of
// `wanted`: extents that could not be compared are when the graph runs; a message where they differ for certain.
// `name`: of the variable, for the messages; may be empty.
ir::ValueId in_one_shape(Body& b, ir::ValueId value, const ir::Type& wanted, const std::string& name);
// A graph ends the program with this text, which has `{}` for each value, where the condition does not hold.
void require_in_graph(Body& b, ir::ValueId holds, const std::vector<ir::ValueId>& values, std::string text);

}  // namespace tsr::elaborate
