// Bytes that can be read at any place: an open file, or memory.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "runtime/result.h"

namespace tsr::runtime {

class Source {
public:
    virtual ~Source() = default;
    virtual int64_t size() const = 0;
    // Fills all of `to` from `offset` on; refused where the bytes are not there.
    virtual Result<Done> read(int64_t offset, std::span<uint8_t> to) const = 0;
};

// Refused with the system's reason: no such file, a folder, no permission.
Result<std::unique_ptr<Source>> open_file(const std::string& path);

class MemorySource : public Source {
public:
    explicit MemorySource(std::span<const uint8_t> bytes) : bytes_(bytes) {}
    int64_t size() const override { return static_cast<int64_t>(bytes_.size()); }
    Result<Done> read(int64_t offset, std::span<uint8_t> to) const override;

private:
    std::span<const uint8_t> bytes_;
};

// Little-endian numbers in memory.
template <typename Number>
Number little_endian(const uint8_t* bytes) {
    Number value = 0;
    for (size_t i = 0; i < sizeof(Number); ++i) value |= static_cast<Number>(Number{bytes[i]} << (8 * i));
    return value;
}

}  // namespace tsr::runtime
