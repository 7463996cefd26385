#include "play/language.h"

#include <array>
#include <cerrno>
#include <charconv>

#include <fmt/format.h>
#include <unistd.h>

#include "base/child_process.h"

namespace tsr::play {

namespace {

bool write_all(int file, std::string_view bytes) {
    while (!bytes.empty()) {
        const ssize_t written = ::write(file, bytes.data(), bytes.size());
        if (written < 0 && errno == EINTR) continue;
        if (written <= 0) return false;
        bytes.remove_prefix(static_cast<size_t>(written));
    }
    return true;
}

// The content of the first message in the buffer, which leaves it. Our own server writes one header.
std::optional<std::string> next_content(std::string& buffer) {
    constexpr std::string_view kHeader = "Content-Length: ";
    const size_t end = buffer.find("\r\n\r\n");
    if (end == std::string::npos || !buffer.starts_with(kHeader)) return std::nullopt;
    size_t length = 0;
    std::from_chars(buffer.data() + kHeader.size(), buffer.data() + end, length);
    if (buffer.size() < end + 4 + length) return std::nullopt;
    std::string content = buffer.substr(end + 4, length);
    buffer.erase(0, end + 4 + length);
    return content;
}

}  // namespace

void serve_language(Connection& connection, const PlayOptions& options) {
    std::vector<std::string> words{options.compiler, "lsp"};
    for (const std::string& folder : options.import_folders) words.insert(words.end(), {"-I", folder});
    ChildProcess server(words, {.takes_input = true});
    std::string buffer;
    std::array<char, 1 << 16> chunk;
    while (server.started() && connection.wait({server.output(), server.errors()}, std::nullopt)) {
        while (const auto message = connection.next_message()) {
            if (!write_all(server.input(), fmt::format("Content-Length: {}\r\n\r\n{}", message->size(), *message)))
                break;
        }
        // What it says beside the protocol is read, so that it never waits to say it, and shown by nobody.
        if (connection.readable(server.errors())) {
            if (::read(server.errors(), chunk.data(), chunk.size()) <= 0) break;
        }
        if (!connection.readable(server.output())) continue;
        const ssize_t got = ::read(server.output(), chunk.data(), chunk.size());
        if (got <= 0) break;
        buffer.append(chunk.data(), static_cast<size_t>(got));
        while (const auto content = next_content(buffer)) connection.send(*content);
    }
    connection.close(CloseCode::failed, "the language server has ended");
}

}  // namespace tsr::play
