// parse FILE: reads a file's text again and again in one process, as a language server does after each change, and
// prints the seconds of one reading (the median of 101).
#include "frontend/parse.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <vector>

#include "base/diagnostics.h"
#include "base/sources.h"

int main(int count, char** arguments) {
    if (count != 2) {
        std::fputs("usage: parse FILE\n", stderr);
        return 2;
    }
    tsr::Sources sources;
    auto file = sources.load(arguments[1]);
    if (!file) {
        std::fprintf(stderr, "cannot read %s\n", arguments[1]);
        return 1;
    }
    std::vector<double> seconds;
    for (int round = 0; round < 101; ++round) {
        tsr::Diagnostics diagnostics;
        auto begin = std::chrono::steady_clock::now();
        auto module = tsr::parse(file.value(), sources, diagnostics);
        seconds.push_back(std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count());
        if (!diagnostics.all().empty()) {
            std::fprintf(stderr, "%s does not parse\n", arguments[1]);
            return 1;
        }
    }
    std::ranges::nth_element(seconds, seconds.begin() + 50);
    std::printf("%.9f\n", seconds[50]);
}
