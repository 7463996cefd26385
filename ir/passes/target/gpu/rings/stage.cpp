#include "ir/passes/target/gpu/rings/stage.h"

#include <algorithm>
#include <bit>
#include <optional>

#include "ir/build/clone.h"
#include "ir/ops/control.h"
#include "ir/ops/register.h"
#include "ir/passes/target/cpu/tiles/uses.h"
#include "ir/passes/target/gpu/rings/choose_cluster.h"
#include "ir/passes/target/gpu/rings/pending_products.h"
#include "ir/passes/target/gpu/rings/product_ahead.h"
#include "ir/passes/target/gpu/rings/product_turns.h"
#include "ir/passes/target/gpu/rings/staged_loads.h"
#include "ir/passes/tile/walk.h"

namespace tsr::ir {

namespace {

class Stager {
public:
    Stager(Function& kernel, const StagedLoop& staged, int64_t stages, const GpuMachine& machine)
        : kernel_(kernel), staged_(staged), stages_(stages), machine_(machine), arrivals_(staged.boxes) {}

    std::vector<std::string> run() {
        Builder b(kernel_);
        b.before(staged_.loop);
        b.take_place(staged_.loop);
        for (OpId load : staged_.loads) buffers_.push_back(buffer(b, load));
        if (arrivals_) {
            const int64_t axis = cluster_axis(kernel_.plan->gpu());
            for (OpId load : staged_.loads) {
                const bool shared = is_shared(kernel_, load, axis);
                blocks_.push_back(shared ? kernel_.plan->gpu().cluster() : 1);
                of_cluster_ = of_cluster_ || shared;
            }
            counts_ = b.buffer(DType::u64, {Dim::constant(2)}, {{Attr::count, stages_}});
            b.emit(OpKind::acquire, {counts_}, {{Attr::ring, code(RingUse::open)}});
        }
        const ForOp loop(kernel_, staged_.loop);
        const ValueId first_use = b.index(0);
        for (int64_t round = 0; round + 1 < stages_; ++round) {
            Attrs meets;
            if (round == 0 && !arrivals_) meets.set(Attr::ring, code(RingUse::barrier));
            bring(b, loop.lower(), round, {b.index(round), first_use}, meets);
        }
        carry_slots(b);
        in_round();
        if (arrivals_) close();
        return std::move(reasons_);
    }

private:
    ValueId buffer(Builder& b, OpId load) {
        const Type tile = kernel_.type(kernel_.op(load).results[0]);
        return b.buffer(
            tile.elem, tile.shape,
            {{Attr::count, stages_}, {Attr::swizzle, std::string("xor")}, {Attr::alignment, kBoxAlignment}});
    }

    // A slot by its number, and the phase of its use.
    struct Slot {
        ValueId number, phase;
    };

    OpId ring(Builder& b, OpKind kind, const Slot& slot, Attrs attrs) {
        std::vector<ValueId> operands{slot.number};
        if (arrivals_) {
            operands.insert(operands.end(), {slot.phase, counts_});
            attrs.set(Attr::ring, code(RingUse::arrivals));
            if (kind == OpKind::release && of_cluster_) attrs.set(Attr::count, kernel_.plan->gpu().cluster());
        }
        operands.insert(operands.end(), buffers_.begin(), buffers_.end());
        return b.emit(kind, std::move(operands), std::move(attrs));
    }

    // The loop's number `first` + `rounds` rounds, if there is one, brought into a slot. If there is none, a group
    // without copies: `take` counts them.
    void bring(Builder& b, ValueId first, int64_t rounds, const Slot& slot, const Attrs& meets) {
        const ForOp loop(kernel_, staged_.loop);
        const int64_t step = *constant_integer(kernel_, loop.step());
        const ValueId upper = loop.upper(), iv = loop.iv();
        const ValueId at = rounds == 0 ? first : b.add(first, b.index(rounds * step));
        auto copies = [&](Builder& inside) {
            ring(inside, OpKind::acquire, slot, meets);
            ValueMap known{{iv, at}};
            for (size_t i = 0; i < staged_.loads.size(); ++i) copy(inside, i, slot.number, known);
            inside.take_place(staged_.loop);
            ring(inside, OpKind::fill, slot, {});
            return Values{};
        };
        // Where `take` waits for all groups, or no round follows, none is counted.
        const bool counted = stages_ > 2 && rounds > 0 && !arrivals_;
        auto nothing = [&](Builder& inside) {
            if (counted) inside.emit(OpKind::commit, {});
            return Values{};
        };
        b.if_(b.element(OpKind::lt, {at, upper}), copies, nothing);
    }

