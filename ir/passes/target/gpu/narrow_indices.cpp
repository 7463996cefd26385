#include "ir/passes/target/gpu/narrow_indices.h"

#include <algorithm>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

#include "ir/build/builder.h"
#include "ir/ops/control.h"
#include "ir/ops/effects.h"
#include "ir/ops/register.h"
#include "ir/ops/target.h"
#include "ir/passes/target/gpu/index_forms.h"
#include "ir/passes/target/gpu/tiles/warp_products.h"
#include "ir/passes/target/gpu/tiles/widen_operands.h"
#include "ir/passes/tile/walk.h"

namespace tsr::ir {

namespace {

// Short steps are taken from an address with their sign. All those on the way to an address together are no longer than
// this, so that what is before them fits, too.
constexpr int64_t kShortWay = int64_t{1} << 30;
constexpr int64_t kWord = 32;  // bits

class Narrowing {
public:
    Narrowing(Function& function, const IndexRanges::Promises& guard)
        : fn_(function), forms_(function, guard), builder_(function) {}

    void run() { rewrite(fn_.body); }

private:
    // An address: `far` elements from the root, by the low bits of their number, and short steps from there.
    struct Address {
        ValueId root;
        ValueId far;  // i32; invalid: none
        std::vector<ValueId> steps;
        int64_t way = 0;  // of the steps together, at the most
    };

    void rewrite(RegionId region) {
        const std::vector<OpId> ops = std::exchange(fn_.region(region).ops, {});
        const size_t known = made_.size();
        for (OpId id : ops) {
            builder_.to_end_of(region);
            builder_.take_place(id);
            rewrite(id);
            fn_.op(id).parent = {};
            fn_.append(region, id);
            for (RegionId inner : fn_.op(id).regions) rewrite(inner);
        }
        // What was made here is known here alone.
        for (; made_.size() > known; made_.pop_back()) casts_.erase(made_.back());
    }

    void rewrite(OpId id) {
        Op& op = fn_.op(id);
        if (op.kind == OpKind::pointer_add) return rewrite_address(id);
        if (op.kind == OpKind::for_ && forms_.narrows_counter(id)) return rewrite_loop(id);
        if (op.kind == OpKind::yield) return rewrite_yield(id);
        if (op.kind == OpKind::cast) return rewrite_cast(op);
        if (forms_.holds(id)) {
            const int64_t left = op.kind == OpKind::gt || op.kind == OpKind::ge ? 1 : 0;
            op.operands = {builder_.constant(left, DType::u32), builder_.constant(1 - left, DType::u32)};
            return;
        }
        if (is_comparison(op.kind)) return rewrite_comparison(op);
        if (forms_.divides_unsigned(id)) return rewrite_division(op);
        if (op.kind == OpKind::if_) {
            for (ValueId v : op.results) retype(v);
            return;
        }
        // What is left is made of one operand twice.
        if (const ValueId always = forms_.always(id); always.valid()) op.operands = {always, always};
        const bool narrow = op.results.size() == 1 && forms_.of(op.results[0]) != Form::same;
        for (ValueId& v : op.operands) v = narrow ? narrowed(v) : as_before(v);
        if (narrow) retype(op.results[0]);
    }

    void retype(ValueId v) {
        const Form form = forms_.of(v);
        if (form != Form::same) fn_.value(v).type.elem = form == Form::bounds ? DType::u32 : DType::i32;
    }

    void rewrite_cast(Op& op) {
        const Form form = forms_.of(op.results[0]);
        if (form == Form::bounds) op.operands[CastOp::kFrom] = narrowed(CastOp(fn_, op).from());
        if (form == Form::same) return;  // it takes numbers of any width
        retype(op.results[0]);
        op.attrs.set(Attr::type, fn_.type(op.results[0]).elem);
    }

    // Without a sign to look at.
    void rewrite_division(Op& op) {
        Values operands;
        for (ValueId v : op.operands) operands.push_back(builder_.cast(narrowed(v), DType::u32));
        const ValueId result = builder_.element(op.kind, operands);
        op.kind = OpKind::cast;
        op.operands = {result};
        op.attrs.set(Attr::type, DType::i32);
        retype(op.results[0]);
    }

