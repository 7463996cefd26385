// Other programs, run to their end.
#pragma once

#include <string>
#include <vector>

namespace tsr::driver {

struct Ended {
    int code = -1;  // exit code; 128 + the signal's number; -1: it could not be started
    bool timed_out = false;
    std::string out;
    std::string err;
};

// Runs a program with these words, found as a shell would; standard input is empty. It is ended after `seconds`.
Ended run_program(const std::vector<std::string>& words, int seconds);

// The path of the compiler that runs.
std::string own_path();

// A folder for files of this process, removed with all that is in it.
class TemporaryFolder {
public:
    TemporaryFolder();
    ~TemporaryFolder();
    TemporaryFolder(const TemporaryFolder&) = delete;
    TemporaryFolder& operator=(const TemporaryFolder&) = delete;

    [[nodiscard]] bool ok() const { return !path_.empty(); }
    [[nodiscard]] std::string file(const std::string& name) const { return path_ + "/" + name; }

private:
    std::string path_;
};

}  // namespace tsr::driver
