// Attention of 2048 queries and keys of 64 numbers in three steps: scores by OpenBLAS, softmax of each row, product.
#include <cblas.h>

#include "timing.h"

enum { kLength = 2048, kWidth = 64 };

int main(void) {
    float *q = floats(kLength * kWidth), *k = floats(kLength * kWidth), *v = floats(kLength * kWidth);
    float *o = floats(kLength * kWidth), *s = floats((long)kLength * kLength);
    for (int i = 0; i < kLength; ++i) {
        for (int d = 0; d < kWidth; ++d) {
            q[i * kWidth + d] = (float)((i * 5 + d * 3) % 17 - 8) / 8;
            k[i * kWidth + d] = (float)((i * 7 + d * 3) % 17 - 8) / 8;
            v[i * kWidth + d] = (float)((i * 2 + d * 3) % 17 - 8) / 8;
        }
    }
    double best = 1e9;
    for (int r = 0; r < 15; ++r) {
        double start = now();
        cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasTrans, kLength, kLength, kWidth, 0.125f, q, kWidth, k, kWidth, 0,
                    s, kLength);
#pragma omp parallel for
        for (int i = 0; i < kLength; ++i) {
            float* row = s + (long)i * kLength;
            float most = row[0], sum = 0;
            for (int j = 1; j < kLength; ++j) most = row[j] > most ? row[j] : most;
            for (int j = 0; j < kLength; ++j) sum += row[j] = expf(row[j] - most);
            for (int j = 0; j < kLength; ++j) row[j] /= sum;
        }
        cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, kLength, kWidth, kLength, 1, s, kLength, v, kWidth, 0, o,
                    kWidth);
        best = least(best, now() - start);
    }
    printf("%.9f %.4f\n", best, (double)o[kLength * kWidth - 1]);
}
