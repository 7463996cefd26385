// Graph functions → Host functions that call one Graph function for each fusion.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "ir/core/function.h"
#include "ir/passes/graph/fusions.h"

namespace tsr::ir {

// What a Graph function becomes. Its name, parameters and results stay; `fused` are Graph functions without control
// flow, named `NAME.0`, `NAME.1`, …, each of which becomes a kernel. In these every extent of a parameter that is no
// constant is one symbol, so that functions that do the same have the same text.
struct FormedFusions {
    // A fused function and, in the graph, what it is made of.
    struct Fused {
        Function function;
        std::vector<OpId> ops;
        std::vector<ValueId> inputs, outputs;
        // Operations of it that take values of a fused function before it.
        struct Apart {
            std::string from;  // its name
            OpId op;
            std::string why;
            bool must = false;  // no order changes it
        };
        std::vector<Apart> apart;
    };
    Function host;
    std::vector<Fused> fused;
    std::vector<RefusedOrder> refused;
};

// `taken`: names that functions of the module have.
FormedFusions form_fusions(const Function& graph, const std::set<std::string>& taken = {},
                           const FusionOrders& orders = {});

}  // namespace tsr::ir
