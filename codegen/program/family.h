// The family of a kernel from its lowered forms.
#pragma once

#include "codegen/codegen.h"
#include "ir/pipeline.h"

namespace tsr::codegen {

// Name, place and slots of a kernel of level Tile, without variants.
KernelFamily family_of(const ir::Function& kernel);

// Adds the program of one thread of a GPU, of level Target with its plan; it is kept by address. `named`: the user
// asked for this target, so that its code must be made; `cubin`: it is assembled. Narrow indices are guarded as below,
// and by the sizes of tensors.
void add_gpu_variant(KernelFamily& family, const ir::Function& kernel, const ir::Function& thread, bool named,
                     bool cubin);

// Adds one lowered form, of level Target with its plan; it is kept by address. A plan with narrow indices is
// guarded: every dimension, every number of groups and their product are below 2^30. Forms are added in the order in
// which they shall be tried: the best machine first, guarded forms before the form without guards.
void add_variant(KernelFamily& family, const ir::Function& kernel, const ir::CpuVariant& form);

}  // namespace tsr::codegen
