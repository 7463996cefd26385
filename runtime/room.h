// Room for a number of items that is known only when the program runs, and small most of the time.
#pragma once

#include <array>
#include <cstddef>
#include <memory>

namespace tsr::runtime {

// On the stack where the items are few, else allocated. What is in them is undefined until it is written.
template <typename T>
class Room {
public:
    explicit Room(size_t count) : many_(count > kFew ? new T[count] : nullptr) {}

    T* data() { return many_ ? many_.get() : few_.data(); }
    const T* data() const { return many_ ? many_.get() : few_.data(); }
    T& operator[](size_t i) { return data()[i]; }
    const T& operator[](size_t i) const { return data()[i]; }

private:
    static constexpr size_t kFew = 16;
    std::array<T, kFew> few_;
    std::unique_ptr<T[]> many_;
};

}  // namespace tsr::runtime
