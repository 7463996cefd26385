// What a kernel's code says of the boxes of tensors that it copies (ir/ops/boxes.cpp), for who launches it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "ir/ops/boxes.h"

namespace tsr::ir {

// TsrCudaMap of runtime/abi/boxes.h.
struct BoxMap {
    int64_t slot = 0;   // of the launch
    int64_t bytes = 0;  // of an element
    int64_t swizzle = 0;
    std::vector<int64_t> box;

    bool operator==(const BoxMap&) const = default;
};

// What a `copy_box` or `store_box` wants.
BoxMap box_map(const Function& function, const Op& copy);
// TMA copies need rows that are multiples of 16 bytes. Whether the guard for the tensors that are copied into shared
// memory shows the same of the tensors that are stored to. `kernel`: of level Tile, from which the function was made.
bool stored_rows_suit(const Function& kernel, const Function& function);
// Those of all of a function, each once, in the order of its parameters.
std::vector<BoxMap> box_maps(const Function& function);
// Blocks of a launch may be fewer than its groups.
bool takes_groups_in_turn(const Function& function);

}  // namespace tsr::ir
