// Functions of a library on a GPU: the caller's memory has everything when a call is over.
#include <bit>

#include <doctest/doctest.h>

#include "kernels.h"
#include "launch.h"
#include "runtime/device/cuda/device.h"

namespace tsr::runtime::tests {

namespace {

const TsrDimStep n_steps[] = {{TSR_DIM_SYMBOL, 0}};
const TsrDimension n_dims[] = {{"n", n_steps, 1}};
const char* const symbols[] = {"n"};
const TsrParameter parameters[] = {{"x", TSR_KIND_TENSOR, TSR_F32, 1, 0, n_dims, -1, 0, nullptr, 0, nullptr},
                                   {"y", TSR_KIND_TENSOR, TSR_F32, 1, 1, n_dims, -1, 0, nullptr, 0, nullptr}};
const TsrResult results[] = {{nullptr, TSR_KIND_TENSOR, TSR_F32}};

bool on_device;

// y += 2 x twice, gives a copy of y.
void run(void*, const TsrSlot* in, TsrSlot* out) {
    TensorRef x(tsr_tensor_retain(in[0].tensor)), y(tsr_tensor_retain(in[1].tensor));
    launch_saxpy(saxpy_both, x, y, std::bit_cast<uint32_t>(2.0f));
    launch_saxpy(saxpy_both, x, y, std::bit_cast<uint32_t>(2.0f));
    on_device = y->storage->host_stale;
    out[0].tensor = tsr_copy(y.get(), nullptr);
}

void run_and_fail(void* context, const TsrSlot* in, TsrSlot* out) {
    run(context, in, out);
    tsr_tensor_release(out[0].tensor);
    tsr_fail(nullptr, "stopped");
}

TsrLibraryFunction function(void (*code)(void*, const TsrSlot*, TsrSlot*)) {
    return {TSR_ABI_VERSION, 1, {"f", 1, symbols, 2, parameters}, results, nullptr, code};
}

struct Array {
    std::vector<float> data;
    int64_t size, stride;
    TsrDLTensor tensor;

    Array(std::vector<float> values, int64_t size, int64_t stride)
        : data(std::move(values)), size(size), stride(stride) {
        tensor = {data.data(), {TSR_DL_CPU, 0}, 1, {TSR_DL_FLOAT, 32, 1}, &this->size, &this->stride, 0};
    }
    Array(const Array&) = delete;
    TsrSlot slot() {
        TsrSlot made{};
        made.bits = reinterpret_cast<uint64_t>(&tensor);
        return made;
    }
};

}  // namespace

TEST_CASE("a call's mut tensors and results are in the memory of the processor when it is over") {
    if (cuda::device() == nullptr) return;
    Array x({1, 2, 3}, 3, 1), y({10, 20, 30}, 3, 1);
    const TsrSlot arguments[] = {x.slot(), y.slot()};
    TsrDLManagedTensor* result = nullptr;
    void* const places[] = {&result};
    const TsrLibraryFunction f = function(run);
    REQUIRE(tsr_call(&f, arguments, places) == TSR_OK);
    CHECK(on_device);
    CHECK(y.data == std::vector<float>{14, 28, 42});
    CHECK(result->dl_tensor.device.device_type == TSR_DL_CPU);
    CHECK(static_cast<const float*>(result->dl_tensor.data)[2] == 42);
    result->deleter(result);
    // What the caller writes between calls is seen.
    x.data[0] = 100;
    REQUIRE(tsr_call(&f, arguments, places) == TSR_OK);
    CHECK(y.data == std::vector<float>{414, 36, 54});
    result->deleter(result);
}

TEST_CASE("a call that fails leaves the device usable") {
    if (cuda::device() == nullptr) return;
    Array x({1, 2, 3}, 3, 1), y({10, 20, 30}, 3, 1);
    const TsrSlot arguments[] = {x.slot(), y.slot()};
    TsrDLManagedTensor* result = nullptr;
    void* const places[] = {&result};
    const TsrLibraryFunction bad = function(run_and_fail), good = function(run);
    CHECK(tsr_call(&bad, arguments, places) == TSR_FAILED);
    CHECK(std::string(tsr_last_error()) == "stopped");
    REQUIRE(tsr_call(&good, arguments, places) == TSR_OK);
    CHECK(static_cast<const float*>(result->dl_tensor.data)[0] == y.data[0]);
    result->deleter(result);
}

TEST_CASE("a caller's memory with gaps stays where it is") {
    if (cuda::device() == nullptr) return;
    Array x({1, 0, 2, 0, 3, 0}, 3, 2);
    TensorRef gaps = borrow_tensor(TSR_F32, {&x.size, 1}, {&x.stride, 1}, x.data.data());
    CHECK(gaps->storage->gaps);
    const TsrIndexItem first{TSR_INDEX_SLICE, 2, 0, 1, 0};
    TensorRef view(tsr_view(gaps.get(), &first, 1, nullptr)), y = counting(TSR_F32, {1});
    launch_saxpy(saxpy_both, view, y, std::bit_cast<uint32_t>(2.0f));
    CHECK(gaps->storage->device == 0);
    CHECK(values(*y)[0] == 2);
}

}  // namespace tsr::runtime::tests
