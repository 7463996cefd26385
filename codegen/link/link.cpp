#include "codegen/link.h"

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <mutex>

#include <fcntl.h>
#include <lld/Common/Driver.h>
#include <llvm/Support/CrashRecoveryContext.h>
#include <llvm/Support/raw_ostream.h>
#include <sys/mman.h>
#include <unistd.h>

#include "codegen/link/memory_output.h"
#include "codegen/llvm/initializers.h"

LLD_HAS_DRIVER(elf)

namespace tsr::codegen {

namespace {

namespace fs = std::filesystem;

// A file that has no name: what the linker reads without a folder to write to.
class MemoryFile {
public:
    explicit MemoryFile(const std::string& bytes) : descriptor_(memfd_create("object", MFD_CLOEXEC)) {
        size_t at = 0;
        while (descriptor_ >= 0 && at < bytes.size()) {
            const ssize_t written = write(descriptor_, bytes.data() + at, bytes.size() - at);
            if (written <= 0) {
                if (written < 0 && errno == EINTR) continue;
                close(descriptor_);
                descriptor_ = -1;
                return;
            }
            at += static_cast<size_t>(written);
        }
    }
    ~MemoryFile() {
        if (descriptor_ >= 0) close(descriptor_);
    }
    MemoryFile(MemoryFile&& other) noexcept : descriptor_(std::exchange(other.descriptor_, -1)) {}
    MemoryFile& operator=(MemoryFile&&) = delete;

    [[nodiscard]] bool ok() const { return descriptor_ >= 0; }
    [[nodiscard]] std::string path() const { return "/proc/self/fd/" + std::to_string(descriptor_); }

private:
    int descriptor_;
};

// A shared library of the system by its name, empty if it is not there.
std::string system_library(const std::string& name) {
    static constexpr const char* kFolders[] = {
        "/lib/x86_64-linux-gnu", "/usr/lib/x86_64-linux-gnu", "/lib64", "/usr/lib64", "/lib", "/usr/lib"};
    for (const char* folder : kFolders) {
        const fs::path path = fs::path(folder) / name;
        std::error_code ignored;
        if (fs::exists(path, ignored)) return path.string();
    }
    return {};
}

// LLD's lines without its name in front; the first says what is wrong.
std::string first_error(const std::string& text) {
    const size_t at = text.find("error: ");
    if (at == std::string::npos) return text.empty() ? "the linker was ended by a signal" : text;
    const size_t begin = at + std::strlen("error: ");
    return text.substr(begin, text.find('\n', begin) - begin);
}

class Command {
public:
    explicit Command(const LinkOptions& options) : options_(options) {}

    void flag(std::string text) { words_.push_back(std::move(text)); }

    void resource(const std::string& name) {
        const fs::path path = fs::path(options_.resources) / name;
        std::error_code missing;
        // An archive may name its members relative to where it really stands.
        const fs::path real = fs::canonical(path, missing);
        if (missing) missing_ = path.string();
        flag(real.string());
    }

    void system(const std::string& name) {
        std::string path = system_library(name);
        if (path.empty()) missing_ = name;
        flag(std::move(path));
    }

    [[nodiscard]] const std::string& missing() const { return missing_; }
    [[nodiscard]] const std::vector<std::string>& words() const { return words_; }

private:
    const LinkOptions& options_;
    std::vector<std::string> words_;
    std::string missing_;
};

Command command_line(const std::vector<MemoryFile>& objects, const std::string& output, const LinkOptions& options) {
    Command command(options);
    for (const char* word : {"ld.lld", "-m", "elf_x86_64", "--gc-sections", "--hash-style=gnu", "--eh-frame-hdr",
                             "--build-id=none", "-z", "relro", "-z", "noexecstack", "--threads=1"}) {
        command.flag(word);
    }
    command.flag(options.shared ? "-shared" : "-pie");
    if (options.shared) {
        for (const char* word : {"--exclude-libs", "ALL", "-Bsymbolic"}) command.flag(word);
    }
    if (!options.debug) command.flag("-s");
    if (!options.shared) {
        command.flag("--dynamic-linker=/lib64/ld-linux-x86-64.so.2");
        command.resource("Scrt1.o");
    }
    command.flag("-o");
    command.flag(output);
    command.resource("crti.o");
    command.resource("crtbeginS.o");
    for (const MemoryFile& object : objects) command.flag(object.path());
    for (const std::string& archive : options.archives) command.flag(archive);
    if (options.runtime) command.resource("libtessera_rt.a");
    command.flag("--as-needed");
    command.system("libstdc++.so.6");
    command.system("libm.so.6");
    command.system("libgcc_s.so.1");
    command.system("libc.so.6");
    command.resource("libc_nonshared.a");
    command.system("ld-linux-x86-64.so.2");
    command.resource("libgcc.a");
    command.resource("crtendS.o");
    command.resource("crtn.o");
    return command;
}

// Signals that end LLD come back as an error of it.
class CrashesAreErrors {
public:
    CrashesAreErrors() { llvm::CrashRecoveryContext::Enable(); }
    ~CrashesAreErrors() { llvm::CrashRecoveryContext::Disable(); }
    CrashesAreErrors(const CrashesAreErrors&) = delete;
    CrashesAreErrors& operator=(const CrashesAreErrors&) = delete;
};

}  // namespace

std::string resource_folder() {
    std::error_code ignored;
    const fs::path folder = fs::read_symlink("/proc/self/exe", ignored).parent_path();
    const fs::path prefix = folder.parent_path();
    for (const fs::path& installed : {prefix / "lib" / "tesserac", prefix / "lib" / "x86_64-linux-gnu" / "tesserac"}) {
        if (fs::is_directory(installed, ignored)) return installed.string();
    }
    return (folder / "lib" / "tessera").string();
}

Result<std::string> link(const std::vector<std::string>& objects, const LinkOptions& options) {
    static std::mutex one_at_a_time;
    static bool usable = true;
    const std::lock_guard lock(one_at_a_time);
    initialize_llvm();
    if (!usable) return Failure{"internal error: the linker failed before and can not run again"};
    std::vector<MemoryFile> files;
    for (const std::string& object : objects) {
        files.emplace_back(object);
        if (!files.back().ok()) return Failure{std::string("no memory for an object file: ") + std::strerror(errno)};
    }
    MemoryOutput output;
    if (!output.ok()) return Failure{std::string("can not link: ") + std::strerror(errno)};
    const Command command = command_line(files, output.path(), options);
    if (!command.missing().empty()) return Failure{"linking needs `" + command.missing() + "`, which is not there"};
    std::vector<const char*> words;
    for (const std::string& word : command.words()) words.push_back(word.c_str());
    std::string text;
    llvm::raw_string_ostream stream(text);
    const CrashesAreErrors guard;
    const lld::Result result = lld::lldMain(words, stream, stream, {{lld::Gnu, &lld::elf::link}});
    usable = result.canRunAgain;
    if (result.retCode == 0) return output.take();
    return Failure{"can not link: " + first_error(text)};
}

}  // namespace tsr::codegen
