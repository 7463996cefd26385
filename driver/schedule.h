// Plans as text: what `--emit=schedule` prints and `--schedule=FILE` reads, edited or not.
//
//   kernel @gemm
//     # what was decided, for the reader
//     x86-64-v4: lanes 16 x 4, task 1, depth 256, packed, panel f32[128, 256] 13 x 2
//
//   graph @layer
//     region layer.0: contract@3, h, y
//       fuse contract@3 + h + y
//       store y
//
// A graph's lines say what its kernels hold (`region`), and decide it: `fuse` names values that one kernel computes,
// `store` one that other kernels take than the one that computes it. Plans of kernels of a graph count where its
// kernels hold what the regions say.
//
// A kernel's lines are plans, one for each machine and guard. A field that is left out is chosen, and so is every plan
// that has no line; a line without a guard stands for the guarded ones that have none.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/diagnostics.h"
#include "ir/families/families.h"
#include "ir/passes/graph/fusion_orders.h"

namespace tsr::driver {

class Schedule final : public ir::GivenPlans {
public:
    // One line of the text. `machine`: its name; `places`: the fields that it gives, by name.
    struct Line {
        std::string machine;
        Span place;
        bool narrow_index = false;
        bool split = false;
        bool boxes = false;
        ir::CpuPlanFields cpu;  // of a line for a CPU; those of the other kind are refused
        ir::GpuPlanFields gpu;
        std::map<std::string, Span> places;
        bool used = false;
    };
    struct Kernel {
        std::string name;
        Span place;
        std::vector<Line> lines;
    };
    struct Region {
        std::string name;
        std::vector<ir::GivenFusion::Named> values;
    };
    struct Graph {
        std::string name;
        Span place;
        std::vector<Region> regions;
        std::vector<ir::GivenFusion> lines;
    };
    struct Parts {
        std::vector<Kernel> kernels;
        std::vector<Graph> graphs;
    };

    // Reads the text of a file; what is wrong with it is said.
    static Schedule read(const Sources& sources, FileId file, Diagnostics& diagnostics);

    // Refuses kernels that the module does not have.
    void check_names(const ir::Module& module, Diagnostics& diagnostics) const;
    // Refuses graphs that the program does not have.
    void check_graphs(const std::vector<std::string>& known, Diagnostics& diagnostics) const;
    // What it says of fusions. `sources`: those of the program.
    [[nodiscard]] ir::GivenFusions fusions(const Sources& sources) const;
    // Where a graph was cut in another way than its regions say, their plans of kernels are left out, with a warning.
    void compare_regions(const ir::Function& graph, const ir::FormedFusions& formed, const Sources& sources,
                         Diagnostics& diagnostics);
    // What it says of a kernel in group form, for one machine by the name it has on the command line. A plan that is
    // impossible is refused.
    ir::CpuFields of_cpu(const ir::Function& kernel, const std::string& machine, Diagnostics& diagnostics) override;
    ir::GpuFields of_gpu(const ir::Function& kernel, const std::string& machine, Diagnostics& diagnostics) override;
    // What tells its plans of a kernel from those of another.
    [[nodiscard]] std::string text_of(const std::string& kernel) const override;
    // Warns of plans for which no code was made.
    void tell_unused(Diagnostics& diagnostics) const;

private:
    Kernel* find(const std::string& name);

    void leave_out(const std::string& region, Diagnostics& diagnostics);

    std::vector<Kernel> kernels_;
    std::vector<Graph> graphs_;
    std::string_view text_;
};

// What `Schedule::Line::places` calls a panel.
std::string panel_key(const ir::ProductPanel& panel);

// The plan of a kernel's code as a line, and one comment for each reason. `machine`: as it is on the command line.
std::string plan_lines(const ir::Function& code, const std::string& machine);

}  // namespace tsr::driver
