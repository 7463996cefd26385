// The limit of an interaction on this processor, everything in registers: 3 subtractions, 6 fused multiply-adds and 3
// multiplications, and 1/sqrt by the machine's estimate with one step of Newton's (4 more): 17 instructions for 16
// interactions. Prints interactions per second on one core.
#include <immintrin.h>

#include "timing.h"

int main(void) {
    enum { kRounds = 2000000 };
    __m512 p[4], f[4][3], soft = _mm512_set1_ps(0.01f);
    for (int v = 0; v < 4; ++v) {
        p[v] = _mm512_set1_ps(0.1f * (float)v);
        for (int k = 0; k < 3; ++k) f[v][k] = _mm512_setzero_ps();
    }
    double best = 1e9;
    volatile float source[4] = {0.7f, 0.2f, 0.4f, 1.0f};  // read in each round, as bodies are
    for (int repeat = 0; repeat < 5; ++repeat) {
        double start = now();
        for (int r = 0; r < kRounds; ++r) {
            __m512 sx = _mm512_set1_ps(source[0]), sy = _mm512_set1_ps(source[1]), sz = _mm512_set1_ps(source[2]),
                   mass = _mm512_set1_ps(source[3]);
            for (int v = 0; v < 4; ++v) {
                __m512 dx = _mm512_sub_ps(sx, p[v]), dy = _mm512_sub_ps(sy, p[v]), dz = _mm512_sub_ps(sz, p[v]);
                __m512 d = _mm512_fmadd_ps(dx, dx, _mm512_fmadd_ps(dy, dy, _mm512_fmadd_ps(dz, dz, soft)));
                __m512 guess = _mm512_rsqrt14_ps(d), half = _mm512_mul_ps(d, _mm512_set1_ps(0.5f));
                __m512 near =
                    _mm512_mul_ps(guess, _mm512_fnmadd_ps(_mm512_mul_ps(half, guess), guess, _mm512_set1_ps(1.5f)));
                __m512 pull = _mm512_mul_ps(mass, _mm512_mul_ps(near, _mm512_mul_ps(near, near)));
                f[v][0] = _mm512_fmadd_ps(pull, dx, f[v][0]);
                f[v][1] = _mm512_fmadd_ps(pull, dy, f[v][1]);
                f[v][2] = _mm512_fmadd_ps(pull, dz, f[v][2]);
            }
        }
        best = least(best, now() - start);
    }
    float sum = 0;
    for (int v = 0; v < 4; ++v)
        for (int k = 0; k < 3; ++k) sum += _mm512_reduce_add_ps(f[v][k]);
    printf("%.9f %.3f\n", 64.0 * kRounds / best, (double)sum);
}
