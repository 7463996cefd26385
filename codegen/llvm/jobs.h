// Independent pieces of work on as many threads as there are cores.
#pragma once

#include <cstddef>
#include <functional>

namespace tsr::codegen {

// Does `job(i)` for each i below `count`, those with small numbers first. Jobs throw nothing.
void run_jobs(size_t count, const std::function<void(size_t)>& job);

}  // namespace tsr::codegen
