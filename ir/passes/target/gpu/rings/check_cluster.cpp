#include "ir/passes/target/gpu/rings/check_cluster.h"

#include <algorithm>
#include <span>
#include <unordered_map>
#include <unordered_set>

#include <fmt/format.h>

#include "ir/ops/boxes.h"
#include "ir/ops/control.h"
#include "ir/ops/tile.h"
#include "ir/passes/tile/walk.h"
#include "ir/text/print.h"

namespace tsr::ir {

namespace {

class ClusterChecker {
public:
    explicit ClusterChecker(const Function& kernel) : kernel_(kernel) {}

    std::vector<std::string> run() {
        walk(kernel_, kernel_.body, [&](OpId id) { note_copies(id); });
        if (blocks_.empty()) return {};
        size_t before = 0;
        do {
            before = own_.size();
            walk(kernel_, kernel_.body, [&](OpId id) { spread(id); });
        } while (own_.size() != before);
        walk(kernel_, kernel_.body, [&](OpId id) { check(id); });
        return std::move(messages_);
    }

private:
    void say(OpId id, const char* what) { messages_.push_back(fmt::format("{}: {}", print_line(kernel_, id), what)); }

    [[nodiscard]] static bool is_ring(const Op& op) { return op.kind >= OpKind::acquire && op.kind <= OpKind::release; }

    // By the buffers they go to.
    void note_copies(OpId id) {
        if (kernel_.op(id).kind != OpKind::copy_async || CopyAsyncOp(kernel_, id).blocks() < 2) return;
        blocks_[memory_root(kernel_, CopyAsyncOp(kernel_, id).to())] = CopyAsyncOp(kernel_, id).blocks();
    }

    // ---- values that blocks of a cluster may have each its own of ----

    [[nodiscard]] bool own(ValueId value) const { return own_.contains(value); }
    template <typename Values>
    [[nodiscard]] bool any_own(const Values& values) const {
        return std::ranges::any_of(values, [&](ValueId value) { return own(value); });
    }

    void spread(OpId id) {
        const Op& op = kernel_.op(id);
        if (op.kind == OpKind::grid) {
            const auto& args = kernel_.region(op.regions[0]).args;
            const auto axis = static_cast<size_t>(kernel_.plan->gpu().cluster_columns > 1 ? 1 : 0);
            if (axis < args.size()) own_.insert(args[axis]);
            return;
        }
        if (op.kind == OpKind::for_ || op.kind == OpKind::if_) return spread_control(op);
        const bool reads = std::ranges::any_of(read_memories(kernel_, op), [&](ValueId memory) {
            const Type& type = kernel_.type(memory);
            return type.kind != TypeKind::tensor || type.mut;
        });
        const bool is_handle = op.kind == OpKind::stage || op.kind == OpKind::buffer;
        if (!is_handle && (reads || !op.regions.empty() || any_own(op.operands)))
            own_.insert(op.results.begin(), op.results.end());
    }

    void spread_control(const Op& op) {
        const bool loop = op.kind == OpKind::for_;
        const ValueSpan inits = loop ? ForOp(kernel_, op).inits() : ValueSpan();
        const bool decided = any_own(ValueSpan(op.operands).first(op.operands.size() - inits.size()));
        for (size_t i = 0; i < op.results.size(); ++i) {
            bool is_own = decided || (loop && own(inits[i]));
            for (RegionId region : op.regions)
                is_own = is_own || own(kernel_.op(kernel_.region(region).ops.back()).operands[i]);
            if (!is_own) continue;
            own_.insert(op.results[i]);
            if (loop) own_.insert(kernel_.region(op.regions[0]).args[1 + i]);
        }
        if (loop && decided) own_.insert(kernel_.region(op.regions[0]).args[0]);
    }

    // ---- what is promised ----

    void check(OpId id) {
        const Op& op = kernel_.op(id);
        if (op.kind == OpKind::copy_async && CopyAsyncOp(kernel_, id).blocks() > 1) {
            if (any_own(CopyAsyncOp(kernel_, id).starts())) say(id, "brings together what begins elsewhere for each");
            if (!is_of_ring(CopyAsyncOp(kernel_, id).to())) say(id, "copies to other blocks what no ring holds");
            return check_way(id);
        }
        if (!is_ring(op) || RingOp(kernel_, id).opens() || RingOp(kernel_, id).closes()) return;
        int64_t blocks = 1;
        for (ValueId buffer : RingOp(kernel_, id).buffers()) {
            if (const auto found = blocks_.find(buffer); found != blocks_.end()) blocks = found->second;
        }
        if (blocks == 1) return;
        if (op.kind == OpKind::release && RingOp(kernel_, id).blocks() < blocks)
            say(id, "releases a slot, but not to all blocks that copy into it");
        const RingOp ring(kernel_, id);
        if (own(ring.slot()) || own(ring.phase())) say(id, "a slot that may be another one for each block");
        check_way(id);
    }

