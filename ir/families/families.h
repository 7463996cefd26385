// Every kernel of a module on its way to the machines that code is asked for. A family is a kernel with its code:
// variants for CPUs, programs of one thread for GPUs.
#pragma once

#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "ir/families/gpu_points.h"
#include "ir/families/point_code.h"
#include "ir/pipeline.h"

namespace tsr::ir {

// A CPU that code is made for.
struct CpuTarget {
    std::string name;        // as the code generator knows it: "x86-64-v4", "native"
    std::string planned_as;  // the level whose plans it gets
};

// What code is asked for.
struct FamilyRequest {
    std::function<std::vector<CpuTarget>(const Function& kernel)> cpus;  // of one kernel, the best first
    std::vector<std::string> gpus;  // in the order in which the runtime tries their code
    bool gpus_named = false;        // by the user: a kernel without code for one of them is an error (E0610)
};

// Plans that the user gave.
class GivenPlans {
public:
    virtual ~GivenPlans() = default;
    // What is given for a kernel in group form, for one machine by the name that the user gave it. An impossible plan
    // is refused with a diagnostic.
    virtual CpuFields of_cpu(const Function& kernel, const std::string& machine, Diagnostics& diagnostics) = 0;
    virtual GpuFields of_gpu(const Function& kernel, const std::string& machine, Diagnostics& diagnostics) = 0;
    // What tells the plans of a kernel from those of another; empty: there are none.
    [[nodiscard]] virtual std::string text_of(const std::string& kernel) const = 0;
};

struct Family {
    const Function* kernel = nullptr;
    std::vector<CpuVariant> variants;    // the best machine first
    std::vector<Function> threads;       // for GPUs, in the order in which they are tried
    const Function* same = nullptr;      // a point that was lowered before, whose code this one has
    std::vector<std::string> ruled_out;  // why it has no code for a GPU where other points do better
};

class Families {
public:
    // Refers to all of them until `make` has returned; to the module and the kernels in it also later.
    Families(Module& module, PassManager& manager, FamilyRequest request, GivenPlans& given, Diagnostics& diagnostics);

    PassOutcome make();

    [[nodiscard]] const std::deque<Family>& all() const { return families_; }
    // Of points of tuned kernels, by name.
    [[nodiscard]] const std::map<std::string, PointCode>& point_code() const { return point_code_; }

private:
    // A kernel that a GPU named by the user has no code for.
    struct NoCode {
        const Function* kernel;
        std::string gpu;
        NoGpuCode why;
    };

    void make_family(const Function& kernel);
    bool lower(Family& family);
    bool lower_to_machine(Family& family, const CpuTarget& machine);
    bool lower_to_gpus(Family& family);
    bool lower_to_gpu(Family& family, const std::string& name);
    void report(const NoCode& no);
    void report_tuned();
    bool after(PassOutcome outcome);

    Module& module_;
    PassManager& manager_;
    FamilyRequest request_;
    GivenPlans& given_;
    Diagnostics& diagnostics_;
    PassOutcome outcome_ = PassOutcome::done;
    std::deque<Family> families_;
    std::map<std::string, std::string> points_;  // of tuned kernels, with the tuning's first point
    std::map<std::string, PointCode> point_code_;
    std::set<std::string> for_gpus_, for_cpus_;  // kernels that are launched nowhere else
    GpuPoints gpu_points_;
    std::map<std::pair<std::string, std::string>, const Function*> lowered_;  // points by tuning and form
    std::map<std::pair<std::string, std::string>, NoCode> without_;  // the first of a tuning's points, for a GPU
};

}  // namespace tsr::ir
