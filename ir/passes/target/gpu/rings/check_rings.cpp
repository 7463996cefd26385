#include "ir/passes/target/gpu/rings/check_rings.h"

#include <algorithm>
#include <optional>
#include <set>
#include <unordered_map>
#include <unordered_set>

#include <fmt/format.h>

#include "ir/core/total.h"
#include "ir/ops/control.h"
#include "ir/ops/register.h"
#include "ir/ops/tile.h"
#include "ir/passes/target/gpu/rings/known_numbers.h"
#include "ir/passes/target/gpu/rings/pending_sums.h"
#include "ir/passes/target/gpu/rings/slots.h"
#include "ir/passes/tile/walk.h"
#include "ir/text/print.h"

namespace tsr::ir {

namespace {

class RingChecker : KnownNumbers {
public:
    explicit RingChecker(const Function& kernel) : KnownNumbers(kernel) {
        walk(kernel, kernel.body, [&](OpId id) { visit(id); });
    }

    std::vector<std::string> run() {
        if (buffers_.empty()) return {};
        // With one round more nothing happens that did not: each slot has had all its neighbours in each phase.
        for (int64_t rounds = 0; rounds <= 2 * most_slots_ + 3; ++rounds) {
            values_.clear();
            for (OpId id : loops_) force(id, rounds);
            states_ = {State{}};
            region(kernel_.body);
            for (OpId id : opened_) {
                const std::pair open(RingOp(kernel_, id).arrivals().index, int64_t{-1});
                if (std::ranges::any_of(states_, [&](const State& state) { return state.contains(open); }))
                    say(id, "opens a ring that is not closed");
            }
        }
        return std::move(messages_);
    }

private:
    void visit(OpId id) {
        const Op& op = kernel_.op(id);
        commits_ |= op.kind == OpKind::commit || op.kind == OpKind::fill;
        const bool ring = is_of_ring(op.kind);
        if (ring && RingOp(kernel_, id).opens()) opened_.push_back(id);
        if (ring && is_of_whole(id)) return;
        if (op.kind != OpKind::copy_async && !ring) return;
        auto add = [&](ValueId handle) {
            const ValueId root = memory_root(kernel_, handle);
            buffers_.insert(root);
            most_slots_ = std::max(most_slots_, BufferOp(kernel_, kernel_.value(root).op).stages());
        };
        if (ring) {
            const RingOp slot(kernel_, id);
            for (ValueId buffer : slot.buffers()) {
                add(buffer);
                of_rings_.insert(buffer);
                if (slot.by_arrivals()) by_arrivals_[buffer.index] = slot.arrivals();
            }
        } else {
            add(CopyAsyncOp(kernel_, id).to());
        }
        // The innermost loop around decides how many rounds there are.
        for (OpId at = id; at.valid(); at = kernel_.region(kernel_.op(at).parent).parent) {
            if (kernel_.op(at).kind != OpKind::for_) continue;
            loops_.insert(at);
            break;
        }
    }

    void region(RegionId id) {
        for (OpId op : kernel_.region(id).ops) operation(op);
    }

    void operation(OpId id) {
        const Op& op = kernel_.op(id);
        switch (flow(op.kind)) {
            case Flow::counted:
                return loop(id);
            case Flow::repeated:
            case Flow::rounds:
                return rounds_unknown(op);
            case Flow::branch:
                return branch(op);
            case Flow::lanes:
            case Flow::active_lanes:
                for (RegionId inner : op.regions) region(inner);
                return;
            case Flow::straight:
                return statement(id);
        }
    }

    void statement(OpId id) {
        const Op& op = kernel_.op(id);
        static constexpr Row<void (RingChecker::*)(OpId)> kCopyRules[]{
            {OpKind::copy_async, &RingChecker::copy},
            {OpKind::commit, &RingChecker::commit},
            {OpKind::wait_group, &RingChecker::wait_group},
            {OpKind::barrier, &RingChecker::meet},
        };
        static constexpr Total<kCopyRules, kCopyFamily> kCopies;
        if (kCopies.has(op.kind)) return (this->*kCopies[op.kind].answer)(id);
        if (is_of_ring(op.kind))
            return is_of_whole(id)                     ? open_or_close(id)
                   : RingOp(kernel_, id).by_arrivals() ? ring_by_arrivals(id)
                                                       : ring(id);
        compute(op);
        touch(id);
        if (op.kind == OpKind::mma && MmaOp(kernel_, id).pending()) start(op);
    }

    // ---- control ----

