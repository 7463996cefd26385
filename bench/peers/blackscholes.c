// Prices of European options by the formula of Black and Scholes.
#include "timing.h"

static inline float normal(float x) { return 0.5f + 0.5f * erff(x * 0.70710678118654752f); }

__attribute__((noinline)) static void prices(const float* restrict spot, const float* restrict strike,
                                             const float* restrict years, float* restrict call, float* restrict put,
                                             float rate, float volatility, int n) {
    for (int i = 0; i < n; ++i) {
        float s = spot[i], k = strike[i], t = years[i];
        float spread = volatility * sqrtf(t);
        float d1 = (logf(s / k) + (rate + 0.5f * volatility * volatility) * t) / spread;
        float d2 = d1 - spread;
        float discounted = k * expf(-rate * t);
        float c = s * normal(d1) - discounted * normal(d2);
        call[i] = c;
        put[i] = c + discounted - s;
    }
}

int main(void) {
    const int n = 16384, launches = 50;
    float *spot = floats(n), *strike = floats(n), *years = floats(n), *call = floats(n), *put = floats(n);
    for (int i = 0; i < n; ++i) {
        spot[i] = 5.0f + (float)(i * 37 % 1000) * 0.025f;
        strike[i] = 1.0f + (float)(i * 101 % 1000) * 0.099f;
        years[i] = 0.25f + (float)(i * 17 % 1000) * 0.00975f;
    }
    double best = 1e9;
    for (int repeat = 0; repeat < 20; ++repeat) {
        double start = now();
        for (int l = 0; l < launches; ++l) prices(spot, strike, years, call, put, 0.02f, 0.3f, n);
        best = least(best, now() - start);
    }
    printf("%.15f %.4f %.4f\n", best / ((double)n * launches), call[7], put[1000]);
}
