#include "driver/subprocess.h"

#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <thread>

#include <fcntl.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

namespace tsr::driver {

namespace {

struct Pipe {
    int read = -1;
    int write = -1;
    Pipe() {
        std::array<int, 2> ends{};
        if (::pipe2(ends.data(), O_CLOEXEC) == 0) {
            read = ends[0];
            write = ends[1];
        }
    }
    ~Pipe() {
        close_read();
        close_write();
    }
    Pipe(const Pipe&) = delete;
    Pipe& operator=(const Pipe&) = delete;
    void close_read() { close_end(read); }
    void close_write() { close_end(write); }

private:
    static void close_end(int& end) {
        if (end >= 0) ::close(end);
        end = -1;
    }
};

// Becomes the program; what it writes goes into the pipes. Runs in a fork of a process with other threads, which may
// have held locks of the heap: nothing is allocated.
[[noreturn]] void become(char* const* arguments, const Pipe& out, const Pipe& err) {
    const int nothing = ::open("/dev/null", O_RDONLY);
    if (nothing >= 0) ::dup2(nothing, STDIN_FILENO);
    ::dup2(out.write, STDOUT_FILENO);
    ::dup2(err.write, STDERR_FILENO);
    ::setpgid(0, 0);  // so that what it starts itself ends with it
    for (int signal : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGXFSZ}) std::signal(signal, SIG_DFL);
    ::execvp(arguments[0], arguments);
    ::_exit(127);
}

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
    Pipe out;
    Pipe err;
    if (out.read < 0 || err.read < 0) return ended;
    std::vector<std::string> copies = words;
    std::vector<char*> arguments;
    for (std::string& word : copies) arguments.push_back(word.data());
    arguments.push_back(nullptr);
    const pid_t child = ::fork();
    if (child < 0) return ended;
    if (child == 0) become(arguments.data(), out, err);
    out.close_write();
    err.close_write();
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(seconds);
    std::array<pollfd, 2> streams{{{out.read, POLLIN, 0}, {err.read, POLLIN, 0}}};
    std::array<std::string*, 2> texts{&ended.out, &ended.err};
    int open = 2;
    while (open > 0) {
        const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(end - std::chrono::steady_clock::now());
        if (left.count() <= 0) {
            ended.timed_out = true;
            ::kill(-child, SIGKILL);
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
    int status = 0;
    for (pid_t gone = 0; gone == 0 || (gone < 0 && errno == EINTR);) {
        gone = ::waitpid(child, &status, ended.timed_out ? 0 : WNOHANG);
        if (gone != 0) continue;
        ended.timed_out = std::chrono::steady_clock::now() >= end;
        if (ended.timed_out) ::kill(-child, SIGKILL);
        if (!ended.timed_out) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    ended.code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    return ended;
}

std::string own_path() {
    std::error_code ignored;
    return std::filesystem::read_symlink("/proc/self/exe", ignored).string();
}

TemporaryFolder::TemporaryFolder() {
    std::error_code missing;
    std::string name = (std::filesystem::temp_directory_path(missing) / "tesserac-XXXXXX").string();
    if (!missing && ::mkdtemp(name.data()) != nullptr) path_ = name;
}

TemporaryFolder::~TemporaryFolder() {
    std::error_code ignored;
    if (ok()) std::filesystem::remove_all(path_, ignored);
}

}  // namespace tsr::driver
