// Graphs: elements by their number along an axis, and scans.
#include "sema/builtins/builtin_cases.h"
#include "sema/elaborate/arguments.h"
#include "sema/elaborate/arithmetic.h"
#include "sema/elaborate/builtins.h"
#include "sema/elaborate/dimensions.h"
#include "sema/elaborate/graph_movements.h"
#include "sema/elaborate/recursion.h"
#include "sema/elaborate/row_indexing.h"
#include "sema/elaborate/shape_checks.h"
#include "sema/program/indexed.h"
#include "sema/program/reductions.h"

namespace tsr::elaborate {

using ir::Attr;
using ir::Dim;
using ir::OpKind;
using ir::ReduceOp;
using ir::ValueId;
using sema::Builtin;
using sema::CallInfo;

namespace {

ReduceOp joining(std::string_view operation) {
    if (operation == "mul") return ReduceOp::mul;
    if (operation == "min") return ReduceOp::min;
    return operation == "max" ? ReduceOp::max : ReduceOp::add;
}

class IndexedOperation {
public:
    IndexedOperation(Body& b, const ast::Expr& e, const CallInfo& info)
        : b_(b), e_(e), info_(info), given_(sema::indexed_arguments(info)) {}

    Val run() {
        switch (info_.builtin) {
            case Builtin::argmax:
            case Builtin::argmin:
                return extreme_index();
            case Builtin::cumsum:
            case Builtin::cumprod:
            case Builtin::cummax:
                return scan();
            case Builtin::sort:
            case Builtin::argsort:
                return sorted();
            case Builtin::scatter:
                return scatter();
            case Builtin::take:
            case Builtin::gather:
            case Builtin::embedding:
                return gather();
                TSR_CASES_TILE
                TSR_CASES_REGISTER_TILE
                TSR_CASES_MATH
                TSR_CASES_HOST
                TSR_CASES_AXES
                TSR_CASES_JOINING
                TSR_CASES_FORM
                break;
        }
        __builtin_unreachable();
    }

private:
    Val value(ast::ExprId id) { return expression(b_, *b_.expr(id)); }

    // Of a tensor of this rank; `otherwise`: without `axis=`.
    size_t axis(size_t rank, size_t otherwise = 0) const {
        if (!given_.axis.valid()) return otherwise;
        return sema::reduced_axes(b_.instance().info(given_.axis).value, rank)->front();
    }
    bool says(ast::ExprId id, std::string_view text) const {
        return id.valid() && *b_.instance().info(id).value->string() == text;
    }

    bool holds(ast::ExprId id) const { return id.valid() && b_.instance().info(id).value->boolean() == true; }

    Val sorted() {
        const Val x = value(given_.x);
        const At at(b_.emit, e_.span);
        const size_t rank = b_.type_of(x.id).rank();
        const size_t along = axis(rank, rank - 1);
        ir::Attrs attrs{{Attr::axis, static_cast<int64_t>(along)}};
        if (holds(given_.descending)) attrs.set_flag(Attr::descending);
        const auto& first = given_.first.valid() ? b_.instance().info(given_.first).value : std::nullopt;
        if (first) attrs.set(Attr::count, *first->integer());
        const OpKind kind = info_.builtin == Builtin::sort ? OpKind::sort : OpKind::sort_index;
        ValueId result = b_.emit.inferred(kind, {b_.rounded(x).id}, std::move(attrs));
        if (given_.first.valid() && !first) result = first_of(result, along);
        return Val::ssa(result, b_.info(e_).type.elem());
    }

    // So many elements of an axis as only the run knows.
    ValueId first_of(ValueId sorted, size_t along) {
        const Dim count = dim_in_function(b_, b_.info(e_).type.shape()[along]);
        Block block = whole_block(b_, sorted);
        const ValueId wanted = dim_value(b_, count), length = dim_value(b_, block.shape[along]);
        const ValueId enough = b_.emit.inferred(OpKind::ge, {length, wanted});
        require_in_graph(b_, enough, {length, wanted}, "an axis of {} elements has no first {}");
        block.shape[along] = count;
        return sliced(b_, sorted, block);
    }

