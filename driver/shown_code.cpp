#include "driver/shown_code.h"

#include <algorithm>
#include <array>
#include <charconv>

#include <fmt/core.h>

#include "codegen/codegen.h"
#include "driver/compilation.h"
#include "driver/machines.h"
#include "ir/machine/memory_rate.h"
#include "sema/query.h"

namespace tsr::driver {

namespace {

struct Level {
    std::string_view name;
    Emit emit;
};
constexpr std::array kLevels{Level{"graph", Emit::graph}, Level{"tile", Emit::tile}, Level{"schedule", Emit::schedule},
                             Level{"target", Emit::target}, Level{"ptx", Emit::ptx}};

// "12" of "12 …"; 0 where there is no number.
uint32_t number_in(std::string_view text) {
    uint32_t number = 0;
    std::from_chars(text.data(), text.data() + text.size(), number);
    return number;
}

// What LLVM writes for debuggers says from which line of which file the instructions behind it come: `.loc 1 12 5`, of
// what was inlined also `.loc 2 40 3, function_name …, inlined_at 1 12 5`. It is taken out of the text.
class PtxReader {
public:
    PtxReader(std::string_view text, const std::string& path, lsp::ShownCode& into)
        : text_(text), path_(path), into_(into) {}

    void run() {
        find_file();
        uint32_t line = 0;
        for (size_t at = 0; at < text_.size();) {
            const size_t end = std::min(text_.find('\n', at), text_.size());
            const std::string_view one = text_.substr(at, end - at);
            at = end + 1;
            if (one.starts_with("\t.section") || one.starts_with("\t.file")) return;
            if (one.starts_with("\t.loc\t")) {
                line = line_of(one.substr(6));
                continue;
            }
            if (one.starts_with("$L__tmp") || one.starts_with("$L__func_")) continue;
            into_.text += one;
            into_.text += '\n';
            const bool instruction = one.starts_with('\t') && !one.starts_with("\t.");
            if (one == "}") line = 0;
            into_.lines.push_back(instruction ? line : 0);
        }
    }

private:
    // `.file 1 "path"`
    void find_file() {
        for (size_t at = text_.find("\t.file\t"); at != std::string_view::npos; at = text_.find("\t.file\t", at + 1)) {
            const size_t name = text_.find('"', at);
            if (name != std::string_view::npos && text_.substr(name + 1).starts_with(path_ + "\""))
                file_ = number_in(text_.substr(at + 7));
        }
    }

    uint32_t line_of(std::string_view place) const {
        while (true) {
            const size_t blank = place.find(' ');
            if (blank == std::string_view::npos) return 0;
            if (file_ != 0 && number_in(place) == file_) return number_in(place.substr(blank + 1));
            const size_t outer = place.find("inlined_at ");
            if (outer == std::string_view::npos) return 0;
            place = place.substr(outer + 11);
        }
    }

    std::string_view text_;
    const std::string& path_;
    lsp::ShownCode& into_;
    uint32_t file_ = 0;
};

std::string first_error(const Session& session) {
    for (const Diagnostic& d : session.diagnostics.all()) {
        if (d.severity != Severity::error) continue;
        const std::string code = d.code.empty() ? "" : d.code + ": ";
        if (!d.span.valid()) return code + d.message;
        return fmt::format("line {}: {}{}", session.sources.position(d.span.file, d.span.begin).line, code, d.message);
    }
    return "there is no code";
}

bool show_ptx(Session& session, Compilation& compilation, lsp::ShownCode& shown) {
    codegen::prepare();
    std::vector<codegen::GpuText> made;
    if (!compilation.lower_to_machines() || !compilation.generate_for_gpus(codegen::GpuForm::ptx, made)) return false;
    if (made.empty()) {
        shown.failure = fmt::format("no kernel of it has code for {}", session.options().targets.front());
        return false;
    }
    for (const codegen::GpuText& one : made) {
        shown.text += fmt::format("// {} for {}\n", one.kernel, one.target);
        shown.lines.push_back(0);
        PtxReader(one.text, session.options().input, shown).run();
    }
    return true;
}

bool show(Session& session, Compilation& compilation, const lsp::CodeOrder& order, lsp::ShownCode& shown) {
    if (!compilation.read()) return false;
    if (order.offset) {
        shown.failure = compilation.keep_function_at(*order.offset);
        if (!shown.failure.empty()) return false;
    }
    const Emit level = session.options().emit;
    if (!compilation.elaborate()) return false;
    if (!compilation.drop_others()) {
        shown.failure = "nothing calls it with types that are known: it has no code";
        return false;
    }
    if (level != Emit::graph && !compilation.lower_elaborated()) return false;
    if (level == Emit::ptx) return show_ptx(session, compilation, shown);
    if (level != Emit::graph && level != Emit::tile && !compilation.lower_to_machines()) return false;
    shown.text = compilation.text_with_lines(level, shown.lines);
    if (shown.text.empty()) shown.failure = "it has no code on this level";
    return !shown.text.empty();
}

}  // namespace

lsp::ShownCode show_code(const lsp::CodeOrder& order) {
    lsp::ShownCode shown;
    const auto level = std::ranges::find(kLevels, order.level, &Level::name);
    Options options;
    options.command = Command::compile;
    options.input = order.path;
    options.include_folders = order.import_folders;
    options.deterministic = true;  // one point of each tuning space is enough to read
    options.targets = {order.target.empty() ? std::string(ir::kUsualGpu) : order.target};
    if (level == kLevels.end()) {
        shown.failure = fmt::format("`{}` is no level that can be shown", order.level);
    } else {
        options.emit = level->emit;
        options.debug_info = level->emit == Emit::ptx;
        shown.failure = check_names(options);
    }
    if (!shown.failure.empty()) return shown;
    Session session(options);
    for (const auto& [path, text] : order.open) session.sources.overlay(path, text);
    Compilation compilation(session);
    if (!show(session, compilation, order, shown) && shown.failure.empty()) shown.failure = first_error(session);
    return shown;
}

}  // namespace tsr::driver
