// Lines on stdout, and the clock.
#include <cstdio>
#include <ctime>

#include "runtime/abi.h"

extern "C" {

void tsr_write(const TsrString* text) { std::fwrite(text->text, 1, static_cast<size_t>(text->length), stdout); }

void tsr_print(const TsrString* text) {
    tsr_write(text);
    std::fputc('\n', stdout);
}

double tsr_time(void) {
    timespec now{};
    clock_gettime(CLOCK_MONOTONIC, &now);
    return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}
}
