#include "timing.h"

__attribute__((noinline)) static void gather(const float* restrict x, const int* restrict index,
                                             const int* restrict flags, float* restrict y, int n, int rounds) {
    for (int r = 0; r < rounds; ++r)
        for (int i = 0; i < n; ++i)
            if (flags[i] > r) y[i] += x[index[i]] * 0.5f;
}

__attribute__((noinline)) static void gather_inside(const float* restrict x, const int* restrict index,
                                                    const int* restrict flags, float* restrict y, int n, int rounds) {
    for (int i = 0; i < n; ++i) {
        float sum = y[i];
        for (int r = 0; r < rounds; ++r)
            if (flags[i] > r) sum += x[index[i]] * 0.5f;
        y[i] = sum;
    }
}

int main(void) {
    const int n = 65536, rounds = 32;
    float *x = floats(8192), *y = floats(n), *z = floats(n);
    int *index = (int*)floats(n), *flags = (int*)floats(n);
    for (int i = 0; i < 8192; ++i) x[i] = (float)i / 8191.0f;
    for (int i = 0; i < n; ++i) index[i] = i * 7919 % 8192, flags[i] = i * 31 % 48, y[i] = z[i] = 0;
    double best = 1e9;
    for (int r = 0; r < 50; ++r) {
        double start = now();
        gather(x, index, flags, y, n, rounds);
        best = least(best, now() - start);
        start = now();
        gather_inside(x, index, flags, z, n, rounds);
        best = least(best, now() - start);
    }
    printf("%.9f %.3f\n", best, (double)y[12345] + 0 * (double)z[7]);
}
