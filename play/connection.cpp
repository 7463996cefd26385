#include "play/connection.h"

#include <algorithm>
#include <array>
#include <cerrno>

#include <poll.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include "play/http.h"

namespace tsr::play {

namespace {

using Clock = std::chrono::steady_clock;

constexpr std::chrono::seconds kLongestHeadTime{10};
constexpr size_t kLongestMessage = 8 << 20;

int milliseconds_until(Clock::time_point end) {
    return static_cast<int>(
        std::max<int64_t>(0, std::chrono::duration_cast<std::chrono::milliseconds>(end - Clock::now()).count()));
}

}  // namespace

Connection::Connection(int socket, int stopping) : socket_(socket), stopping_(stopping), frames_(kLongestMessage) {
    const timeval patience{10, 0};
    ::setsockopt(socket_, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
}

Connection::~Connection() { ::close(socket_); }

std::string Connection::read_head() {
    const auto end = Clock::now() + kLongestHeadTime;
    std::string head;
    while (head.size() <= kLongestHead) {
        std::array<pollfd, 2> streams{{{socket_, POLLIN, 0}, {stopping_, POLLIN, 0}}};
        const int ready = ::poll(streams.data(), streams.size(), milliseconds_until(end));
        if (ready < 0 && errno == EINTR) continue;
        if (ready <= 0 || streams[1].revents != 0) return {};
        std::array<char, 4096> chunk;
        const ssize_t got = ::recv(socket_, chunk.data(), chunk.size(), 0);
        if (got <= 0) return {};
        head.append(chunk.data(), static_cast<size_t>(got));
        const size_t empty_line = head.find("\r\n\r\n");
        if (empty_line == std::string::npos) continue;
        if (empty_line + 4 > kLongestHead) break;
        frames_.add(std::string_view(head).substr(empty_line + 4));
        return head.substr(0, empty_line + 4);
    }
    return head.substr(0, kLongestHead);
}

bool Connection::write(std::string_view bytes) {
    while (!bytes.empty() && !over_) {
        const ssize_t sent = ::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
        if (sent < 0 && errno == EINTR) continue;
        over_ = sent <= 0;
        if (!over_) bytes.remove_prefix(static_cast<size_t>(sent));
    }
    return !over_;
}

void Connection::finish() {
    // What is still on its way to us would make the system throw away what we have sent.
    ::shutdown(socket_, SHUT_WR);
    const auto end = Clock::now() + std::chrono::seconds(1);
    std::array<char, 4096> chunk;
    pollfd stream{socket_, POLLIN, 0};
    while (::poll(&stream, 1, milliseconds_until(end)) > 0) {
        if (::recv(socket_, chunk.data(), chunk.size(), 0) <= 0) break;
    }
}

bool Connection::wait(const std::vector<int>& files, std::optional<std::chrono::milliseconds> longest) {
    std::vector<pollfd> streams{{socket_, POLLIN, 0}, {stopping_, POLLIN, 0}};
    for (int file : files) streams.push_back({file, POLLIN, 0});
    readable_.clear();
    const int ready = ::poll(streams.data(), streams.size(), longest ? static_cast<int>(longest->count()) : -1);
    if (ready <= 0) return !over_ && (ready == 0 || errno == EINTR);
    if (streams[1].revents != 0) {
        close(CloseCode::going_away, "the server ends");
        return false;
    }
    for (size_t i = 2; i < streams.size(); ++i) {
        if (streams[i].revents != 0) readable_.push_back(streams[i].fd);
    }
    if (streams[0].revents != 0) {
        std::array<char, 1 << 16> chunk;
        const ssize_t got = ::recv(socket_, chunk.data(), chunk.size(), 0);
        if (got > 0) frames_.add({chunk.data(), static_cast<size_t>(got)});
        if (got == 0 || (got < 0 && errno != EINTR)) over_ = true;
    }
    return !over_;
}

bool Connection::readable(int file) const { return std::ranges::find(readable_, file) != readable_.end(); }

std::optional<std::string> Connection::next_message() {
    while (auto message = frames_.next()) {
        if (message->opcode == Opcode::text) return std::move(message->content);
        if (message->opcode == Opcode::ping) write(frame(Opcode::pong, message->content));
        if (message->opcode == Opcode::close) {
            close(CloseCode::normal, "");
            return std::nullopt;
        }
    }
    if (frames_.error() && !over_) close(*frames_.error(), "what came is not a message of the protocol");
    return std::nullopt;
}

void Connection::close(CloseCode code, std::string_view why) {
    if (over_) return;
    write(close_frame(code, why));
    over_ = true;
}

}  // namespace tsr::play
