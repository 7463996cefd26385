#include "timing.h"

__attribute__((noinline)) static void multiply(const int* restrict start, const int* restrict columns,
                                               const float* restrict values, const float* restrict x, float* restrict y,
                                               int rows) {
    for (int i = 0; i < rows; ++i) {
        float sum = 0;
        for (int k = start[i]; k < start[i + 1]; ++k) sum += values[k] * x[columns[k]];
        y[i] = sum;
    }
}

int main(void) {
    const int n = 65536;
    int* start = (int*)floats(n + 1);
    start[0] = 0;
    for (int i = 0; i < n; ++i) start[i + 1] = start[i] + 4 + i * 31 % 24;
    const int nonzeros = start[n];
    int* columns = (int*)floats(nonzeros);
    float *values = floats(nonzeros), *x = floats(n), *y = floats(n);
    for (int k = 0; k < nonzeros; ++k) columns[k] = (int)(k * 7919L % n), values[k] = (float)(k % 7) * 0.25f;
    for (int i = 0; i < n; ++i) x[i] = (float)i / (float)(n - 1), y[i] = 0;
    double best = 1e9;
    for (int r = 0; r < 50; ++r) {
        double begin = now();
        multiply(start, columns, values, x, y, n);
        best = least(best, now() - begin);
    }
    printf("%.9f %.4f\n", best, (double)y[12345]);
}
