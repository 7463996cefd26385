// Time as the device counts it: what a launch takes there, without its way from this processor.
#pragma once

#include "runtime/device/cuda/device.h"

namespace tsr::runtime::cuda {

class Timer {
public:
    // `place`: of the launch that is measured, for what fails.
    Timer(Device& device, const TsrPlace* place);
    ~Timer();
    Timer(const Timer&) = delete;
    Timer& operator=(const Timer&) = delete;

    // Each takes its place in the stream's order.
    void begin();
    void end();
    // In seconds, good to about half a microsecond; the stream was waited for since end().
    double elapsed() const;

private:
    Event make() const;

    Device& device_;
    const TsrPlace* place_;
    Event begin_, end_;
};

}  // namespace tsr::runtime::cuda
