// Indices as sums: what an index is in the rounds of a nest of loops.
#pragma once

#include <map>
#include <optional>
#include <vector>

#include "ir/core/function.h"

namespace tsr::ir {

// constant + sum of coefficient * value. The values are indices of the nest, or values that are the same in each of
// its rounds.
struct Affine {
    std::map<uint32_t, int64_t> terms;  // by the index of the value; no coefficient is 0
    int64_t constant = 0;

    [[nodiscard]] int64_t of(ValueId value) const {
        auto found = terms.find(value.index);
        return found == terms.end() ? 0 : found->second;
    }
};

class AffineIndices {
public:
    // `tiles_differ`: the rounds of the nest are done by different tiles, so that a tile's number differs between them.
    AffineIndices(const Function& kernel, std::vector<OpId> nest, bool tiles_differ);

    // Nothing where the index is no such sum.
    [[nodiscard]] std::optional<Affine> index(ValueId value) const;
    // True where the value may differ between rounds whose other loops stand at the same point.
    [[nodiscard]] bool depends(ValueId value) const;
    [[nodiscard]] ValueId induction(size_t axis) const;

private:
    [[nodiscard]] bool op_depends(OpId id) const;

    const Function& kernel_;
    std::vector<OpId> nest_;
    bool tiles_differ_;
};

}  // namespace tsr::ir
