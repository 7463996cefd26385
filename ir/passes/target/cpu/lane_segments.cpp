// Lanes whose indices wrap around: `(j + W - 1) % W` of a lane number j, `i // W` and `i % W` of a flat one.
//
// The remainder of consecutive numbers is consecutive until it begins anew at 0, and the quotient is one number until
// then. So the rounds are divided where any remainder begins anew: inside of a segment remainders are the number of the
// round plus something, so that elements at them are neighbours in memory, and no lane divides. A segment costs a
// division for each remainder; where a divisor is small the rounds are not divided, and lanes divide for themselves.
#include <algorithm>
#include <array>

#include "ir/ops/element.h"
#include "ir/passes/target/cpu/group_code.h"
#include "ir/passes/tile/walk.h"

namespace tsr::ir {

namespace {

// Divisors below so many vectors make segments too short.
constexpr int64_t kShortest = 4;

// What extents and offsets are computed with. A number found in another way is taken to be each lane's own.
constexpr std::array kOfExtents{OpKind::constant, OpKind::dim,     OpKind::cast,    OpKind::add,      OpKind::sub,
                                OpKind::mul,      OpKind::minimum, OpKind::maximum, OpKind::floordiv, OpKind::mod};

// A remainder or quotient of the lanes' number.
struct SegmentSplit {
    ValueId dividend, divisor;
    std::vector<OpId> remainders, quotients;  // the operations that give them
};

class SegmentSplits {
public:
    SegmentSplits(const Spread& spread, const Op& lanes) : s_(spread), tile_(spread.tile), region_(lanes.regions[0]) {
        walk(tile_, region_, [&](OpId id) { inside_.insert(id); });
        walk(tile_, region_, [&](OpId id) { visit(id); });
    }

    std::vector<SegmentSplit> found;  // a dividend may be made of the remainders of those before

    // The lanes' own number, or a remainder, and what is a scalar away from them.
    [[nodiscard]] bool is_consecutive(ValueId v) const {
        if (tile_.type(v).elem != DType::index) return false;
        if (v == tile_.region(region_).args.back() || remainders_.contains(v)) return true;
        const OpId from = tile_.value(v).op;
        if (!from.valid() || !inside_.contains(from)) return false;
        const Op& op = tile_.op(from);
        if (op.kind != OpKind::add && op.kind != OpKind::sub) return false;
        const BinaryOp sum(tile_, op);
        if (op.kind == OpKind::add && is_scalar(sum.lhs())) return is_consecutive(sum.rhs());
        return is_scalar(sum.rhs()) && is_consecutive(sum.lhs());
    }

    // A whole number that is known before the rounds: from outside, of an outer axis, or computed of such.
    [[nodiscard]] bool is_scalar(ValueId v) const {
        if (tile_.type(v).kind != TypeKind::scalar || !is_integer(tile_.type(v).elem)) return false;
        const Value& value = tile_.value(v);
        if (!value.op.valid() && value.region == region_) return v != tile_.region(region_).args.back();
        const OpId from = defining_op(tile_, v);
        if (!from.valid() || !inside_.contains(from)) return s_.scalars.contains(v);
        if (!value.op.valid()) return false;  // a loop carries it, or counts with it
        const Op& op = tile_.op(value.op);
        return std::ranges::find(kOfExtents, op.kind) != kOfExtents.end() &&
               std::ranges::all_of(op.operands, [&](ValueId operand) { return is_scalar(operand); });
    }

    [[nodiscard]] bool is_inside(ValueId v) const {
        return tile_.value(v).op.valid() && inside_.contains(tile_.value(v).op);
    }

private:
    void visit(OpId id) {
        const Op& op = tile_.op(id);
        if (op.kind != OpKind::mod && op.kind != OpKind::floordiv) return;
        const BinaryOp division(tile_, op);
        const ValueId dividend = division.lhs(), divisor = division.rhs();
        if (!is_consecutive(dividend) || !is_scalar(divisor)) return;
        if (tile_.type(divisor).elem != DType::index) return;
        auto at = std::ranges::find_if(
            found, [&](const SegmentSplit& d) { return d.dividend == dividend && d.divisor == divisor; });
        if (at == found.end()) at = found.insert(at, {dividend, divisor, {}, {}});
        (op.kind == OpKind::mod ? at->remainders : at->quotients).push_back(id);
        if (op.kind == OpKind::mod) remainders_.insert(op.results[0]);
    }

