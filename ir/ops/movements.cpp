// The `infer` of operations of graphs that give elements in other places.
#include "ir/ops/movements.h"

#include <algorithm>

#include <fmt/format.h>

namespace tsr::ir {

namespace {

std::optional<Failure> want_tensor(const Type& type) {
    if (type.kind == TypeKind::tensor) return std::nullopt;
    return Failure{fmt::format("{} is no tensor", type.text())};
}

// One start for each axis.
std::optional<Failure> want_starts(const Type& type, Operands operands, size_t begin) {
    if (operands.size() - begin != type.rank()) {
        return Failure{fmt::format("{} starts in {}", operands.size() - begin, type.text())};
    }
    return want_integers(operands, begin, "start");
}

std::optional<Failure> want_steps(const Type& type, const Attrs& attrs) {
    if (!attrs.has(Attr::steps)) return std::nullopt;
    const std::vector<int64_t>& steps = attrs.integers(Attr::steps);
    if (steps.size() == type.rank() && std::ranges::count(steps, 0) == 0) return std::nullopt;
    return Failure{fmt::format("`steps` has a number other than 0 for each axis of {}", type.text())};
}

}  // namespace

Inferred infer_positions(Operands, const Attrs& attrs) {
    const DType type = attrs.dtype(Attr::type);
    if (type != DType::i32 && type != DType::i64) return Failure{fmt::format("positions are no {}", name(type))};
    if (attrs.dims(Attr::shape).size() != 1) return Failure{"positions have one axis"};
    return gives(Type::tensor(type, attrs.dims(Attr::shape), false));
}

Inferred infer_reshape(Operands operands, const Attrs& attrs) {
    const Type& value = operands[0];
    const std::vector<Dim>& shape = attrs.dims(Attr::shape);
    if (!value.is_scalar() && value.kind != TypeKind::tensor) return *want_tensor(value);
    ResultTypes result{{shape.empty() ? Type::scalar(value.elem) : Type::tensor(value.elem, shape, false)}, {}};
    const OperandAxis have{0, 0, element_count(value.shape), "all of value"};
    if (auto fault = same_extent(have, {0, 0, element_count(result.types[0].shape), "all of shape"}, result.conditions))
        return *fault;
    return result;
}

Inferred infer_slice(Operands operands, const Attrs& attrs) {
    const Type& value = operands[0];
    if (auto fault = want_tensor(value)) return *fault;
    if (auto fault = want_starts(value, operands, 1)) return *fault;
    if (auto fault = want_steps(value, attrs)) return *fault;
    const std::vector<Dim>& shape = attrs.dims(Attr::shape);
    if (shape.size() != value.rank()) return Failure{fmt::format("a slice of {} has its rank", value.text())};
    return gives(Type::tensor(value.elem, shape, false));
}

Inferred infer_pad(Operands operands, const Attrs& attrs) {
    const Type& value = operands[0];
    if (auto fault = want_tensor(value)) return *fault;
    if (operands[1] != Type::scalar(value.elem)) {
        return Failure{fmt::format("{} is filled with {}", value.text(), operands[1].text())};
    }
    if (auto fault = want_starts(value, operands, 2)) return *fault;
    const std::vector<Dim>& shape = attrs.dims(Attr::shape);
    if (shape.size() != value.rank()) return Failure{fmt::format("{} with a border has its rank", value.text())};
    return gives(Type::tensor(value.elem, shape, false));
}

Inferred infer_concat(Operands operands, const Attrs& attrs) {
    if (operands.empty()) return Failure{"nothing is joined"};
    const std::vector<Dim>& shape = attrs.dims(Attr::shape);
    const int64_t along = attrs.integer(Attr::axis);
    if (along < 0 || along >= static_cast<int64_t>(shape.size())) return Failure{fmt::format("no axis {}", along)};
    ResultTypes result{{Type::tensor(operands[0].elem, shape, false)}, {}};
    const auto axis = static_cast<size_t>(along);
    Dim joined;
    for (size_t i = 0; i < operands.size(); ++i) {
        const Type& part = operands[i];
        if (auto fault = want_tensor(part)) return *fault;
        if (part.elem != operands[0].elem || part.rank() != shape.size()) {
            return Failure{fmt::format("{} beside {}", part.text(), operands[0].text())};
        }
        for (size_t other = 0; other < shape.size(); ++other) {
            if (other == axis) continue;
            if (auto fault = same_extent({i, other, part.shape[other], "values"}, {i, other, shape[other], "shape"},
                                         result.conditions))
                return *fault;
        }
        joined = joined + part.shape[axis];
    }
    if (auto fault = same_extent({0, axis, joined, "values"}, {0, axis, shape[axis], "shape"}, result.conditions))
        return *fault;
    return result;
}

Inferred infer_update(Operands operands, const Attrs& attrs) {
    const Type &value = operands[0], &block = operands[1];
    if (auto fault = want_tensor(value)) return *fault;
    if (block.kind != TypeKind::tensor || block.elem != value.elem || block.rank() != value.rank()) {
        return Failure{fmt::format("{} is put into {}", block.text(), value.text())};
    }
    if (auto fault = want_starts(value, operands, 2)) return *fault;
    if (auto fault = want_steps(value, attrs)) return *fault;
    return gives(Type::tensor(value.elem, value.shape, false));
}

}  // namespace tsr::ir
