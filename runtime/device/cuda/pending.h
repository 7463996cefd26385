// Launches that may not be over: what they say and how they fail is told when the host waits, in their order, and when
// a call of the driver fails.
#pragma once

#include <span>
#include <string>

#include "runtime/abi.h"
#include "runtime/device/cpu/messages.h"
#include "runtime/device/cuda/device.h"

namespace tsr::runtime::cuda {

// Memory that a kernel writes its messages and its result to, and the host sees.
struct Mailbox {
    TsrDeviceContext* host = nullptr;
    Pointer device = 0;
    uint64_t* words = nullptr;  // the host's address of them
};
// An empty one, for the next launch alone.
const Mailbox& next_mailbox(Device& device, const TsrPlace* place);

// The launch just made; `mailbox` may be null.
void add_pending(const TsrKernelFamily& family, const TsrCudaKernel& kernel, const Mailbox* mailbox,
                 const TsrPlace* place);
// Whether one of them may have something to say.
bool messages_pending();
// What launches that are over said is not told.
void forget_messages();
// Waits for all launches, then tells what they said.
void wait(Device& device, const TsrPlace* place);
// Tells what launches said before the device failed, then fails: with an assertion of theirs, else with `what`.
[[noreturn]] void fail_pending(Device& device, const std::string& what, const TsrPlace* place);

// Makes the context this thread's.
void enter(Device& device);
// Ends the program when a call of the driver failed; what launches said and failed comes first.
void check(Device& device, Status status, const char* doing, const TsrPlace* place);

// What a kernel wrote, in the order in which a processor would have said it.
void read_messages(const TsrCudaKernel& kernel, const TsrDeviceContext& context, const uint64_t* words,
                   Messages& messages);

}  // namespace tsr::runtime::cuda
