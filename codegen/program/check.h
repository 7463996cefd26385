// What code can be made for, asked before LLVM: an instruction that it can not select would end the process.
#pragma once

#include <optional>

#include "base/result.h"
#include "codegen/codegen.h"

namespace tsr::codegen {

// The first operation that has no code, with its place and the reason.
enum class Runs { on_cpu, on_gpu };
std::optional<Failure> check_target(const ir::Function& function, Runs runs, const Sources& sources);
std::optional<Failure> check_host(const ir::Function& function, const Program& program, const Sources& sources);

}  // namespace tsr::codegen
