#include "ir/passes/target/gpu/tiles/thread_numbers.h"

#include <algorithm>
#include <bit>
#include <utility>

namespace tsr::ir {

// Made before the control flow that the code at hand stands in: the operation that it stands in joins that region only
// when it is done.
template <typename Make>
ValueId ThreadNumbers::hoisted(Make make) {
    const RegionId here = std::exchange(emit_.region, known_.region);
    const ValueId value = make();
    emit_.region = here;
    return value;
}

// Loops whose sums fill the registers have no room for dozens of addresses of what follows.
void ThreadNumbers::behind_loops(OpId id, const std::function<void()>& body) {
    const auto& ops = code_.tile.region(code_.tile.op(id).parent).ops;
    const bool behind = std::any_of(ops.begin(), std::ranges::find(ops, id), [&](OpId before) {
        return code_.tile.op(before).kind == OpKind::for_ || code_.tile.op(before).kind == OpKind::while_;
    });
    if (!behind) return body();
    const ValueId anew = emit_.op(OpKind::thread_id, {}, {{Attr::anew, kFlag}});
    const Known before = std::exchange(known_, Known{anew, emit_.region, {}, {}, {}, {}});
    body();
    known_ = before;
}

// Descriptors are the same in all lanes: so that this is seen, the first one tells it.
ValueId ThreadNumbers::group_number() {
    if (known_.group.valid()) return known_.group;
    return known_.group = hoisted([&] {
               const ValueId number = emit_.binary(OpKind::shr, known_.thread, emit_.integer(7));
               const ValueId told =
                   emit_.op(OpKind::warp_shuffle, {emit_.cast(number, DType::i32), emit_.integer(0, DType::i32)},
                            {{Attr::shuffle, ir::code(ShuffleBy::index)}});
               return emit_.cast(told, DType::index);
           });
}

std::vector<Bits> ThreadNumbers::thread_columns(const LinearMap& map) {
    std::vector<Bits> columns = map.columns(Counted::lane);
    columns.resize(5, 0);
    for (Bits column : map.columns(Counted::warp)) columns.push_back(column);
    return columns;
}

ThreadPart ThreadNumbers::thread_part(const LinearMap& map, Counted out) {
    std::vector<Bits> columns = thread_columns(map);
    for (Bits& column : columns) column = static_cast<Bits>(map.part(column, out));
    return thread_part(columns);
}

// Bits of the thread's number that become bits of the result in their order are one shift and one mask.
ThreadPart ThreadNumbers::thread_part(const std::vector<Bits>& columns) {
    if (auto found = known_.parts.find(columns); found != known_.parts.end()) return found->second;
    ThreadPart out;
    out.value = hoisted([&] {
        std::vector<Bits> left = columns;
        ValueId sum;
        bool disjoint = true;
        for (size_t i = 0; i < left.size(); ++i) {
            while (left[i] != 0) {
                const int to = std::countr_zero(left[i]);
                size_t count = 0;
                for (size_t bit = static_cast<size_t>(to); bit < 64 && i + count < left.size(); ++bit, ++count) {
                    if ((left[i + count] >> bit & 1) == 0) break;
                    left[i + count] ^= Bits{1} << bit;
                }
                ValueId piece = known_.thread;
                if (i > 0) piece = emit_.binary(OpKind::shr, piece, emit_.integer(static_cast<int64_t>(i)));
                piece = emit_.binary(OpKind::bit_and, piece, emit_.integer((int64_t{1} << count) - 1));
                if (to > 0) piece = emit_.binary(OpKind::shl, piece, emit_.integer(to));
                // NOLINTNEXTLINE(clang-analyzer-core.BitwiseShift): something is left, so `to` is a bit of it
                const Bits reached = ((Bits{1} << count) - 1) << to;
                disjoint = disjoint && (out.bits & reached) == 0;
                out.bits |= reached;
                if (!sum.valid()) {
                    sum = piece;
                } else {
                    sum = emit_.binary(disjoint ? OpKind::add : OpKind::bit_xor, sum, piece);
                }
            }
        }
        return sum.valid() ? sum : emit_.integer(0);
    });
    return known_.parts[columns] = out;
}

ValueId ThreadNumbers::plus(const ThreadPart& part, Bits constant) {
    ValueId out = part.value;
    const Bits both = constant & part.bits;
    if (both != 0) out = emit_.binary(OpKind::bit_xor, out, emit_.integer(static_cast<int64_t>(both)));
    return emit_.add(out, emit_.integer(static_cast<int64_t>(constant & ~both)));
}

ValueId ThreadNumbers::with_bits(Bits bits, Bits value) {
    if (bits == 0) return {};
    ValueId& found = known_.owners[{bits, value}];
    if (found.valid()) return found;
    return found = hoisted([&] {
               ValueId set = emit_.binary(OpKind::bit_and, known_.thread, emit_.integer(static_cast<int64_t>(bits)));
               return emit_.compare(OpKind::eq, set, emit_.integer(static_cast<int64_t>(value)));
           });
}

ValueId ThreadNumbers::without_bits(Bits lane, Bits warp) { return with_bits(lane | warp << 5, 0); }

ValueId ThreadNumbers::writers(const LinearMap& atom) { return last_writers(atom, 0); }

ValueId ThreadNumbers::last_writers(const LinearMap& atom, Bits lanes) {
    const Bits copies = atom.copy_bits();
    Bits of_lane = 0, of_warp = 0;
    for (int at = 0; const BitField& field : atom.in()) {
        const Bits bits = copies >> at & ((Bits{1} << field.bits) - 1);
        if (field.counted == Counted::lane) of_lane = bits;
        if (field.counted == Counted::warp) of_warp = bits;
        at += field.bits;
    }
    return with_bits(of_lane | of_warp << 5 | lanes, lanes);
}

ValueId ThreadNumbers::parity(Bits lanes) {
    ValueId& found = known_.parities[lanes];
    if (found.valid()) return found;
    std::vector<Bits> columns;
    for (int bit = 0; bit < 5; ++bit) columns.push_back(lanes >> bit & 1);
    const ValueId number = thread_part(columns).value;
    return found = hoisted([&] { return emit_.compare(OpKind::ne, number, emit_.integer(0)); });
}

}  // namespace tsr::ir
