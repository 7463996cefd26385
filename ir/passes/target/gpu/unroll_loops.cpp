#include "ir/passes/target/gpu/unroll_loops.h"

#include <algorithm>
#include <cstdlib>
#include <optional>

#include "ir/build/clone.h"
#include "ir/ops/control.h"
#include "ir/ops/effects.h"
#include "ir/passes/tile/walk.h"

namespace tsr::ir {

namespace {

constexpr int64_t kShort = 12, kLong = 32;  // operations of a body that is written eight and four times
constexpr int64_t kFewRounds = 64;
constexpr int64_t kWhole = 256;  // operations of all rounds of a loop that is written out
constexpr int64_t kFewCopies = 8;
constexpr size_t kCarried = 8;  // values: copies of more take registers

// What the threads of a warp do together, as often as the loop says: only where all rounds are written out.
bool is_of_warp(const Op& op) { return op.kind == OpKind::warp_vote || op.kind == OpKind::warp_shuffle; }

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

// How many operations a body has, and whether some of them are of a warp; nothing where it is not to be unrolled.
struct Length {
    int64_t operations;
    bool of_warp;
};
std::optional<Length> length(const Function& thread, RegionId body) {
    int64_t count = 0;
    bool own = true, of_warp = false;
    walk(thread, body, [&](OpId id) {
        const Op& op = thread.op(id);
        of_warp = of_warp || is_of_warp(op);
        own = own && (is_own(op) || is_of_warp(op));
        if (op.kind != OpKind::yield && op.kind != OpKind::constant) ++count;
    });
    return own ? std::optional(Length{count, of_warp}) : std::nullopt;
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

// How many rounds a loop has, where that is known.
std::optional<int64_t> rounds(const Function& thread, const ForOp& loop) {
    const auto lower = known(thread, loop.lower()), upper = known(thread, loop.upper()),
               step = known(thread, loop.step());
    if (!lower || !upper || !step || *step == 0) return std::nullopt;
    const int64_t size = std::abs(*step), distance = *step > 0 ? *upper - *lower : *lower - *upper;
    return std::max<int64_t>((distance + size - 1) / size, 0);
}

// How many copies of a body of so many operations are written; nothing where LLVM decides. Without rounds that are left
// over, copies of a longer body cost nothing beside.
std::optional<int64_t> copies(int64_t operations, std::optional<int64_t> rounds) {
    if (rounds && *rounds < kFewRounds) return *rounds > 1 && *rounds * operations <= kWhole ? rounds : std::nullopt;
    if (operations > kLong) return std::nullopt;
    return operations <= kShort || (rounds && *rounds % 8 == 0) ? 8 : 4;
}

// Of a step that only the run knows, LLVM would ask after each round whether it was the last one. Here many rounds
// stand behind one question: a loop up to `many - 1` steps before the end, and one for the rounds that are left.
//
//     for i in lower, upper, step        =>    i = for i in lower, upper - 7 * step, 8 * step: round(i), round(i +
//     step), …
//                                              for i in i, upper, step: round(i)
//
// Down as well as up. Where a number might overflow on the way the first loop has no rounds.
void write_rounds(Function& thread, OpId id, int64_t many) {
    constexpr int64_t kFar = int64_t{1} << 60, kWide = int64_t{1} << 40;
    const ForOp loop(thread, id);
    const ValueId lower = loop.lower(), upper = loop.upper(), step = loop.step();
    Builder b = Builder::at(thread, id);
    const auto within = [&](ValueId v, int64_t end) {
        return b.bit_and(b.lt(v, b.index(end)), b.gt(v, b.index(-end)));
    };
    const ValueId fits = b.bit_and(within(step, kWide), within(upper, kFar));
    const ValueId far = b.select(fits, b.sub(upper, b.mul(step, b.index(many - 1))), lower);
    const ValueId all = b.mul(step, b.index(many));
    Values carried{lower};
    carried.insert(carried.end(), loop.inits().begin(), loop.inits().end());
    const OpId whole = b.for_(lower, far, all, carried, {{Attr::unroll, int64_t{1}}},
                              [&](Builder& in, ValueId iv, const Values& given) {
                                  Values values(given.begin() + 1, given.end());
                                  ValueId at = iv;
                                  for (int64_t i = 0; i < many; ++i) {
                                      ValueMap map{{loop.iv(), at}};
                                      for (size_t k = 0; k < values.size(); ++k)
                                          map.emplace(loop.carried()[k], values[k]);
                                      values = Cloner(thread, thread, map).contents(in, loop.body());
                                      at = in.add(at, step);
                                  }
                                  values.insert(values.begin(), at);
                                  return values;
                              });
    Op& rest = thread.op(id);
    const Values left = thread.op(whole).results;
    rest.operands[ForOp::kLower] = left.front();
    for (size_t k = 1; k < left.size(); ++k) rest.operands[ForOp::kFirstInit + k - 1] = left[k];
    rest.attrs.set(Attr::unroll, int64_t{1});
}

}  // namespace

void unroll_loops(Function& thread) {
    std::vector<OpId> by_unknown_steps;
    walk(thread, thread.body, [&](OpId id) {
        Op& op = thread.op(id);
        if (op.kind != OpKind::for_ || op.attrs.has(Attr::unroll) || op.results.size() > kCarried) return;
        const ForOp loop(thread, id);
        if (is_short_run(thread, loop)) return;
        const auto body = length(thread, op.regions[0]);
        if (!body) return;
        const auto all = rounds(thread, loop);
        const auto many = copies(body->operations, all);
        if (!many || (body->of_warp && many != all)) return;
        const bool counts_elements = thread.type(loop.iv()) == Type::scalar(DType::index);
        if (!known(thread, loop.step()) && counts_elements && body->operations <= kShort)
            by_unknown_steps.push_back(id);
        else
            op.attrs.set(Attr::unroll, *many);
    });
    for (OpId id : by_unknown_steps) write_rounds(thread, id, kFewCopies);
}

}  // namespace tsr::ir