    void copy(Builder& b, size_t number, ValueId slot, ValueMap& known) {
        const OpId load = staged_.loads[number];
        b.take_place(load);
        auto here = [&](ValueId v) {
            auto found = known.find(v);
            return found == known.end() ? v : found->second;
        };
        Cloner cloner(kernel_, kernel_, known);
        cloner.names = false;
        cloner.place = [&](PlaceId) { return b.place(); };
        const std::vector<OpId> ahead = starts_ahead(kernel_, staged_.loop, load).value();
        for (OpId made : ahead) {
            if (!known.contains(kernel_.op(made).results[0])) cloner.copy(b, made);
        }
        const TileViewOp view(kernel_, load);
        const ValueId memory = view.memory();
        std::vector<ValueId> starts;
        for (ValueId start : view.starts()) starts.push_back(here(start));
        const ValueId to = b.stage(buffers_[number], slot);
        const OpId copied = b.copy_async(to, memory, starts);
        if (arrivals_ && blocks_[number] > 1) kernel_.op(copied).attrs.set(Attr::count, blocks_[number]);
    }

    // The loop once more, with the slot that is read and the one that is filled carried round.
    void carry_slots(Builder& b) {
        const Op old = kernel_.op(staged_.loop);
        std::vector<ValueId> operands = old.operands;
        operands.push_back(b.index(0));
        operands.push_back(b.index(stages_ - 1));
        if (arrivals_) operands.insert(operands.end(), {b.index(0), b.index(0)});
        std::vector<Type> types;
        for (ValueId v : old.results) types.push_back(kernel_.type(v));
        const Type index = Type::scalar(DType::index);
        types.resize(operands.size() - 3, index);
        loop_ = kernel_.add_op(OpKind::for_, old.place, operands, types, old.attrs);
        kernel_.op(loop_).attrs.erase(Attr::prefetch);
        for (size_t i = 0; i < old.results.size(); ++i) {
            kernel_.value(kernel_.op(loop_).results[i]).name = kernel_.value(old.results[i]).name;
            kernel_.replace_uses(old.results[i], kernel_.op(loop_).results[i]);
        }
        const RegionId body = kernel_.add_region(loop_);
        const Region was = kernel_.region(old.regions[0]);
        std::vector<std::pair<ValueId, ValueId>> renamed;
        for (ValueId arg : was.args) {
            renamed.emplace_back(arg, kernel_.add_arg(body, kernel_.type(arg), kernel_.value(arg).name));
        }
        slot_.number = kernel_.add_arg(body, index, "slot");
        next_.number = kernel_.add_arg(body, index, "next");
        if (arrivals_) {
            slot_.phase = kernel_.add_arg(body, index, "phase");
            next_.phase = kernel_.add_arg(body, index, "next_phase");
        }
        auto& outside = kernel_.region(old.parent).ops;
        kernel_.insert(old.parent, static_cast<size_t>(std::ranges::find(outside, staged_.loop) - outside.begin()),
                       loop_);
        kernel_.remove(staged_.loop);
        for (OpId op : was.ops) {
            kernel_.remove(op);
            kernel_.append(body, op);
        }
        for (auto [from, to] : renamed) kernel_.replace_uses(from, to);
        iv_ = renamed[0].second;
    }

