#include "driver/subprocess.h"

#include <array>
#include <cerrno>
#include <chrono>
#include <filesystem>
#include <thread>

#include <poll.h>
#include <unistd.h>

namespace tsr::driver {

namespace {

// Takes what can be read; false at the end of the stream.
bool take(int from, std::string& into) {
    std::array<char, 1 << 14> chunk;
    const ssize_t got = ::read(from, chunk.data(), chunk.size());
    if (got > 0) into.append(chunk.data(), static_cast<size_t>(got));
    return got > 0 || (got < 0 && errno == EINTR);
}

}  // namespace

Ended run_program(const std::vector<std::string>& words, int seconds) {
    Ended ended;
    ChildProcess child(words);
    if (!child.started()) return ended;
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(seconds);
    std::array<pollfd, 2> streams{{{child.output(), POLLIN, 0}, {child.errors(), POLLIN, 0}}};
    std::array<std::string*, 2> texts{&ended.out, &ended.err};
    int open = 2;
    while (open > 0) {
        const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(end - std::chrono::steady_clock::now());
        if (left.count() <= 0) {
            ended.timed_out = true;
            child.kill();
            break;
        }
        if (::poll(streams.data(), streams.size(), static_cast<int>(left.count())) < 0 && errno != EINTR) break;
        for (size_t i = 0; i < streams.size(); ++i) {
            if (streams[i].fd < 0 || streams[i].revents == 0 || take(streams[i].fd, *texts[i])) continue;
            streams[i].fd = -1;
            --open;
        }
    }
    // It may run on after it has closed both.
    while (!child.ended() && !ended.timed_out) {
        ended.timed_out = std::chrono::steady_clock::now() >= end;
        if (ended.timed_out) child.kill();
        if (!ended.timed_out) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    ended.code = child.wait();
    return ended;
}

std::string own_path() {
    std::error_code ignored;
    return std::filesystem::read_symlink("/proc/self/exe", ignored).string();
}

}  // namespace tsr::driver
