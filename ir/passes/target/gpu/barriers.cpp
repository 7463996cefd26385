#include "ir/passes/target/gpu/barriers.h"

#include <algorithm>

#include "ir/ops/tile.h"
#include "ir/passes/tile/pending_lanes.h"
#include "ir/passes/tile/walk.h"

namespace tsr::ir {

namespace {

using Memories = std::unordered_set<ValueId>;

// What was touched since the last barrier: read or written by many threads, written by the first one alone.
struct Since {
    Memories read, written, written_first;

    void merge(const Since& other) {
        read.insert(other.read.begin(), other.read.end());
        written.insert(other.written.begin(), other.written.end());
        written_first.insert(other.written_first.begin(), other.written_first.end());
    }
};

bool meet(const Memories& a, const Memories& b) {
    return std::ranges::any_of(a, [&](ValueId v) { return b.contains(v); });
}

class Placer {
public:
    explicit Placer(const Function& kernel) : kernel_(kernel) {
        walk(kernel, kernel.body, [&](OpId id) {
            if (kernel.op(id).kind != OpKind::acquire) return;
            for (ValueId buffer : RingOp(kernel, id).buffers()) rings_.insert(buffer);
        });
    }

    std::unordered_set<OpId> run() {
        region(kernel_.body);
        return std::move(before_);
    }

private:
    void region(RegionId id) {
        for (OpId op : kernel_.region(id).ops) operation(op);
    }

    void operation(OpId id) {
        const Op& op = kernel_.op(id);
        switch (flow(op.kind)) {
            case Flow::counted:
            case Flow::repeated:
            case Flow::rounds:
                return loop(op);
            case Flow::branch: {
                const Since start = since_;
                region(op.regions[0]);
                const Since then = std::exchange(since_, start);
                region(op.regions[1]);
                since_.merge(then);
                return;
            }
            case Flow::straight:
            case Flow::lanes:
            case Flow::active_lanes:
                break;
        }
        if (meet_at(id))
            since_ = {};
        else
            touch(id, op);
    }

    // A barrier, or what the slots of a ring are waited for with.
    [[nodiscard]] bool meet_at(OpId id) const {
        const OpKind kind = kernel_.op(id).kind;
        return kind == OpKind::barrier || (is_of_ring(kind) && RingOp(kernel_, id).meets());
    }

    // Twice: what the end of a round has touched meets the start of the next. A body may also be left out.
    void loop(const Op& op) {
        const Since start = since_;
        for (int round = 0; round < 2; ++round) {
            for (RegionId inner : op.regions) region(inner);
            since_.merge(start);
        }
    }

    void touch(OpId id, const Op& op) {
        Touched touched = touched_by(kernel_, id);
        for (ValueId buffer : rings_) {
            touched.read.erase(buffer);
            touched.written.erase(buffer);
        }
        // The first thread's own statements: all threads take part in lanes, copies and tiles.
        const bool first = op.kind == OpKind::write || op.kind == OpKind::write_vector;
        const bool waits = meet(touched.read, since_.written) || meet(touched.read, since_.written_first) ||
                           meet(touched.written, since_.read) || meet(touched.written, since_.written) ||
                           (!first && meet(touched.written, since_.written_first));
        if (waits) {
            before_.insert(id);
            since_ = {};
        }
        since_.read.merge(touched.read);
        (first ? since_.written_first : since_.written).merge(touched.written);
    }

    const Function& kernel_;
    Since since_;
    Memories rings_;  // their own operations say when they are read and written
    std::unordered_set<OpId> before_;
};

}  // namespace

std::unordered_set<OpId> place_barriers(const Function& kernel) { return Placer(kernel).run(); }

}  // namespace tsr::ir
