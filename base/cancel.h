// Work that may be given up, because nobody wants what it makes any more: a text has changed, a request was taken back.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <exception>

namespace tsr {

// What was being made is lost; what was there before is as it was.
class Cancelled : public std::exception {};

namespace cancel {

struct Watched {
    const std::atomic<bool>* flag = nullptr;
    size_t looks = SIZE_MAX;  // how many find the flag unset at most
};
inline thread_local Watched watched;

}  // namespace cancel

// While it stands, the work of its thread ends soon after the flag is set.
class CancelScope {
public:
    // `looks`: for tests; the one behind so many finds the flag set.
    explicit CancelScope(const std::atomic<bool>& flag, size_t looks = SIZE_MAX) : before_(cancel::watched) {
        cancel::watched = {&flag, looks};
    }
    ~CancelScope() { cancel::watched = before_; }
    CancelScope(const CancelScope&) = delete;
    CancelScope& operator=(const CancelScope&) = delete;

private:
    cancel::Watched before_;
};

// Called now and then by what takes long: raises Cancelled.
inline void stop_if_cancelled() {
    cancel::Watched& watched = cancel::watched;
    if (watched.flag == nullptr) return;
    if (watched.looks != SIZE_MAX && watched.looks-- == 0) {
        watched.looks = 0;
        throw Cancelled();
    }
    if (watched.flag->load(std::memory_order_relaxed)) throw Cancelled();
}

}  // namespace tsr
