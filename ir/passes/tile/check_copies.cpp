#include "ir/passes/tile/check_copies.h"

#include <algorithm>
#include <deque>
#include <utility>

#include "ir/core/total.h"
#include "ir/ops/tile.h"
#include "ir/passes/tile/walk.h"

namespace tsr::ir {

namespace {

// A copy that is not over for the tiles.
struct Pending {
    OpId op;
    ValueId buffer;        // the destination,
    ValueId stage;         // and which stage of it; invalid: it has one
    bool waited = false;   // its data has arrived; a barrier has still to tell the tiles
    size_t committed = 0;  // number of its commit, from 1; 0: not committed
    bool operator==(const Pending&) const = default;
};

// What an operation does to the copies that are not over.
enum class CopyRule : uint8_t {
    touches,  // nothing: the memory that its record names must not be a destination of theirs
    starts,
    commits,
    waits,
    meets,  // tells all tiles what has arrived
    repeats,
    branches,
    as_tiles,
};

constexpr Row<CopyRule> kCopyRules[]{
    {OpKind::constant, CopyRule::touches},
    {OpKind::yield, CopyRule::touches},
    {OpKind::for_, CopyRule::repeats},
    {OpKind::while_, CopyRule::repeats},
    {OpKind::if_, CopyRule::branches},
    {OpKind::call, CopyRule::touches},
    {OpKind::dim, CopyRule::touches},
    {OpKind::print, CopyRule::touches},
    {OpKind::assert_, CopyRule::touches},

    {OpKind::tile_id, CopyRule::touches},
    {OpKind::lane_id, CopyRule::touches},
    {OpKind::group_id, CopyRule::touches},
    {OpKind::group_size, CopyRule::touches},
    {OpKind::group_count, CopyRule::touches},
    {OpKind::buffer, CopyRule::touches},
    {OpKind::stage, CopyRule::touches},
    {OpKind::atomic, CopyRule::touches},
    {OpKind::copy_async, CopyRule::starts},
    {OpKind::commit, CopyRule::commits},
    {OpKind::wait_group, CopyRule::waits},
    {OpKind::barrier, CopyRule::meets},
    // A ring's copies wait for themselves: rings are made after this check.
    {OpKind::acquire, CopyRule::touches},
    {OpKind::fill, CopyRule::touches},
    {OpKind::take, CopyRule::touches},
    {OpKind::release, CopyRule::touches},
    {OpKind::group_reduce, CopyRule::touches},
    {OpKind::group_scan, CopyRule::touches},
    {OpKind::shuffle, CopyRule::touches},
    {OpKind::broadcast, CopyRule::touches},
    {OpKind::ballot, CopyRule::touches},
    {OpKind::buffer_reduce, CopyRule::touches},
    {OpKind::grid, CopyRule::repeats},
    {OpKind::lanes, CopyRule::as_tiles},
    {OpKind::lane_read, CopyRule::touches},
    {OpKind::result, CopyRule::touches},
};
constexpr Total<kCopyRules, kControlFamily, kTileFamily> kCopyRuleOf;

CopyRule copy_rule(OpKind kind) { return kCopyRuleOf.has(kind) ? kCopyRuleOf[kind].answer : CopyRule::touches; }

class CopyChecker {
public:
    CopyChecker(const Function& kernel, Diagnostics& diagnostics) : kernel_(kernel), diagnostics_(diagnostics) {
        commits_ = any_below(kernel, kernel.body, [](const Op& op) { return op.kind == OpKind::commit; });
    }

    bool run() {
        region(kernel_.body);
        return good_;
    }

private:
    void region(RegionId id) {
        for (OpId op : kernel_.region(id).ops) operation(op);
    }

    void operation(OpId id) {
        const Op& op = kernel_.op(id);
        switch (copy_rule(op.kind)) {
            case CopyRule::touches:
                return touch(id);
            case CopyRule::starts:
                return copy(id, op);
            case CopyRule::commits:
                ++last_commit_;
                for (Pending& p : pending_) {
                    if (p.committed == 0) p.committed = last_commit_;
                }
                return;
            case CopyRule::waits:
                return wait(op.attrs.integer(Attr::count, 0));
            case CopyRule::meets:
                std::erase_if(pending_, [&](const Pending& p) { return !commits_ || p.waited; });
                return;
            case CopyRule::repeats:
                // Twice: what the end of a round leaves pending meets the start of the next.
                for (int round = 0; round < 2; ++round) {
                    for (RegionId inner : op.regions) region(inner);
                    forget_stages_of(id);
                }
                return;
            case CopyRule::branches:
                return branches(op);
            case CopyRule::as_tiles:
                return tiles(op);
        }
    }

    void copy(OpId id, const Op& op) {
        // A copy starts when earlier accesses are over: a second one to the same place just follows the first.
        std::erase_if(pending_, [&](const Pending& p) { return p.op == id; });
        auto [buffer, stage] = named(CopyAsyncOp(kernel_, op).to());
        pending_.push_back({id, buffer, stage});
    }

    // The buffer behind a handle, and the value that chooses its stage.
    [[nodiscard]] std::pair<ValueId, ValueId> named(ValueId handle) const {
        OpId id = kernel_.value(handle).op;
        if (!id.valid() || kernel_.op(id).kind != OpKind::stage) return {handle, {}};
        const StageOp stage(kernel_, id);
        return {stage.buffer(), stage.index()};
    }

    // A stage chosen by a value of one round is another stage in the next.
    void forget_stages_of(OpId loop) {
        std::erase_if(pending_, [&](const Pending& p) {
            OpId from = p.stage.valid() ? defining_op(kernel_, p.stage) : OpId{};
            return from.valid() && stands_below(kernel_, from, loop);
        });
    }

    // All but the last `left` commits have arrived.
    void wait(int64_t left) {
        for (Pending& p : pending_) {
            bool covered = p.committed != 0 && static_cast<int64_t>(last_commit_ - p.committed) >= left;
            p.waited = p.waited || covered;
        }
    }

    void branches(const Op& op) {
        auto before = pending_;
        region(op.regions[0]);
        auto then = std::exchange(pending_, before);
        region(op.regions[1]);
        for (const Pending& p : then) {
            if (std::ranges::find(pending_, p) == pending_.end()) pending_.push_back(p);
        }
    }

    void tiles(const Op& op) {
        walk(kernel_, op.regions[0], [&](OpId id) { touch(id); });
    }

    void touch(OpId id) {
        const Op& op = kernel_.op(id);
        std::vector<ValueId> memories = read_memories(kernel_, op);
        std::ranges::copy(written_memories(kernel_, op), std::back_inserter(memories));
        for (ValueId memory : memories) {
            if (kernel_.type(memory).kind != TypeKind::buffer) continue;
            auto [buffer, stage] = named(memory);
            for (const Pending& p : pending_) {
                if (p.buffer != buffer || p.stage != stage) continue;
                good_ = false;
                const char* missing = commits_ && !p.waited ? "a wait that covers it and a barrier" : "a barrier";
                diagnostics_
                    .error("E0458", kernel_.span_of(id),
                           std::string("the copy into this buffer may not be over: ") + missing + " must stand between")
                    .label(kernel_.span_of(p.op), "the copy starts here");
                break;
            }
        }
    }

    const Function& kernel_;
    Diagnostics& diagnostics_;
    std::deque<Pending> pending_;
    size_t last_commit_ = 0;
    bool commits_ = false;
    bool good_ = true;
};

}  // namespace

bool check_copies(const Function& kernel, Diagnostics& diagnostics) { return CopyChecker(kernel, diagnostics).run(); }

}  // namespace tsr::ir
