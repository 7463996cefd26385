// Text that knows where it may break into lines (Wadler, "A prettier printer"): outer groups are broken before inner
// ones, and of groups in a row the last.
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
    // On one line as long as other breaks can keep the text within the width.
    Doc firm(Doc inner);

    // The document with its first line beginning at column `indent`, where all its broken lines begin as well.
    // No line end at the end.
    [[nodiscard]] std::string render(Doc doc, size_t indent, size_t width) const;

private:
    enum class Kind { text, comment, line, must_break, choice, concat, nest, group, firm };
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

    struct Rendered {
        std::string text;
        size_t width;  // of the widest line, without its comment
    };

    Doc add(Node node);
    [[nodiscard]] Rendered render(Doc doc, size_t indent, size_t width, bool firm) const;
    [[nodiscard]] bool fits(const std::vector<Piece>& rest, Piece first, size_t room, bool firm) const;

    std::vector<Node> nodes_;
};

}  // namespace tsr::layout