    void in_round() {
        const RegionId body = kernel_.op(loop_).regions[0];
        Builder b(kernel_);
        b.before(kernel_.region(body).ops.front());
        b.take_place(loop_);
        Attrs waits;
        if (!arrivals_) waits.set(Attr::count, stages_ - 2);
        const OpId take = ring(b, OpKind::take, slot_, waits);
        // Its body is this one's by now, the index in it another value.
        staged_.loop = loop_;
        std::vector<ValueId> stages;
        for (ValueId buffer : buffers_) stages.push_back(b.stage(buffer, slot_.number));
        for (size_t i = 0; i < staged_.loads.size(); ++i)
            read(kernel_.op(staged_.loads[i]).results[0], stages[i], false);
        const OpId end = kernel_.region(body).ops.back();
        if (arrivals_) pending_ = pending_products(kernel_, loop_, buffers_, machine_);
        const bool turns = arrivals_ && pending_.empty() && take_turns();
        // Where the slot of the round behind this one has been filled for long when this round begins.
        if (arrivals_ && pending_.empty() && !turns && stages_ > 2)
            head_ = product_ahead(kernel_, loop_, buffers_, machine_);
        if (!pending_.empty()) reasons_.emplace_back("products: under way when their round ends");
        if (head_) reasons_.emplace_back("products: the first of a round is started a round ahead");
        std::optional<Slot> after;
        ValueId started;
        if (pending_.empty()) {
            b.before(kernel_.value(stages[0]).op);
            bring(b, iv_, stages_ - 1, next_, {});
            if (head_) {
                kernel_.remove(take);
                after = advanced(b, slot_);
                started = start_ahead(b, *after);
            }
            b.before(end);
            if (started.valid()) started = wait_for(b, {started}, 0)[0];
            ring(b, OpKind::release, slot_, {});
        } else {
            b.before(end);
            keep_pending(b);
            bring(b, iv_, stages_ - 1, next_, {});
        }
        for (OpId load : staged_.loads) kernel_.remove(load);
        b.before(end);
        if (!after) after = advanced(b, slot_);
        const Slot then = advanced(b, next_);
        std::vector<ValueId> carried{after->number, then.number};
        if (arrivals_) carried.insert(carried.end(), {after->phase, then.phase});
        if (started.valid()) carried.push_back(started);
        for (ValueId value : carried) kernel_.op(end).operands.push_back(value);
    }

    // The products say so by their `turn`.
    bool take_turns() {
        const auto turns = product_turns(kernel_, loop_, stages_, machine_);
        if (!turns) return false;
        kernel_.op(turns->passes).attrs.set(Attr::turn, code(Turn::passes));
        kernel_.op(turns->awaits).attrs.set(Attr::turn, code(Turn::awaits));
        reasons_.emplace_back("products: warp groups take turns with them");
        return true;
    }

    Slot advanced(Builder& b, const Slot& slot) const {
        const bool masked = !arrivals_ && std::has_single_bit(static_cast<uint64_t>(stages_));
        if (masked) return {b.bit_and(b.add(slot.number, b.index(1)), b.index(stages_ - 1)), {}};
        const ValueId last = b.element(OpKind::eq, {slot.number, b.index(stages_ - 1)});
        Slot after{b.select(last, b.index(0), b.add(slot.number, b.index(1))), {}};
        if (arrivals_) after.phase = b.select(last, b.sub(b.index(1), slot.phase), slot.phase);
        return after;
    }

    // At most `left` products are under way; the sums of those that are done.
    Values wait_for(Builder& b, Values sums, size_t left) {
        const OpId wait = b.emit(OpKind::wait_group, std::move(sums),
                                 {{Attr::count, static_cast<int64_t>(left)}, {Attr::products, kFlag}});
        return kernel_.op(wait).results;
    }

    // The product of the round behind this one, if there is one, is under way during this round: its sums are carried
    // to it, and the first round's are made before the loop.
    ValueId start_ahead(Builder& b, const Slot& after) {
        const ForOp loop(kernel_, loop_);
        const ValueId lower = loop.lower(), upper = loop.upper();
        const Type type = kernel_.type(kernel_.op(*head_).results[0]);
        Builder before(kernel_);
        before.before(loop_);
        before.take_place(*head_);
        const ValueId first = head_of(before, before.lt(lower, upper), {before.index(0), before.index(0)}, false);
        kernel_.op(loop_).operands.push_back(first);
        kernel_.add_result(loop_, type);
        const ValueId sums = kernel_.add_arg(kernel_.op(loop_).regions[0], type, "ahead");
        const ValueId next = b.add(iv_, ForOp(kernel_, loop_).step());
        const ValueId started = head_of(b, b.lt(next, upper), after, true);
        kernel_.replace_uses(kernel_.op(*head_).results[0], sums);
        kernel_.remove(*head_);
        return started;
    }

    // Of a slot that is taken for it, if there is that round.
    ValueId head_of(Builder& b, ValueId there, const Slot& slot, bool pending) {
        const Op head = kernel_.op(*head_);
        const Type type = kernel_.type(head.results[0]);
        auto product = [&](Builder& inside) {
            ring(inside, OpKind::take, slot, {});
            inside.take_place(*head_);
            Values operands;
            for (ValueId v : head.operands) {
                const bool tile = is_tile(kernel_, v);
                operands.push_back(tile ? v : inside.stage(memory_root(kernel_, v), slot.number));
            }
            Attrs attrs = head.attrs;
            if (pending) attrs.set_flag(Attr::pending);
            return Values{inside.value(OpKind::mma, operands, attrs)};
        };
        auto nothing = [&](Builder& inside) {
            const ValueId zero = is_float(type.elem) ? inside.constant(0.0, type.elem) : inside.constant(0, type.elem);
            return Values{inside.value(OpKind::expand, {zero},
                                       {{Attr::axes, std::vector<int64_t>{}}, {Attr::shape, type.shape}})};
        };
        return kernel_.op(b.if_(there, product, nothing)).results[0];
    }