    void loop(OpId id) {
        const ForOp op(kernel_, id);
        const auto lower = value(op.lower()), upper = value(op.upper()), step = value(op.step());
        if (!loops_.contains(id) || !lower || !upper || !step || *step <= 0) return rounds_unknown(op.op());
        std::vector<std::optional<int64_t>> carried;
        for (ValueId v : op.inits()) carried.push_back(value(v));
        auto bind = [&](ValueSpan to) {
            for (size_t i = 0; i < to.size(); ++i) {
                if (carried[i]) values_[to[i]] = *carried[i];
                if (!carried[i]) forget(to[i]);
            }
        };
        for (int64_t iv = *lower; iv < *upper; iv += *step) {
            values_[op.iv()] = iv;
            bind(op.carried());
            region(op.body());
            for (size_t i = 0; i < carried.size(); ++i) carried[i] = value(op.next()[i]);
        }
        bind(op.results());
    }

    // None, one, and more as long as that makes a difference.
    void rounds_unknown(const Op& op) {
        for (ValueId result : op.results) forget(result);
        for (RegionId inner : op.regions) {
            for (ValueId arg : kernel_.region(inner).args) forget(arg);
        }
        for (size_t before = 0; before != states_.size();) {
            before = states_.size();
            States all = states_;
            for (RegionId inner : op.regions) region(inner);
            states_.insert(all.begin(), all.end());
        }
    }

    void branch(const Op& op) {
        const auto known = value(IfOp(kernel_, op).condition());
        if (known) return region(op.regions[*known != 0 ? 0 : 1]);
        const States start = states_;
        region(op.regions[0]);
        States then = std::exchange(states_, start);
        region(op.regions[1]);
        states_.merge(then);
    }

    // ---- slots ----

    template <typename Change>
    void each(Change change) {
        States after;
        for (State state : states_) {
            change(state);
            after.insert(std::move(state));
        }
        states_ = std::move(after);
    }

    void say(OpId id, const std::string& what) {
        if (said_.insert(id).second) messages_.push_back(fmt::format("{}: {}", print_line(kernel_, id), what));
    }

    auto says(OpId id) {
        return [this, id](const char* what) { say(id, what); };
    }

    // The slots behind a handle; all of its buffer where its number is not known.
    [[nodiscard]] std::vector<std::pair<uint32_t, int64_t>> slots(ValueId handle) const {
        const ValueId root = memory_root(kernel_, handle);
        const OpId made = kernel_.value(handle).op;
        if (kernel_.op(made).kind != OpKind::stage) return {{root.index, 0}};
        if (auto number = value(StageOp(kernel_, made).index())) return {{root.index, *number}};
        std::vector<std::pair<uint32_t, int64_t>> all;
        const int64_t count = BufferOp(kernel_, kernel_.value(root).op).stages();
        for (int64_t i = 0; i < count; ++i) all.emplace_back(root.index, i);
        return all;
    }

    void commit(OpId) {
        each([&](State& state) { commit(state); });
    }
    void meet(OpId) {
        each([&](State& state) { meet(state); });
    }

    void commit(State& state) const {
        for (auto& [where, slot] : state) {
            if (by_arrivals_.contains(where.first)) continue;
            slot.age += slot.data == Data::committed ? 1 : 0;
            if (slot.data == Data::issued) slot.data = Data::committed;
        }
    }
    void wait(State& state, int64_t left) const {
        for (auto& [where, slot] : state) {
            if (by_arrivals_.contains(where.first)) continue;
            if (slot.data != Data::committed || slot.age < left) continue;
            slot.data = Data::arrived;
            slot.age = 0;
        }
    }
    // ---- products that are under way ----

    // What it reads it reads until it is waited for.
    void start(const Op& op) {
        each([&](State& state) {
            for (auto& [where, slot] : state)
                slot.products += slot.products > 0 && slot.products < kMostUnderWay ? 1 : 0;
            for (ValueId memory : read_memories(kernel_, op)) {
                if (!buffers_.contains(memory_root(kernel_, memory))) continue;
                for (auto where : slots(memory)) state[where].products = 1;
            }
        });
    }
    void wait_group(OpId id) {
        const WaitOp op(kernel_, id);
        each([&](State& state) {
            if (!op.of_products()) return wait(state, op.left());
            for (auto& [where, slot] : state) {
                if (slot.products > op.left()) slot.products = 0;
            }
        });
    }

    // Copies of a program without groups are waited for at its barriers.
    void meet(State& state) const {
        for (auto& [where, slot] : state) {
            slot.read = false;
            if (slot.data == Data::arrived || (!commits_ && slot.data == Data::issued)) slot.data = Data::visible;
        }
    }

    void copy(OpId id) {
        const ValueId to = CopyAsyncOp(kernel_, id).to();
        const bool ring = of_rings_.contains(memory_root(kernel_, to));
        each([&](State& state) {
            for (auto where : slots(to)) {
                Slot& slot = state[where];
                if (ring && slot.phase != SlotPhase::acquired) say(id, "copies into a slot that is not acquired");
                if (slot.read) say(id, "copies into a slot that has been read since the last barrier");
                if (slot.products > 0) say(id, "copies into a slot that a product still reads");
                if (slot.data == Data::committed || slot.data == Data::arrived)
                    say(id, "copies into a slot that copies are on their way to");
                slot.data = Data::issued;
                slot.age = 0;
            }
        });
    }

