// Whole tensors (language reference, section 5): what operator graphs have beside element operations and the operations
// that they share with register tiles (register.cpp). A tensor of a graph is a value: nothing writes it.
#include <fmt/format.h>

#include "ir/ops/family.h"

namespace tsr::ir {

namespace {

Inferred infer_full(Operands operands, const Attrs& attrs) {
    if (!operands[0].is_scalar()) return Failure{fmt::format("the value is {}, needs a scalar", operands[0].text())};
    const std::vector<Dim>& shape = attrs.dims(Attr::shape);
    if (shape.empty()) return Failure{"a tensor of a graph has an axis at least: without one it is a scalar"};
    return gives(Type::tensor(operands[0].elem, shape, false));
}

constexpr std::array kGraphRecords{
    OpRecord{.kind = OpKind::full,
             .name = "full",
             .doc = "A tensor of the shape whose elements are all the scalar.",
             .operands = {Role{"value"}},
             .infer = infer_full,
             .levels = kGraph,
             .attrs = {needs(Attr::shape)},
             .axes = AxisRule::made},
};
static_assert(complete<kGraphRecords, kGraphFamily>(),
              "every operation of graphs has its record, in the order of ir/core/opkind.h");
static_assert(say_axes<kGraphRecords>());

}  // namespace

std::span<const OpRecord> graph_records() { return kGraphRecords; }

}  // namespace tsr::ir
