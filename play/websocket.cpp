#include "play/websocket.h"

#include <algorithm>
#include <array>
#include <bit>

namespace tsr::play {

namespace {

// FIPS 180-4, section 6.1. The protocol wants it to tell that the other end speaks it; no secret depends on it.
std::string sha1(std::string_view text) {
    std::array<uint32_t, 5> hash{0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476, 0xc3d2e1f0};
    std::string bytes(text);
    bytes += '\x80';
    while (bytes.size() % 64 != 56) bytes += '\0';
    for (int shift = 56; shift >= 0; shift -= 8) bytes += static_cast<char>((text.size() * 8) >> shift);
    for (size_t block = 0; block < bytes.size(); block += 64) {
        std::array<uint32_t, 80> words{};
        for (size_t i = 0; i < 64; ++i) words[i / 4] = words[i / 4] << 8 | static_cast<unsigned char>(bytes[block + i]);
        for (size_t i = 16; i < 80; ++i)
            words[i] = std::rotl(words[i - 3] ^ words[i - 8] ^ words[i - 14] ^ words[i - 16], 1);
        auto [a, b, c, d, e] = hash;
        for (size_t i = 0; i < 80; ++i) {
            const uint32_t f = i < 20   ? (b & c) | (~b & d)
                               : i < 40 ? b ^ c ^ d
                               : i < 60 ? (b & c) | (b & d) | (c & d)
                                        : b ^ c ^ d;
            constexpr std::array<uint32_t, 4> kConstants{0x5a827999, 0x6ed9eba1, 0x8f1bbcdc, 0xca62c1d6};
            const uint32_t next = std::rotl(a, 5) + f + e + kConstants[i / 20] + words[i];
            e = d;
            d = c;
            c = std::rotl(b, 30);
            b = a;
            a = next;
        }
        const std::array<uint32_t, 5> more{a, b, c, d, e};
        for (size_t i = 0; i < 5; ++i) hash[i] += more[i];
    }
    std::string made;
    for (uint32_t word : hash) {
        for (int shift = 24; shift >= 0; shift -= 8) made += static_cast<char>(word >> shift);
    }
    return made;
}

constexpr std::string_view kDigits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

std::string base64(std::string_view bytes) {
    std::string made;
    for (size_t i = 0; i < bytes.size(); i += 3) {
        uint32_t three = 0;
        for (size_t j = 0; j < 3; ++j)
            three = three << 8 | (i + j < bytes.size() ? static_cast<unsigned char>(bytes[i + j]) : 0);
        for (size_t j = 0; j < 4; ++j) made += i + j <= bytes.size() ? kDigits[three >> (18 - 6 * j) & 63] : '=';
    }
    return made;
}

bool is_control(Opcode opcode) { return static_cast<uint8_t>(opcode) >= 8; }

}  // namespace

std::string accept_key(std::string_view key) {
    // 16 bytes in base64.
    if (key.size() != 24 || !key.ends_with("==") || key.substr(0, 22).find_first_not_of(kDigits) != key.npos) return {};
    return base64(sha1(std::string(key) + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"));
}

std::string frame(Opcode opcode, std::string_view content) {
    std::string made(1, static_cast<char>(0x80 | static_cast<uint8_t>(opcode)));
    const auto add_length = [&](int bytes) {
        for (int shift = 8 * (bytes - 1); shift >= 0; shift -= 8) made += static_cast<char>(content.size() >> shift);
    };
    if (content.size() < 126) {
        add_length(1);
    } else if (content.size() < 1 << 16) {
        made += static_cast<char>(126);
        add_length(2);
    } else {
        made += static_cast<char>(127);
        add_length(8);
    }
    return made.append(content);
}

std::string close_frame(CloseCode code, std::string_view why) {
    const auto number = static_cast<uint16_t>(code);
    std::string content{static_cast<char>(number >> 8), static_cast<char>(number)};
    return frame(Opcode::close, content.append(why.substr(0, 100)));
}

bool is_utf8(std::string_view text) {
    for (size_t i = 0; i < text.size();) {
        const auto byte = [&](size_t at) { return at < text.size() ? static_cast<unsigned char>(text[at]) : 0; };
        const int first = byte(i);
        const size_t more = first < 0x80   ? 0
                            : first < 0xc2 ? 9
                            : first < 0xe0 ? 1
                            : first < 0xf0 ? 2
                            : first < 0xf5 ? 3
                                           : 9;
        if (more == 9) return false;
        for (size_t j = 1; j <= more; ++j) {
            if ((byte(i + j) & 0xc0) != 0x80) return false;
        }
        // Longer than it needs to be, half of a pair of UTF-16, or beyond the last character.
        if ((first == 0xe0 && byte(i + 1) < 0xa0) || (first == 0xed && byte(i + 1) > 0x9f) ||
            (first == 0xf0 && byte(i + 1) < 0x90) || (first == 0xf4 && byte(i + 1) > 0x8f))
            return false;
        i += more + 1;
    }
    return true;
}

std::optional<FrameReader::Frame> FrameReader::next_frame() {
    const auto byte = [&](size_t at) { return static_cast<unsigned char>(buffer_[at]); };
    if (buffer_.size() < 2) return std::nullopt;
    Frame read{(byte(0) & 0x80) != 0, static_cast<Opcode>(byte(0) & 0x0f), {}};
    constexpr std::array kKnown{Opcode::continuation, Opcode::text, Opcode::binary,
                                Opcode::close,        Opcode::ping, Opcode::pong};
    const bool masked = (byte(1) & 0x80) != 0;
    uint64_t length = byte(1) & 0x7f;
    const bool odd_control = is_control(read.opcode) && (!read.last || length > 125);
    if ((byte(0) & 0x70) != 0 || !masked || odd_control || std::ranges::find(kKnown, read.opcode) == kKnown.end()) {
        fail(CloseCode::protocol);
        return std::nullopt;
    }
    const size_t length_bytes = length == 126 ? 2 : length == 127 ? 8 : 0;
    if (buffer_.size() < 2 + length_bytes + 4) return std::nullopt;
    if (length_bytes != 0) {
        length = 0;
        for (size_t i = 0; i < length_bytes; ++i) length = length << 8 | byte(2 + i);
    }
    if (length > longest_ || length + (begun_ ? begun_->size() : 0) > longest_) {
        fail(CloseCode::too_big);
        return std::nullopt;
    }
    const size_t head = 2 + length_bytes + 4;
    if (buffer_.size() < head + length) return std::nullopt;
    read.content = buffer_.substr(head, length);
    for (size_t i = 0; i < length; ++i)
        read.content[i] = static_cast<char>(read.content[i] ^ buffer_[head - 4 + i % 4]);
    buffer_.erase(0, head + length);
    return read;
}

std::optional<FrameReader::Message> FrameReader::next() {
    while (!error_) {
        auto read = next_frame();
        if (!read) return std::nullopt;
        if (is_control(read->opcode)) return Message{read->opcode, std::move(read->content)};
        // A part continues what was begun, and nothing else stands between.
        if ((read->opcode == Opcode::continuation) != begun_.has_value() || read->opcode == Opcode::binary) {
            fail(CloseCode::protocol);
            return std::nullopt;
        }
        begun_ = begun_.value_or("") + read->content;
        if (!read->last) continue;
        Message whole{Opcode::text, std::move(*begun_)};
        begun_.reset();
        if (!is_utf8(whole.content)) {
            fail(CloseCode::not_text);
            return std::nullopt;
        }
        return whole;
    }
    return std::nullopt;
}

}  // namespace tsr::play
