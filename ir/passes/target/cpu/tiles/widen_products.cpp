#include "ir/passes/target/cpu/tiles/widen_products.h"

#include <algorithm>
#include <map>
#include <tuple>

#include "ir/build/builder.h"
#include "ir/machine/cpu.h"
#include "ir/ops/register.h"
#include "ir/passes/target/cpu/tiles/merge_k.h"
#include "ir/passes/tile/walk.h"

namespace tsr::ir {

namespace {

class Widener {
public:
    explicit Widener(Function& kernel) : kernel_(kernel) {}

    void run() {
        std::vector<OpId> products;
        walk(kernel_, kernel_.body, [&](OpId id) {
            if (kernel_.op(id).kind == OpKind::mma) products.push_back(id);
        });
        const CpuMachine* machine = kernel_.plan ? cpu_machine(kernel_.plan->machine) : nullptr;
        for (OpId id : products) {
            if (ends_with_loop(kernel_, id)) kernel_.op(id).attrs.set_flag(Attr::masked);
            const MmaOp product(kernel_, id);
            if (machine != nullptr && machine->matrix_unit && suits_matrix_unit(kernel_, id)) {
                to_words(id, false);
                continue;
            }
            if (machine != nullptr && sums_words(kernel_, id, *machine)) {
                const DType a = kernel_.type(product.a()).elem;
                to_words(id, is_integer(a) && a == kernel_.type(product.b()).elem);
                continue;
            }
            const bool transposed = product.b_transposed();
            const ValueId a = operand(id, product.a(), product.accumulates(), false);
            const ValueId b = operand(id, product.b(), product.accumulates(), transposed);
            Op& op = kernel_.op(id);
            op.operands[MmaOp::kA] = a;
            op.operands[MmaOp::kB] = b;
            op.attrs.erase(Attr::b_transposed);
        }
    }

private:
    // Operands keep their types; the second has its rows packed. `flips`: the first is given with its highest bits
    // flipped, which makes it 128 more or less and of the other sign.
    void to_words(OpId id, bool flips) {
        const MmaOp product(kernel_, id);
        const DType a_type = kernel_.type(product.a()).elem;
        const DType b_type = kernel_.type(product.b()).elem;
        ValueId a = operand(id, product.a(), a_type, product.a_transposed());
        if (flips) a = made(a, OpKind::bit_xor, a_type);
        const ValueId b = made(operand(id, product.b(), b_type, product.b_transposed()), OpKind::pack_rows, b_type);
        Op& op = kernel_.op(id);
        op.kind = OpKind::mma_words;
        op.operands[MmaOp::kA] = a;
        op.operands[MmaOp::kB] = b;
        op.attrs.erase(Attr::a_transposed);
        op.attrs.erase(Attr::b_transposed);
        op.attrs.set(Attr::packed, b_type);
    }

    ValueId operand(OpId product, ValueId value, DType type, bool transposed) {
        if (kernel_.type(value).is_memory()) value = load(product, value);
        if (kernel_.type(value).elem != type) value = made(value, OpKind::cast, type);
        return transposed ? made(value, OpKind::transpose, type) : value;
    }

    // A shared buffer as it is when the product begins.
    ValueId load(OpId product, ValueId buffer) {
        Builder builder = Builder::at(kernel_, product);
        const ValueId start = builder.index(0);
        return builder.value(OpKind::load_tile, {buffer, start, start},
                             {{Attr::shape, kernel_.type(buffer).shape}, {Attr::axes, std::vector<int64_t>{0, 1}}});
    }

    // Right behind where the value is made.
    Builder behind(ValueId value) {
        const Value& from = kernel_.value(value);
        Builder builder(kernel_);
        if (from.op.valid()) {
            builder.after(from.op);
            builder.take_place(from.op);
        } else {
            builder.before(kernel_.region(from.region).ops.front());
            builder.set_place(kernel_.place);
        }
        return builder;
    }

    // The value converted.
    ValueId made(ValueId value, OpKind kind, DType type) {
        auto [known, added] = made_.try_emplace({value.index, kind, type});
        if (!added) return known->second;
        Builder builder = behind(value);
        if (kind == OpKind::cast) return known->second = builder.cast(value, type);
        Values operands{value};
        if (kind == OpKind::bit_xor) {
            const ValueId bit = builder.constant(int64_t{type == DType::i8 ? -128 : 128}, type);
            operands.push_back(
                builder.value(OpKind::expand, {bit},
                              {{Attr::shape, kernel_.type(value).shape}, {Attr::axes, std::vector<int64_t>{}}}));
        }
        return known->second = builder.value(kind, std::move(operands));
    }

    Function& kernel_;
    std::map<std::tuple<uint32_t, OpKind, DType>, ValueId> made_;
};

}  // namespace

bool whole_matrix_rows(DType a, int64_t depth) {
    constexpr int64_t kRowBits = 512;
    return depth * bits(a) % kRowBits == 0;
}

namespace {

bool of_bytes(const Function& kernel, const MmaOp& product) {
    auto byte = [&](ValueId v) { return kernel.type(v).elem == DType::i8 || kernel.type(v).elem == DType::u8; };
    return byte(product.a()) && byte(product.b()) && product.accumulates() == DType::i32;
}

bool of_bf16(const Function& kernel, const MmaOp& product) {
    auto bf16 = [&](ValueId v) { return kernel.type(v).elem == DType::bf16; };
    return bf16(product.a()) && bf16(product.b()) && product.accumulates() == DType::f32;
}

// Elements of a row of the first operand.
int64_t depth_of(const Function& kernel, const MmaOp& product) {
    return *kernel.type(product.a()).shape[product.a_transposed() ? 0 : 1].constant_value();
}

}  // namespace

bool suits_matrix_unit(const Function& kernel, OpId mma) {
    const MmaOp product(kernel, mma);
    const Type& a = kernel.type(product.a());
    if (product.op().kind == OpKind::mma_words) return whole_matrix_rows(a.elem, *a.shape[1].constant_value());
    const bool suits = of_bf16(kernel, product) || of_bytes(kernel, product);
    return suits && !product.a_transposed() && whole_matrix_rows(a.elem, *a.shape[1].constant_value());
}

bool suits_sums_of_bytes(const Function& kernel, OpId mma) {
    const MmaOp product(kernel, mma);
    return of_bytes(kernel, product) && depth_of(kernel, product) % 4 == 0;
}

bool suits_sums_of_bf16(const Function& kernel, OpId mma) {
    const MmaOp product(kernel, mma);
    return of_bf16(kernel, product) && depth_of(kernel, product) % 2 == 0;
}

bool sums_words(const Function& kernel, OpId mma, const CpuMachine& machine) {
    return (machine.sums_bytes && suits_sums_of_bytes(kernel, mma)) ||
           (machine.sums_bf16 && suits_sums_of_bf16(kernel, mma));
}

void widen_products(Function& kernel) { Widener(kernel).run(); }

}  // namespace tsr::ir
