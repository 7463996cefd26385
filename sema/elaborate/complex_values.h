// Complex numbers in the IR, which has none of its own to compute with: a number is the tuple of its real and its
// imaginary part, both f32. Where tensors are memory of kernels or values of graphs, one of complex numbers has a last
// axis of two more; on the host it is a tensor of c64, and `view_as_real` and `view_as_complex` pass from one to the
// other without a copy.
#pragma once

#include "sema/elaborate/body.h"

namespace tsr::elaborate {

// The tuple that stands for a number.
const sema::Type& parts_of_complex();

// Of a tensor of c64 that of the pairs; other types as they are.
ir::Type paired(ir::Type type);
// Of the checker's type, where this function runs.
ir::Type held_type(Body& b, const sema::Type& type);

// Any number as a complex one: of a real number the imaginary part is 0.
Val complex_number(Body& b, const Val& value);

// The pairs of a tensor, on the host as well.
ir::ValueId pairs_of(Body& b, ir::ValueId tensor);
// Of the host: what pairs are the numbers of, in the shape that the type says.
ir::ValueId of_pairs(Body& b, ir::ValueId pairs, const sema::Type& type);

// What a leaf of a tree is of a complex number: a part of it, or the pairs of a tensor.
enum class ComplexLeaf : uint8_t { none, imaginary, pairs };
// Of all leaves, in the order of `tree_types`.
std::vector<ComplexLeaf> complex_leaves(const sema::Type& type);
// In graphs: the leaf of the conjugate.
ir::ValueId conjugated(Body& b, ir::ValueId leaf, ComplexLeaf is);

// `.T` of a tensor of a graph: the axis of the parts stays the last.
ir::ValueId transposed_pairs(Body& b, ir::ValueId pairs);

// In graphs: the two parts as a tensor of two elements, and back. A tensor is its pairs already.
ir::ValueId pair_of_parts(Body& b, const Val& value);
Val parts_of_pair(Body& b, ir::ValueId pair);
// On the host: a number as a tensor of c64 without axes.
ir::ValueId tensor_of_number(Body& b, const Val& value);

// The number that a tensor of one element holds, on the host.
Val number_of_tensor(Body& b, ir::ValueId tensor);

// An element of memory.
Val read_complex(Body& b, const Val& memory, std::vector<Val> indices);
void write_complex(Body& b, const Val& memory, std::vector<Val> indices, const Val& value);

}  // namespace tsr::elaborate
