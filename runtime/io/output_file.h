// A file written beside its place and renamed there when it is whole.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/result.h"

namespace tsr::runtime {

// The first error is kept and given by commit(); without a commit, or after an error, nothing is left behind.
// What is no regular file (a device, a pipe) is written directly: it can not be replaced.
class OutputFile {
public:
    explicit OutputFile(const std::string& path);
    OutputFile(const OutputFile&) = delete;
    OutputFile& operator=(const OutputFile&) = delete;
    ~OutputFile();

    void write(std::span<const uint8_t> bytes);
    void write(std::string_view bytes) { write({reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size()}); }
    int64_t position() const { return position_; }
    Result<Done> commit();

private:
    void flush();
    void write_through(std::span<const uint8_t> bytes);
    void note_error();
    void discard();

    std::string target_, temporary_;  // temporary_ is empty when written directly
    std::string error_;
    std::vector<uint8_t> buffer_;
    int descriptor_ = -1;
    int64_t position_ = 0;
};

}  // namespace tsr::runtime
