#include "ir/passes/target/gpu/rings/producer_part.h"

#include <algorithm>

#include "ir/ops/control.h"
#include "ir/ops/memory.h"
#include "ir/ops/tile.h"
#include "ir/passes/tile/walk.h"

namespace tsr::ir {

namespace {

class Slicer {
public:
    explicit Slicer(const Function& kernel) : kernel_(kernel) {}

    std::optional<ProducerPart> run() {
        bool rings = false;
        walk(kernel_, kernel_.body, [&](OpId id) {
            const OpKind kind = kernel_.op(id).kind;
            if (kind == OpKind::copy_async) keep(id);
            if (!is_of_ring(kind)) return;
            const RingOp ring(kernel_, id);
            switch (ring.step()) {
                case RingStep::acquire:
                case RingStep::fill:
                    rings = true;
                    possible_ = possible_ && (ring.by_arrivals() || ring.opens());
                    return keep(id);
                case RingStep::take:
                    return;
                case RingStep::release:
                    if (ring.closes()) keep(id);
                    return;
            }
        });
        return rings && possible_ ? std::optional(std::move(part_)) : std::nullopt;
    }

private:
    // With what it stands in, and what it is given.
    void keep(OpId id) {
        if (!possible_ || !part_.ops.insert(id).second) return;
        const Op& op = kernel_.op(id);
        if (const OpId around = kernel_.region(op.parent).parent; around.valid()) keep(around);
        switch (flow(op.kind)) {
            case Flow::counted:
                want(kernel_.region(op.regions[0]).args[0]);  // a loop has its index, wanted or not
                return want_all(op, ForOp::kFirstInit);
            case Flow::branch:
                return want_all(op, 1);
            case Flow::repeated:
            case Flow::lanes:
            case Flow::active_lanes:
                possible_ = false;
                return;
            case Flow::rounds:
            case Flow::straight:
                return want_all(op, op.operands.size());
        }
    }

    void want_all(const Op& op, size_t count) {
        for (size_t i = 0; i < count; ++i) want(op.operands[i]);
    }

    void want(ValueId id) {
        if (!possible_ || !part_.values.insert(id).second) return;
        const Value& value = kernel_.value(id);
        const Type& type = kernel_.type(id);
        possible_ = type.is_scalar() || type.is_memory();
        if (!value.op.valid()) return want_argument(id);
        const Op& op = kernel_.op(value.op);
        if (op.kind == OpKind::for_ || op.kind == OpKind::if_) {
            keep(value.op);
            return want_carried(op, static_cast<size_t>(std::ranges::find(op.results, id) - op.results.begin()));
        }
        possible_ = possible_ && op.regions.empty() && is_known_before(op);
        keep(value.op);
    }

    void want_argument(ValueId id) {
        const RegionId region = kernel_.value(id).region;
        const OpId around = kernel_.region(region).parent;
        if (!around.valid()) return;
        keep(around);
        const Op& op = kernel_.op(around);
        const auto& args = kernel_.region(region).args;
        const auto number = static_cast<size_t>(std::ranges::find(args, id) - args.begin());
        if (op.kind == OpKind::for_ && number > 0) want_carried(op, number - 1);
    }

    void want_carried(const Op& op, size_t number) {
        want(op.results[number]);
        for (RegionId region : op.regions) want(kernel_.op(kernel_.region(region).ops.back()).operands[number]);
        if (op.kind != OpKind::for_) return;
        const ForOp loop(kernel_, op);
        want(loop.inits()[number]);
        want(loop.carried()[number]);
    }

    // The same whenever it is asked for.
    [[nodiscard]] bool is_known_before(const Op& op) const {
        if (op.kind == OpKind::buffer || op.kind == OpKind::stage) return true;
        if (op.kind == OpKind::read) {
            const Type& memory = kernel_.type(ReadOp(kernel_, op).memory());
            return memory.kind == TypeKind::tensor && !memory.mut;
        }
        return is_pure(op.kind);
    }

    const Function& kernel_;
    ProducerPart part_;
    bool possible_ = true;
};

}  // namespace

std::optional<ProducerPart> producer_part(const Function& kernel) { return Slicer(kernel).run(); }

}  // namespace tsr::ir
