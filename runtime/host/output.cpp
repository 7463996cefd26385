// Lines on stdout, and the clock. What launches before them say comes first.
#include <cstdio>
#include <ctime>

#include "runtime/abi.h"
#include "runtime/device/cuda/pending.h"
#include "runtime/host/clock.h"

double tsr::runtime::now() {
    timespec now{};
    clock_gettime(CLOCK_MONOTONIC, &now);
    return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

extern "C" {

void tsr_write(const TsrString* text) {
    if (tsr::runtime::cuda::messages_pending()) tsr_wait();
    std::fwrite(text->text, 1, static_cast<size_t>(text->length), stdout);
}

void tsr_print(const TsrString* text) {
    tsr_write(text);
    std::fputc('\n', stdout);
}

double tsr_time(void) {
    tsr_wait();
    return tsr::runtime::now();
}
}
