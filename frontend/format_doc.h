// Text that knows where it may break into lines (Wadler, "A prettier printer"; groups are broken outermost first).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace tsr::layout {

using Doc = uint32_t;  // of one Docs

class Docs {
public:
    Doc text(std::string text);
    // A line end where the group around it is broken, else `flat`.
    Doc line(std::string flat);
    // A comment: it ends its line, breaks every group around it, and does not count towards the width.
    Doc comment(std::string text);
    // Breaks every group around it, and gives nothing itself.
    Doc must_break();
    // `broken` where the group around it is broken, else `flat`.
    Doc choice(std::string broken, std::string flat);
    Doc concat(std::vector<Doc> parts);
    // Line ends inside are indented four more.
    Doc nest(Doc inner);
    // On one line if that fits.
    Doc group(Doc inner);

    // The document with its first line beginning at column `indent`, where all its broken lines begin as well.
    // No line end at the end.
    [[nodiscard]] std::string render(Doc doc, size_t indent, size_t width) const;

private:
    enum class Kind { text, comment, line, must_break, choice, concat, nest, group };
    struct Node {
        Kind kind;
        bool breaks;  // holds a must_break
        std::string text, other;
        std::vector<Doc> parts;
    };
    struct Piece {
        Doc doc;
        size_t indent;
        bool broken;
    };

    Doc add(Node node);
    [[nodiscard]] bool fits(const std::vector<Piece>& rest, Piece first, size_t room) const;

    std::vector<Node> nodes_;
};

}  // namespace tsr::layout
