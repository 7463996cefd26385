// The GPU that a program runs on.
#pragma once

#include <cstdint>
#include <string>

#include "runtime/abi.h"
#include "runtime/device/cuda/driver.h"

namespace tsr::runtime::cuda {

struct Device {
    const Driver& driver;
    int number;        // the N of cuda:N
    DeviceNumber id;   // the driver's
    std::string name;  // "NVIDIA H100 PCIe"
    int capability;    // 10 * major + minor
    int version;       // of the driver, as CUDA counts
    int max_threads;   // of a block
    int64_t max_shared;
    int64_t max_blocks;  // of a launch
    bool clusters;
    Pool pool;  // null: memory does not come in the stream's order
    Context context;
    Stream stream;
    bool asked_for = false;  // by TESSERA_DEVICE, not found
    std::string lost = {};   // why it does nothing any more
};

// Chosen by TESSERA_DEVICE, else the first one if there is any; opened when first asked for. NULL: the processor.
// What was asked for and is not there fails.
Device* device();
// The same where a device is in use; null too when none was opened so far.
Device* open_device();
// Fails for a TESSERA_DEVICE that no device has; without one it does nothing.
void check_device();

// "cuda:0 (NVIDIA H100 PCIe, sm_90)"
std::string device_text(const Device& device);

}  // namespace tsr::runtime::cuda
