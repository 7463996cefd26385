// `tesserac file.tsr`: compiles a program, to an executable or to the level asked for.
#include <map>

#include <fmt/core.h>

#include "driver/commands.h"
#include "driver/compilation.h"
#include "driver/machines.h"
#include "driver/output.h"
#include "driver/python_package.h"
#include "frontend/format.h"
#include "runtime/tune/record.h"

namespace tsr::driver {

namespace {

std::string output_name(const Options& options, std::string_view suffix) {
    if (!options.output.empty()) return options.output;
    auto name = options.input.substr(options.input.rfind('/') + 1);
    auto dot = name.rfind('.');
    if (dot != std::string::npos && dot != 0) name.resize(dot);
    // A program without `.tsr` must not overwrite itself.
    return name + std::string(suffix) == options.input ? name + ".out" : name + std::string(suffix);
}

void emit_code(Session& session, Compilation& compilation) {
    const Options& options = session.options();
    auto form = options.emit == Emit::llvm       ? codegen::Emit::llvm
                : options.emit == Emit::assembly ? codegen::Emit::assembly
                : options.emit == Emit::object   ? codegen::Emit::object
                                                 : codegen::Emit::objects;
    std::vector<std::string> made;
    if (!compilation.generate(form, made)) return;
    if (options.emit == Emit::executable) {
        std::string executable;
        if (!compilation.link(made, executable)) return;
        session.write_file(output_name(options, ""), executable, FileKind::executable);
        return;
    }
    session.write_result(made[0], options.emit == Emit::object ? output_name(options, ".o") : "");
}

std::string_view suffix_of(codegen::GpuForm form) {
    switch (form) {
        case codegen::GpuForm::ptx:
            return ".ptx";
        case codegen::GpuForm::llvm:
            return ".ll";
        case codegen::GpuForm::cubin:
            return ".cubin";
    }
    return {};
}

// A name for each: what was asked for where there is one, else that with the kernel and the target in it, and a number
// where the kernel has several programs for the target, in the order in which launches try them.
std::vector<std::string> gpu_file_names(const Options& options, const std::vector<codegen::GpuText>& made,
                                        std::string_view suffix) {
    std::string stem = output_name(options, suffix);
    if (made.size() == 1) return {stem};
    if (stem.ends_with(suffix)) stem.resize(stem.size() - suffix.size());
    std::vector<std::string> names;
    std::map<std::string, int> counts;
    for (const codegen::GpuText& one : made) {
        const auto name = fmt::format("{}.{}.{}", stem, one.kernel, one.target);
        const int count = ++counts[name];
        names.push_back(name + (count == 1 ? "" : fmt::format(".{}", count)) + std::string(suffix));
    }
    return names;
}

// The texts one after the other, each under a line that names it, for a reader: no tool takes several modules at once.
std::string gpu_listing(const std::vector<codegen::GpuText>& made, codegen::GpuForm form) {
    const std::string_view comment = form == codegen::GpuForm::ptx ? "//" : ";";
    std::string text;
    for (const codegen::GpuText& one : made) {
        text += fmt::format("{}{} {} for {}\n{}", text.empty() ? "" : "\n", comment, one.kernel, one.target, one.text);
    }
    return text;
}

// Into a file each, whose names are told where there are several.
void emit_for_gpus(Session& session, Compilation& compilation) {
    const Options& options = session.options();
    const auto form = options.emit == Emit::ptx     ? codegen::GpuForm::ptx
                      : options.emit == Emit::cubin ? codegen::GpuForm::cubin
                                                    : codegen::GpuForm::llvm;
    std::vector<codegen::GpuText> made;
    if (!compilation.generate_for_gpus(form, made)) return;
    if (made.empty()) return session.fail("E0011", fmt::format("no kernel of '{}' has code for a GPU", options.input));
    const bool to_stdout = options.output == "-" || (options.output.empty() && form != codegen::GpuForm::cubin);
    if (to_stdout && form == codegen::GpuForm::cubin && made.size() > 1)
        return session.fail("E0002", fmt::format("{} cubins do not go to standard output: name a file", made.size()));
    if (to_stdout)
        return session.write_result(form == codegen::GpuForm::cubin ? made[0].text : gpu_listing(made, form), "");
    const auto names = gpu_file_names(options, made, suffix_of(form));
    std::string told;
    for (size_t i = 0; i < made.size(); ++i) {
        session.write_file(names[i], made[i].text, FileKind::data);
        told += names[i] + "\n";
    }
    if (made.size() > 1 && !session.diagnostics.has_errors()) (void)write_stdout(told);
}

std::string_view suffix_of(Emit part) { return part == Emit::shared ? ".so" : part == Emit::header ? ".h" : ".json"; }

// `-o` names the one part there is, else the shared library; the others stand beside it, named after the program.
std::string part_name(const Options& options, const Library& library, Emit part) {
    const bool named = options.library_parts.size() == 1 || part == Emit::shared;
    if (named && !options.output.empty()) return options.output;
    auto folder = options.output.substr(0, options.output.rfind('/') + 1);
    return fmt::format("{}{}{}{}", folder, part == Emit::shared ? "lib" : "", library.name, suffix_of(part));
}

void emit_library(Session& session, Compilation& compilation) {
    const Options& options = session.options();
    const Library& library = compilation.library();
    if (library.functions.empty()) {
        session.fail("E0007", fmt::format("'{}' has no function that C could call", options.input));
        return;
    }
    for (Emit part : options.library_parts) {
        std::string bytes;
        if (part == Emit::header) bytes = header_text(library, compilation.module());
        if (part == Emit::manifest) bytes = manifest_text(library, compilation.module());
        std::vector<std::string> made;
        const bool built = part != Emit::shared ||
                           (compilation.lower_to_machines() && compilation.generate(codegen::Emit::objects, made) &&
                            compilation.link(made, bytes));
        if (!built) return;
        auto kind = part == Emit::shared ? FileKind::executable : FileKind::data;
        session.write_file(part_name(options, library, part), bytes, kind);
    }
}

// From the checked program on; what goes wrong is in the session.
void compile_checked(Session& session, Compilation& compilation) {
    const Options& options = session.options();
    if (options.emit == Emit::graph) {
        if (compilation.elaborate()) session.write_result(compilation.graph_text(), "");
        return;
    }
    bool lowered = compilation.lower();
    if (lowered && options.explain.any()) {
        session.write_result(compilation.explanation(), "");
        return;
    }
    if (lowered && options.emit == Emit::tile) {
        session.write_result(compilation.text(), "");
        return;
    }
    if (lowered && options.makes_library()) {
        emit_library(session, compilation);
        return;
    }
    lowered = lowered && compilation.lower_to_machines();
    if (compilation.stopped()) session.write_result(compilation.text(), "");
    if (!lowered) return;
    if (options.emit == Emit::executable && !compilation.has_main()) {
        session.fail("E0003", fmt::format("'{}' has no `main`: an executable needs one", options.input));
        return;
    }
    const bool of_gpus = options.emit == Emit::ptx || options.emit == Emit::cubin;
    if (of_gpus || (options.emit == Emit::llvm && !wants_cpu(options)))
        emit_for_gpus(session, compilation);
    else if (options.emit == Emit::schedule)
        session.write_result(compilation.plans(), "");
    else if (options.emit == Emit::target)
        session.write_result(compilation.text(), "");
    else
        emit_code(session, compilation);
}

bool makes_code(const Options& options) {
    if (options.explain.any()) return false;
    switch (options.emit) {
        case Emit::ast:
        case Emit::graph:
        case Emit::schedule:
        case Emit::tile:
        case Emit::target:
        case Emit::header:
        case Emit::manifest:
            return false;
        default:
            return true;
    }
}

// The records of `--tuned`.
bool read_winners(Session& session, Compilation& compilation) {
    const std::string& path = session.options().tuned;
    if (path.empty()) return true;
    auto file = session.sources.load(path);
    if (!file) {
        session.fail("E0001", file.message());
        return false;
    }
    const std::string records(session.sources.text(file.value()));
    if (const int line = runtime::first_strange_line(records); line > 0) {
        session.fail("E0012", fmt::format("'{}' holds no records of tuning: line {} is no part of one", path, line));
        return false;
    }
    compilation.know(records);
    return true;
}

}  // namespace

int compile(const Options& options) {
    auto wrong = check_names(options);
    if (options.output == "-" && options.emit == Emit::executable)
        wrong = "an executable can not go to standard output: name a file";
    if (!wrong.empty()) {
        fmt::print(stderr, "tesserac: {}\n", wrong);
        return kUsageError;
    }
    if (options.emit == Emit::python) return make_python_package(options);
    Session session(options);
    if (options.emit == Emit::ast) {
        // Also for broken programs: the holes are what one wants to see.
        if (auto module = session.parse_file(options.input)) session.write_result(outline(*module), "");
        return session.finish();
    }
    Compilation compilation(session);
    if (makes_code(options)) codegen::prepare();
    if (read_winners(session, compilation) && compilation.read()) compile_checked(session, compilation);
    compilation.report_times();
    return session.finish();
}

}  // namespace tsr::driver
