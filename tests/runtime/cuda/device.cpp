// Programs on a GPU: tensors go over and come back when they must, launches, messages. Needs a driver.
#include "runtime/device/cuda/device.h"

#include <bit>
#include <cstdio>

#include <doctest/doctest.h>
#include <unistd.h>

#include "../file_helpers.h"
#include "kernels.h"
#include "launch.h"
#include "runtime/device/cuda/memory.h"
#include "runtime/tensor/device_copy.h"

namespace tsr::runtime::tests {

namespace {

TsrStorage& storage(const TensorRef& tensor) { return *tensor->storage; }

// Whether there is a device; says so, once, where there is none.
bool has_gpu() {
    static const bool there = [] {
        if (cuda::device() != nullptr) return true;
        const auto& driver = cuda::driver();
        std::printf("tests on a GPU were skipped: %s\n", driver ? "no device" : driver.message().c_str());
        return false;
    }();
    return there;
}

// What `action` writes to stderr.
template <typename Action>
std::string on_stderr(Action action) {
    std::fflush(stderr);
    std::FILE* file = std::tmpfile();
    const int saved = dup(STDERR_FILENO);
    dup2(fileno(file), STDERR_FILENO);
    action();
    std::fflush(stderr);
    dup2(saved, STDERR_FILENO);
    close(saved);
    std::rewind(file);
    std::string text;
    for (int c = 0; (c = std::fgetc(file)) != EOF;) text += static_cast<char>(c);
    std::fclose(file);
    return text;
}

}  // namespace

TEST_CASE("a tensor goes over once, comes back once, and its views share the copy") {
    if (!has_gpu()) return;
    TensorRef x = counting(TSR_F32, {1000}), y = tensor(TSR_F32, {1000}, std::vector<double>(1000, 1.0));
    const uint64_t bits = std::bit_cast<uint32_t>(2.0f);
    launch_saxpy(saxpy_both, x, y, bits);
    CHECK(storage(x).device != 0);
    CHECK_FALSE(storage(x).host_stale);
    CHECK(storage(y).host_stale);
    const uint64_t address = storage(x).device;
    for (int i = 0; i < 9; ++i) launch_saxpy(saxpy_both, x, y, bits);
    CHECK(storage(x).device == address);
    CHECK_FALSE(storage(x).device_stale);
    CHECK(values(*y)[999] == 1 + 20.0 * 999);
    CHECK_FALSE(storage(y).host_stale);
    // What the host writes goes over with the next launch.
    const int64_t at = 3;
    tsr_set_f64(x.get(), &at, 1, 100, nullptr);
    CHECK(storage(x).device_stale);
    launch_saxpy(saxpy_both, x, y, bits);
    CHECK(values(*y)[3] == 1 + 60 + 200);
    CHECK(values(*y)[999] == 1 + 22.0 * 999);
    // A view: the second half.
    const TsrIndexItem half{TSR_INDEX_SLICE, 1, 500, 0, 0};
    TensorRef x_half(tsr_view(x.get(), &half, 1, nullptr)), y_half(tsr_view(y.get(), &half, 1, nullptr));
    launch_saxpy(saxpy_both, x_half, y_half, bits);
    CHECK(storage(y_half).device == storage(y).device);
    CHECK(values(*y)[499] == 1 + 22.0 * 499);
    CHECK(values(*y)[500] == 1 + 24.0 * 500);
}

TEST_CASE("what the host has not touched is not copied") {
    if (!has_gpu()) return;
    const int64_t shape[] = {300};
    TensorRef x = counting(TSR_F32, {300}), y(tsr_zeros(TSR_F32, shape, 1, nullptr));
    CHECK(storage(y).fresh == Fresh::zero);
    launch_saxpy(saxpy_both, x, y, std::bit_cast<uint32_t>(1.0f));
    CHECK(values(*y)[299] == 299);
    TensorRef z(tsr_zeros(TSR_F32, shape, 1, nullptr));
    tsr_fill(z.get(), std::bit_cast<uint32_t>(5.0f), nullptr);
    launch_saxpy(saxpy_both, x, z, std::bit_cast<uint32_t>(1.0f));
    CHECK(values(*z)[299] == 304);
    // A copy of what the device has is made there.
    launch_saxpy(saxpy_both, x, z, std::bit_cast<uint32_t>(1.0f));
    TensorRef other(tsr_copy(z.get(), nullptr));
    CHECK(storage(z).host_stale);
    CHECK(storage(other).host_stale);
    launch_saxpy(saxpy_both, x, z, std::bit_cast<uint32_t>(1.0f));
    CHECK(values(*other)[299] == 603);
    CHECK(values(*z)[299] == 902);
}

TEST_CASE("a few elements of a large tensor come alone, many bring all") {
    if (!has_gpu()) return;
    const int64_t size = 100'000;
    TensorRef x = counting(TSR_F32, {size}), y(tsr_zeros(TSR_F32, &size, 1, nullptr));
    launch_saxpy(saxpy_both, x, y, std::bit_cast<uint32_t>(3.0f));
    for (int64_t i = 0; i < 16; ++i) CHECK(tsr_get_f64(y.get(), &i, 1, nullptr) == 3.0 * static_cast<double>(i));
    CHECK(storage(y).host_stale);
    for (int64_t i = 16; i < 100; ++i) CHECK(tsr_get_f64(y.get(), &i, 1, nullptr) == 3.0 * static_cast<double>(i));
    CHECK_FALSE(storage(y).host_stale);
}

TEST_CASE("every function that looks at elements sees what the device wrote") {
    if (!has_gpu()) return;
    Folder folder;
    const TensorRef x = counting(TSR_F32, {8});
    const TensorRef wanted = tensor(TSR_F32, {8}, {1, 3, 5, 7, 9, 11, 13, 15});
    const auto fresh = [&] {
        TensorRef y = tensor(TSR_F32, {8}, std::vector<double>(8, 1.0));
        launch_saxpy(saxpy_both, x, y, std::bit_cast<uint32_t>(2.0f));
        CHECK(storage(y).host_stale);
        return y;
    };
    CHECK(tsr_equal(fresh().get(), wanted.get()) == 1);
    CHECK(tsr_equal(wanted.get(), fresh().get()) == 1);
    CHECK(tsr_allclose(fresh().get(), wanted.get(), 0, 0, 0, nullptr) == 1);
    CHECK(taken(tsr_format_tensor(fresh().get(), nullptr, nullptr)) == "[ 1.  3.  5.  7.  9. 11. 13. 15.]");
    CHECK(taken(tsr_format_tensor(fresh().get(), "g", nullptr)) == "[ 1  3  5  7  9 11 13 15]");
    TensorRef wide(tsr_cast(fresh().get(), TSR_F64, TSR_ROUND_NEAREST, nullptr, nullptr));
    CHECK(static_cast<const double*>(wide->dl.data)[7] == 15);
    const int64_t two_rows[] = {2, 4};
    TensorRef y = fresh();
    TensorRef rows(tsr_reshape(y.get(), two_rows, 2, nullptr));
    TensorRef turned(tsr_swap_last(rows.get(), nullptr));
    TensorRef dense(tsr_contiguous(turned.get(), nullptr));
    CHECK(static_cast<const float*>(dense->dl.data)[1] == 9);
    TensorRef target = counting(TSR_F32, {8});
    tsr_assign(target.get(), fresh().get(), nullptr);
    CHECK(values(*target)[7] == 15);
    TensorRef written = fresh();
    const TsrIndexItem one{TSR_INDEX_SLICE, 3, 0, 1, 0};
    TensorRef first(tsr_view(written.get(), &one, 1, nullptr));
    tsr_fill(first.get(), std::bit_cast<uint32_t>(50.0f), nullptr);
    CHECK(values(*written) == std::vector<double>{50, 3, 5, 7, 9, 11, 13, 15});
    launch_saxpy(saxpy_both, x, written, std::bit_cast<uint32_t>(1.0f));
    CHECK(values(*written) == std::vector<double>{50, 4, 7, 10, 13, 16, 19, 22});
    TensorRef partly = fresh();
    TensorRef part(tsr_view(partly.get(), &one, 1, nullptr));
    tsr_assign(part.get(), first.get(), nullptr);
    CHECK(values(*partly) == std::vector<double>{50, 3, 5, 7, 9, 11, 13, 15});
    const std::string path = folder.path("y.npy");
    TsrString* name = tsr_string(path.data(), static_cast<int64_t>(path.size()));
    const TensorRef saved = fresh();
    const TsrTensor* const all[] = {saved.get()};
    tsr_save(name, nullptr, all, 1, nullptr);
    TensorRef loaded(tsr_load(name, nullptr, nullptr));
    tsr_string_release(name);
    CHECK(tsr_equal(loaded.get(), wanted.get()) == 1);
    // A kernel that has no code for the device takes it, too, and gives it back.
    TensorRef on_device = fresh(), result = counting(TSR_F32, {8});
    const uint64_t slots[] = {slot_of(on_device), slot_of(result), 8};
    TsrTensor* const tensors[] = {on_device.get(), result.get()};
    launch_saxpy(saxpy_both, x, result, std::bit_cast<uint32_t>(1.0f));
    tsr_launch(&on_processor, slots, tensors, 8, nullptr, nullptr);
    CHECK(values(*result)[7] == 16);
    launch_saxpy(saxpy_both, x, result, std::bit_cast<uint32_t>(1.0f));
    CHECK(values(*result)[7] == 23);
}

TEST_CASE("what the device has is filled and assigned there") {
    if (!has_gpu()) return;
    const TensorRef x = counting(TSR_F32, {8});
    const auto one = std::bit_cast<uint32_t>(1.0f);
    TensorRef y = counting(TSR_F32, {8}), z = counting(TSR_F32, {8});
    launch_saxpy(saxpy_both, x, y, one);
    tsr_fill(y.get(), std::bit_cast<uint32_t>(7.0f), nullptr);
    CHECK(storage(y).host_stale);
    CHECK(values(*y) == std::vector<double>(8, 7.0));
    launch_saxpy(saxpy_both, x, y, one);
    const TsrIndexItem last{TSR_INDEX_SLICE, 1, 6, 0, 0};
    TensorRef y_last(tsr_view(y.get(), &last, 1, nullptr)), z_last(tsr_view(z.get(), &last, 1, nullptr));
    tsr_fill(y_last.get(), 0, nullptr);
    CHECK(storage(y).host_stale);
    tsr_assign(z_last.get(), y_last.get(), nullptr);
    CHECK(storage(z).host_stale);
    CHECK(values(*y) == std::vector<double>{7, 8, 9, 10, 11, 12, 0, 0});
    CHECK(values(*z) == std::vector<double>{0, 1, 2, 3, 4, 5, 0, 0});
    launch_saxpy(saxpy_both, x, y, one);
    tsr_assign(z.get(), y.get(), nullptr);
    CHECK(storage(y).host_stale);
    CHECK(values(*z) == std::vector<double>{7, 9, 11, 13, 15, 17, 6, 7});
    // An f64 other than 0 has no such way.
    TensorRef wide = counting(TSR_F64, {2});
    const uint64_t slots[] = {slot_of(wide)};
    TsrTensor* const tensors[] = {wide.get()};
    tsr_launch(&count_groups, slots, tensors, 1, nullptr, nullptr);
    CHECK(storage(wide).host_stale);
    tsr_fill(wide.get(), std::bit_cast<uint64_t>(2.5), nullptr);
    CHECK_FALSE(storage(wide).host_stale);
    CHECK(values(*wide) == std::vector<double>{2.5, 2.5});
}

TEST_CASE("kernels get tensors that begin at multiples of 16 bytes, whatever view they are given") {
    if (!has_gpu()) return;
    TensorRef x = counting(TSR_F32, {12}), y(tsr_zeros(TSR_F32, x->shape, 1, nullptr));
    for (int64_t first = 0; first < 6; ++first) {
        const TsrIndexItem to{TSR_INDEX_SLICE, 3, first, first + 5, 0},
            from{TSR_INDEX_SLICE, 3, first + 1, first + 6, 0};
        TensorRef y_part(tsr_view(y.get(), &to, 1, nullptr)), x_part(tsr_view(x.get(), &from, 1, nullptr));
        const uint64_t slots[] = {slot_of(y_part), slot_of(x_part)};
        TsrTensor* const tensors[] = {y_part.get(), x_part.get()};
        tsr_launch(&tells_address, slots, tensors, 1, nullptr, nullptr);
        CHECK(values(*y_part) == std::vector<double>{0, static_cast<double>(first) + 1, 0, 0, 0});
        tsr_fill(y.get(), 0, nullptr);
    }
}

TEST_CASE("clusters are whole, and large shared memory is asked for") {
    if (!has_gpu() || !cuda::device()->clusters) return;
    const int64_t size = 3;
    TensorRef counts(tsr_zeros(TSR_I32, &size, 1, nullptr));
    const uint64_t slots[] = {slot_of(counts)};
    TsrTensor* const tensors[] = {counts.get()};
    tsr_launch(&in_clusters, slots, tensors, 3, nullptr, nullptr);
    CHECK(values(*counts) == std::vector<double>{2, 2, 2});
}

TEST_CASE("the first variant whose guards hold, with the device's addresses") {
    if (!has_gpu()) return;
    TensorRef x = tensor(TSR_F32, {2}, {1, 1});
    const TsrIndexItem second{TSR_INDEX_SLICE, 1, 1, 0, 0};
    TensorRef view(tsr_view(x.get(), &second, 1, nullptr));
    for (const TensorRef& t : {x, view}) {
        const uint64_t slots[] = {slot_of(t)};
        TsrTensor* const tensors[] = {t.get()};
        tsr_launch(&guarded, slots, tensors, 1, nullptr, nullptr);
    }
    CHECK(values(*x) == std::vector<double>{1001, 2001});
}

TEST_CASE("more blocks than the hardware takes at once are launched in parts") {
    if (!has_gpu()) return;
    const int64_t size = 1000;
    TensorRef counts(tsr_zeros(TSR_I32, &size, 1, nullptr));
    const uint64_t slots[] = {slot_of(counts)};
    TsrTensor* const tensors[] = {counts.get()};
    cuda::Device& device = *cuda::device();
    const int64_t most = device.max_blocks;
    device.max_blocks = 96;
    tsr_launch(&count_groups, slots, tensors, 1000, nullptr, nullptr);
    device.max_blocks = most;
    CHECK(values(*counts) == std::vector<double>(1000, 1.0));
}

TEST_CASE("parts of groups that no number counts are refused") {
    if (!has_gpu()) return;
    const int64_t size = 1;
    TensorRef counts(tsr_zeros(TSR_I32, &size, 1, nullptr));
    const uint64_t slots[] = {slot_of(counts)};
    TsrTensor* const tensors[] = {counts.get()};
    const std::string said =
        failure([&] { tsr_launch(&count_many, slots, tensors, int64_t{1} << 30, nullptr, nullptr); });
    CHECK(said.find("kernel count: 1073741824 groups of 1099511627776 parts each are more than a launch can count") !=
          std::string::npos);
    CHECK(values(*counts) == std::vector<double>{0});
}

TEST_CASE("an image that the driver refuses is passed over; a result comes back; memory is used again") {
    if (!has_gpu()) return;
    TensorRef x = counting(TSR_F32, {10}), y = counting(TSR_F32, {10});
    launch_saxpy(saxpy_second_image, x, y, std::bit_cast<uint32_t>(1.0f));
    CHECK(values(*y)[9] == 18);
    uint64_t result = 0;
    tsr_launch(&returns_number, nullptr, nullptr, 7, &result, nullptr);
    tsr_wait();
    CHECK(result == 47);
    cuda::Device& device = *cuda::device();
    for (int i = 0; i < 100; ++i) {
        const cuda::Pointer memory = cuda::allocate(device, 1 << 20, nullptr);
        cuda::free(device, memory, 1 << 20);
    }
    cuda::Device without_pools = device;
    without_pools.pool = nullptr;
    const cuda::Pointer first = cuda::allocate(without_pools, 5000, nullptr);
    cuda::free(without_pools, first, 5000);
    CHECK(cuda::allocate(without_pools, 5001, nullptr) == first);
    const std::string message = failure([&] { cuda::allocate(device, int64_t{1} << 50, nullptr); });
    CHECK(message.find("out of memory: asked for 1048576.00 GiB, free are ") != std::string::npos);
}

TEST_CASE("lines come in the order of groups and threads, before the host's own") {
    if (!has_gpu()) return;
    const uint64_t slots[] = {100};
    const std::string text = on_stderr([&] {
        tsr_launch(&talks, slots, nullptr, 3, nullptr, nullptr);
        tsr_launch(&talks, slots, nullptr, 1, nullptr, nullptr);
        tsr_wait();
    });
    CHECK(text == "0 0\n0 1\n1 0\n1 1\n2 0\n2 1\n0 0\n0 1\n");
    // More launches than there are mailboxes.
    const std::string many = on_stderr([&] {
        for (int i = 0; i < 10; ++i) tsr_launch(&talks, slots, nullptr, 1, nullptr, nullptr);
        tsr_wait();
    });
    CHECK(many.size() == 10 * 8);
    // More lines than there is room for: they are counted.
    const std::string lost = on_stderr([&] {
        const uint64_t far[] = {1'000'000};
        tsr_launch(&talks, far, nullptr, 60'000, nullptr, nullptr);
        tsr_wait();
    });
    CHECK(lost.ends_with("kernel talks printed 20000 more lines\n"));
}

}  // namespace tsr::runtime::tests
