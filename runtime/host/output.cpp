// Lines on stdout, and the time. What launches before them say comes first.
#include <cstdio>

#include "runtime/abi.h"
#include "runtime/clock.h"
#include "runtime/device/cuda/pending.h"

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
