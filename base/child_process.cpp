#include "base/child_process.h"

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <utility>

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

namespace tsr {

namespace {

void close_end(int& end) {
    if (end >= 0) ::close(end);
    end = -1;
}

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
        close_end(read);
        close_end(write);
    }
    Pipe(const Pipe&) = delete;
    Pipe& operator=(const Pipe&) = delete;
    [[nodiscard]] bool ok() const { return read >= 0; }
};

int taken(int& end) { return std::exchange(end, -1); }

// Becomes the program. Runs in a fork of a process with other threads, which may have held locks of the heap: nothing
// is allocated.
[[noreturn]] void become(char* const* arguments, const ChildOptions& options, int in, int out, int err) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    ::setpgid(0, 0);  // so that what it starts itself ends with it
    ::dup2(in, STDIN_FILENO);
    ::dup2(out, STDOUT_FILENO);
    ::dup2(err, STDERR_FILENO);
    if (!options.folder.empty() && ::chdir(options.folder.c_str()) != 0) ::_exit(127);
    if (options.memory != 0) {
        const rlimit limit{options.memory, options.memory};
        ::setrlimit(RLIMIT_DATA, &limit);
    }
    sigset_t none;
    ::sigemptyset(&none);
    ::sigprocmask(SIG_SETMASK, &none, nullptr);
    for (int signal : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGXFSZ, SIGPIPE}) std::signal(signal, SIG_DFL);
    ::execvp(arguments[0], arguments);
    ::_exit(127);
}

}  // namespace

ChildProcess::ChildProcess(const std::vector<std::string>& words, const ChildOptions& options) {
    Pipe in;
    Pipe out;
    Pipe err;
    if (!in.ok() || !out.ok() || !err.ok()) return;
    std::vector<std::string> copies = words;
    std::vector<char*> arguments;
    for (std::string& word : copies) arguments.push_back(word.data());
    arguments.push_back(nullptr);
    process_ = ::fork();
    if (process_ == 0) become(arguments.data(), options, in.read, out.write, err.write);
    if (process_ < 0) return;
    ::setpgid(process_, process_);  // also here: it may be ended before it has run
    if (options.takes_input) input_ = taken(in.write);
    output_ = taken(out.read);
    errors_ = taken(err.read);
}

ChildProcess::~ChildProcess() {
    kill();
    for (int* end : {&input_, &output_, &errors_}) close_end(*end);
}

void ChildProcess::close_input() { close_end(input_); }

std::optional<int> ChildProcess::reap(int how) {
    if (!started() || code_) return code_;
    siginfo_t end{};
    while (::waitid(P_PID, static_cast<id_t>(process_), &end, WEXITED | WNOWAIT | how) < 0) {
        if (errno != EINTR) return code_ = -1;
    }
    if (end.si_pid == 0) return code_;
    // What it has left behind ends, too: now, while its number is taken.
    ::kill(-process_, SIGKILL);
    int status = 0;
    while (::waitpid(process_, &status, 0) < 0 && errno == EINTR) continue;
    return code_ = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

void ChildProcess::kill() {
    if (!started() || code_) return;
    ::kill(-process_, SIGKILL);
    reap(0);
}

std::optional<int> ChildProcess::ended() { return reap(WNOHANG); }

int ChildProcess::wait() { return reap(0).value_or(-1); }

TemporaryFolder::TemporaryFolder() {
    std::error_code missing;
    std::string name = (std::filesystem::temp_directory_path(missing) / "tesserac-XXXXXX").string();
    if (!missing && ::mkdtemp(name.data()) != nullptr) path_ = name;
}

TemporaryFolder::~TemporaryFolder() {
    std::error_code ignored;
    if (ok()) std::filesystem::remove_all(path_, ignored);
}

}  // namespace tsr
