#include "ir/eval/frame.h"

namespace tsr::ir::eval {

Slot Frame::take(uint64_t bytes) {
    const uint64_t size = (bytes + 63) / 64 * 64;
    std::vector<Slot>& free = free_[size];
    if (!free.empty()) {
        const Slot slot = free.back();
        free.pop_back();
        return slot;
    }
    const auto slot = static_cast<Slot>(end_);
    end_ += size;
    return slot;
}

Slot Frame::take_for_good(uint64_t bytes) {
    const auto slot = static_cast<Slot>(end_);
    end_ += (bytes + 63) / 64 * 64;
    return slot;
}

void Frame::give_back(Slot slot, uint64_t bytes) { free_[(bytes + 63) / 64 * 64].push_back(slot); }

}  // namespace tsr::ir::eval
