#include "timing.h"

__attribute__((noinline)) static void step(const uint8_t* restrict a, uint8_t* restrict b, int h, int w) {
    for (int i = 0; i < h; ++i) {
        for (int j = 0; j < w; ++j) {
            const int up = (i + h - 1) % h, down = (i + 1) % h, left = (j + w - 1) % w, right = (j + 1) % w;
            const uint8_t around =
                (uint8_t)(a[up * w + left] + a[up * w + j] + a[up * w + right] + a[i * w + left] + a[i * w + right] +
                          a[down * w + left] + a[down * w + j] + a[down * w + right]);
            b[i * w + j] = around == 3 || (around == 2 && a[i * w + j] == 1);
        }
    }
}

int main(int count, char** arguments) {
    const int n = count > 1 ? atoi(arguments[1]) : 1024;
    uint8_t *a = (uint8_t*)floats(n * n), *b = (uint8_t*)floats(n * n);
    for (int i = 0; i < n; ++i)
        for (int j = 0; j < n; ++j) a[i * n + j] = (uint8_t)((i * 7 + j * 13 + i * j) % 5 / 3);
    double best = 1e9;
    for (int r = 0; r < 50; ++r) {
        double start = now();
        step(a, b, n, n);
        best = least(best, now() - start);
        uint8_t* other = a;
        a = b;
        b = other;
    }
    int alive = 0;
    for (int i = 0; i < n * n; ++i) alive += a[i];
    printf("%.9f %d\n", best, alive);
}
