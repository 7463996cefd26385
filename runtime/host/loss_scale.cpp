// The scale of `@loss_scale(dynamic)`: halved where a step overflows, doubled after many that do not (Micikevicius et
// al., "Mixed Precision Training", arXiv 1710.03740, section 3.2; the numbers are those of PyTorch's GradScaler).
#include "runtime/host/loss_scale.h"

#include <charconv>
#include <cmath>

#include "runtime/abi.h"
#include "runtime/fail.h"

namespace tsr::runtime {

namespace {

constexpr double kFirst = 65536.0;
constexpr int64_t kCleanSteps = 2000;
// Beyond these a power of two is no f32 any more, or its quotient by one.
constexpr double kLeast = 0x1p-64, kMost = 0x1p+64;

struct State {
    double scale = kFirst;
    int64_t clean = 0;
    bool stepped = false;
};

State& state() {
    static State held;
    return held;
}

bool is_power_of_two(double scale) {
    int exponent = 0;
    return std::frexp(scale, &exponent) == 0.5;
}

}  // namespace

std::string loss_scale_state() {
    if (!state().stepped) return {};
    return text("%.0f %lld", std::log2(state().scale), static_cast<long long>(state().clean));
}

bool set_loss_scale_state(std::string_view given) {
    int power = 0;
    int64_t clean = 0;
    const char* const end = given.data() + given.size();
    const auto first = std::from_chars(given.data(), end, power);
    if (first.ec != std::errc() || first.ptr == end || *first.ptr != ' ') return false;
    const auto second = std::from_chars(first.ptr + 1, end, clean);
    if (second.ec != std::errc() || second.ptr != end) return false;
    const double scale = std::exp2(power);
    if (!is_power_of_two(scale) || scale < kLeast || scale > kMost || clean < 0 || clean >= kCleanSteps) return false;
    state() = {scale, clean, true};
    return true;
}

}  // namespace tsr::runtime

using namespace tsr::runtime;

extern "C" {

double tsr_loss_scale(void) { return state().scale; }

double tsr_loss_scale_step(int64_t finite, const TsrPlace* place) {
    State& held = state();
    held.stepped = true;
    if (finite == 0) {
        held.clean = 0;
        const double before = held.scale;
        if (before > kLeast) held.scale = before / 2;
        tsr_wait();
        const std::string where = place != nullptr && place->file != nullptr
                                      ? text("%s:%d:%d: ", place->file, place->line, place->column)
                                      : "";
        std::fprintf(stderr,
                     "%snote: gradients overflowed at the loss scale %g: the step is skipped, the scale is %g\n",
                     where.c_str(), before, held.scale);
        return held.scale;
    }
    if (++held.clean == kCleanSteps) {
        held.clean = 0;
        if (held.scale < kMost) held.scale *= 2;
    }
    return held.scale;
}
}
