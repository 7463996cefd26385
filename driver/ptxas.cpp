#include "driver/ptxas.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <regex>
#include <sstream>

#include <fmt/core.h>
#include <unistd.h>

#include "driver/cache.h"
#include "driver/output.h"
#include "driver/sha256.h"
#include "driver/subprocess.h"

namespace tsr::driver {

namespace fs = std::filesystem;

namespace {

constexpr int kMostSeconds = 600;

std::string find_ptxas() {
    std::vector<std::string> folders;
    if (const char* path = std::getenv("PATH"); path != nullptr) {
        std::istringstream words(path);
        for (std::string folder; std::getline(words, folder, ':');) folders.push_back(folder);
    }
    if (const char* home = std::getenv("CUDA_HOME"); home != nullptr) folders.push_back(std::string(home) + "/bin");
    folders.emplace_back("/usr/local/cuda/bin");
    for (const std::string& folder : folders) {
        auto path = folder + "/ptxas";
        if (!folder.empty() && ::access(path.c_str(), X_OK) == 0) return path;
    }
    return {};
}

// Lines about registers in memory, and about instructions that were put in order (codes C75..).
std::vector<std::string> slow_lines(const std::string& said) {
    static const std::regex slow("C75[0-9][0-9]|[1-9][0-9]* bytes spill");
    std::vector<std::string> lines;
    std::istringstream all(said);
    for (std::string line; std::getline(all, line);) {
        if (std::regex_search(line, slow)) lines.push_back(line.substr(line.find_first_not_of(' ')));
    }
    return lines;
}

}  // namespace

Ptxas::Ptxas() : path_(find_ptxas()) {
    if (path_.empty()) return;
    std::error_code ignored;
    version_ = fmt::format("{} {} {}", path_, fs::file_size(path_, ignored),
                           fs::last_write_time(path_, ignored).time_since_epoch().count());
}

Result<std::string> Ptxas::assemble(const std::string& ptx, const std::string& target) {
    if (!found()) return Failure{fmt::format("there is no ptxas to make a cubin for {}", target)};
    Sha256 key;
    for (const std::string& field : {version_, target, ptx}) key.add_field(field);
    const std::string folder = cache_folder();
    const std::string kept = fmt::format("{}/{}.cubin", folder, key.finish());
    std::error_code error;
    if (!folder.empty() && fs::file_size(kept, error) > 0 && !error) {
        fs::last_write_time(kept, fs::file_time_type::clock::now(), error);  // it was used now
        return content(kept).value_or("");
    }
    const TemporaryFolder temporary;
    if (!temporary.ok()) return Failure{"there is no folder for temporary files"};
    const std::string from = temporary.file("kernel.ptx");
    const std::string to = temporary.file("kernel.cubin");
    if (auto wrong = write_output(from, ptx, FileKind::data); !wrong.empty()) return Failure{wrong};
    const Ended ended = run_program({path_, "-v", "-arch=" + target, "-o", to, from}, kMostSeconds);
    if (ended.code != 0) return Failure{fmt::format("ptxas for {}: {}{}", target, ended.out, ended.err)};
    std::string cubin = content(to).value_or("");
    const std::vector<std::string> slow = slow_lines(ended.out + ended.err);
    const std::lock_guard guard(mutex_);
    for (const std::string& line : slow) remarks_.push_back(fmt::format("{}: {}", target, line));
    // What is slow is said each time.
    if (!slow.empty() || folder.empty()) return cubin;
    fs::create_directories(folder, error);
    if (!error) (void)write_output(kept, cubin, FileKind::data);
    return cubin;
}

}  // namespace tsr::driver
