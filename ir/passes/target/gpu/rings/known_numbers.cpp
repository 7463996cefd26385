#include "ir/passes/target/gpu/rings/known_numbers.h"

#include <algorithm>
#include <variant>
#include <vector>

#include "ir/ops/control.h"

namespace tsr::ir {

namespace {

constexpr int64_t kMostRounds = 64;  // of a loop whose bounds the text knows

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

}  // namespace

std::optional<int64_t> KnownNumbers::constant(ValueId v) const {
    const OpId op = kernel_.value(v).op;
    if (!op.valid() || kernel_.op(op).kind != OpKind::constant) return std::nullopt;
    const auto* whole = std::get_if<int64_t>(kernel_.op(op).attrs.find(Attr::value));
    return whole != nullptr ? std::optional(*whole) : std::nullopt;
}

std::optional<int64_t> KnownNumbers::value(ValueId v) const {
    if (auto found = forced_.find(v); found != forced_.end()) return found->second;
    if (auto found = values_.find(v); found != values_.end()) return found->second;
    return constant(v);
}

void KnownNumbers::compute(const Op& op) {
    if (op.results.size() != 1 || !kernel_.type(op.results[0]).is_scalar()) return;
    std::vector<int64_t> in;
    for (ValueId v : op.operands) {
        if (kernel_.type(v).is_memory()) return;
        const auto known = value(v);
        if (!known) return forget(op.results[0]);
        in.push_back(*known);
    }
    const auto made = computed(op.kind, in);
    if (made) values_[op.results[0]] = *made;
    if (!made) forget(op.results[0]);
}

void KnownNumbers::force(OpId id, int64_t rounds) {
    const ForOp loop(kernel_, id);
    const auto known = [&](ValueId v) { return constant(v); };
    const int64_t step = known(loop.step()).value_or(1);
    if (!known(loop.lower())) forced_[loop.lower()] = 0;
    const auto upper = known(loop.upper());
    if (!upper || *upper - known(loop.lower()).value_or(0) > kMostRounds * step)
        forced_[loop.upper()] = known(loop.lower()).value_or(0) + rounds * step;
}

}  // namespace tsr::ir
