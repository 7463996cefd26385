// What the kernels of a Graph function cost, for people: `--explain=cost`.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/sources.h"
#include "ir/machine/gpu.h"
#include "ir/passes/graph/form_fusions.h"

namespace tsr::ir {

struct FusionCost {
    Dim operations;
    Dim bytes;  // read and written
};

// A product counts two operations for each multiply-add; other operations count what their records say of a lane of a
// CPU.
FusionCost cost_of(const Function& graph, const FormedFusions::Fused& fused);

// How long a kernel takes on a card of a GPU's generation where each dimension is 1024: the longer of its arithmetic
// and its traffic (the roofline), and the launch.
struct KernelTime {
    double operations = 0, operation_rate = 0;  // operations, and how many the card does in a second
    double bytes = 0, byte_rate = 0;            // the same of memory
    [[nodiscard]] double seconds() const;
    // "37.6 µs: 2.2 Gop at 61.8 Top/s, 12.6 MB at 3.35 TB/s, 2 µs for the launch"
    [[nodiscard]] std::string text() const;
};
inline constexpr double kLaunchSeconds = 2e-6;   // between the starts of small kernels of a stream
inline constexpr int64_t kExampleExtent = 1024;  // of each dimension

// What kernels would cost that did some of a graph's operations.
class PartCosts {
public:
    PartCosts(const Function& graph, const GpuMachine& machine);

    // It reads the tensors that the operations take, and writes those that others take.
    [[nodiscard]] FusionCost cost(const std::vector<OpId>& ops) const;
    // Nothing where numbers of elements are not known even so.
    [[nodiscard]] std::optional<KernelTime> time(const std::vector<OpId>& ops, const FusionCost& cost) const;

private:
    [[nodiscard]] bool leaves(ValueId v, const std::set<OpId>& ops) const;

    const Function& graph_;
    const GpuMachine& machine_;
    std::vector<std::vector<OpId>> uses_;
};
// "43.3 µs"
std::string microseconds(double seconds);

// "5.12 operations for a byte where each dimension is 1024"; empty where it is not known.
std::string intensity_text(const FusionCost& cost);

// "memory limits it to 9 % of the arithmetic of sm_90a", "arithmetic limits it on sm_90a", where each dimension is
// 1024: the roofline of a GPU (Williams, Waterman, Patterson, 2009). Empty where it is not known.
std::string limit_text(const Function& graph, const FormedFusions::Fused& fused, const GpuMachine& machine);

// Of each fused function: its operations and the bytes that it reads and writes as formulas of the graph's dimensions,
// how many operations that is for a byte where each dimension is 1024, and what limits it on the machine.
std::string explain_costs(const Function& graph, const FormedFusions& formed, const Sources& sources,
                          const GpuMachine& machine);

}  // namespace tsr::ir