    void ring(OpId id) {
        const RingOp op(kernel_, id);
        const auto number = value(op.slot());
        if (!number) return say(id, "the number of the slot is not known");
        each([&](State& state) {
            if (op.step() == RingStep::fill) commit(state);
            if (op.step() == RingStep::take) wait(state, op.attrs().integer(Attr::count));
            if (op.meets()) meet(state);
            for (ValueId buffer : op.buffers()) advance(state[{buffer.index, *number}], op.step(), says(id));
        });
    }

    // ---- slots that are waited for by arrivals ----

    [[nodiscard]] bool is_of_whole(OpId id) const {
        const RingOp op(kernel_, id);
        return op.opens() || op.closes();
    }

    void open_or_close(OpId id) {
        const RingOp ring(kernel_, id);
        const ValueId arrivals = ring.arrivals();
        const bool opens = ring.opens();
        const std::pair open(arrivals.index, int64_t{-1});
        each([&](State& state) {
            if (state.contains(open) == opens) say(id, opens ? "opens a ring that is open" : "closes no open ring");
            if (opens) state[open] = {};
            if (!opens) state.erase(open);
            if (!opens) close(id, state);
        });
    }

    // What comes next begins behind the last slot that was used: up to it slots have had one use more.
    void close(OpId id, State& state) {
        const RingOp op(kernel_, id);
        const auto next = value(op.next_slot()), phase = value(op.next_phase());
        if (!next || !phase) return say(id, "the next slot, or the phase of its use, is not known");
        for (const auto& [buffer, arrivals] : by_arrivals_) {
            if (arrivals != op.arrivals()) continue;
            const int64_t count = BufferOp(kernel_, kernel_.value(arrivals).op).stages();
            for (int64_t number = 0; number < count; ++number) {
                Slot& slot = state[{buffer, number}];
                if (slot.phase != SlotPhase::free) say(id, "leaves a slot that is not free");
                if (slot.again != ((*phase != 0) != (number < *next))) say(id, "leaves a slot in another use");
                slot.again = false;
            }
        }
    }

    void ring_by_arrivals(OpId id) {
        const RingOp op(kernel_, id);
        const auto number = value(op.slot()), phase = value(op.phase());
        if (!number || !phase) return say(id, "the number of the slot, or the phase of its use, is not known");
        each([&](State& state) {
            if (!state.contains({op.arrivals().index, -1})) say(id, "a slot of a ring that is not open");
            for (ValueId buffer : op.buffers()) {
                Slot& slot = state[{buffer.index, *number}];
                if (slot.again != (*phase != 0)) say(id, "waits for another use of the slot");
                arrive(slot, op.step(), says(id));
                advance(slot, op.step(), says(id));
            }
        });
    }

    void touch(OpId id) {
        const Op& op = kernel_.op(id);
        for (ValueId memory : read_memories(kernel_, op)) {
            const ValueId root = memory_root(kernel_, memory);
            if (!buffers_.contains(root)) continue;
            each([&](State& state) {
                for (auto where : slots(memory)) read(id, of_rings_.contains(root), state[where]);
            });
        }
        for (ValueId memory : written_memories(kernel_, op)) {
            if (!buffers_.contains(memory_root(kernel_, memory))) continue;
            each([&](State& state) {
                for (auto where : slots(memory)) write(id, state[where]);
            });
        }
    }

    void write(OpId id, Slot& slot) {
        if (slot.read) say(id, "writes a slot that has been read since the last barrier");
        if (slot.products > 0) say(id, "writes a slot that a product still reads");
        if (slot.data == Data::committed || slot.data == Data::issued)
            say(id, "writes a slot that copies are on their way to");
        slot.data = Data::arrived;
    }

    void read(OpId id, bool ring, Slot& slot) {
        if (ring && slot.phase != SlotPhase::taken) say(id, "reads a slot that is not taken");
        if (slot.data != Data::visible && slot.data != Data::none)
            say(id,
                "reads a slot whose copies no wait covers, or with no barrier "
                "behind the wait");
        slot.read = true;
    }

    std::unordered_set<ValueId> buffers_, of_rings_;
    std::unordered_map<uint32_t, ValueId> by_arrivals_;  // of buffers of such rings
    std::vector<OpId> opened_;
    std::set<OpId> loops_;  // in whose rounds copies start
    int64_t most_slots_ = 1;
    bool commits_ = false;
    States states_;
    std::set<OpId> said_;
    std::vector<std::string> messages_;
};

}  // namespace

std::vector<std::string> check_rings(const Function& kernel) {
    std::vector<std::string> messages = RingChecker(kernel).run();
    std::ranges::move(check_pending_sums(kernel), std::back_inserter(messages));
    return messages;
}

}  // namespace tsr::ir