    const Spread& s_;
    const Function& tile_;
    RegionId region_;
    std::unordered_set<OpId> inside_;
    std::unordered_set<ValueId> remainders_;
};

// Values of the region as scalars at the insertion point: known ones, and what is computed of them. Not by `Cloner`:
// dimensions and casts become what they are in the program of a task.
class Scalars {
public:
    explicit Scalars(Spread& spread, const SegmentSplits& divisions) : s_(spread), divisions_(divisions) {}

    void set(ValueId old, ValueId scalar) { known_[old] = scalar; }

    ValueId of(ValueId v) {
        if (auto known = known_.find(v); known != known_.end()) return known->second;
        if (!divisions_.is_inside(v)) return s_.scalars.at(v);
        const Op& op = s_.tile.op(s_.tile.value(v).op);
        if (op.kind == OpKind::dim) return s_.dimension(op.attrs.dim(Attr::dim));
        std::vector<ValueId> operands;
        for (ValueId operand : op.operands) operands.push_back(of(operand));
        return s_.emit.op(op.kind, operands, op.attrs);
    }

private:
    Spread& s_;
    const SegmentSplits& divisions_;
    std::unordered_map<ValueId, ValueId> known_;
};

}  // namespace

bool GroupCode::in_segments(const Lanes& lanes, ValueId first, ValueId last) {
    if (emit_.integer_value(lanes.axis.step) != 1) return false;
    const SegmentSplits divisions(s_, lanes.op);
    if (divisions.found.empty()) return false;
    const auto& args = s_.tile.region(lanes.op.regions[0]).args;
    Scalars scalars(s_, divisions);
    for (size_t i = 0; i < lanes.outer.size(); ++i) scalars.set(args[i], lanes.outer[i]);
    std::vector<ValueId> divisors;
    ValueId large = emit_.boolean(true);
    for (const SegmentSplit& division : divisions.found) {
        divisors.push_back(scalars.of(division.divisor));
        large = emit_.binary(OpKind::bit_and, large,
                             emit_.compare(OpKind::ge, divisors.back(), emit_.integer(kShortest * s_.lanes())));
    }
    // From `begin` on: what the operations give, and where the first of the remainders begins anew.
    auto segment = [&](ValueId begin, std::vector<Wrapped>& wrapped) {
        Scalars here = scalars;
        here.set(args.back(), emit_.add(lanes.axis.lower, begin));
        ValueId end = last;
        for (size_t i = 0; i < divisors.size(); ++i) {
            const SegmentSplit& division = divisions.found[i];
            const ValueId number = here.of(division.dividend);
            const ValueId quotient = emit_.binary(OpKind::floordiv, number, divisors[i]);
            const ValueId remainder = emit_.binary(OpKind::sub, number, emit_.mul(quotient, divisors[i]));
            const ValueId left = emit_.binary(OpKind::sub, divisors[i], remainder);
            end = emit_.binary(OpKind::minimum, end, emit_.add(begin, left));
            const ValueId ahead = emit_.binary(OpKind::sub, remainder, begin);
            for (OpId id : division.remainders) {
                here.set(s_.tile.op(id).results[0], remainder);
                wrapped.push_back({s_.tile.op(id).results[0], ahead, true});
            }
            for (OpId id : division.quotients) wrapped.push_back({s_.tile.op(id).results[0], quotient, false});
        }
        return end;
    };
    auto segments = [&] {
        const RegionId outside = emit_.region;
        const OpId made = emit_.open(OpKind::while_, {first});
        emit_.region = emit_.add_region(made);
        emit_.yield({emit_.compare(OpKind::lt, s_.target.add_arg(emit_.region, Type::scalar(DType::index)), last)});
        emit_.region = emit_.add_region(made);
        const ValueId begin = s_.target.add_arg(emit_.region, Type::scalar(DType::index), "segment");
        std::vector<Wrapped> wrapped;
        const ValueId end = segment(begin, wrapped);
        vectors(lanes, begin, end, wrapped);
        emit_.yield({end});
        emit_.close(made, outside);
    };
    emit_.either(large, segments, [&] { vectors(lanes, first, last, {}); });
    return true;
}

}  // namespace tsr::ir
