// What memory allows a step of AdamW over 50 million parameters: four arrays read and three of them written, 28 bytes
// for each.
#include "timing.h"

int main(void) {
    const long count = 50L * 1000 * 1000;
    float *weights = floats(count), *slopes = floats(count), *means = floats(count), *squares = floats(count);
#pragma omp parallel for
    for (long i = 0; i < count; ++i) weights[i] = slopes[i] = means[i] = squares[i] = 1;
    double best = 1e9;
    for (int r = 0; r < 5; ++r) {
        const double start = now();
#pragma omp parallel for
        for (long i = 0; i < count; ++i) {
            weights[i] += slopes[i];
            means[i] += slopes[i];
            squares[i] += slopes[i];
        }
        const double took = now() - start;
        if (took < best) best = took;
    }
    printf("%.9f %g\n", best, weights[count - 1]);
    return 0;
}
