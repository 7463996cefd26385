// Products of f32 matrices by OpenBLAS: sgemm [M N K [BATCH]].
#include <cblas.h>

#include "timing.h"

int main(int argc, char** argv) {
    const int m = argc > 3 ? atoi(argv[1]) : 2048, n = argc > 3 ? atoi(argv[2]) : 2048,
              k = argc > 3 ? atoi(argv[3]) : 2048;
    const int batch = argc > 4 ? atoi(argv[4]) : 1;
    const long a_size = (long)m * k, b_size = (long)k * n, c_size = (long)m * n;
    float *a = floats(a_size * batch), *b = floats(b_size * batch), *c = floats(c_size * batch);
    for (long i = 0; i < a_size * batch; ++i) a[i] = (float)(i * 5 % 9 - 4);
    for (long i = 0; i < b_size * batch; ++i) b[i] = (float)(i * 7 % 9 - 4);
    for (long i = 0; i < c_size * batch; ++i) c[i] = 0;
    double best = 1e9;
    for (int r = 0; r < 15; ++r) {
        double start = now();
        for (int i = 0; i < batch; ++i) {
            cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, m, n, k, 1, a + i * a_size, k, b + i * b_size, n, 0,
                        c + i * c_size, n);
        }
        best = least(best, now() - start);
    }
    printf("%.9f %.1f\n", best, (double)c[c_size * batch - 1]);
}
