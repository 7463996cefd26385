// Decisions about one kernel on one machine. `choose_plan` makes them; what only the code itself tells (stages under
// way, stores without TMA copies) its passes add.
#pragma once

#include <optional>
#include <string>
#include <string_view>
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

struct Plan {
    std::string machine;         // "x86-64-v4", "sm_90a"
    int64_t lanes = 1;           // elements of one vector of 32-bit elements; 1 on a GPU
    int64_t interleave = 1;      // vectors in flight; on a GPU neighbouring tiles or rounds that a thread does
    int64_t threads = 0;         // of a block; on a GPU
    int64_t stages = 1;          // of the rings of loads that feed products; on a GPU
    std::vector<int64_t> parts;  // of a group, by axis of its grid, that blocks of a GPU do; empty: one block does it
    int64_t task = 1;            // groups (tiles of a flat kernel) that one task takes at least, a block exactly
    bool narrow_index = false;   // indices fit 32 bits: a guard of the variant says so
    // Blocks of a cluster along the two axes of the grid, on a GPU: they take neighbouring groups at a time and bring
    // what these share once. A launch may take blocks alone.
    int64_t cluster_rows = 1, cluster_columns = 1;
    bool boxes = false;   // a guard of the variant: tensors have boxes that copies of the machine bring
    int64_t scratch = 0;  // bytes of shared buffers of one group, once they have their places
    // Of products on a CPU:
    int64_t depth = 0;                 // steps over k are taken together up to so many; 0: there is none
    bool pack = false;                 // operands that several groups load are packed before the groups run
    int64_t split = 0;                 // of k that groups of their own sum, so many each; 0: a group sums all
    int64_t most_groups = 0;           // a guard of the variant: there are no more groups; 0: any number
    std::vector<ProductPanel> panels;  // one for each type that products accumulate in, but by a matrix unit
    std::vector<std::string> reasons;

    [[nodiscard]] int64_t cluster() const { return cluster_rows * cluster_columns; }
};

// Blocks that share the work of a group.
int64_t parts_of(const Plan& plan);

// Fields of a plan that are not left to choice.
struct PlanFields {
    std::optional<int64_t> lanes, interleave, threads, stages, cluster_rows, cluster_columns, task, depth, split,
        most_groups;
    std::optional<bool> pack;
    std::optional<std::vector<int64_t>> parts;
    std::vector<ProductPanel> panels;
};

// What makes a plan impossible.
struct PlanFault {
    std::string field;
    std::string why;
    std::optional<ProductPanel> panel = std::nullopt;  // which of them, where that is the field
};

}  // namespace tsr::ir
