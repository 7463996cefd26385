// Copies of views that lie inside of their tensors, in pieces of 16 bytes without conditions.
#include "ir/passes/target/gpu/thread_code.h"

namespace tsr::ir {

namespace {

constexpr int64_t kMostRounds = 32;  // pieces of one thread that are written one after the other
constexpr int64_t kRowsOfBanks = 8;  // rows after which a swizzle begins anew

}  // namespace

// All of the view is inside of the tensor.
ValueId ThreadCode::inside(const Memory& to, const Memory& from, const std::vector<ValueId>& start) {
    const size_t lead = start.size() - to.dims.size();
    ValueId all = emit.boolean(true);
    for (size_t i = 0; i < start.size(); ++i) {
        const ValueId extent = i < lead ? emit.integer(1) : to.dims[i - lead];
        const ValueId ends = emit.compare(OpKind::le, emit.add(start[i], extent), from.dims[i]);
        all = emit.binary(OpKind::bit_and, all, emit.compare(OpKind::ge, start[i], emit.integer(0)));
        all = emit.binary(OpKind::bit_and, all, ends);
    }
    return all;
}

bool ThreadCode::copies_whole(const Memory& to, int64_t chunk) const {
    return to.dims.size() == 2 && to.elements / chunk <= kMostRounds * plan.threads;
}

// Threads take neighbouring pieces, rows after rows.
void ThreadCode::copy_whole(const Memory& to, const Memory& from, const std::vector<ValueId>& start, int64_t chunk) {
    const int64_t width = *emit.integer_value(to.dims[1]), in_row = width / chunk, pieces = to.elements / chunk;
    const ValueId row_length = from.dims.back();
    const ValueId begin = emit.pointer_add(from.pointer, linear(from, start));
    auto place = [&](ValueId number) {
        const ValueId row = emit.binary(OpKind::floordiv, number, emit.integer(in_row));
        const ValueId column = emit.binary(OpKind::mod, number, emit.integer(in_row));
        return std::pair(row, emit.mul(column, emit.integer(chunk)));
    };
    auto piece = [&](ValueId target_place, ValueId source) {
        emit.statement(OpKind::async_copy, {target_place, source, emit.integer(kAccess, DType::i32)},
                       {{Attr::width, kAccess}});
    };
    const auto [row, column] = place(thread_);
    const int64_t rows = plan.threads / in_row;  // of one round, where it is of whole rows
    const bool whole_rows = plan.threads % in_row == 0;
    const bool same_phase = whole_rows && (to.swizzle.piece == 0 || rows % kRowsOfBanks == 0);
    const ValueId first = address(to, {row, column});
    ValueId source = emit.pointer_add(begin, emit.add(emit.mul(row, row_length), column));
    for (int64_t round = 0; round * plan.threads < pieces; ++round) {
        const ValueId number = emit.add(thread_, emit.integer(round * plan.threads));
        auto one = [&] {
            if (!whole_rows && round > 0) {
                const auto [r, c] = place(number);
                piece(address(to, {r, c}), emit.pointer_add(begin, emit.add(emit.mul(r, row_length), c)));
            } else if (same_phase) {
                piece(emit.pointer_add(first, emit.integer(round * rows * width)), source);
            } else {
                piece(address(to, {emit.add(row, emit.integer(round * rows)), column}), source);
            }
        };
        if ((round + 1) * plan.threads <= pieces) {
            one();
        } else {
            when(emit.compare(OpKind::lt, number, emit.integer(pieces)), one);
        }
        if (whole_rows && (round + 1) * plan.threads < pieces) {
            source = emit.pointer_add(source, emit.mul(row_length, emit.integer(rows)));
        }
    }
}

}  // namespace tsr::ir
