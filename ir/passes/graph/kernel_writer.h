// Writes one kernel over the dimensions of a fused function, as elaboration would.
#pragma once

#include <functional>
#include <string>

#include "ir/build/builder.h"
#include "ir/passes/graph/kernel_steps.h"

namespace tsr::ir {

class KernelWriter {
public:
    // `names_group`: a thread block does an iteration of its grid loop together.
    KernelWriter(const Function& fused, bool names_group);

    // A parameter: tensor `number` of the call (KernelStep), in a shape over the fused function's symbols.
    ValueId tensor(size_t number, DType elem, const std::vector<Dim>& shape, bool mut, const std::string& name);
    // What stands in front of the grid loop. No parameter is added behind it.
    Builder& entry() { return builder_; }
    ValueId extent(const Dim& dim) { return builder_.dim(kernel_.renamed(dim)); }

    using Body = std::function<void(Builder& body, const Values& at)>;
    // The grid loop: an iteration for each index of the extents. An extent of the literal 1 has the index 0 alone.
    void grid(const std::vector<Dim>& extents, const Body& body);

    // A parameter that each launch gives a number for. No tensor is added behind it.
    ValueId number(const std::string& name);
    // Adds the kernel and a launch of it with the tensors that were named.
    void finish(KernelSteps& steps);

private:
    FusedKernel kernel_;
    KernelStep step_;
    Builder builder_;
    size_t loops_ = 0;
};

// The numbers of a parameter of the fused function, and of its first result.
size_t number_of(const Function& fused, ValueId parameter);
size_t number_of_result(const Function& fused);
// The type that elements are compared and combined in: exact for each of theirs.
DType computed_type(DType elem);
// A value in each element of a register tile of one axis.
ValueId repeated(Builder& builder, ValueId scalar, int64_t width);
// `width` elements of the last axis of a tensor, from an index on; `fill`: what stands behind its end.
ValueId load_row(Builder& builder, ValueId tensor, const Values& at, int64_t width, std::optional<ValueId> fill = {});
void store_row(Builder& builder, ValueId tensor, ValueId tile, const Values& at);

}  // namespace tsr::ir
