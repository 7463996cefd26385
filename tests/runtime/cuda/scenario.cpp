// A program that launches by hand, in a process of its own: what its environment and its kernels do to it is tested
// from outside.
//   scenario NAME
#include <bit>
#include <cstdio>
#include <map>
#include <string>

#include "launch.h"
#include "runtime/device/cuda/device.h"

namespace tsr::runtime::tests {

namespace {

const TsrPlace kMain{"main.tsr", 9, 5};

void saxpy_with(const TsrKernelFamily& family) {
    TensorRef x = counting(TSR_F32, {4}), y = counting(TSR_F32, {4});
    launch_saxpy(family, x, y, std::bit_cast<uint32_t>(2.0f));
    const bool on_device = x->storage->device != 0;
    std::printf("%s %g\n", on_device ? "device" : "processor", values(*y)[3]);
}

void fault() {
    TensorRef x = counting(TSR_F32, {4});
    const uint64_t slots[] = {slot_of(x)};
    TsrTensor* const tensors[] = {x.get()};
    tsr_launch(&faults, slots, tensors, 1, nullptr, &kMain);
    std::printf("launched\n");
    tsr_wait();
}

void fault_of_several() {
    TensorRef x = counting(TSR_F32, {4}), y = counting(TSR_F32, {4});
    launch_saxpy(saxpy_both, x, y, 0);
    launch_saxpy(saxpy_both, x, y, 0);
    fault();
}

void assertion() {
    const uint64_t slots[] = {2};
    tsr_launch(&talks, slots, nullptr, 4, nullptr, &kMain);
    std::fprintf(stderr, "launched\n");
    tsr_print(tsr_string("printed behind it", 17));
}

// Of a library's caller, whose process goes on.
void failed_before() {
    const std::string first = failure(fault);
    tsr_wait();
    const std::string second = failure([] { saxpy_with(saxpy_both); });
    std::printf("%s\n%s\n", first.c_str(), second.c_str());
}

void failure_behind_lines() {
    const uint64_t slots[] = {100};
    tsr_launch(&talks, slots, nullptr, 1, nullptr, &kMain);
    tsr_fail(&kMain, "the host's own");
}

}  // namespace

}  // namespace tsr::runtime::tests

int main(int argc, char** argv) {
    using namespace tsr::runtime::tests;
    const std::map<std::string, void (*)()> scenarios{
        {"saxpy", [] { saxpy_with(saxpy_both); }},
        {"no image", [] { saxpy_with(saxpy_no_image); }},
        {"other GPU", [] { saxpy_with(saxpy_other_gpu); }},
        {"choice", [] { tsr::runtime::cuda::check_device(); }},
        {"fault", fault},
        {"fault of several", fault_of_several},
        {"failed before", failed_before},
        {"assertion", assertion},
        {"failure behind lines", failure_behind_lines},
    };
    if (argc != 2) return 2;
    scenarios.at(argv[1])();
    return 0;
}