    Val extreme_index() {
        const Val x = value(given_.x);
        const size_t rank = b_.type_of(x.id).rank();
        const ReduceOp op = info_.builtin == Builtin::argmax ? ReduceOp::max : ReduceOp::min;
        ir::Attrs attrs{{Attr::op, static_cast<int64_t>(op)}};
        const bool along = given_.axis.valid() || rank == 1;
        if (along) attrs.set(Attr::axis, static_cast<int64_t>(axis(rank)));
        const At at(b_.emit, e_.span);
        const ValueId number = b_.emit.inferred(OpKind::reduce_index, {b_.rounded(x).id}, std::move(attrs));
        if (!holds(given_.keepdims)) return Val::ssa(number, DType::i64);
        std::vector<ir::Dim> shape = b_.type_of(x.id).shape;
        for (size_t i = 0; i < shape.size(); ++i) {
            if (!along || i == axis(rank)) shape[i] = ir::Dim::constant(1);
        }
        return Val::ssa(reshaped(b_, number, shape), DType::i64);
    }

    Val scan() {
        const Val x = value(given_.x);
        const At at(b_.emit, e_.span);
        const ReduceOp op = info_.builtin == Builtin::cumsum    ? ReduceOp::add
                            : info_.builtin == Builtin::cumprod ? ReduceOp::mul
                                                                : ReduceOp::max;
        ir::Attrs attrs{{Attr::op, static_cast<int64_t>(op)},
                        {Attr::axis, static_cast<int64_t>(axis(b_.type_of(x.id).rank()))}};
        if (holds(given_.reverse)) attrs.set_flag(Attr::reverse);
        const ValueId operand = b_.emit.cast(x.id, compute_of(b_, e_));
        return Val::ssa(b_.emit.inferred(OpKind::scan, {operand}, std::move(attrs)), b_.info(e_).type.elem());
    }

    ir::Attrs indexing(std::string letters) const {
        ir::Attrs attrs{{Attr::letters, std::move(letters)}};
        if (says(given_.mode, "fill")) attrs.set_flag(Attr::outside);
        return attrs;
    }

    Val gather() {
        const Val x = value(given_.x), ids = value(given_.ids);
        const At at(b_.emit, e_.span);
        const size_t rank = b_.type_of(x.id).rank(), along = axis(rank);
        std::string letters = info_.builtin == Builtin::gather
                                  ? letters_of_elements(rank, along)
                                  : letters_of_rows(rank, b_.type_of(ids.id).rank(), along);
        return Val::ssa(b_.emit.inferred(OpKind::gather_axis, {b_.rounded(x).id, ids.id}, indexing(std::move(letters))),
                        b_.info(e_).type.elem());
    }

    Val scatter() {
        const Val x = value(given_.x), ids = value(given_.ids), src = value(given_.src);
        const At at(b_.emit, e_.span);
        const DType held = compute_of(b_, e_);
        const auto in = [&](const Val& operand) { return b_.emit.cast(b_.rounded(operand).id, held); };
        const size_t rank = b_.type_of(x.id).rank(), by = b_.type_of(ids.id).rank(), along = axis(rank);
        ir::Attrs attrs = indexing(by == 1 ? letters_of_rows(rank, 1, along) : letters_of_elements(rank, along));
        if (given_.op.valid() && !says(given_.op, "set"))
            attrs.set(Attr::op, static_cast<int64_t>(joining(*b_.instance().info(given_.op).value->string())));
        return Val::ssa(b_.emit.inferred(OpKind::scatter_axis, {in(x), ids.id, in(src)}, std::move(attrs)),
                        b_.info(e_).type.elem());
    }

    Body& b_;
    const ast::Expr& e_;
    const CallInfo& info_;
    sema::IndexedArguments given_;
};

}  // namespace

std::optional<Val> indexed_builtin(Body& b, const ast::Expr& e, const CallInfo& info) {
    if (!sema::is_indexed(info.builtin)) return std::nullopt;
    return IndexedOperation(b, e, info).run();
}

}  // namespace tsr::elaborate
