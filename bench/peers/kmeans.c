#include "timing.h"

__attribute__((noinline)) static void nearest(const float* restrict x, const float* restrict centers,
                                              int* restrict found, int n, int k, int d) {
    for (int i = 0; i < n; ++i) {
        float best = 3e38f;
        int which = 0;
        for (int c = 0; c < k; ++c) {
            float distance = 0;
            for (int j = 0; j < d; ++j) {
                const float difference = x[i * d + j] - centers[c * d + j];
                distance += difference * difference;
            }
            if (distance < best) best = distance, which = c;
        }
        found[i] = which;
    }
}

int main(int count, char** arguments) {
    const int n = 32768, k = 32, d = count > 1 ? atoi(arguments[1]) : 32;
    float *x = floats(n * d), *centers = floats(k * d);
    int* found = (int*)floats(n);
    for (int i = 0; i < n; ++i)
        for (int j = 0; j < d; ++j) x[i * d + j] = (float)((i * 37 + j * 101 + i * j) % 1009);
    for (int c = 0; c < k; ++c)
        for (int j = 0; j < d; ++j) centers[c * d + j] = (float)((c * 53 + j * 89 + c * j * 7) % 1009);
    double best = 1e9;
    for (int r = 0; r < 20; ++r) {
        double start = now();
        nearest(x, centers, found, n, k, d);
        best = least(best, now() - start);
    }
    int total = 0;
    for (int i = 0; i < n; ++i) total += found[i];
    printf("%.9f %d\n", best, total);
}
