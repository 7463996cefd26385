#include "ir/passes/target/gpu/rings/known_numbers.h"

#include <algorithm>
#include <variant>
#include <vector>

#include "ir/law/scalar.h"
#include "ir/ops/control.h"

namespace tsr::ir {

namespace {

constexpr int64_t kMostRounds = 64;  // of a loop whose bounds the text knows

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
    for (ValueId v : op.operands) {
        if (kernel_.type(v).is_memory()) return;
    }
    if (const auto made = computed(op))
        values_[op.results[0]] = *made;
    else
        forget(op.results[0]);
}

// What the law of scalars says, as far as it is a whole number.
std::optional<int64_t> KnownNumbers::computed(const Op& op) const {
    if (!is_element(op.kind) || op.operands.empty()) return std::nullopt;
    std::vector<Bits> in;
    for (ValueId v : op.operands) {
        const auto known = value(v);
        if (!known || !kernel_.type(v).is_scalar()) return std::nullopt;
        in.push_back(canonical(kernel_.type(v).elem, static_cast<uint64_t>(*known)));
    }
    const DType to = kernel_.type(op.results[0]).elem;
    const auto made = fold(op.kind, kernel_.type(op.operands.back()).elem, to, in);
    if (!made) return std::nullopt;
    const AttrValue number = constant_value(to, *made);
    const auto* whole = std::get_if<int64_t>(&number);
    return whole != nullptr ? std::optional(*whole) : std::nullopt;
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