    void rewrite_comparison(Op& op) {
        const bool bounds = std::ranges::any_of(op.operands, [&](ValueId v) { return forms_.of(v) == Form::bounds; });
        const bool narrow = std::ranges::all_of(op.operands, [&](ValueId v) { return was_index(v) && forms_.fits(v); });
        for (ValueId& v : op.operands) {
            if (bounds && forms_.of(v) != Form::bounds) {
                v = builder_.constant(fn_.op(fn_.value(v).op).attrs.integer(Attr::value), DType::u32);
            } else if (!bounds) {
                v = narrow ? narrowed(v) : as_before(v);
            }
        }
    }

    void rewrite_loop(OpId id) {
        Op& op = fn_.op(id);
        for (size_t i = 0; i < op.operands.size(); ++i)
            op.operands[i] = i < ForOp::kFirstInit ? narrowed(op.operands[i]) : as_before(op.operands[i]);
        retype(ForOp(fn_, id).iv());
        op.attrs.set(Attr::width, kWord);
    }

    void rewrite_yield(OpId id) {
        Op& op = fn_.op(id);
        const OpId parent = fn_.region(builder_.region()).parent;
        const bool branch = parent.valid() && fn_.op(parent).kind == OpKind::if_;
        for (size_t i = 0; i < op.operands.size(); ++i) {
            const bool narrow = branch && forms_.of(fn_.op(parent).results[i]) == Form::narrow;
            op.operands[i] = narrow ? narrowed(op.operands[i]) : as_before(op.operands[i]);
        }
    }

    void rewrite_address(OpId id) {
        Op& op = fn_.op(id);
        const PointerAddOp sum(fn_, id);
        const ValueId base = sum.pointer(), offset = sum.offset(), result = sum.result();
        ValueId& written = op.operands[PointerAddOp::kOffset];
        if (!forms_.has_root(base) || sum.changes_type()) {
            written = was_index(offset) && forms_.fits(offset) ? narrowed(offset) : as_before(offset);
            return;
        }
        Address to = addresses_.contains(base) ? addresses_.at(base) : Address{base, {}, {}};
        const auto step = forms_.step(id);
        if (forms_.is_wide(offset) && !to.far.valid() && to.steps.empty()) {
            // It is as wide as the address that is made of it.
            addresses_.emplace(result, Address{base, offset, {}, 0});
            return;
        }
        written = was_index(offset) ? narrowed(offset) : builder_.cast(offset, DType::i32);
        if (step && to.way + *step <= kShortWay) {
            to.steps.push_back(written);
            to.way += *step;
        } else {
            to.far = to.far.valid() ? builder_.add(narrowed(to.far), written) : written;
            place(id, to);
        }
        addresses_.emplace(result, std::move(to));
    }

    // Makes the operation the last of the steps from the root.
    void place(OpId id, const Address& to) {
        ValueId at = to.root, last = to.far;
        for (ValueId step : to.steps) {
            at = builder_.value(OpKind::pointer_add, {at, last});
            last = step;
        }
        fn_.op(id).operands = {at, last};
    }

    // Of the function as it was.
    [[nodiscard]] bool was_index(ValueId v) const {
        return forms_.of(v) == Form::narrow || forms_.of(v) == Form::low || is_index(fn_, v);
    }

    // As an i32; what is no index, and what is one already, stays.
    ValueId narrowed(ValueId v) {
        if (forms_.of(v) != Form::same || !is_index(fn_, v)) return v;
        const OpId made = fn_.value(v).op;
        if (made.valid() && fn_.op(made).kind == OpKind::constant)
            return builder_.constant(fn_.op(made).attrs.integer(Attr::value), DType::i32);
        return cast(v, DType::i32);
    }

    ValueId as_before(ValueId v) { return forms_.of(v) == Form::narrow ? cast(v, DType::index) : v; }

    ValueId cast(ValueId v, DType to) {
        const auto found = casts_.find(v);
        if (found != casts_.end()) return found->second;
        made_.push_back(v);
        return casts_[v] = builder_.cast(v, to);
    }

