#include "ir/passes/target/gpu/unroll_loops.h"

#include <algorithm>
#include <optional>

#include "ir/ops/control.h"
#include "ir/ops/effects.h"
#include "ir/passes/tile/walk.h"

namespace tsr::ir {

namespace {

constexpr int64_t kShort = 12, kLong = 32;  // operations of a body that is written eight and four times
constexpr int64_t kFewRounds = 64;
constexpr size_t kCarried = 8;  // values: copies of more take registers

// Nothing that threads do together: barriers, copies, products.
bool is_own(const Op& op) {
    switch (op.kind) {
        case OpKind::yield:
        case OpKind::if_:
        case OpKind::constant:
        case OpKind::pointer_add:
        case OpKind::load:
        case OpKind::store:
        case OpKind::splat:
        case OpKind::extract:
        case OpKind::insert:
        case OpKind::atomic_rmw:
            return true;
        default:
            return is_element(op.kind);
    }
}

// How many operations a body has; nothing where it is not to be unrolled.
std::optional<int64_t> length(const Function& thread, RegionId body) {
    int64_t count = 0;
    bool own = true;
    walk(thread, body, [&](OpId id) {
        const Op& op = thread.op(id);
        own = own && is_own(op);
        if (op.kind != OpKind::yield && op.kind != OpKind::constant) ++count;
    });
    return own ? std::optional(count) : std::nullopt;
}

std::optional<int64_t> known(const Function& thread, ValueId value) {
    const OpId made = thread.value(value).op;
    if (!made.valid() || thread.op(made).kind != OpKind::constant) return std::nullopt;
    return thread.op(made).attrs.integer(Attr::value);
}

bool is_loaded(const Function& thread, ValueId value) {
    const OpId made = thread.value(value).op;
    if (!made.valid()) return false;
    const Op& op = thread.op(made);
    if (op.kind == OpKind::load) return true;
    return is_element(op.kind) && std::ranges::any_of(op.operands, [&](ValueId v) { return is_loaded(thread, v); });
}

// Bounds that lie in memory are those of short runs (the rows of a sparse matrix), and to count the rounds of one by
// more than single steps costs as much as a round.
bool is_short_run(const Function& thread, const ForOp& loop) {
    return known(thread, loop.step()) != 1 && (is_loaded(thread, loop.lower()) || is_loaded(thread, loop.upper()));
}

bool has_few_rounds(const Function& thread, const ForOp& loop) {
    const auto lower = known(thread, loop.lower()), upper = known(thread, loop.upper()),
               step = known(thread, loop.step());
    return lower && upper && step && *step != 0 && (*upper - *lower) / *step < kFewRounds;
}

}  // namespace

void unroll_loops(Function& thread) {
    walk(thread, thread.body, [&](OpId id) {
        Op& op = thread.op(id);
        if (op.kind != OpKind::for_ || op.attrs.has(Attr::unroll) || op.results.size() > kCarried) return;
        const ForOp loop(thread, id);
        if (has_few_rounds(thread, loop) || is_short_run(thread, loop)) return;
        const auto count = length(thread, op.regions[0]);
        if (count && *count <= kLong) op.attrs.set(Attr::unroll, int64_t{*count <= kShort ? 8 : 4});
    });
}

}  // namespace tsr::ir
