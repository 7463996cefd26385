#include "sema/builtin_calls/einsum_calls.h"

#include <algorithm>
#include <array>
#include <map>

#include <fmt/format.h>

#include "ir/machine/fragments.h"
#include "ir/machine/gpu.h"
#include "ir/ops/graph.h"
#include "sema/builtin_calls/axis_calls.h"
#include "sema/expressions/tensor_products.h"
#include "sema/program/einsum.h"
#include "sema/state/recursion.h"
#include "sema/types/elements.h"
#include "sema/values/declared_values.h"
#include "sema/values/requirements.h"

namespace tsr::sema {

namespace {

struct Operand {
    const ast::Expr* at;
    Value value;
};

bool is_one(const ir::Dim& extent) { return extent == ir::Dim::constant(1); }

// The extent of each letter; one element is repeated where another tensor has more.
class LetterExtents {
public:
    LetterExtents(Body& b, const ast::Expr& e, const ast::Expr& text) : b_(b), e_(e), text_(text) {}

    bool add(const Operand& operand, const std::string& letters) {
        for (size_t axis = 0; axis < letters.size(); ++axis) {
            if (!add(operand, letters[axis], axis, letters.find(letters[axis]) != axis)) return false;
        }
        return true;
    }
    std::vector<ir::Dim> of(const std::string& letters) const {
        std::vector<ir::Dim> shape;
        for (char letter : letters) shape.push_back(known_.at(letter).extent);
        return shape;
    }
    void note_checks() {
        if (!checks_.empty()) b_.instance.extents[e_.id] = std::move(checks_);
    }

private:
    struct Known {
        ir::Dim extent;
        const Operand* from;
    };

    // `own`: the operand has the letter twice, and both axes are as long.
    bool add(const Operand& operand, char letter, size_t axis, bool own) {
        const ir::Dim extent = operand.value.type.shape()[axis];
        const auto [known, is_new] = known_.try_emplace(letter, Known{extent, &operand});
        const ir::Dim wanted = known->second.extent;
        const ir::Equality equal = ir::compare(wanted, extent);
        if (is_new || equal == ir::Equality::equal) return true;
        if (equal == ir::Equality::unknown) {
            checks_.push_back({0, axis, extent, wanted, wanted.text(), std::nullopt, {}});
            return true;
        }
        if (!own && is_one(extent)) return true;
        if (!own && is_one(wanted)) {
            known->second = {extent, &operand};
            return true;
        }
        const std::string name = letter >= '0' && letter <= '9' ? "an axis of `...`" : fmt::format("`{}`", letter);
        auto& d =
            b_.error("E0312", text_.span,
                     fmt::format("{} has {} and {} elements", name, readable(wanted.text()), readable(extent.text())));
        d.label(known->second.from->at->span, shown(known->second.from->value.type));
        if (known->second.from != &operand) d.label(operand.at->span, shown(operand.value.type));
        return false;
    }

    Body& b_;
    const ast::Expr& e_;
    const ast::Expr& text_;
    std::map<char, Known> known_;
    std::vector<DimCheck> checks_;
};

// The element type that all have; nothing after a message.
std::optional<Type> joined_elements(Body& b, const ast::Expr& e, const std::vector<Operand>& operands) {
    Value joined = operands.front().value;
    joined.type = element_type(joined.type);
    for (size_t i = 1; i < operands.size(); ++i) {
        Value other = operands[i].value;
        other.type = element_type(other.type);
        const auto both = factors_join(b, *operands[i - 1].at, joined, *operands[i].at, other, e.span, "`einsum`");
        if (!both) return std::nullopt;
        joined.type = *both;
    }
    return joined.type;
}

// `tile_shape=(128, 128, 64)`: the rows of the first tensor, the columns of the second and the depth of the steps of
// the sum that a block of the product has. It is an error where the machines have no such blocks.
class TileShape {
public:
    TileShape(Body& b, const ast::Expr& at) : b_(b), at_(at) {}

    // `compute`: what the products are added in.
    void check(const EinsumText& text, const Type& elem, DType compute) {
        const Value value = expression(b_, at_);
        if (value.broken() || (value.value && value.value->is_none())) return;
        if (!read(value)) {
            say("`tile_shape` is three static integers from 1 on: rows, columns, depth of a step");
            return;
        }
        const bool products =
            text.operands.size() == 2 &&
            ir::ContractOp::multiplies_matrices({text.operands.front(), text.operands.back(), text.result});
        if (!products) {
            say("only a product of two matrices, or of batches of them, has a tile shape");
            return;
        }
        if (is_integer(elem.elem()) && bits(elem.elem()) > 8) {
            say(fmt::format("a product of {} is added element by element: it has no tile shape", name(elem.elem())));
            return;
        }
        if (fits_fragments(elem, compute)) fits_memory(elem.elem(), compute);
    }

private:
    bool read(const Value& value) {
        const auto* parts = value.value ? value.value->tuple() : nullptr;
        if (!parts || parts->size() != sizes_.size()) return false;
        for (size_t i = 0; i < sizes_.size(); ++i) {
            const auto size = (*parts)[i].integer();
            if (!size || *size < 1 || *size > kMost) return false;
            sizes_[i] = *size;
        }
        return true;
    }

