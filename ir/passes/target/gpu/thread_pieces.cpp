// Copies of views of two axes in pieces of 16 bytes: threads take neighbouring pieces, rows after rows.
#include "ir/passes/target/gpu/thread_code.h"

namespace tsr::ir {

namespace {

constexpr int64_t kMostPieceRounds = 32;  // pieces of one thread that are written one after the other
constexpr int64_t kRowsOfBanks = 8;       // rows after which a swizzle begins anew

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

bool ThreadCode::copies_pieces(const Memory& to, int64_t chunk) const {
    return to.dims.size() == 2 && to.elements / chunk <= kMostPieceRounds * plan.gpu().threads;
}

ThreadCode::Piece ThreadCode::piece(const Memory& to, int64_t chunk, ValueId number) {
    const ValueId in_row = emit.integer(*emit.integer_value(to.dims[1]) / chunk);
    return {emit.binary(OpKind::floordiv, number, in_row),
            emit.mul(emit.binary(OpKind::mod, number, in_row), emit.integer(chunk))};
}

// Of the view's piece: how many of its bytes lie in the tensor, all of them behind its first element there.
ValueId ThreadCode::bytes_inside(const Memory& from, const std::vector<ValueId>& start, const Piece& at,
                                 int64_t chunk) {
    const size_t rank = start.size();
    const ValueId row = emit.add(start[rank - 2], at.row), column = emit.add(start[rank - 1], at.column);
    ValueId in = emit.compare(OpKind::ge, column, emit.integer(0));
    for (size_t i = 0; i + 1 < rank; ++i) {
        const ValueId index = i + 2 == rank ? row : start[i];
        in = emit.binary(OpKind::bit_and, in, emit.compare(OpKind::ge, index, emit.integer(0)));
        in = emit.binary(OpKind::bit_and, in, emit.compare(OpKind::lt, index, from.dims[i]));
    }
    ValueId left = emit.binary(OpKind::sub, from.dims.back(), column);
    left = emit.binary(OpKind::minimum, emit.binary(OpKind::maximum, left, emit.integer(0)), emit.integer(chunk));
    const ValueId bytes = emit.mul(emit.select(in, left, emit.integer(0)), emit.integer(kAccess / chunk));
    return emit.cast(bytes, DType::i32);
}

// This thread's number, told by itself: what is computed of it stays behind this, and takes no registers in a loop
// around from what its rounds always do.
ValueId ThreadCode::thread_here() {
    const ValueId number = shuffle(ShuffleBy::index, emit.cast(thread_, DType::i32), lane_);
    return emit.cast(number, DType::index);
}

// `whole`: the view lies inside of the tensor; else what does not is 0.
void ThreadCode::copy_pieces(const Memory& to, const Memory& from, const std::vector<ValueId>& start, int64_t chunk,
                             bool whole) {
    const int64_t width = *emit.integer_value(to.dims[1]), in_row = width / chunk, pieces = to.elements / chunk;
    const ValueId row_length = from.dims.back();
    const ValueId begin = emit.pointer_add(from.pointer, linear(from, start));
    auto source_of = [&](const Piece& at) {
        return emit.pointer_add(begin, emit.add(emit.mul(at.row, row_length), at.column));
    };
    auto copy = [&](ValueId place, ValueId source, const Piece& at) {
        // Of a piece without bytes the address is not read, and need not be one.
        const ValueId bytes = whole ? emit.integer(kAccess, DType::i32) : bytes_inside(from, start, at, chunk);
        emit.statement(OpKind::async_copy, {place, source, bytes}, {{Attr::width, kAccess}});
    };
    const ValueId thread = whole ? thread_ : thread_here();
    const Piece mine = piece(to, chunk, thread);
    const int64_t rows = plan.gpu().threads / in_row;  // of one round, where it is of whole rows
    const bool whole_rows = plan.gpu().threads % in_row == 0;
    const bool same_phase = whole_rows && (to.swizzle.piece == 0 || rows % kRowsOfBanks == 0);
    const ValueId first = address(to, {mine.row, mine.column});
    ValueId source = source_of(mine);
    for (int64_t round = 0; round * plan.gpu().threads < pieces; ++round) {
        const ValueId number = emit.add(thread, emit.integer(round * plan.gpu().threads));
        auto one = [&] {
            if (!whole_rows && round > 0) {
                const Piece at = piece(to, chunk, number);
                return copy(address(to, {at.row, at.column}), source_of(at), at);
            }
            const Piece at{emit.add(mine.row, emit.integer(round * rows)), mine.column};
            const ValueId place = same_phase ? emit.pointer_add(first, emit.integer(round * rows * to.pitch(width)))
                                             : address(to, {at.row, at.column});
            copy(place, source, at);
        };
        if ((round + 1) * plan.gpu().threads <= pieces) {
            one();
        } else {
            when(emit.compare(OpKind::lt, number, emit.integer(pieces)), one);
        }
        if (whole_rows && (round + 1) * plan.gpu().threads < pieces) {
            source = emit.pointer_add(source, emit.mul(row_length, emit.integer(rows)));
        }
    }
}

// Where rows begin anywhere: `chunk` elements one by one, then a store of them all.
void ThreadCode::copy_unaligned(const Memory& to, const Memory& from, const std::vector<ValueId>& start,
                                int64_t chunk) {
    const size_t rank = start.size();
    const Type type = Type::scalar(emit.element_type(to.pointer));
    const ValueId none = emit.constant(is_float(type.elem) ? AttrValue{0.0} : AttrValue{int64_t{0}}, type.elem);
    counted_loop(thread_here(), emit.integer(to.elements / chunk), plan.gpu().threads, [&](ValueId number) {
        const Piece at = piece(to, chunk, number);
        std::vector<ValueId> here = start;
        here[rank - 2] = emit.add(start[rank - 2], at.row);
        ValueId in = emit.boolean(true);
        for (size_t i = 0; i + 1 < rank; ++i) {
            in = emit.binary(OpKind::bit_and, in, emit.compare(OpKind::ge, here[i], emit.integer(0)));
            in = emit.binary(OpKind::bit_and, in, emit.compare(OpKind::lt, here[i], from.dims[i]));
        }
        const ValueId column = emit.add(start[rank - 1], at.column), columns = from.dims[rank - 1];
        const ValueId behind = emit.add(column, emit.integer(chunk));
        ValueId some = emit.binary(OpKind::bit_and, in, emit.compare(OpKind::lt, column, columns));
        some = emit.binary(OpKind::bit_and, some, emit.compare(OpKind::gt, behind, emit.integer(0)));
        const RegionId outside = emit.region;
        const OpId branch = emit.open_if(some, std::vector<Type>(static_cast<size_t>(chunk), type));
        emit.region = emit.add_region(branch);
        const ValueId last = emit.binary(OpKind::sub, columns, emit.integer(1));
        std::vector<ValueId> elements;
        for (int64_t i = 0; i < chunk; ++i) {
            // Where there is no element another one is loaded: without branches the loads go together.
            const ValueId asked = emit.add(column, emit.integer(i));
            here[rank - 1] = emit.binary(OpKind::minimum, emit.binary(OpKind::maximum, asked, emit.integer(0)), last);
            const ValueId found = emit.load(emit.pointer_add(from.pointer, linear(from, here)), 0);
            elements.push_back(emit.select(emit.compare(OpKind::eq, here[rank - 1], asked), found, none));
        }
        emit.yield(elements);
        emit.region = emit.add_region(branch);
        emit.yield(std::vector<ValueId>(static_cast<size_t>(chunk), none));
        emit.close(branch, outside);
        elements = target.op(branch).results;
        const ValueId place = address(to, {at.row, at.column});
        if (chunk == 1) return emit.store(place, elements[0]);
        ValueId vector = emit.splat(elements[0], chunk);
        for (int64_t i = 1; i < chunk; ++i) {
            vector = emit.op(OpKind::insert, {vector, elements[static_cast<size_t>(i)]}, {{Attr::axis, i}});
        }
        emit.statement(OpKind::store, {place, vector}, {{Attr::alignment, chunk * ((bits(type.elem) + 7) / 8)}});
    });
}

}  // namespace tsr::ir
