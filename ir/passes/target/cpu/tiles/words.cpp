// Products of bytes and of bf16 by sums of the products of what a word holds: four bytes, of which one factor is
// unsigned and the other signed, or two bf16. Where both operands are bytes of one type, a has its highest bits
// flipped: what that adds to a column of the product is 128 times the sum of b's column, or as much less, and is taken
// from what the sums begin with. Everything wraps, as sums in i32 do.
#include "ir/passes/target/cpu/tiles/product.h"

namespace tsr::ir {

ProductCode::Factors ProductCode::word_factors(const MmaOp& op, const Operands& at) {
    Factors f = factors(op, at);
    const DType a = s_.tile.type(op.a()).elem;
    const int64_t of_word = 32 / bits(a);  // elements
    f.flipped = is_integer(a) && a == op.packed();
    f.packed = op.packed();
    f.a.pointer = emit_.op(OpKind::pointer_add, {f.a.pointer, emit_.integer(0)}, {{Attr::type, DType::u32}});
    f.a.strides = {f.a.strides[0] / of_word, 1};
    if (const ValueId left = depth_left(op); left.valid()) {
        const ValueId words =
            emit_.op(OpKind::floordiv, {emit_.add(left, emit_.integer(of_word - 1)), emit_.integer(of_word)});
        f.depth_end = rounded_up(words, kUnroll, f.depth);
    }
    return f;
}

ValueId ProductCode::sum_words(const Factors& f, ValueId a, ValueId b, ValueId sum) {
    return emit_.op(OpKind::dot_words, {a, b, sum}, {{Attr::packed, *f.packed}});
}

// The products of the flipped bits with the columns of a panel: a row of a that has them alone.
std::vector<ValueId> ProductCode::excess(const Factors& f, const Panel& at, ValueId column) {
    constexpr int64_t kFlipped = 0x80808080;
    constexpr int64_t kChains = 4;  // of sums that do not wait for each other
    const ValueId bits = emit_.splat(emit_.integer(kFlipped, DType::u32), at.elements);
    const ValueId zero = emit_.splat(emit_.integer(0, DType::i32), at.elements);
    const ValueId b = panel_of_b(f, column);
    const auto vectors = static_cast<size_t>(at.vectors);
    std::vector<ValueId> sums(vectors * kChains, zero);
    auto step = [&](ValueId k, size_t chain) {
        const ValueId row = emit_.pointer_add(b, emit_.mul(k, emit_.integer(f.b.strides[0])));
        for (size_t v = 0; v < vectors; ++v) {
            const ValueId from = emit_.pointer_add(row, emit_.integer(static_cast<int64_t>(v) * at.elements));
            ValueId& sum = sums[chain * vectors + v];
            sum = sum_words(f, bits, emit_.load(from, at.elements), sum);
        }
    };
    const int64_t whole = f.depth / kChains * kChains;
    if (whole > 0) {
        emit_.carrying_loop(emit_.integer(0), emit_.integer(whole), kChains, sums, [&](ValueId k) {
            for (int64_t i = 0; i < kChains; ++i) step(emit_.add(k, emit_.integer(i)), static_cast<size_t>(i));
        });
    }
    for (int64_t k = whole; k < f.depth; ++k) step(emit_.integer(k), static_cast<size_t>(k - whole));
    for (size_t i = vectors; i < sums.size(); ++i)
        sums[i % vectors] = emit_.binary(OpKind::add, sums[i % vectors], sums[i]);
    sums.resize(vectors);
    return sums;
}

}  // namespace tsr::ir
