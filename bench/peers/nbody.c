// The limit of an interaction on this processor, everything in registers: 3 subtractions, 6 fused multiply-adds and 3
// multiplications, and 1/sqrt by the machine's estimate with one step of Newton's (4 more): 17 instructions for the
// interactions of one vector. Prints interactions per second on one core.
#include <immintrin.h>

#include "timing.h"

#ifdef __AVX512F__
typedef __m512 Vector;
enum { kLanes = 16, kVectors = 4 };
static Vector estimate(Vector d) { return _mm512_rsqrt14_ps(d); }
#else
typedef __m256 Vector;
enum { kLanes = 8, kVectors = 2 };  // more bodies than there are registers for would be read again
static Vector estimate(Vector d) { return _mm256_rsqrt_ps(d); }
#endif

int main(void) {
    enum { kRounds = 2000000 };
    Vector p[kVectors], f[kVectors][3];
    for (int v = 0; v < kVectors; ++v) {
        p[v] = (Vector){} + 0.1f * (float)v;
        for (int k = 0; k < 3; ++k) f[v][k] = (Vector){};
    }
    double best = 1e9;
    volatile float source[4] = {0.7f, 0.2f, 0.4f, 1.0f};  // read in each round, as bodies are
    for (int repeat = 0; repeat < 5; ++repeat) {
        double start = now();
        for (int r = 0; r < kRounds; ++r) {
            const float sx = source[0], sy = source[1], sz = source[2], mass = source[3];
            for (int v = 0; v < kVectors; ++v) {
                Vector dx = sx - p[v], dy = sy - p[v], dz = sz - p[v];
                Vector d = dx * dx + (dy * dy + (dz * dz + 0.01f));
                Vector guess = estimate(d), half = d * 0.5f;
                Vector near = guess * (1.5f - half * guess * guess);
                Vector pull = mass * (near * (near * near));
                f[v][0] += pull * dx;
                f[v][1] += pull * dy;
                f[v][2] += pull * dz;
            }
        }
        best = least(best, now() - start);
    }
    float sum = 0;
    for (int v = 0; v < kVectors; ++v)
        for (int k = 0; k < 3; ++k)
            for (int lane = 0; lane < kLanes; ++lane) sum += f[v][k][lane];
    printf("%.9f %.3f\n", (double)kLanes * kVectors * kRounds / best, (double)sum);
}
