#include "codegen/link.h"

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <mutex>

#include <fcntl.h>
#include <lld/Common/Driver.h>
#include <llvm/Object/ArchiveWriter.h>
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

// Archives whose symbols a shared library does not offer: all but that of the program's own objects.
std::string hidden_archives(const LinkOptions& options) {
    std::string names = "libtessera_rt.a,libc_nonshared.a,libgcc.a";
    for (const std::string& archive : options.archives) names += "," + fs::path(archive).filename().string();
    return names;
}

// The objects as an archive: a program may have more of them than a process may have files open.
Result<std::string> archive_of(const std::vector<std::string>& objects) {
    std::vector<llvm::NewArchiveMember> members;
    std::vector<std::string> names;
    for (size_t i = 0; i < objects.size(); ++i) names.push_back(std::to_string(i) + ".o");
    for (const std::string& object : objects) {
        // LLD gives up for good where a member of an archive is something else.
        if (!object.starts_with("\x7f\x45LF")) return Failure{"can not link: this is no object file"};
    }
    for (size_t i = 0; i < objects.size(); ++i) members.emplace_back(llvm::MemoryBufferRef(objects[i], names[i]));
    auto made = llvm::writeArchiveToBuffer(members, llvm::SymtabWritingMode::NoSymtab, llvm::object::Archive::K_GNU,
                                           /*Deterministic=*/true, /*Thin=*/false);
    if (!made) return Failure{"can not link: " + llvm::toString(made.takeError())};
    return std::string((*made)->getBuffer());
}

Command command_line(const MemoryFile& objects, const std::string& output, const LinkOptions& options) {
    Command command(options);
    for (const char* word : {"ld.lld", "-m", "elf_x86_64", "--gc-sections", "--hash-style=gnu", "--eh-frame-hdr",
                             "--build-id=none", "-z", "relro", "-z", "noexecstack", "--threads=1"}) {
        command.flag(word);
    }
    command.flag(options.shared ? "-shared" : "-pie");
    if (options.shared) {
        command.flag("-Bsymbolic");
        command.flag("--exclude-libs");
        command.flag(hidden_archives(options));
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
    for (const std::string& word : {std::string("--whole-archive"), objects.path(), std::string("--no-whole-archive")})
        command.flag(word);
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
    auto archive = archive_of(objects);
    if (!archive) return Failure{archive.message()};
    const MemoryFile file(archive.value());
    if (!file.ok()) return Failure{std::string("no memory for object files: ") + std::strerror(errno)};
    MemoryOutput output;
    if (!output.ok()) return Failure{std::string("can not link: ") + std::strerror(errno)};
    const Command command = command_line(file, output.path(), options);
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
