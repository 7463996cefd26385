// One connection of a browser: bytes with a limit on the time that they take, and messages over it.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "play/websocket.h"

namespace tsr::play {

class Connection {
public:
    // `stopping` gets readable when the server ends. The connection owns `socket`.
    Connection(int socket, int stopping);
    ~Connection();
    Connection(const Connection&) = delete;
    Connection& operator=(const Connection&) = delete;

    // The lines of a request with the empty one at their end; empty where the connection ended, the time was over, or
    // the server ends. Longer than `kLongestHead`: without an empty line.
    std::string read_head();
    // False: the other end has gone, or takes nothing any more.
    bool write(std::string_view bytes);
    // Says that this is all, and waits until the other end has taken it.
    void finish();

    // ---- messages; for a connection that was answered `101 Switching Protocols` ----

    // Waits until the browser, one of `files` or the clock wants attention; false where the connection is over. What
    // came of the browser is at `next_message` then.
    bool wait(const std::vector<int>& files, std::optional<std::chrono::milliseconds> longest);
    // Whether the file, one of those of `wait`, can be read, or is at its end.
    [[nodiscard]] bool readable(int file) const;
    // A text of the browser's. Pings are answered here, an end too.
    std::optional<std::string> next_message();
    bool send(std::string_view text) { return write(frame(Opcode::text, text)); }
    void close(CloseCode code, std::string_view why);

private:
    int socket_;
    int stopping_;
    FrameReader frames_;
    std::vector<int> readable_;
    bool over_ = false;
};

}  // namespace tsr::play
