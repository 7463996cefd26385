// The same points one after the other.
#include "timing.h"

static int rounds[768][1024];

int main(void) {
    const int width = 1024, height = 768, limit = 256;
    const float dx = 3.2f / (float)width, dy = 2.5f / (float)height;
    double best = 1e9;
    for (int r = 0; r < 5; ++r) {
        double start = now();
        for (int row = 0; row < height; ++row) {
            for (int column = 0; column < width; ++column) {
                float cr = -2.2f + (float)column * dx, ci = -1.25f + (float)row * dy, zr = 0, zi = 0;
                int k = 0;
                while (zr * zr + zi * zi <= 4.0f && k < limit) {
                    float next = zr * zr - zi * zi + cr;
                    zi = 2.0f * zr * zi + ci;
                    zr = next;
                    ++k;
                }
                rounds[row][column] = k;
            }
        }
        best = least(best, now() - start);
    }
    long total = 0;
    for (int row = 0; row < height; ++row)
        for (int column = 0; column < width; ++column) total += rounds[row][column];
    printf("%.9f %ld\n", best, total);
}
