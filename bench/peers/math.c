// A function of the C library over arrays: FUNCTION(a, b) in numbers of type REAL between argv[1] and argv[2].
#include "timing.h"

__attribute__((noinline)) static void each(const REAL* restrict x, const REAL* restrict y, REAL* restrict z, int n) {
    for (int i = 0; i < n; ++i) {
        REAL a = x[i], b = y[i];
        (void)b;
        z[i] = FUNCTION;
    }
}

int main(int count, char** arguments) {
    const int n = 32768, launches = 50;
    const double low = atof(arguments[1]), high = atof(arguments[count - 1]);
    REAL* x = (REAL*)floats(2 * n);
    REAL* y = (REAL*)floats(2 * n);
    REAL* z = (REAL*)floats(2 * n);
    for (int i = 0; i < n; ++i) {  // in no order
        x[i] = (REAL)(low + (high - low) * (i * 7919 % n) / (n - 1));
        y[i] = (REAL)(-10.0 + 20.0 * (i * 4801 % n) / (n - 1));
    }
    double best = 1e9;
    for (int repeat = 0; repeat < 20; ++repeat) {
        double start = now();
        for (int l = 0; l < launches; ++l) each(x, y, z, n);
        best = least(best, now() - start);
    }
    printf("%.15f %.6g\n", best / ((double)n * launches), (double)z[n / 3]);
}