    // The slot of the round before, which is the next one to be filled, is released when this round's products have
    // been started and that one's are done.
    void keep_pending(Builder& b) {
        for (OpId product : pending_) kernel_.op(product).attrs.set_flag(Attr::pending);
        wait_for(b, {}, pending_.size());
        release_before(b, b.lt(ForOp(kernel_, loop_).lower(), iv_), next_);
    }

    // If there is one.
    void release_before(Builder& b, ValueId there, const Slot& next) {
        const Slot before{next.number, b.sub(b.index(1), next.phase)};
        b.if_(there, [&](Builder& inside) {
            ring(inside, OpKind::release, before, {});
            return Values{};
        });
    }

    // What the last round has started.
    void finish_pending(Builder& b, const Slot& next) {
        const ForOp loop(kernel_, loop_);
        Values sums;
        for (size_t i = 0; i < loop.results().size(); ++i) {
            const OpId made = kernel_.value(loop.next()[i]).op;
            if (made.valid() && std::ranges::find(pending_, made) != pending_.end()) sums.push_back(loop.results()[i]);
        }
        const ValueId some = b.lt(loop.lower(), loop.upper());
        const Values done = wait_for(b, sums, 0);
        for (size_t i = 0; i < sums.size(); ++i) kernel_.replace_uses(sums[i], done[i]);
        kernel_.op(kernel_.value(done[0]).op).operands = sums;
        release_before(b, some, next);
    }

    void close() {
        Builder b(kernel_);
        const auto& around = kernel_.region(kernel_.op(loop_).parent).ops;
        b.before(*(std::ranges::find(around, loop_) + 1));
        b.take_place(loop_);
        std::vector<ValueId> last = kernel_.op(loop_).results;  // …, slot, next, phase, next's phase
        if (head_) last.pop_back();
        if (!pending_.empty()) finish_pending(b, {last.end()[-3], last.end()[-1]});
        b.emit(OpKind::release, {counts_, last.end()[-4], last.end()[-2]}, {{Attr::ring, code(RingUse::close)}});
    }

    // Products read the buffer in the place of the tile.
    void read(ValueId tile, ValueId buffer, bool turned) {
        const Uses uses(kernel_);
        for (OpId user : uses.of(tile)) {
            if (kernel_.op(user).kind == OpKind::transpose) {
                read(kernel_.op(user).results[0], buffer, !turned);
                kernel_.remove(user);
                continue;
            }
            Op& product = kernel_.op(user);
            for (const auto& [operand, flag] :
                 {std::pair{MmaOp::kA, Attr::a_transposed}, std::pair{MmaOp::kB, Attr::b_transposed}}) {
                if (product.operands[operand] != tile) continue;
                product.operands[operand] = buffer;
                if (!turned) continue;
                product.attrs.has(flag) ? product.attrs.erase(flag) : product.attrs.set_flag(flag);
            }
        }
    }

    Function& kernel_;
    StagedLoop staged_;
    int64_t stages_;
    const GpuMachine& machine_;
    std::vector<ValueId> buffers_;
    std::vector<int64_t> blocks_;  // by arrivals: of a cluster, that bring a load together
    bool of_cluster_ = false;      // some load is brought by more than one
    std::vector<OpId> pending_;    // products that are under way when their round ends
    std::optional<OpId> head_;     // a product that is under way during the round before its own
    bool arrivals_;                // slots are waited for by arrivals
    ValueId counts_;               // of them
    OpId loop_;
    ValueId iv_;
    Slot slot_, next_;
    std::vector<std::string> reasons_;
};

}  // namespace

std::vector<std::string> stage(Function& kernel, const GpuMachine& machine) {
    std::vector<std::string> reasons;
    if (!kernel.plan || kernel.plan->gpu().stages < 2) return reasons;
    for (const StagedLoop& loop : staged_loops(kernel, machine)) {
        const int64_t stages = stages_of(loop, kernel.plan->gpu());
        if (stages < 2) continue;
        for (std::string& reason : Stager(kernel, loop, stages, machine).run()) reasons.push_back(std::move(reason));
    }
    return reasons;
}

}  // namespace tsr::ir