    [[nodiscard]] bool is_of_ring(ValueId to) const {
        const ValueId root = memory_root(kernel_, to);
        return any_below(kernel_, kernel_.body, [&](const Op& op) {
            return op.kind == OpKind::release && std::ranges::find(op.operands, root) != op.operands.end();
        });
    }

    void check_way(OpId id) {
        for (OpId at = kernel_.region(kernel_.op(id).parent).parent; at.valid();
             at = kernel_.region(kernel_.op(at).parent).parent) {
            const Op& around = kernel_.op(at);
            if (around.kind == OpKind::grid) continue;
            const size_t decide = around.kind == OpKind::for_ ? 3 : around.kind == OpKind::if_ ? 1 : 0;
            if (decide == 0 || any_own(std::span(around.operands).first(decide)))
                return say(id, "stands where one block may come and another one not");
        }
    }

    const Function& kernel_;
    std::unordered_map<ValueId, int64_t> blocks_;
    std::unordered_set<ValueId> own_;
    std::vector<std::string> messages_;
};

// Follows the bytes that copies have started to bring, from the arrival that expected those before.
class Bytes {
public:
    Bytes(const Function& thread, std::vector<std::string>& messages) : thread_(thread), messages_(messages) {}

    int64_t region(RegionId id, int64_t under_way) {
        for (OpId op : thread_.region(id).ops) under_way = operation(op, under_way);
        return under_way;
    }
    void say(OpId id, const char* what) { messages_.push_back(fmt::format("{}: {}", print_line(thread_, id), what)); }

private:
    int64_t operation(OpId id, int64_t under_way) {
        const Op& op = thread_.op(id);
        if (op.kind == OpKind::copy_box) return under_way + bytes_of({thread_, id});
        if (op.kind == OpKind::mbarrier_arrive && op.attrs.has(Attr::count)) {
            if (op.attrs.integer(Attr::count) != under_way) say(id, "expects other bytes than are copied");
            return 0;
        }
        if (op.kind == OpKind::if_) {
            const int64_t then = region(op.regions[0], under_way), otherwise = region(op.regions[1], under_way);
            // Of threads some do it.
            if (thread_.region(op.regions[1]).ops.size() == 1) return then;
            if (then != otherwise) say(id, "copies other bytes in its two branches");
            return then;
        }
        for (RegionId inner : op.regions) {
            if (region(inner, 0) != 0) say(id, "leaves bytes that no arrival expects");
        }
        return under_way;
    }

    // Of all blocks together, to each of them.
    [[nodiscard]] int64_t bytes_of(const BoxOp& copy) const {
        constexpr int64_t kBlocks = 2;
        int64_t bytes = bits(thread_.type(copy.tensor()).elem) / 8;
        for (const int64_t extent : copy.extents()) bytes *= extent;
        return copy.of_cluster() ? bytes * kBlocks : bytes;
    }

    const Function& thread_;
    std::vector<std::string>& messages_;
};

}  // namespace

std::vector<std::string> check_cluster(const Function& kernel) { return ClusterChecker(kernel).run(); }

std::vector<std::string> check_boxes(const Function& thread) {
    std::vector<std::string> messages;
    Bytes bytes(thread, messages);
    bytes.region(thread.body, 0);
    const auto below = [&](OpId id, auto predicate) { return any_in(thread, id, predicate); };
    const auto of_others = [](const Op& op) { return op.kind == OpKind::copy_box && op.attrs.has(Attr::cluster); };
    if (!any_below(thread, thread.body, of_others)) return messages;
    const auto meets = [&](OpId id) { return thread.op(id).kind == OpKind::cluster_barrier; };
    bool made = false, met = false;
    OpId last;
    for (OpId id : thread.region(thread.body).ops) {
        if (thread.op(id).kind == OpKind::yield) continue;
        made = made || below(id, [](const Op& op) { return op.kind == OpKind::mbarrier_init; });
        met = met || (made && meets(id));
        const bool uses =
            below(id, [](const Op& op) { return op.kind == OpKind::copy_box || op.kind == OpKind::mbarrier_wait; });
        if (uses && !met) bytes.say(id, "copies to blocks that may not have begun");
        last = id;
    }
    if (!meets(last)) bytes.say(last, "ends while other blocks may still copy to it");
    return messages;
}

}  // namespace tsr::ir
