// The end of a program by a user's error: every such end passes through tsr_fail.
#pragma once

#include <string>

#include "runtime/abi.h"
#include "runtime/abi/library_calls.h"

namespace tsr::runtime {

// Fails with a printf-formatted message.
[[noreturn, gnu::format(printf, 2, 3)]] void fail(const TsrPlace* place, const char* format, ...);
[[gnu::format(printf, 1, 2)]] std::string text(const char* format, ...);

// What may end the program with another message, of something that happened before: launches that go on.
void before_failure(void (*settle)());
// The call of the standard library that this thread is in, null in code of the user's.
const TsrLibraryCall* library_call();
// Something that was begun inside such a call is looked at again: its failure stands at that call.
class InLibraryCall {
public:
    explicit InLibraryCall(const TsrLibraryCall* call) : before_(tsr_enter_library(call)) {}
    ~InLibraryCall() { tsr_enter_library(before_); }
    InLibraryCall(const InLibraryCall&) = delete;
    InLibraryCall& operator=(const InLibraryCall&) = delete;

private:
    const TsrLibraryCall* before_;
};

// What is to be finished before the process ends by a failure: open traces, temporary files.
void at_failure(void (*finish)());

}  // namespace tsr::runtime
