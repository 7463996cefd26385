#include <array>
#include <cmath>

#include "ir/law/scalar.h"
#include "ir/ops/control.h"
#include "ir/passes/simplify/rewrite.h"
#include "ir/passes/simplify/simplify.h"

namespace tsr::ir {

namespace {

bool is_nan(DType type, Bits bits) {
    return is_float(type) && std::isnan(std::get<double>(constant_value(type, bits)));
}

class Folder {
public:
    explicit Folder(Function& function) : fn_(function), replaced_(function) {}

    bool run() {
        for_each_op(fn_, [&](OpId id) {
            for (ValueId& operand : fn_.op(id).operands) operand = replaced_.of(operand);
            if (is_element(fn_.op(id).kind)) element(id);
            if (fn_.op(id).kind == OpKind::dim) dimension(id);
        });
        replaced_.apply();
        return changed_ || replaced_.any();
    }

private:
    [[nodiscard]] std::optional<Bits> constant(ValueId v) const {
        const std::optional<OpId> op = defined_by(fn_, v, OpKind::constant);
        return op ? std::optional(constant_bits(fn_.op(*op).attrs)) : std::nullopt;
    }

    // The operation itself becomes the constant: its place and its uses stay.
    void become(OpId id, DType type, Bits bits) {
        Op& op = fn_.op(id);
        op.kind = OpKind::constant;
        op.operands.clear();
        op.attrs = {{Attr::value, constant_value(type, bits)}, {Attr::type, type}};
        changed_ = true;
    }

    void dimension(OpId id) {
        if (auto value = DimOp(fn_, id).dim().constant_value()) become(id, DType::index, static_cast<Bits>(*value));
    }

    void element(OpId id) {
        const Op& op = fn_.op(id);
        const Type& result = fn_.type(op.results[0]);
        // An operation on vectors keeps its operands' splats: only values may stand for others.
        if (op.kind == OpKind::table) return table(id);
        if (result.is_scalar() && all_constant(id)) return;
        if (op.kind == OpKind::select) return select(id);
        if (op.kind == OpKind::cast || op.kind == OpKind::bitcast) {
            const ValueId from = CastOp(fn_, id).from();
            if (fn_.type(from) == result) replaced_.add(op.results[0], from);
            return;
        }
        if (result.is_scalar() && op.operands.size() == 2) binary(id);
        if (op.kind == OpKind::bit_not || op.kind == OpKind::neg) twice(id);
    }

    bool all_constant(OpId id) {
        const Op& op = fn_.op(id);
        const DType type = fn_.type(op.operands.back()).elem;
        const DType to = fn_.type(op.results[0]).elem;
        if (!is_exact(op.kind, type)) return false;
        std::array<Bits, 3> operands{};
        for (size_t i = 0; i < op.operands.size(); ++i) {
            const std::optional<Bits> bits = constant(op.operands[i]);
            if (!bits) return false;
            operands[i] = *bits;
            // A comparison answers the same on every machine; the bits of a NaN are each machine's own.
            if (is_nan(fn_.type(op.operands[i]).elem, *bits) && to != DType::boolean) return false;
        }
        const std::optional<Bits> folded = fold(op.kind, type, to, std::span(operands).first(op.operands.size()));
        if (!folded || is_nan(to, *folded)) return false;
        become(id, to, *folded);
        return true;
    }

    void table(OpId id) {
        const Op& op = fn_.op(id);
        const std::optional<Bits> index = constant(UnaryOp(fn_, id).operand());
        if (!index || !fn_.type(op.results[0]).is_scalar()) return;
        const DType type = op.attrs.dtype(Attr::type);
        const Bits found = table_element(op.attrs, *index);
        if (!is_nan(type, found)) become(id, type, found);
    }

    void select(OpId id) {
        SelectOp op(fn_, id);
        const std::optional<Bits> condition = constant(op.condition());
        if (condition) {
            replaced_.add(op.result(), *condition != 0 ? op.then() : op.otherwise());
        } else if (op.then() == op.otherwise()) {
            replaced_.add(op.result(), op.then());
        }
    }

    // Twice the same flip is none; of floats too: `neg` changes the sign bit alone.
    void twice(OpId id) {
        const UnaryOp op(fn_, id);
        if (const auto inner = defined_by(fn_, op.operand(), op.op().kind)) {
            replaced_.add(op.result(), UnaryOp(fn_, *inner).operand());
        }
    }

    // Integers and bools. What floats give for a NaN or a zero of the other sign forbids all of this for them.
    void binary(OpId id) {
        const BinaryOp op(fn_, id);
        const ValueId lhs = op.lhs();
        const ValueId rhs = op.rhs();
        const DType type = fn_.type(lhs).elem;
        if (is_float(type)) return;
        if (lhs == rhs) return same_operands(id);
        const std::optional<Bits> right = constant(rhs);
        if (right && with_constant(id, lhs, *right, type)) return;
        const std::optional<Bits> left = constant(lhs);
        if (left && commutes(op.op().kind)) with_constant(id, rhs, *left, type);
    }

    static bool commutes(OpKind kind) {
        using enum OpKind;
        for (OpKind k : {add, mul, bit_and, bit_or, bit_xor, eq, ne}) {
            if (kind == k) return true;
        }
        return false;
    }

    // x op x.
    void same_operands(OpId id) {
        using enum OpKind;
        const Op& op = fn_.op(id);
        const DType type = fn_.type(op.results[0]).elem;
        const OpKind kind = op.kind;
        if (kind == sub || kind == bit_xor) return become(id, type, 0);
        if (kind == eq || kind == le || kind == ge) return become(id, DType::boolean, 1);
        if (kind == ne || kind == lt || kind == gt) return become(id, DType::boolean, 0);
        if (kind == minimum || kind == maximum || kind == bit_and || kind == bit_or) {
            replaced_.add(op.results[0], BinaryOp(fn_, op).lhs());
        }
    }

    // x op c; of commutative operations c op x too.
    bool with_constant(OpId id, ValueId x, Bits c, DType type) {
        using enum OpKind;
        const OpKind kind = fn_.op(id).kind;
        const Bits ones = canonical(type, ~uint64_t{0});
        const bool logical = type == DType::boolean;
        const bool adds = kind == add || kind == sub || kind == bit_or || kind == bit_xor || kind == shl || kind == shr;
        const bool scales = kind == mul || kind == floordiv || kind == pow;
        const bool stays = (adds && c == 0) || (scales && c == 1) || (kind == bit_and && c == ones) ||
                           (logical && kind == eq && c == 1) || (logical && kind == ne && c == 0);
        if (stays) {
            replaced_.add(fn_.op(id).results[0], x);
            return true;
        }
        const bool absorbs =
            ((kind == mul || kind == bit_and || kind == floordiv || kind == mod) && c == 0) || (kind == mod && c == 1);
        if (absorbs) become(id, type, 0);
        if (kind == bit_or && c == ones) become(id, type, ones);
        return absorbs || (kind == bit_or && c == ones);
    }

    Function& fn_;
    Replacements replaced_;
    bool changed_ = false;
};

}  // namespace

bool fold_constants(Function& function) { return Folder(function).run(); }

}  // namespace tsr::ir
