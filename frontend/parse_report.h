// Messages of one file's parse, thinned so that a mistake speaks once: of a logical line only the first, where messages
// about words come before those about lines and sentences, which may only follow from them.
#pragma once

#include <cstdint>
#include <deque>
#include <vector>

#include "base/diagnostics.h"
#include "base/span.h"

namespace tsr {

class SyntaxReport {
public:
    explicit SyntaxReport(FileId file) : file_(file) {}

    // A bad word.
    Diagnostic& word(std::string code, Span span, std::string message) { return add(words_, code, span, message); }
    // A bracket or an indentation that does not fit.
    Diagnostic& line(std::string code, Span span, std::string message) { return add(lines_, code, span, message); }
    // A bad sentence.
    Diagnostic& sentence(std::string code, Span span, std::string message) {
        return add(sentences_, code, span, message);
    }

    [[nodiscard]] Span span(uint32_t begin, uint32_t end) const { return {file_, begin, end}; }

    // Hands over what is left, by place. `lines` are the byte offsets where logical lines begin, ascending.
    void finish(const std::vector<uint32_t>& lines, Diagnostics& diagnostics) &&;

private:
    static Diagnostic& add(std::deque<Diagnostic>& to, std::string& code, Span span, std::string& message) {
        to.push_back({Severity::error, std::move(code), span, std::move(message), {}, {}, {}});
        return to.back();
    }

    FileId file_;
    std::deque<Diagnostic> words_;
    std::deque<Diagnostic> lines_;
    std::deque<Diagnostic> sentences_;
};

}  // namespace tsr
