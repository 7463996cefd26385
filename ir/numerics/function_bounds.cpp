#include "ir/numerics/function_bounds.h"

#include <algorithm>

#include <fmt/format.h>

#include "ir/core/lines.h"
#include "ir/numerics/roundings.h"
#include "ir/ops/indexed.h"
#include "ir/ops/memory.h"
#include "ir/ops/record.h"
#include "ir/ops/tile.h"

namespace tsr::ir {

namespace {

constexpr size_t kMostTerms = 2;       // of a value with a name, before its bound has a line of its own
constexpr size_t kMostOfUnnamed = 6;   // and of others
constexpr size_t kLongestBound = 120;  // of all

}  // namespace

RoundoffUnit unit_of(DType type) { return {unit_roundoff(type), std::string(name(type)), std::nullopt}; }
RoundoffUnit gamma_of(const Dim& many, DType type) { return {unit_roundoff(type), std::string(name(type)), many}; }

FunctionBounds::FunctionBounds(const Function& function, const Sources& sources)
    : fn_(function),
      sources_(sources),
      names_(function),
      seen_(function.value_count()),
      texts_(function.value_count()) {
    give_names(fn_.body);
    for (const ValueId v : fn_.params()) take(v);
}

bool FunctionBounds::is_of_floats(ValueId v) const {
    const Type& type = fn_.type(v);
    return !type.is_container() && type.kind != TypeKind::none && type.kind != TypeKind::string && is_float(type.elem);
}

FunctionBounds::Seen& FunctionBounds::take(ValueId v) {
    Seen& made = seen(v);
    made = {};
    made.size = Magnitude("|" + text_of(v) + "|");
    return made;
}

void FunctionBounds::unsaid(OpId id, const std::string& what) {
    for (const ValueId v : fn_.op(id).results) {
        take(v);
        if (is_of_floats(v)) seen(v).unsaid.insert(fmt::format("no bound is stated for {}, {}", what, line_of(id)));
    }
}

void FunctionBounds::join(Seen& into, const Seen& other) {
    into.error.join(other.error);
    into.unsaid.insert(other.unsaid.begin(), other.unsaid.end());
}

void FunctionBounds::round(Seen& made, const RoundoffUnit& unit, double times) {
    made.error.add(Coefficient(times * made.scale, unit), made.size);
}

void FunctionBounds::region(RegionId id) {
    for (const OpId op : fn_.region(id).ops) operation(op);
}

void FunctionBounds::operation(OpId id) {
    const Op& op = fn_.op(id);
    for (const ValueId v : op.results) take(v);
    if (is_element(op.kind))
        element(id);
    else
        other(id);
    for (const ValueId v : op.results) {
        for (const ValueId from : op.operands) {
            if (is_of_floats(v) && !is_memory(from) && op.regions.empty())
                seen(v).unsaid.insert(seen(from).unsaid.begin(), seen(from).unsaid.end());
        }
        define_long(v);
    }
}

void FunctionBounds::define_long(ValueId v) {
    if (rounds_ > 0) return;
    const size_t most = fn_.value(v).name.empty() ? kMostOfUnnamed : kMostTerms;
    const ErrorTerms& error = seen(v).error;
    if (error.terms().size() > most || (error.terms().size() > 1 && error.text({}, 1, false).size() > kLongestBound))
        define(v, error, {});
}

void FunctionBounds::define(ValueId v, const ErrorTerms& error, const std::set<std::string>& unsaid) {
    const std::string text = error_text(v);
    definitions_[text] = {error, unsaid};
    if (fn_.value(v).name.empty()) tell_where(v);
    ErrorTerms one;
    one.add(Coefficient(1, RoundoffUnit{}), Magnitude(text));
    seen(v).error = one;
}

std::string FunctionBounds::error_text(ValueId v) {
    const std::string whole = names_.of(v);
    return "E(" + (fn_.value(v).name.empty() ? whole : whole.substr(1)) + ")";
}

void FunctionBounds::other(OpId id) {
    const Op& op = fn_.op(id);
    switch (op.kind) {
        case OpKind::constant: {
            const ConstantOp constant(fn_, id);
            set_constant(seen(op.results[0]),
                         constant.is_whole() ? static_cast<double>(constant.integer()) : constant.real());
            return;
        }
        case OpKind::dim: {
            seen(op.results[0]).nonnegative = true;
            const Dim& dim = DimOp(fn_, id).dim();
            const auto value = dim.constant_value();
            seen(op.results[0]).size = Magnitude(dim.symbol_name() ? dim.text() : "(" + dim.text() + ")");
            if (value) set_constant(seen(op.results[0]), static_cast<double>(*value));
            return;
        }
        case OpKind::contract: {
            const ContractOp product(fn_, id);
            return contract(id, product.a(), product.b(), depth_of(product), product.accumulates());
        }
        case OpKind::mma:
            return multiply_tiles(id);
        case OpKind::reduce:
        case OpKind::scan: {
            const AlongOp along(fn_, id);
            return combine(id, along.what(), fn_.type(along.value()).shape[static_cast<size_t>(along.axis())]);
        }
        case OpKind::group_reduce:
        case OpKind::group_scan:
            return combine(id, GroupReduceOp(fn_, id).what(), Dim::constant(fn_.kernel.group_size()));
        case OpKind::buffer_reduce:
            return combine_buffer(id);
        case OpKind::sort: {
            Seen& made = seen(op.results[0]);
            made.error = greatest(seen(op.operands.front()).error);
            made.nonnegative = seen(op.operands.front()).nonnegative;
            return;
        }
        case OpKind::reduce_index:
        case OpKind::sort_index:
            if (!seen(op.operands.front()).error.zero() || !seen(op.operands.front()).unsaid.empty()) decides(id);
            return;
        case OpKind::pad:
        case OpKind::concat:
        case OpKind::update:
        case OpKind::vector_build:
            return gather_all(id);
        case OpKind::scatter_axis:
            return scatter(id);
        case OpKind::positions:
        case OpKind::tile_iota:
            seen(op.results[0]).nonnegative = true;
            return;
        case OpKind::read:
        case OpKind::read_vector:
        case OpKind::load_tile:
            seen(op.results[0]) = memory(id, op.operands.front());
            return;
        case OpKind::write:
        case OpKind::write_vector:
        case OpKind::store_tile:
            return write(op.operands.front(), seen(stored_by(id)));
        case OpKind::copy_async:
            return write(CopyAsyncOp(fn_, id).to(), memory(id, CopyAsyncOp(fn_, id).from()));
        case OpKind::atomic:
        case OpKind::atomic_tile:
            return update_atomically(id);
        case OpKind::result:
            given_ = ResultOp(fn_, id).value();
            return;
        case OpKind::if_: {
            const IfOp choice(fn_, id);
            region(choice.then());
            region(choice.otherwise());
            for (size_t i = 0; i < op.results.size(); ++i) {
                join(seen(op.results[i]), seen(yielded(fn_, choice.then())[i]));
                join(seen(op.results[i]), seen(yielded(fn_, choice.otherwise())[i]));
            }
            return;
        }
        case OpKind::for_:
        case OpKind::while_:
            return loop(id);
        default:
            if (moves(op.kind)) {
                move(id);
            } else if (op.kind == OpKind::call || op.kind == OpKind::launch || op.kind == OpKind::host) {
                unsaid(id, "`" + called(id) + "`");
            } else if (!op.results.empty()) {
                unsaid(id, fmt::format("`{}`", name(op.kind)));
            }
    }
}

bool FunctionBounds::mentions(const ErrorTerms& error, const std::set<std::string>& errors) const {
    return std::ranges::any_of(error.terms(), [&](const auto& term) {
        const std::string text = term.first.text();
        return std::ranges::any_of(errors, [&](const std::string& one) { return text.find(one) != std::string::npos; });
    });
}

}  // namespace tsr::ir
