// Wall time in seconds, and what every peer program needs.
#pragma once

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static inline double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}
static inline double least(double a, double b) { return a < b ? a : b; }
static inline float* floats(long n) { return aligned_alloc(64, (size_t)((n * 4 + 63) / 64 * 64)); }
