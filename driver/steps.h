// How long each step of a run took, for `--time-passes`.
#pragma once

#include <chrono>
#include <string>
#include <string_view>
#include <vector>

namespace tsr::driver {

class Steps {
public:
    // Does `work` and adds its time to the step of this name.
    template <typename Work>
    auto time(std::string_view name, Work work) {
        Clock clock(*this, name);
        return work();
    }

    // One line per step, in the order they were first done.
    [[nodiscard]] std::string report() const;

private:
    struct Clock {
        Clock(Steps& to, std::string_view step) : steps(to), name(step) {}
        Clock(const Clock&) = delete;
        Clock& operator=(const Clock&) = delete;
        ~Clock() { steps.add(name, std::chrono::steady_clock::now() - begin); }

        Steps& steps;
        std::string_view name;
        std::chrono::steady_clock::time_point begin = std::chrono::steady_clock::now();
    };
    void add(std::string_view name, std::chrono::duration<double> seconds);

    struct Step {
        std::string name;
        double seconds = 0;
    };
    std::vector<Step> all_;
};

}  // namespace tsr::driver
