// Messages over an open connection: RFC 6455, the server's side, without extensions.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace tsr::play {

// What the server answers to a client's `Sec-WebSocket-Key`. Empty: that is no key.
std::string accept_key(std::string_view key);

enum class Opcode : uint8_t { continuation = 0, text = 1, binary = 2, close = 8, ping = 9, pong = 10 };

// Why a connection is ended.
enum class CloseCode : uint16_t {
    normal = 1000,
    going_away = 1001,
    protocol = 1002,
    not_text = 1007,
    too_big = 1009,
    failed = 1011
};

// A whole frame of the server's.
std::string frame(Opcode opcode, std::string_view content);
std::string close_frame(CloseCode code, std::string_view why);

bool is_utf8(std::string_view text);

// Puts the frames of a client together to messages.
class FrameReader {
public:
    explicit FrameReader(size_t longest) : longest_(longest) {}

    struct Message {
        Opcode opcode = Opcode::text;  // text, close, ping or pong
        std::string content;
    };

    void add(std::string_view bytes) { buffer_ += bytes; }
    // The next message, where all of it has come. Nothing more is read behind an error.
    std::optional<Message> next();
    // What was wrong with what came.
    [[nodiscard]] std::optional<CloseCode> error() const { return error_; }

private:
    struct Frame {
        bool last = false;
        Opcode opcode = Opcode::continuation;
        std::string content;
    };
    std::optional<Frame> next_frame();
    void fail(CloseCode code) { error_ = code; }

    size_t longest_;
    std::string buffer_;
    std::optional<std::string> begun_;  // the parts so far of a message in several frames
    std::optional<CloseCode> error_;
};

}  // namespace tsr::play
