// What operations of a GPU's threads and on boxes take: each condition is broken once.
#include <doctest/doctest.h>

#include "ir/ops/record.h"

using namespace tsr;
using namespace tsr::ir;

namespace {

const Type kIndex = Type::scalar(DType::index);
const Type kStart = Type::scalar(DType::i32);
const Type kMbarrier = Type::pointer(DType::u64, Space::shared);
const Type kTensor = Type::pointer(DType::bf16, Space::global);
const Type kBox = Type::pointer(DType::bf16, Space::shared);

std::string fault(OpKind kind, const std::vector<Type>& operands, const Attrs& attrs = {}) {
    const auto result = infer(kind, operands, attrs);
    return result ? "" : result.message();
}
Attrs box(std::vector<int64_t> extents, std::optional<int64_t> row = {}) {
    Attrs attrs{{Attr::extents, std::move(extents)}};
    if (row) attrs.set(Attr::width, *row);
    return attrs;
}

}  // namespace

TEST_CASE("what a GPU alone has is told by its family") {
    CHECK(is_of_gpu(OpKind::thread_id));
    CHECK(is_of_gpu(OpKind::cluster_barrier));
    CHECK(!is_of_gpu(OpKind::runtime));
    CHECK(!is_of_gpu(OpKind::prefetch));
}

TEST_CASE("an mbarrier is a u64 in shared memory") {
    using enum OpKind;
    const Attrs count{{Attr::count, int64_t{8}}};
    CHECK(fault(mbarrier_init, {kMbarrier}, count) == "");
    CHECK(fault(mbarrier_init, {kMbarrier}).find("lacks its attribute 'count'") != std::string::npos);
    for (const Type& other : {kBox, Type::pointer(DType::u64, Space::global), Type::scalar(DType::u64)}) {
        CHECK(fault(mbarrier_init, {other}, count).ends_with("points to no mbarrier, a u64 in shared memory"));
        CHECK(fault(mbarrier_arrive, {other}).ends_with("points to no mbarrier, a u64 in shared memory"));
        CHECK(fault(mbarrier_wait, {other, kStart}).ends_with("points to no mbarrier, a u64 in shared memory"));
        CHECK(fault(copy_box, {kBox, other, kTensor, kStart}, box({64})).ends_with("a u64 in shared memory"));
    }
    CHECK(fault(mbarrier_arrive, {kMbarrier, kStart}) == "");
    CHECK(fault(mbarrier_arrive, {kMbarrier}, count) == "");
    CHECK(fault(mbarrier_arrive, {kMbarrier, kIndex}) == "the block is index, needs i32");
    CHECK(fault(mbarrier_arrive, {kMbarrier, kStart}, count) == "copies are expected by this block's own mbarrier");
    CHECK(fault(mbarrier_wait, {kMbarrier, kStart}) == "");
    CHECK(fault(mbarrier_wait, {kMbarrier, kIndex}) == "the parity is index, needs i32");
}

TEST_CASE("a box has the axes of its tensor") {
    const auto copy = [](const Type& to, const Type& from, size_t starts, const Attrs& attrs) {
        std::vector<Type> load{to, kMbarrier, from}, store{to, from};
        load.insert(load.end(), starts, kStart);
        store.insert(store.end(), starts, kStart);
        const std::string message = fault(OpKind::copy_box, load, attrs);
        CHECK(fault(OpKind::store_box, store, attrs) == message);
        return message;
    };
    CHECK(copy(kBox, kTensor, 2, box({128, 64})) == "");
    CHECK(copy(kBox, kTensor, 2, box({128, 64}, 128)) == "");
    CHECK(copy(kTensor, kTensor, 2, box({128, 64})).ends_with("does not point to shared memory"));
    CHECK(copy(kBox, kBox, 2, box({128, 64})).find("is of no tensor at") != std::string::npos);
    CHECK(copy(kBox, kTensor.with(DType::f32), 2, box({128, 64})).find("is of no tensor at") != std::string::npos);
    CHECK(copy(kBox, kTensor, 1, box({128, 64})) == "1 starts of a box of 2 axes");
    CHECK(copy(kBox, kTensor, 0, box({})) == "a box has one to five axes");
    CHECK(copy(kBox, kTensor, 6, box({1, 1, 1, 1, 1, 1})) == "a box has one to five axes");
    CHECK(copy(kBox, kTensor, 2, box({257, 64})) == "a box has 1 … 256 elements along an axis");
    CHECK(copy(kBox, kTensor, 2, box({0, 64})) == "a box has 1 … 256 elements along an axis");
    CHECK(copy(kBox, kTensor, 2, box({128, 64}, 64)) == "`width` is the bytes of a row");
    CHECK(copy(kBox, kTensor, 2, box({128, 8}, 16)) == "pieces of rows of 32, 64 or 128 bytes");
    CHECK(fault(OpKind::store_box, {kBox, kTensor, kIndex}, box({64})) == "a box starts at index, needs i32");
}

TEST_CASE("warps store matrices of 16 bits, and warp groups share registers out by eights") {
    using enum OpKind;
    CHECK(fault(store_matrix, {kBox, Type::vector(DType::bf16, 8)}) == "");
    CHECK(fault(store_matrix, {kBox, Type::vector(DType::bf16, 4)}) == "");
    CHECK(fault(store_matrix, {kBox, Type::vector(DType::bf16, 2)}) != "");
    CHECK(fault(store_matrix, {kBox, Type::vector(DType::f16, 8)}) != "");
    CHECK(fault(store_matrix, {kTensor, Type::vector(DType::bf16, 8)}) != "");
    for (const OpKind kind : {fewer_registers, more_registers}) {
        CHECK(fault(kind, {}, {{Attr::count, int64_t{224}}}) == "");
        for (const int64_t count : {16, 60, 264}) CHECK(fault(kind, {}, {{Attr::count, count}}) != "");
    }
}
