// Another program, run beside this one: its streams, its limits, its end.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include <sys/types.h>

namespace tsr {

struct ChildOptions {
    std::string folder;        // that it works in; empty: this process's
    bool takes_input = false;  // else its standard input is empty
    size_t memory = 0;         // bytes of data that it may have; 0: as many as this process
};

// It ends, with all that it has started, when this object goes, and when the thread that made it does.
class ChildProcess {
public:
    // Starts a program with these words, found as a shell would.
    explicit ChildProcess(const std::vector<std::string>& words, const ChildOptions& options = {});
    ~ChildProcess();
    ChildProcess(const ChildProcess&) = delete;
    ChildProcess& operator=(const ChildProcess&) = delete;

    [[nodiscard]] bool started() const { return process_ > 0; }
    // This process's ends of its streams; -1 where there is none.
    [[nodiscard]] int input() const { return input_; }
    [[nodiscard]] int output() const { return output_; }
    [[nodiscard]] int errors() const { return errors_; }
    void close_input();

    // Ends it, with all that it has started.
    void kill();
    // Its exit code once it has ended: 128 + the signal's number where a signal ended it.
    std::optional<int> ended();
    int wait();

private:
    std::optional<int> reap(int how);

    pid_t process_ = -1;
    int input_ = -1;
    int output_ = -1;
    int errors_ = -1;
    std::optional<int> code_;
};

// A folder for files of this process, removed with all that is in it.
class TemporaryFolder {
public:
    TemporaryFolder();
    ~TemporaryFolder();
    TemporaryFolder(const TemporaryFolder&) = delete;
    TemporaryFolder& operator=(const TemporaryFolder&) = delete;

    [[nodiscard]] bool ok() const { return !path_.empty(); }
    [[nodiscard]] const std::string& path() const { return path_; }
    [[nodiscard]] std::string file(const std::string& name) const { return path_ + "/" + name; }

private:
    std::string path_;
};

}  // namespace tsr
