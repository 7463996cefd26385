// Decisions about one kernel on one machine. The `choose_*` functions of ir/passes/target make them, before any pass
// lowers the kernel; the passes read them and change none.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "ir/core/type.h"

namespace tsr::ir {

// Of products that accumulate in tiles of this type: what stays in vector registers, rows and vectors of columns.
struct ProductPanel {
    DType elem = DType::f32;
    int64_t tile_rows = 0, tile_columns = 0;
    int64_t rows = 1, vectors = 1;

    bool operator==(const ProductPanel&) const = default;
};

bool same_tile(const ProductPanel& a, const ProductPanel& b);

// "f32[32, 64] 11 x 2"; nothing for another text.
std::string spell(const ProductPanel& panel);

// What plans for CPUs alone have.
struct CpuPlan {
    int64_t lanes = 1;                 // 32-bit elements of one vector; 1: scalar code
    int64_t interleave = 1;            // independent vectors in flight: how often the body of a loop is unrolled
    int64_t depth = 0;                 // blocking of k: steps are merged up to so many; 0: the kernel has no product
    bool pack = false;                 // operands that several groups load are packed before the groups run
    int64_t split = 0;                 // split-k: of k that a group sums, the rest is for other groups; 0: all of it
    int64_t most_groups = 0;           // a guard of the variant: there are no more groups; 0: any number
    std::vector<ProductPanel> panels;  // one for each type that products accumulate in, but by a matrix unit
};

// What plans for GPUs alone have.
struct GpuPlan {
    int64_t threads = 0;           // of a block, that run the kernel: the producers are beside them
    int64_t tiles_per_thread = 1;  // thread coarsening: neighbouring tiles that one thread runs side by side
    std::vector<int64_t> parts;    // of a group, by axis of its grid, each run by a block; empty: one block runs it all
    int64_t stages = 1;            // pipeline stages of the loads that feed products; 1: no pipeline
    bool box_copies = false;  // pipelines are filled by TMA tensor copies; a guard of the variant: tensors suit them
    bool box_stores = false;  // results are stored by TMA tensor copies where they can be
    int64_t producers = 0;    // threads of a block that start the TMA copies, as warps of their own; 0: none do
    // Thread blocks of a cluster along the two axes of the grid: they take neighbouring groups at a time, and each
    // loads a half of what both need. A launch may take blocks alone.
    int64_t cluster_rows = 1, cluster_columns = 1;

    [[nodiscard]] int64_t cluster() const { return cluster_rows * cluster_columns; }
    [[nodiscard]] int64_t block_threads() const { return threads + producers; }
};

// What all plans have, and the part of one kind of machine. To ask for the other kind's part is an internal error.
struct Plan {
    std::string machine;               // "x86-64-v4", "sm_90a"
    int64_t task = 1;                  // groups (tiles of a flat kernel) that one task takes at least, a block exactly
    bool narrow_index = false;         // indices fit 32 bits: a guard of the variant says so
    std::vector<std::string> reasons;  // for people, one line each

    explicit Plan(CpuPlan part) : part_(std::move(part)) {}
    explicit Plan(GpuPlan part) : part_(std::move(part)) {}

    [[nodiscard]] bool is_gpu() const { return std::holds_alternative<GpuPlan>(part_); }
    [[nodiscard]] const CpuPlan& cpu() const;
    [[nodiscard]] const GpuPlan& gpu() const;
    CpuPlan& cpu();
    GpuPlan& gpu();

private:
    std::variant<CpuPlan, GpuPlan> part_;
};

// Blocks that share the work of a group.
int64_t parts_of(const GpuPlan& plan);

// Fields of a plan for a CPU that are given instead of chosen.
struct CpuPlanFields {
    std::optional<int64_t> lanes, interleave, task, depth, split, most_groups;
    std::optional<bool> pack;
    std::vector<ProductPanel> panels;
};

// The same for a GPU.
struct GpuPlanFields {
    std::optional<int64_t> threads, tiles_per_thread, stages, cluster_rows, cluster_columns;
    std::optional<std::vector<int64_t>> parts;

    bool operator==(const GpuPlanFields&) const = default;
};

// What makes a plan impossible.
struct PlanFault {
    std::string field;
    std::string why;
    std::optional<ProductPanel> panel = std::nullopt;  // which of them, where that is the field
};

}  // namespace tsr::ir
