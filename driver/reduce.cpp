// `tesserac reduce`: makes a program smaller as long as it shows what is looked for.
#include <algorithm>

#include <fmt/core.h>
#include <unistd.h>

#include "driver/commands.h"
#include "driver/crash.h"
#include "driver/output.h"
#include "driver/session.h"
#include "driver/subprocess.h"
#include "frontend/parse.h"

namespace tsr::driver {

namespace {

constexpr int kSeconds = 60;

// A range of the text and what could stand there instead.
struct Edit {
    uint32_t begin = 0;
    uint32_t end = 0;
    std::string text;
    [[nodiscard]] uint32_t gain() const {
        const auto size = static_cast<uint32_t>(text.size());
        return end - begin > size ? end - begin - size : 0;
    }
};

std::string applied(const std::string& text, const Edit& edit) {
    return text.substr(0, edit.begin) + edit.text + text.substr(edit.end);
}

// The lines of a block, as far to the left as the statement around it.
std::string body_of(const ast::Block& body, const ast::Stmt& around, const Sources& sources) {
    const FileId file = around.span.file;
    const auto column = [&](Span span) { return sources.position(file, span.begin).column - 1; };
    const uint32_t deeper = column(body.front()->span) - column(around.span);
    const std::string_view text = sources.text(Span{file, body.front()->span.begin, body.back()->span.end});
    std::string out;
    for (size_t i = 0; i < text.size(); ++i) {
        out += text[i];
        if (text[i] != '\n') continue;
        size_t spaces = 0;
        while (spaces < deeper && i + 1 + spaces < text.size() && text[i + 1 + spaces] == ' ') ++spaces;
        i += spaces;
    }
    return out;
}

// Everything that could go, or become smaller.
class Edits {
public:
    Edits(const ast::Module& module, const Sources& sources) : sources_(sources) {
        for (const ast::Stmt& stmt : module.stmts) add(stmt);
        for (const ast::Expr& expr : module.exprs) add(expr);
        for (const ast::Comment& comment : module.comments)
            edits_.push_back({comment.span.begin, comment.span.end, ""});
        blank_lines(module.file);
    }

    // What saves most comes first.
    std::vector<Edit> sorted() && {
        std::erase_if(edits_, [](const Edit& edit) { return edit.gain() == 0; });
        std::ranges::stable_sort(edits_, std::greater(), &Edit::gain);
        return std::move(edits_);
    }

private:
    void add(const ast::Stmt& stmt) {
        if (!stmt.span.valid()) return;
        edits_.push_back({stmt.span.begin, stmt.span.end, "pass"});
        const auto unwrap = [&](const ast::Block& body) {
            if (!body.empty() && body.front()->span.begin > stmt.span.begin)
                edits_.push_back({stmt.span.begin, stmt.span.end, body_of(body, stmt, sources_)});
        };
        if (const auto* choice = std::get_if<ast::If>(&stmt.node)) {
            for (const auto& branch : choice->branches) unwrap(branch.body);
            unwrap(choice->otherwise);
        }
        if (const auto* loop = std::get_if<ast::For>(&stmt.node)) unwrap(loop->body);
        if (const auto* loop = std::get_if<ast::While>(&stmt.node)) unwrap(loop->body);
        if (const auto* function = std::get_if<ast::FunctionDef>(&stmt.node)) {
            if (function->docstring_span.valid())
                edits_.push_back({function->docstring_span.begin, function->docstring_span.end, "pass"});
        }
    }

    void add(const ast::Expr& expr) {
        const auto becomes = [&](const ast::Expr* part) {
            if (part == nullptr || !part->span.valid() || !expr.span.valid()) return;
            edits_.push_back({expr.span.begin, expr.span.end, "(" + std::string(sources_.text(part->span)) + ")"});
            edits_.push_back({expr.span.begin, expr.span.end, std::string(sources_.text(part->span))});
        };
        if (const auto* unary = std::get_if<ast::Unary>(&expr.node)) becomes(unary->operand);
        if (const auto* binary = std::get_if<ast::Binary>(&expr.node)) {
            becomes(binary->lhs);
            becomes(binary->rhs);
        }
        if (const auto* logical = std::get_if<ast::Logical>(&expr.node)) {
            for (const ast::Expr* operand : logical->operands) becomes(operand);
        }
        if (const auto* conditional = std::get_if<ast::Conditional>(&expr.node)) {
            becomes(conditional->then);
            becomes(conditional->otherwise);
        }
        if (const auto* call = std::get_if<ast::Call>(&expr.node)) {
            for (const ast::Argument& argument : call->arguments) becomes(argument.value);
        }
    }

