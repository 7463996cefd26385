// Graph functions → Host functions that call one Graph function for each fusion.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "ir/core/function.h"

namespace tsr::ir {

// What a Graph function becomes. Its name, parameters and results stay; `fused` are Graph functions without control
// flow, named `NAME.0`, `NAME.1`, …, each of which becomes a kernel. In these every extent of a parameter that is no
// constant is one symbol, so that functions that do the same have the same text.
struct FormedFusions {
    Function host;
    std::vector<Function> fused;
};

// `taken`: names that functions of the module have.
FormedFusions form_fusions(const Function& graph, const std::set<std::string>& taken = {});

}  // namespace tsr::ir
