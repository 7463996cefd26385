#include "ir/ops/inferred.h"

#include <fmt/format.h>

namespace tsr::ir {

namespace {

std::string spelled(const OperandAxis& axis) {
    const std::string of = axis.role.empty() ? fmt::format("operand {}", axis.operand) : "'" + axis.role + "'";
    return fmt::format("axis {} of {} is {}", axis.axis, of, axis.extent.text());
}

}  // namespace

std::string EqualExtents::text() const { return spelled(one) + ", " + spelled(other); }

std::optional<Failure> same_extent(const OperandAxis& one, const OperandAxis& other,
                                   std::vector<EqualExtents>& conditions) {
    EqualExtents both{one, other};
    switch (compare(one.extent, other.extent)) {
        case Equality::equal:
            return std::nullopt;
        case Equality::different:
            return Failure{both.text()};
        case Equality::unknown:
            break;
    }
    conditions.push_back(std::move(both));
    return std::nullopt;
}

}  // namespace tsr::ir
