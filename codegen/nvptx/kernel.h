// A kernel as PTX.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "base/sources.h"
#include "codegen/codegen.h"
#include "codegen/nvptx/device_message.h"
#include "codegen/nvptx/gpu.h"
#include "ir/passes/target/gpu/box_maps.h"

namespace tsr::codegen {

struct DeviceCode {
    std::string symbol;  // of the entry
    std::string text;    // PTX, or LLVM's text of it
    bool needs_context = false;
    std::vector<DeviceMessage> messages;  // by number
    std::vector<ir::BoxMap> maps;         // that the launch makes
    bool in_turn = false;                 // blocks take groups in turn
};

// `slots`: how many a launch has. The variant's function was checked.
Result<DeviceCode> compile_for_gpu(const KernelVariant& variant, const Gpu& gpu, size_t slots, const Sources& sources,
                                   const Options& options);

}  // namespace tsr::codegen
