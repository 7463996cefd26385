#include "saxpy_program.h"

#include <bit>

namespace tsr::runtime::tests {

namespace {

void saxpy_entry(const uint64_t* slots, int64_t begin, int64_t end, void*, TsrTask*) {
    const auto* x = std::bit_cast<const float*>(slots[0]);
    auto* y = std::bit_cast<float*>(slots[1]);
    auto alpha = std::bit_cast<float>(static_cast<uint32_t>(slots[2]));
    for (int64_t i = begin; i < end; ++i) y[i] = alpha * x[i] + y[i];
}

const TsrKernelVariant variants[] = {
    {TSR_MACHINE_X86_64, 0, TSR_LEVEL_V1, nullptr, nullptr, saxpy_entry, 16384, 0, "lanes 1"}};
const char* const slot_names[] = {nullptr, nullptr, "alpha", "n"};
const uint8_t uses[] = {TSR_SLOT_READ, TSR_SLOT_WRITTEN, TSR_SLOT_VALUE, TSR_SLOT_VALUE};

const TsrDimStep n_steps[] = {{TSR_DIM_SYMBOL, 0}};
const TsrDimension n_dims[] = {{"n", n_steps, 1}};
const char* const symbols[] = {"n"};
const TsrParameter parameters[] = {
    {"x", TSR_KIND_TENSOR, TSR_F32, 1, 0, n_dims, -1, 0, nullptr, 0, nullptr},
    {"y", TSR_KIND_TENSOR, TSR_F32, 1, 1, n_dims, -1, 0, nullptr, 0, nullptr},
    {"alpha", TSR_KIND_SCALAR, TSR_F32, 0, 0, nullptr, -1, 1, "2.0", 0x40000000, nullptr},
    {"check_input", TSR_KIND_SCALAR, TSR_BOOL, 0, 0, nullptr, -1, 1, "True", 1, nullptr},
    {"n", TSR_KIND_SCALAR, TSR_I64, 0, 0, nullptr, 0, 0, nullptr, 0, nullptr},
};
const TsrResult results[] = {{"y", TSR_KIND_TENSOR, TSR_F32}};

void run(void*, const TsrSlot* in, TsrSlot* out) {
    static const TsrPlace place{"saxpy.tsr", 10, 5};
    TsrTensor* x = in[0].tensor;
    TsrTensor* y = in[1].tensor;
    uint64_t slots[] = {std::bit_cast<uint64_t>(x->dl.data), std::bit_cast<uint64_t>(y->dl.data), in[2].bits,
                        in[4].bits};
    TsrTensor* const in_order[] = {x, y};
    tsr_launch(&saxpy_kernel, slots, in_order, x->shape[0], nullptr, &place);
    out[0].tensor = tsr_tensor_retain(y);
}

}  // namespace

const TsrKernelFamily saxpy_kernel{"saxpy", {"saxpy.tsr", 3, 1}, 4, 1, slot_names, variants, uses};
const TsrProgram saxpy{
    TSR_ABI_VERSION, 1,   "saxpy", "Scale and add two vectors.", {"main", 1, symbols, 5, parameters}, results,
    nullptr,         run, nullptr};

}  // namespace tsr::runtime::tests