    // Lines without a word in them, and those of a `pass`.
    void blank_lines(FileId file) {
        const std::string_view text = sources_.text(file);
        for (size_t begin = 0; begin < text.size();) {
            const size_t end = std::min(text.find('\n', begin), text.size() - 1) + 1;
            std::string_view line = text.substr(begin, end - begin);
            line.remove_prefix(std::min(line.find_first_not_of(" \t"), line.size()));
            if (line == "\n" || line == "pass\n" || line.empty())
                edits_.push_back({static_cast<uint32_t>(begin), static_cast<uint32_t>(end), ""});
            begin = end;
        }
    }

    const Sources& sources_;
    std::vector<Edit> edits_;
};

class Reduction {
public:
    Reduction(const Options& options, const TemporaryFolder& folder) : options_(options), folder_(folder) {}

    // Whether a program shows what is looked for: the test ends with 0, or the compiler with an error of its own.
    bool shows(const std::string& text) {
        ++tries_;
        const std::string file = folder_.file("candidate.tsr");
        if (!write_output(file, text, FileKind::data).empty()) return false;
        if (!options_.test.empty())
            return run_program({"sh", "-c", options_.test + " \"$@\"", "sh", file}, kSeconds).code == 0;
        std::vector<std::string> words{own_path(), file, "-o", folder_.file("program"),
                                       fmt::format("-O{}", options_.optimization)};
        const auto slash = options_.input.rfind('/');
        words.push_back("-I" + (slash == std::string::npos ? "." : options_.input.substr(0, slash)));
        for (const std::string& include : options_.include_folders) words.push_back("-I" + include);
        const Ended ended = run_program(words, kSeconds);
        return ended.code == kInternalError || ended.code > 128;
    }

    std::string smallest(std::string text) {
        for (bool again = true; again;) {
            again = false;
            for (const Edit& edit : edits_of(text)) {
                const std::string candidate = applied(text, edit);
                if (!shows(candidate)) continue;
                text = candidate;
                report(text, false);
                again = true;
                break;  // the other edits were of the text before
            }
        }
        return text;
    }

    void report(const std::string& text, bool done) const {
        const bool terminal = ::isatty(STDERR_FILENO) != 0;
        if (!terminal && !done) return;
        fmt::print(stderr, "{}{} lines left after {} tries{}", terminal ? "\r\x1b[K" : "",
                   std::ranges::count(text, '\n'), tries_, done ? "\n" : "");
        std::fflush(stderr);
    }

private:
    static std::vector<Edit> edits_of(const std::string& text) {
        Sources sources;
        Diagnostics diagnostics;
        const FileId file = sources.add("candidate.tsr", text);
        return Edits(*parse(file, sources, diagnostics), sources).sorted();
    }

    const Options& options_;
    const TemporaryFolder& folder_;
    size_t tries_ = 0;
};

std::string reduced_name(const Options& options) {
    if (!options.output.empty()) return options.output;
    auto name = options.input.substr(options.input.rfind('/') + 1);
    if (name.ends_with(".tsr")) name.resize(name.size() - 4);
    return name + ".reduced.tsr";
}

}  // namespace

int reduce(const Options& options) {
    Session session(options);
    const TemporaryFolder folder;
    auto file = session.sources.load(options.input == "-" ? "/dev/stdin" : options.input);
    if (!file) {
        session.fail("E0001", file.message());
        return session.finish();
    }
    Reduction reduction(options, folder);
    const std::string whole(session.sources.text(file.value()));
    if (!folder.ok() || !reduction.shows(whole)) {
        fmt::print(
            stderr, "tesserac: '{}' does not show what is looked for: {}\n", options.input,
            options.test.empty() ? "the compiler ends without an error of its own" : "the test does not end with 0");
        return 1;
    }
    const std::string least = reduction.smallest(whole);
    reduction.report(least, true);
    if (auto wrong = write_output(reduced_name(options), least, FileKind::data); !wrong.empty())
        session.fail("E0002", wrong);
    return session.finish();
}

}  // namespace tsr::driver
