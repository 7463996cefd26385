#include "runtime/device/cuda/timer.h"

#include "runtime/device/cuda/pending.h"

namespace tsr::runtime::cuda {

namespace {

constexpr const char* kDoing = "measuring";

}  // namespace

Timer::Timer(Device& device, const TsrPlace* place) : device_(device), place_(place), begin_(make()), end_(make()) {}

Timer::~Timer() {
    device_.driver.destroy_event(begin_);
    device_.driver.destroy_event(end_);
}

Event Timer::make() const {
    Event event = nullptr;
    check(device_, device_.driver.make_event(&event, 0), kDoing, place_);
    return event;
}

void Timer::begin() { check(device_, device_.driver.record_event(begin_, device_.stream), kDoing, place_); }

void Timer::end() { check(device_, device_.driver.record_event(end_, device_.stream), kDoing, place_); }

double Timer::elapsed() const {
    float milliseconds = 0;
    check(device_, device_.driver.elapsed(&milliseconds, begin_, end_), kDoing, place_);
    return static_cast<double>(milliseconds) * 1e-3;
}

}  // namespace tsr::runtime::cuda
