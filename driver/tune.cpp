// `tesserac tune`: runs a program so that it measures its tuned kernels, tells the winners, and puts them into an
// executable where one is asked for.
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <set>

#include <fmt/core.h>
#include <sys/wait.h>
#include <unistd.h>

#include "driver/commands.h"
#include "driver/compilation.h"
#include "driver/machines.h"
#include "driver/output.h"
#include "driver/start.h"
#include "driver/subprocess.h"

namespace tsr::driver {

namespace {

// The program's exit code, as a shell tells it.
int run_measuring(const std::string& executable, const Options& options, const std::string& records) {
    const int program = in_memory(executable);
    const pid_t child = program < 0 ? -1 : ::fork();
    if (child == 0) {
        ::setenv("TESSERA_TUNE_RECORD", records.c_str(), 1);
        const std::string why = become(program, options);
        fmt::print(stderr, "tesserac: can not start the program: {}\n", why);
        ::_exit(127);
    }
    if (child < 0) {
        fmt::print(stderr, "tesserac: can not start the program: {}\n", std::strerror(errno));
        return 1;
    }
    ::close(program);
    int status = 0;
    while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

std::string line_after(const std::string& record, const std::string& word) {
    const size_t at = record.find("\n" + word + " ");
    if (at == std::string::npos) return {};
    const size_t begin = at + word.size() + 2;
    return record.substr(begin, record.find('\n', begin) - begin);
}

// "gemm, M<=512 N<=512: BM=64, BN=128", one line per record, each once.
void tell(const std::string& records) {
    std::set<std::string> told;
    for (size_t at = records.find("tesserac tuning"); at != std::string::npos;) {
        const size_t next = records.find("tesserac tuning", at + 1);
        const std::string record = records.substr(at, next - at);
        const std::string kernel = line_after(record, "kernel");
        const std::string line = fmt::format("{}, {}: {}", kernel.substr(0, kernel.find(' ')),
                                             line_after(record, "sizes"), line_after(record, "point"));
        if (told.insert(line).second) fmt::print(stderr, "tuned {}\n", line);
        at = next;
    }
    if (told.empty()) fmt::print(stderr, "tesserac: the program launched no kernel that has several points\n");
}

// The same code, with the winners beside it.
bool make_tuned(Compilation& compilation, const std::string& records, std::string& executable) {
    compilation.know(records);
    std::vector<std::string> objects;
    return compilation.generate(codegen::Emit::objects, objects) && compilation.link(objects, executable);
}

}  // namespace

int tune(const Options& options) {
    auto wrong = check_names(options);
    if (options.output == "-") wrong = "an executable can not go to standard output: name a file";
    if (!wrong.empty()) {
        fmt::print(stderr, "tesserac: {}\n", wrong);
        return kUsageError;
    }
    codegen::prepare();
    Session session(options);
    Compilation compilation(session);
    std::string executable;
    const bool built = compilation.read() && compilation.make_executable(executable);
    if (compilation.stopped()) session.write_result(compilation.text(), "");
    compilation.report_times();
    if (const int status = session.finish(); !built || status != 0) return status;
    const TemporaryFolder folder;
    if (!folder.ok()) {
        fmt::print(stderr, "tesserac: there is no place for temporary files\n");
        return 1;
    }
    const std::string file = folder.file("records");
    if (const int status = run_measuring(executable, options, file); status != 0) return status;
    const std::string records = content(file).value_or("");
    tell(records);
    session.diagnostics = {};  // told before the program ran
    if (!options.output.empty() && !make_tuned(compilation, records, executable)) return session.finish();
    if (!options.tuned.empty()) session.write_file(options.tuned, records, FileKind::data);
    if (!options.output.empty()) session.write_file(options.output, executable, FileKind::executable);
    return session.finish();
}

}  // namespace tsr::driver