    bool fits_fragments(const Type& elem, DType compute) {
        int32_t newest = 0;
        for (const std::string& machine : ir::gpu_machine_names())
            newest = std::max(newest, ir::gpu_machine(machine)->capability);
        const bool tf32 = elem.policy().compute_tf32 && elem.elem() == DType::f32;
        const auto product = tf32 ? ir::tf32_product(newest) : ir::warp_product(elem.elem(), compute, newest);
        if (!product) return true;
        const std::array<int64_t, 3> units{product->rows, product->columns, product->inner};
        constexpr std::array kWords{"rows", "columns", "elements of depth"};
        for (size_t i = 0; i < sizes_.size(); ++i) {
            if (sizes_[i] % units[i] == 0) continue;
            say(fmt::format("{} {} are no multiple of {}", sizes_[i], kWords[i], units[i]))
                .note(fmt::format("tensor cores multiply {} in fragments of {} rows, {} columns and a depth of {}",
                                  tf32 ? "tf32" : name(elem.elem()), units[0], units[1], units[2]));
            return false;
        }
        return true;
    }

    void fits_memory(DType elem, DType compute) {
        const auto [rows, columns, depth] = sizes_;
        int64_t shared = 0;
        for (const std::string& machine : ir::gpu_machine_names())
            shared = std::max(shared, ir::gpu_machine(machine)->shared_bytes);
        const int64_t a = rows * depth * bits(elem) / 8, b = depth * columns * bits(elem) / 8;
        if (a + b > shared) {
            say("a step of the sum does not fit into shared memory")
                .note(fmt::format("{0}[{1}, {2}] takes {3} bytes, {0}[{2}, {4}] {5} bytes, together {6} of at most {7}",
                                  name(elem), rows, depth, a, columns, b, a + b, shared));
            return;
        }
        // A quarter of the registers is left for all else.
        constexpr int64_t kRegisters = ir::kRegisterFile / 4 * 3;
        const int64_t words = rows * columns * std::max<int64_t>(bits(compute) / 32, 1);
        if (words <= kRegisters) return;
        say("a block of the result does not fit into registers")
            .note(fmt::format("{}[{}, {}] takes {} registers of at most {}", name(compute), rows, columns, words,
                              kRegisters));
    }

    Diagnostic& say(const std::string& message) { return b_.error("E0340", at_.span, message); }

    static constexpr int64_t kMost = int64_t{1} << 16;

    Body& b_;
    const ast::Expr& at_;
    std::array<int64_t, 3> sizes_{};
};

}  // namespace

Value einsum_call(Body& b, const ast::Expr& e, const BuiltinEntry& row, const Matched& m) {
    const ast::Expr& written = *m.arguments[0];
    const auto text = static_string(b, written, "the text of `einsum`");
    std::vector<Operand> operands;
    for (const ast::Expr* one : m.rest) operands.push_back({one, expression(b, *one)});
    std::vector<size_t> ranks;
    for (const Operand& operand : operands) {
        if (!require_tensor(b, *operand.at, row, operand.value)) return {};
        ranks.push_back(operand.value.type.rank());
    }
    if (!text) return {};
    if (operands.empty()) {
        b.error("E0302", e.span, "`einsum` takes one tensor at least");
        return {};
    }
    EinsumText read;
    if (const auto fault = read_einsum(*text, ranks, read)) {
        b.error("E0312", written.span, *fault);
        return {};
    }
    LetterExtents extents(b, e, written);
    for (size_t i = 0; i < operands.size(); ++i) {
        if (!extents.add(operands[i], read.operands[i])) return {};
    }
    const auto joined = joined_elements(b, e, operands);
    if (!joined) return {};
    const DType elem = joined->elem();
    const bool alone = operands.size() == 1;
    const bool sums = !alone || read.operands.front().find_first_not_of(read.result) != std::string::npos;
    if (sums && !is_float(elem) && !is_integer(elem))
        return b.refuse(Feature::graphs, e.span, fmt::format("`einsum` of {} is", name(elem)));
    extents.note_checks();
    Value result;
    result.compute = accumulation_type(elem, joined->policy());
    const DType given = sums ? accumulated_type(elem, joined->policy()) : elem;
    result.type = new_tensor(Type::scalar(given).carrying(joined->policy()), extents.of(read.result));
    if (sums) choose_declared(b, e, result);
    if (m.arguments[2] != nullptr) TileShape(b, *m.arguments[2]).check(read, *joined, *result.compute);
    return result;
}

}  // namespace tsr::sema
