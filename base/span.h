// Places in source text.
#pragma once

#include <cstdint>

#include "base/ids.h"

namespace tsr {

using FileId = Id<struct FileTag>;

// A half-open range of bytes in one file. Columns in other units (code points, UTF-16) are made at the edges only.
struct Span {
    FileId file;
    uint32_t begin = 0;
    uint32_t end = 0;

    [[nodiscard]] constexpr bool valid() const { return file.valid(); }
    constexpr bool operator==(const Span&) const = default;

    // The smallest range that holds both; of two files, the first range.
    [[nodiscard]] constexpr Span to(Span other) const {
        if (!valid()) return other;
        if (!other.valid() || other.file != file) return *this;
        return {file, begin < other.begin ? begin : other.begin, end > other.end ? end : other.end};
    }
};

}  // namespace tsr