    Function& fn_;
    IndexForms forms_;
    Builder builder_;
    std::unordered_map<ValueId, Address> addresses_;
    std::unordered_map<ValueId, ValueId> casts_;
    std::vector<ValueId> made_;  // in the order of `casts_`
};

}  // namespace

namespace {

bool multiplies_by_warps(Function kernel, const GpuMachine& machine) {
    const auto is_product = [](const Op& op) { return op.kind == OpKind::mma; };
    if (!any_below(kernel, kernel.body, is_product)) return false;
    widen_operands(kernel, machine);
    bool any = false;
    walk(kernel, kernel.body, [&](OpId id) {
        any = any || (is_product(kernel.op(id)) && product_of(kernel, MmaOp(kernel, id), machine.capability));
    });
    return any;
}

}  // namespace

bool wants_narrow_indices(const Function& kernel, const GpuMachine& machine) {
    for (const ValueId param : kernel.params()) {
        const Type& type = kernel.type(param);
        if (type.kind != TypeKind::tensor) continue;
        const bool plain =
            std::ranges::all_of(type.shape, [](const Dim& dim) { return dim.constant_value() || dim.symbol_name(); });
        if (!plain) return false;
    }
    return machine.box_copies ? !multiplies_by_warps(kernel, machine) : true;
}

namespace {

// Products are asked for one factor after the other, so that each that is met on the way is below the limit, too.
void promise(IndexRanges::Promises& guard, const std::vector<int64_t>& slots, int64_t limit) {
    std::vector<int64_t> product;
    for (const int64_t slot : slots) {
        product.insert(std::ranges::upper_bound(product, slot), slot);
        guard.products.emplace(product, limit);
    }
}

}  // namespace

namespace {

// The most that the kernel multiplies the number of a group by: `i = g * 2048 + t` is below the limit where there are
// so many groups less.
int64_t elements_of_group(const Function& kernel) {
    int64_t most = 1;
    walk(kernel, kernel.body, [&](OpId id) {
        if (kernel.op(id).kind != OpKind::mul) return;
        const BinaryOp product(kernel, id);
        for (const auto& [one, other] : {std::pair(product.lhs(), product.rhs()), {product.rhs(), product.lhs()}}) {
            const OpId number = kernel.value(other).op;
            if (!defined_by(kernel, one, OpKind::group_id) || !number.valid()) continue;
            if (kernel.op(number).kind != OpKind::constant || !is_index(kernel, other)) continue;
            most = std::max(most, kernel.op(number).attrs.integer(Attr::value));
        }
    });
    return std::min(most, IndexRanges::kLimit - 1);
}

int64_t most_narrow_blocks(const Function& kernel) { return (IndexRanges::kLimit - 1) / elements_of_group(kernel); }

}  // namespace

int64_t most_narrow_groups(const Function& kernel, int64_t parts) { return most_narrow_blocks(kernel) / parts + 1; }

IndexRanges::Promises narrow_guard(const Function& kernel, int64_t parts) {
    IndexRanges::Promises guard;
    guard.first_number = static_cast<int64_t>(kernel.params().size());
    const auto slot_of = [&](const std::string& symbol) {
        return guard.first_number + (std::ranges::find(kernel.symbols, symbol) - kernel.symbols.begin());
    };
    for (const ValueId param : kernel.params()) {
        const Type& type = kernel.type(param);
        if (type.kind != TypeKind::tensor) continue;
        std::vector<int64_t> slots;
        for (const Dim& dim : type.shape) {
            if (const auto symbol = dim.symbol_name()) slots.push_back(slot_of(*symbol));
        }
        promise(guard, slots, IndexRanges::kLimit);
    }
    const int64_t groups = guard.first_number + static_cast<int64_t>(kernel.symbols.size());
    promise(guard, {groups, groups + 1, groups + 2}, most_narrow_groups(kernel, parts));
    guard.most_blocks = most_narrow_blocks(kernel);
    return guard;
}

void narrow_indices(Function& thread, const IndexRanges::Promises& guard) { Narrowing(thread, guard).run(); }

}  // namespace tsr::ir
