#include "timing.h"

enum { kSize = 1024 };

__attribute__((noinline)) static void stencil(float (*restrict a)[kSize], float (*restrict b)[kSize]) {
    for (int i = 1; i < kSize - 1; ++i)
        for (int j = 1; j < kSize - 1; ++j)
            b[i][j] = 0.5f * a[i][j] + 0.125f * (a[i - 1][j] + a[i + 1][j] + a[i][j - 1] + a[i][j + 1]);
}

int main(void) {
    float (*a)[kSize] = (void*)floats(kSize * kSize);
    float (*b)[kSize] = (void*)floats(kSize * kSize);
    for (int i = 0; i < kSize; ++i)
        for (int j = 0; j < kSize; ++j) a[i][j] = 1, b[i][j] = 0;
    double best = 1e9;
    for (int r = 0; r < 100; ++r) {
        double start = now();
        stencil(a, b);
        best = least(best, now() - start);
    }
    printf("%.9f %.3f\n", best, (double)b[kSize / 2][kSize / 2]);
}
