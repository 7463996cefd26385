// Points of tuned kernels on GPUs: which of them are not worth their code.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>

#include "ir/machine/gpu.h"
#include "ir/passes/target/gpu/cost_model.h"

namespace tsr::ir {

class GpuPoints {
public:
    // `points`: of tuned kernels, with the tuning's first point. Both must outlive this.
    GpuPoints(const Module& module, const std::map<std::string, std::string>& points)
        : module_(module), points_(points) {}

    // Why a point is not worth its code for a GPU: another one of the same tuning keeps in registers what this one does
    // not, or, where plans are chosen, is faster for every size. A group that is divided so that it does is what
    // smaller tiles make, too.
    std::optional<std::string> ruled_out(const Function& kernel, const GpuMachine& machine, bool plan_is_chosen);

private:
    // Of a point, for a GPU.
    struct Planned {
        std::optional<Plan> plan;          // nothing: it has no code
        std::optional<std::string> lacks;  // what it has no registers for
    };
    const Planned& planned(const Function& kernel, const GpuMachine& machine);
    const Priced& priced(const Function& kernel, const GpuMachine& machine);

    const Module& module_;
    const std::map<std::string, std::string>& points_;
    std::map<std::pair<std::string, std::string>, Planned> planned_;  // by kernel and machine
    std::map<std::pair<std::string, std::string>, Priced> priced_;    // the same
};

}  // namespace tsr::ir
