#include "ir/passes/target/gpu/rings/computed.h"

#include <algorithm>

namespace tsr::ir {

std::optional<int64_t> computed(OpKind kind, const std::vector<int64_t>& in) {
    auto floor_of = [&] { return in[0] / in[1] - (in[0] % in[1] != 0 && (in[0] < 0) != (in[1] < 0) ? 1 : 0); };
    switch (kind) {
        case OpKind::add:
            return in[0] + in[1];
        case OpKind::sub:
            return in[0] - in[1];
        case OpKind::mul:
            return in[0] * in[1];
        case OpKind::floordiv:
            return in[1] != 0 ? std::optional(floor_of()) : std::nullopt;
        case OpKind::mod:
            return in[1] != 0 ? std::optional(in[0] - in[1] * floor_of()) : std::nullopt;
        case OpKind::minimum:
            return std::min(in[0], in[1]);
        case OpKind::maximum:
            return std::max(in[0], in[1]);
        case OpKind::eq:
            return in[0] == in[1];
        case OpKind::lt:
            return in[0] < in[1];
        case OpKind::select:
            return in[0] != 0 ? in[1] : in[2];
        case OpKind::cast:
            return in[0];
        default:
            return std::nullopt;
    }
}

}  // namespace tsr::ir
