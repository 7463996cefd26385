#include "frontend/format_doc.h"

#include <algorithm>
#include <ranges>

namespace tsr::layout {

namespace {

// Width in code points.
size_t width_of(std::string_view text) {
    return static_cast<size_t>(
        std::ranges::count_if(text, [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; }));
}

constexpr size_t kIndent = 4;

}  // namespace

Doc Docs::add(Node node) {
    for (Doc part : node.parts) node.breaks = node.breaks || nodes_[part].breaks;
    nodes_.push_back(std::move(node));
    return static_cast<Doc>(nodes_.size() - 1);
}

Doc Docs::text(std::string text) { return add({Kind::text, false, std::move(text), {}, {}}); }
Doc Docs::comment(std::string text) { return add({Kind::comment, true, std::move(text), {}, {}}); }
Doc Docs::line(std::string flat) { return add({Kind::line, false, std::move(flat), {}, {}}); }
Doc Docs::must_break() { return add({Kind::must_break, true, {}, {}, {}}); }
Doc Docs::choice(std::string broken, std::string flat) {
    return add({Kind::choice, false, std::move(broken), std::move(flat), {}});
}
Doc Docs::concat(std::vector<Doc> parts) { return add({Kind::concat, false, {}, {}, std::move(parts)}); }
Doc Docs::nest(Doc inner) { return add({Kind::nest, false, {}, {}, {inner}}); }
Doc Docs::group(Doc inner) { return add({Kind::group, false, {}, {}, {inner}}); }
Doc Docs::firm(Doc inner) { return add({Kind::firm, false, {}, {}, {inner}}); }

// Whether `first` on one line, and what follows it up to the next possible line end, has room on this line.
bool Docs::fits(const std::vector<Piece>& rest, Piece first, size_t room, bool firm) const {
    std::vector<Piece> todo{first};
    size_t left = rest.size();
    bool after = false;
    while (true) {
        if (todo.empty()) {
            after = true;
            if (left == 0) return true;
            todo.push_back(rest[--left]);
        }
        Piece piece = todo.back();
        todo.pop_back();
        const Node& node = nodes_[piece.doc];
        std::string_view text;
        switch (node.kind) {
            case Kind::text:
                text = node.text;
                break;
            case Kind::choice:
                text = piece.broken ? node.text : node.other;
                break;
            case Kind::line:
                if (piece.broken) return true;
                text = node.text;
                break;
            case Kind::comment:
                return true;
            case Kind::must_break:
                break;
            case Kind::concat:
            case Kind::nest:
            case Kind::group:
            case Kind::firm: {
                // A group that follows can still be broken.
                bool broken = piece.broken;
                if (node.kind == Kind::group) broken = broken && (after || node.breaks);
                if (node.kind == Kind::firm) broken = broken && (!firm || node.breaks);
                for (Doc part : node.parts | std::views::reverse) todo.push_back({part, piece.indent, broken});
                break;
            }
        }
        // Of a string over several lines only the first is on this one.
        auto end = text.find('\n');
        size_t width = width_of(text.substr(0, end));
        if (width > room) return false;
        if (end != std::string_view::npos) return true;
        room -= width;
    }
}

std::string Docs::render(Doc doc, size_t indent, size_t width) const {
    Rendered firm = render(doc, indent, width, true);
    if (firm.width <= width) return std::move(firm.text);
    Rendered loose = render(doc, indent, width, false);
    return loose.width < firm.width ? std::move(loose.text) : std::move(firm.text);
}

Docs::Rendered Docs::render(Doc doc, size_t indent, size_t width, bool firm) const {
    std::string out;
    size_t column = indent;
    size_t widest = indent;
    std::vector<Piece> todo{{doc, indent, true}};
    auto put = [&](std::string_view text) {
        out += text;
        widest = std::max(widest, column + width_of(text.substr(0, text.find('\n'))));
        auto end = text.rfind('\n');
        column = end == std::string_view::npos ? column + width_of(text) : width_of(text.substr(end + 1));
    };
    while (!todo.empty()) {
        Piece piece = todo.back();
        todo.pop_back();
        const Node& node = nodes_[piece.doc];
        switch (node.kind) {
            case Kind::text:
                put(node.text);
                break;
            case Kind::comment:
                out += node.text;
                break;
            case Kind::choice:
                put(piece.broken ? node.text : node.other);
                break;
            case Kind::line:
                if (piece.broken) {
                    out += '\n';
                    out.append(piece.indent, ' ');
                    column = piece.indent;
                } else {
                    put(node.text);
                }
                break;
            case Kind::must_break:
                break;
            case Kind::concat:
                for (Doc part : node.parts | std::views::reverse) todo.push_back({part, piece.indent, piece.broken});
                break;
            case Kind::nest:
                todo.push_back({node.parts[0], piece.indent + kIndent, piece.broken});
                break;
            case Kind::group: {
                Piece flat{node.parts[0], piece.indent, false};
                size_t room = column < width ? width - column : 0;
                bool breaks = node.breaks || (piece.broken && !fits(todo, flat, room, firm));
                todo.push_back({node.parts[0], piece.indent, breaks});
                break;
            }
            case Kind::firm:
                todo.push_back({node.parts[0], piece.indent, piece.broken && !firm});
                break;
        }
    }
    return {std::move(out), widest};
}

}  // namespace tsr::layout
