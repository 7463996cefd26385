// A file that the linker can open and write, whose bytes come back in memory. LLD writes regular files through
// mappings, where a full disk is a signal instead of an error; into a pipe it writes with `write`.
#pragma once

#include <string>
#include <thread>

namespace tsr::codegen {

class MemoryOutput {
public:
    MemoryOutput();
    ~MemoryOutput();
    MemoryOutput(const MemoryOutput&) = delete;
    MemoryOutput& operator=(const MemoryOutput&) = delete;

    // False where the system gave no pipe; `errno` says why.
    [[nodiscard]] bool ok() const { return reader_.joinable(); }
    [[nodiscard]] std::string path() const { return "/proc/self/fd/" + std::to_string(write_end_); }

    // What was written, when nobody writes any more. Once.
    std::string take();

private:
    void read();
    void drain();

    int read_end_ = -1;
    int write_end_ = -1;
    int done_ = -1;  // becomes readable when the writer has returned, also if it failed and left the pipe open
    std::string bytes_;
    std::thread reader_;
};

}  // namespace tsr::codegen
