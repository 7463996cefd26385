#include "driver/steps.h"

#include <algorithm>

#include <fmt/core.h>

namespace tsr::driver {

void Steps::add(std::string_view name, std::chrono::duration<double> seconds) {
    auto found = std::ranges::find(all_, name, &Step::name);
    if (found == all_.end()) {
        all_.push_back({std::string(name), 0});
        found = all_.end() - 1;
    }
    found->seconds += seconds.count();
}

std::string Steps::report() const {
    std::string out;
    double total = 0;
    for (const Step& step : all_) {
        out += fmt::format("{:>9.2f} ms  {}\n", step.seconds * 1000, step.name);
        total += step.seconds;
    }
    return out + fmt::format("{:>9.2f} ms  together\n", total * 1000);
}

}  // namespace tsr::driver
