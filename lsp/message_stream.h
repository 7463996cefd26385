// Messages of the base protocol: `Content-Length: N`, an empty line, N bytes.
#pragma once

#include <mutex>
#include <optional>
#include <string>

namespace tsr::lsp {

// Reads from a file descriptor; of one thread.
class MessageReader {
public:
    explicit MessageReader(int file) : file_(file) {}

    // The content of the next message; nothing at the end of the input. Headers that say no length that a message can
    // have are skipped up to their empty line.
    std::optional<std::string> next();

private:
    bool fill();
    std::optional<std::string> line();
    std::optional<std::string> content(size_t length);

    int file_;
    std::string buffer_;
    size_t at_ = 0;
};

// Writes to a file descriptor; of any thread.
class MessageWriter {
public:
    explicit MessageWriter(int file) : file_(file) {}

    void write(const std::string& content);
    // The reader at the other end has gone.
    [[nodiscard]] bool failed();

private:
    int file_;
    bool failed_ = false;
    std::mutex mutex_;
};

}  // namespace tsr::lsp
