// What blocks of a cluster promise each other. Shares no code with the passes that promise it.
#pragma once

#include <string>
#include <vector>

#include "ir/core/function.h"

namespace tsr::ir {

// Of a kernel in ring form, one message for each operation that breaks a promise: what several blocks bring together
// begins at the same place for all of them, slots of the ring it goes to are released to all of them, and they come to
// the same operations on that ring, whatever the number of their row, or column.
std::vector<std::string> check_cluster(const Function& kernel);

// Of the program of one thread: each arrival expects the bytes of the copies before it, those of other blocks too; with
// copies to other blocks, all have met before the first of them, behind the making of what counts arrivals, and meet at
// the end.
std::vector<std::string> check_boxes(const Function& thread);

}  // namespace tsr::ir
