// Layouts as text, and back.
#include <charconv>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "ir/layout/layout.h"

namespace tsr::ir {

namespace {

constexpr Counted kInputs[] = {Counted::reg, Counted::lane, Counted::warp, Counted::group, Counted::offset};

std::string extents_text(const Coordinates& extents) { return fmt::format("{}", fmt::join(extents, "x")); }

// Reads what `text` writes; any fault ends in nothing.
class LayoutReader {
public:
    explicit LayoutReader(std::string_view text) : rest_(text) {}

    bool word(std::string_view expected) {
        skip();
        if (!rest_.starts_with(expected)) return false;
        rest_.remove_prefix(expected.size());
        return true;
    }
    std::optional<int64_t> number() {
        skip();
        int64_t value = 0;
        const auto [end, error] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), value);
        if (error != std::errc{} || value < 0 || value > (int64_t{1} << 40)) return std::nullopt;
        rest_.remove_prefix(static_cast<size_t>(end - rest_.data()));
        return value;
    }
    // Numbers of at least 1, with `x` between them.
    std::optional<Coordinates> extents() {
        Coordinates out;
        do {
            const auto extent = number();
            if (!extent || *extent < 1) return std::nullopt;
            out.push_back(*extent);
        } while (word("x"));
        return out;
    }
    bool at_end() {
        skip();
        return rest_.empty();
    }

private:
    void skip() {
        while (!rest_.empty() && rest_.front() == ' ') rest_.remove_prefix(1);
    }
    std::string_view rest_;
};

// (1, 0, …) as the bits of a column.
std::optional<Bits> read_column(LayoutReader& reader, const std::vector<BitField>& out) {
    Bits column = 0;
    for (int at = 0; const BitField& field : out) {
        if (!reader.word(at == 0 && &field == out.data() ? "(" : ",")) return std::nullopt;
        const auto value = reader.number();
        if (!value || *value >> field.bits != 0) return std::nullopt;
        column |= static_cast<Bits>(*value) << at;
        at += field.bits;
    }
    return reader.word(")") ? std::optional(column) : std::nullopt;
}

std::optional<LinearMap> read_atom(LayoutReader& reader, const Coordinates& extents) {
    std::vector<BitField> in, out;
    int all = 0;
    for (size_t i = 0; i < extents.size(); ++i) {
        int bits = 0;
        while (int64_t{1} << bits < extents[i]) ++bits;
        if (int64_t{1} << bits != extents[i]) return std::nullopt;
        out.push_back({axis(i), bits});
        all += bits;
    }
    if (all > 60 || !reader.word("{")) return std::nullopt;
    std::vector<Bits> columns;
    for (Counted counted : kInputs) {
        if (!reader.word(name(counted))) continue;
        int bits = 0;
        while (true) {
            LayoutReader ahead = reader;
            const auto column = read_column(ahead, out);
            if (!column) break;
            reader = ahead;
            columns.push_back(*column);
            if (++bits > 40) return std::nullopt;
        }
        in.push_back({counted, bits});
        if (!reader.word(";")) break;
    }
    if (!reader.word("}") || columns.size() > 60) return std::nullopt;
    return LinearMap(in, out, columns);
}

}  // namespace

std::string Layout::text() const {
    Coordinates extents;
    for (size_t i = 0; i < rank(); ++i) extents.push_back(atom_extent(i));
    std::string out = fmt::format("{} = {} of {} {{", extents_text(shape), extents_text(repeat), extents_text(extents));
    for (bool first = true; const BitField& field : atom.in()) {
        out += fmt::format("{} {}", first ? "" : ";", name(field.counted));
        first = false;
        for (Bits column : atom.columns(field.counted)) {
            Coordinates parts;
            for (size_t i = 0; i < rank(); ++i) parts.push_back(atom.part(column, axis(i)));
            out += fmt::format(" ({})", fmt::join(parts, ", "));
        }
    }
    return out + " }";
}

std::optional<Layout> Layout::parse(std::string_view text) {
    LayoutReader reader(text);
    const auto shape = reader.extents();
    if (!shape || !reader.word("=")) return std::nullopt;
    const auto repeat = reader.extents();
    if (!repeat || repeat->size() != shape->size() || !reader.word("of")) return std::nullopt;
    const auto extents = reader.extents();
    if (!extents || extents->size() != shape->size()) return std::nullopt;
    const auto atom = read_atom(reader, *extents);
    if (!atom || !reader.at_end()) return std::nullopt;
    return Layout{*shape, *repeat, *atom};
}

}  // namespace tsr::ir
