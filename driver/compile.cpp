// `tesserac file.tsr`: compiles a program, to an executable or to the level asked for.
#include <fmt/core.h>

#include "driver/commands.h"
#include "driver/compilation.h"
#include "driver/machines.h"
#include "driver/output.h"
#include "frontend/format.h"

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
        auto wrong = write_output(output_name(options, ""), executable, FileKind::executable);
        if (!wrong.empty()) session.fail("E0002", wrong);
        return;
    }
    session.write_result(made[0], options.emit == Emit::object ? output_name(options, ".o") : "");
}

// The texts one after the other, each under a line that names it; cubins in a file each.
void emit_for_gpus(Session& session, Compilation& compilation) {
    const Options& options = session.options();
    const auto form = options.emit == Emit::ptx     ? codegen::GpuForm::ptx
                      : options.emit == Emit::cubin ? codegen::GpuForm::cubin
                                                    : codegen::GpuForm::llvm;
    std::vector<codegen::GpuText> made;
    if (!compilation.generate_for_gpus(form, made)) return;
    std::string text;
    for (const codegen::GpuText& one : made) {
        if (form != codegen::GpuForm::cubin) {
            text += fmt::format("{}{} {} for {}\n{}", text.empty() ? "" : "\n",
                                form == codegen::GpuForm::ptx ? "//" : ";", one.kernel, one.target, one.text);
            continue;
        }
        const auto suffix = fmt::format(".{}.{}.cubin", one.kernel, one.target);
        const auto name = made.size() == 1         ? output_name(options, ".cubin")
                          : options.output.empty() ? output_name(options, suffix)
                                                   : options.output + suffix;
        auto wrong = write_output(name, one.text, FileKind::data);
        if (!wrong.empty()) session.fail("E0002", wrong);
    }
    if (form != codegen::GpuForm::cubin) session.write_result(text, "");
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
        auto wrong = write_output(part_name(options, library, part), bytes, kind);
        if (!wrong.empty()) session.fail("E0002", wrong);
    }
}

// From the checked program on; what goes wrong is in the session.
void compile_checked(Session& session, Compilation& compilation) {
    const Options& options = session.options();
    bool wants_executable = options.emit == Emit::executable;
    if (wants_executable && !compilation.has_main()) {
        session.fail("E0003", fmt::format("'{}' has no `main`: an executable needs one", options.input));
        return;
    }
    bool lowered = compilation.lower();
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

}  // namespace

int compile(const Options& options) {
    auto wrong = check_names(options);
    if (options.output == "-" && options.emit == Emit::executable)
        wrong = "an executable can not go to standard output: name a file";
    if (!wrong.empty()) {
        fmt::print(stderr, "tesserac: {}\n", wrong);
        return kUsageError;
    }
    Session session(options);
    if (options.emit == Emit::ast) {
        // Also for broken programs: the holes are what one wants to see.
        if (auto module = session.parse_file(options.input)) session.write_result(outline(*module), "");
        return session.finish();
    }
    Compilation compilation(session);
    if (!options.tuned.empty()) {
        auto records = session.sources.load(options.tuned);
        if (!records) session.fail("E0001", records.message());
        if (records) compilation.know(std::string(session.sources.text(records.value())));
    }
    if (compilation.read()) compile_checked(session, compilation);
    compilation.report_times();
    return session.finish();
}

}  // namespace tsr::driver
