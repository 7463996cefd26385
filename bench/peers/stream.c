// The same loop, for the vectorizers.
#include "timing.h"

__attribute__((noinline)) static void saxpy(const float* restrict x, float* restrict y, float alpha, long n) {
    for (long i = 0; i < n; ++i) y[i] = alpha * x[i] + y[i];
}

int main(void) {
    const long n = 16777216;
    float *x = floats(n), *y = floats(n);
    for (long i = 0; i < n; ++i) x[i] = y[i] = 1;
    double best = 1e9;
    for (int r = 0; r < 15; ++r) {
        double start = now();
        saxpy(x, y, 0.5f, n);
        best = least(best, now() - start);
    }
    printf("%.9f %.3f\n", best, (double)y[n - 1]);
}
