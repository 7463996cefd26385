#include "ir/core/spell.h"

#include <algorithm>
#include <cctype>

#include <fmt/format.h>

#include "ir/core/names.h"

namespace tsr::ir {

namespace {

std::string quoted(const std::string& text) {
    std::string out = "\"";
    for (char c : text) {
        switch (c) {
            case '"':
                out += "\\\"";
                break;
            case '\\':
                out += "\\\\";
                break;
            case '\n':
                out += "\\n";
                break;
            case '\t':
                out += "\\t";
                break;
            default:
                if (static_cast<unsigned char>(c) < 0x20) {
                    out += fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
                } else {
                    out += c;
                }
        }
    }
    return out + "\"";
}

template <typename T, typename Spell>
std::string listed(const std::vector<T>& items, Spell spell) {
    std::string out = "[";
    for (const T& item : items) out += (out.size() == 1 ? "" : ", ") + spell(item);
    return out + "]";
}

struct Speller {
    std::string operator()(int64_t v) const { return std::to_string(v); }
    std::string operator()(double v) const { return double_text(v); }
    std::string operator()(const std::string& v) const { return quoted(v); }
    std::string operator()(DType v) const { return std::string(name(v)); }
    std::string operator()(const Dim& v) const { return v.text(); }
    template <typename T>
    std::string operator()(const std::vector<T>& v) const {
        return listed(v, [this](const T& item) { return (*this)(item); });
    }
};

// The names that a number of this attribute may go by.
std::vector<std::string_view> enumerators(OpKind kind, Attr key) {
    std::vector<std::string_view> names;
    auto add_all = [&](auto last) {
        for (int i = 0; i <= static_cast<int>(last); ++i) names.push_back(name(static_cast<decltype(last)>(i)));
    };
    if (key == Attr::loop) add_all(LoopKind::tile_range);
    if (key == Attr::over) add_all(LanesOver::domain);
    if (key == Attr::ring) add_all(RingUse::close);
    if (key == Attr::shuffle) add_all(ShuffleBy::down);
    if (key == Attr::vote) add_all(Vote::ballot);
    if (key == Attr::turn) add_all(Turn::passes);
    const bool atomic = kind == OpKind::atomic || kind == OpKind::atomic_rmw || kind == OpKind::atomic_tile;
    if (key == Attr::op && atomic) add_all(AtomicOp::compare_exchange);
    if (key == Attr::op && !atomic) add_all(ReduceOp::all);
    return names;
}

}  // namespace

std::string spell(const AttrValue& value) { return std::visit(Speller{}, value); }

std::string spell_attr(OpKind kind, Attr key, const AttrValue& value) {
    const std::string begin = fmt::format("{} = ", name(key));
    if (is_flag(key) && value == AttrValue(kFlag)) return std::string(name(key));
    if (const auto* number = std::get_if<int64_t>(&value)) {
        const std::vector<std::string_view> names = enumerators(kind, key);
        if (*number >= 0 && static_cast<size_t>(*number) < names.size()) {
            return begin + std::string(names[static_cast<size_t>(*number)]);
        }
    }
    return begin + spell(value);
}

bool in_enumeration(OpKind kind, Attr key, int64_t number) {
    const std::vector<std::string_view> names = enumerators(kind, key);
    return names.empty() || (number >= 0 && static_cast<size_t>(number) < names.size());
}

bool has_enumerators(OpKind kind, Attr key) { return !enumerators(kind, key).empty(); }

std::optional<int64_t> enumerator_named(OpKind kind, Attr key, std::string_view text) {
    const std::vector<std::string_view> names = enumerators(kind, key);
    auto at = std::find(names.begin(), names.end(), text);
    if (at == names.end()) return std::nullopt;
    return at - names.begin();
}

std::string spell_function(const std::string& name) {
    const bool plain = !name.empty() && std::all_of(name.begin(), name.end(), is_word);
    return "@" + (plain ? name : quoted(name));
}

std::string spell(Span span) {
    // A span of no file is one that was never given; its file has no number.
    const std::string file = span.valid() ? std::to_string(span.file.index) : "?";
    return fmt::format("{}:{}-{}", file, span.begin, span.end);
}

std::string_view name(Level level) {
    switch (level) {
        case Level::graph:
            return "graph";
        case Level::host:
            return "host";
        case Level::tile:
            return "tile";
        case Level::target:
            return "target";
    }
    return "";
}

bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '.'; }
bool is_value_char(char c) { return is_word(c) || c == '+' || c == '-'; }

}  // namespace tsr::ir
