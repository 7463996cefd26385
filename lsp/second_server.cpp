#include "lsp/second_server.h"

#include <array>
#include <cerrno>
#include <charconv>

#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>

#include "base/child_process.h"
#include "lsp/message_stream.h"
#include "lsp/protocol.h"

namespace tsr::lsp {

namespace {

constexpr int kLook = 5;  // milliseconds between two looks at `cancel`

// All that it writes to its output, once it has closed it.
std::string output_of(ChildProcess& child, const std::atomic<bool>& cancel) {
    std::string out;
    std::array<pollfd, 2> streams{{{child.output(), POLLIN, 0}, {child.errors(), POLLIN, 0}}};
    while (streams[0].fd >= 0) {
        if (cancel.load()) {
            child.kill();
            throw Cancelled();
        }
        if (::poll(streams.data(), streams.size(), kLook) < 0 && errno != EINTR) break;
        for (pollfd& stream : streams) {
            if (stream.fd < 0 || stream.revents == 0) continue;
            std::array<char, 1U << 14U> chunk;
            const ssize_t got = ::read(stream.fd, chunk.data(), chunk.size());
            if (got > 0 && stream.fd == child.output()) out.append(chunk.data(), static_cast<size_t>(got));
            if (got == 0 || (got < 0 && errno != EINTR)) stream.fd = -1;
        }
    }
    return out;
}

// The message with this id among frames.
Json answer_in(std::string_view frames, int id) {
    constexpr std::string_view kLength = "Content-Length: ";
    while (true) {
        const size_t head = frames.find(kLength);
        const size_t body = frames.find("\r\n\r\n");
        if (head == std::string_view::npos || body == std::string_view::npos) return nullptr;
        size_t length = 0;
        std::from_chars(frames.data() + head + kLength.size(), frames.data() + body, length);
        if (length > frames.size() - body - 4) return nullptr;
        Json message = parse_json(frames.substr(body + 4, length));
        if (!message.is_discarded() && below(message, {"id"}) == id) return message;
        frames.remove_prefix(body + 4 + length);
    }
}

}  // namespace

Json second_server(const std::string& compiler, std::string_view method, const Json& params,
                   const std::atomic<bool>& cancel) {
    ChildProcess child({compiler, "lsp"}, {.takes_input = true});
    if (!child.started())
        throw RequestError(ErrorCode::request_failed, fmt::format("`{}` could not be started", compiler));
    MessageWriter writer(child.input());
    constexpr int kRequest = 2;
    writer.write(text_of({{"jsonrpc", "2.0"}, {"id", 1}, {"method", "initialize"}, {"params", Json::object()}}));
    writer.write(text_of({{"jsonrpc", "2.0"}, {"id", kRequest}, {"method", method}, {"params", params}}));
    child.close_input();
    const Json answer = answer_in(output_of(child, cancel), kRequest);
    child.wait();
    if (const Json& error = below(answer, {"error"}); !error.is_null())
        throw RequestError(error.at("code").get<ErrorCode>(), error.at("message").get<std::string>());
    if (answer.is_null()) throw RequestError(ErrorCode::request_failed, "the compiler ended without an answer");
    return below(answer, {"result"});
}

}  // namespace tsr::lsp
