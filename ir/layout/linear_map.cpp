#include "ir/layout/linear_map.h"

#include <algorithm>
#include <bit>

#include <fmt/format.h>

#include "ir/core/internal.h"

namespace tsr::ir {

namespace {

int total_bits(const std::vector<BitField>& fields) {
    int sum = 0;
    for (const BitField& field : fields) sum += field.bits;
    return sum;
}

// Where each field begins when they stand side by side.
std::vector<int> begins(const std::vector<BitField>& fields) {
    std::vector<int> out;
    for (int at = 0; const BitField& field : fields) {
        out.push_back(at);
        at += field.bits;
    }
    return out;
}

std::vector<size_t> sorted_order(const std::vector<BitField>& fields) {
    std::vector<size_t> order(fields.size());
    for (size_t i = 0; i < order.size(); ++i) order[i] = i;
    std::ranges::stable_sort(order, {}, [&](size_t i) { return fields[i].counted; });
    for (size_t i = 1; i < order.size(); ++i) {
        if (fields[order[i]].counted == fields[order[i - 1]].counted) internal_error("a number is named twice");
    }
    return order;
}

Bits field_of(Bits value, int begin, int bits) { return value >> begin & ((Bits{1} << bits) - 1); }

std::vector<Counted> names(const std::vector<BitField>& a, const std::vector<BitField>& b) {
    std::vector<Counted> out;
    for (const auto* list : {&a, &b}) {
        for (const BitField& field : *list) out.push_back(field.counted);
    }
    std::ranges::sort(out);
    out.erase(std::ranges::unique(out).begin(), out.end());
    return out;
}

}  // namespace

std::string name(Counted counted) {
    switch (counted) {
        case Counted::reg:
            return "register";
        case Counted::lane:
            return "lane";
        case Counted::warp:
            return "warp";
        case Counted::group:
            return "group";
        case Counted::offset:
            return "offset";
        default:
            return fmt::format("axis {}", static_cast<int>(counted) - static_cast<int>(Counted::axis0));
    }
}

LinearMap::LinearMap(std::vector<BitField> in, std::vector<BitField> out, std::vector<Bits> columns) {
    if (static_cast<int>(columns.size()) != total_bits(in) || total_bits(in) > 63 || total_bits(out) > 63) {
        internal_error(fmt::format("{} columns for {} bits", columns.size(), total_bits(in)));
    }
    const std::vector<int> out_at = begins(out), in_at = begins(in);
    const std::vector<size_t> out_order = sorted_order(out);
    for (size_t i : out_order) out_.push_back(out[i]);
    for (size_t i : sorted_order(in)) {
        if (in[i].bits == 0) continue;
        in_.push_back(in[i]);
        for (int bit = 0; bit < in[i].bits; ++bit) {
            Bits column = 0;
            int at = 0;
            for (size_t j : out_order) {
                column |=
                    field_of(columns[static_cast<size_t>(in_at[i]) + static_cast<size_t>(bit)], out_at[j], out[j].bits)
                    << at;
                at += out[j].bits;
            }
            columns_.push_back(column);
        }
    }
}

LinearMap LinearMap::identity(const std::vector<BitField>& in, const std::vector<BitField>& out) {
    std::vector<Bits> columns;
    for (int i = 0; i < total_bits(in); ++i) columns.push_back(Bits{1} << i);
    return {in, out, columns};
}

LinearMap LinearMap::copies(Counted in, int bits) {
    return {{{in, bits}}, {}, std::vector<Bits>(static_cast<size_t>(bits), 0)};
}

int LinearMap::bits_of(const std::vector<BitField>& fields, Counted counted) {
    for (const BitField& field : fields) {
        if (field.counted == counted) return field.bits;
    }
    return 0;
}

int LinearMap::out_bits() const { return total_bits(out_); }

std::vector<Bits> LinearMap::columns(Counted in) const {
    for (int at = 0; const BitField& field : in_) {
        if (field.counted == in) return {columns_.begin() + at, columns_.begin() + at + field.bits};
        at += field.bits;
    }
    return {};
}

Bits LinearMap::operator()(Bits in) const {
    Bits out = 0;
    for (size_t i = 0; i < columns_.size(); ++i) out ^= (in >> i & 1) != 0 ? columns_[i] : 0;
    return out;
}

Bits LinearMap::pack(const std::vector<Position>& in) const {
    Bits out = 0;
    for (const Position& position : in) {
        if (position.value >> in_bits(position.counted) != 0) {
            internal_error(fmt::format("{} {} is not in the layout", name(position.counted), position.value));
        }
        for (int at = 0; const BitField& field : in_) {
            if (field.counted == position.counted) out |= static_cast<Bits>(position.value) << at;
            at += field.bits;
        }
    }
    return out;
}

int64_t LinearMap::part(Bits result, Counted out) const {
    for (int at = 0; const BitField& field : out_) {
        if (field.counted == out) return static_cast<int64_t>(field_of(result, at, field.bits));
        at += field.bits;
    }
    return 0;
}

LinearMap LinearMap::after(const LinearMap& inner) const {
    for (Counted counted : names(in_, inner.out_)) {
        if (in_bits(counted) == inner.out_bits(counted)) continue;
        internal_error(fmt::format("{} has {} bits before and {} after", name(counted), inner.out_bits(counted),
                                   in_bits(counted)));
    }
    std::vector<Bits> columns;  // inner's results without fields of no bits lie as this map's inputs do
    for (Bits column : inner.columns_) columns.push_back((*this)(column));
    return {inner.in_, out_, columns};
}

LinearMap LinearMap::times(const LinearMap& outer) const {
    auto joined = [](const std::vector<BitField>& a, const std::vector<BitField>& b) {
        std::vector<BitField> out;
        for (Counted counted : names(a, b)) out.push_back({counted, bits_of(a, counted) + bits_of(b, counted)});
        return out;
    };
    const std::vector<BitField> in = joined(in_, outer.in_), out = joined(out_, outer.out_);
    auto placed = [&](const LinearMap& map, Bits column, bool is_outer) {
        Bits sum = 0;
        for (int at = 0; const BitField& field : out) {
            const auto part = static_cast<Bits>(map.part(column, field.counted));
            sum |= part << (at + (is_outer ? out_bits(field.counted) : 0));
            at += field.bits;
        }
        return sum;
    };
    std::vector<Bits> columns;
    for (const BitField& field : in) {
        for (Bits column : this->columns(field.counted)) columns.push_back(placed(*this, column, false));
        for (Bits column : outer.columns(field.counted)) columns.push_back(placed(outer, column, true));
    }
    return {in, out, columns};
}

std::optional<LinearMap> LinearMap::divided_by(const LinearMap& inner) const {
    auto rest = [](const std::vector<BitField>& whole, const std::vector<BitField>& part) {
        std::vector<BitField> out;
        for (Counted counted : names(whole, part))
            out.push_back({counted, bits_of(whole, counted) - bits_of(part, counted)});
        return out;
    };
    const std::vector<BitField> in = rest(in_, inner.in_), out = rest(out_, inner.out_);
    auto negative = [](const BitField& field) { return field.bits < 0; };
    if (std::ranges::any_of(in, negative) || std::ranges::any_of(out, negative)) return std::nullopt;
    std::vector<Bits> columns;
    for (const BitField& field : in) {
        const std::vector<Bits> all = this->columns(field.counted);
        for (size_t i = all.size() - static_cast<size_t>(field.bits); i < all.size(); ++i) {
            Bits column = 0;
            for (int at = 0; const BitField& result : out) {
                column |= static_cast<Bits>(part(all[i], result.counted) >> inner.out_bits(result.counted)) << at;
                at += result.bits;
            }
            columns.push_back(column);
        }
    }
    LinearMap quotient(in, out, columns);
    if (inner.times(quotient) != *this) return std::nullopt;
    return quotient;
}

LinearMap LinearMap::inverse() const {
    BitSolver solver;
    for (Bits column : columns_) solver.add(column);
    std::vector<Bits> columns;
    for (int bit = 0; bit < out_bits(); ++bit) {
        Bits summands = 0;
        if (!solver.solve(Bits{1} << bit, summands)) internal_error("a layout that misses elements has no inverse");
        columns.push_back(summands);
    }
    return {out_, in_, columns};
}

Bits LinearMap::copy_bits() const {
    BitSolver solver;
    for (Bits column : columns_) solver.add(column);
    return solver.free();
}

LinearMap LinearMap::renamed_out(const std::vector<Counted>& from, const std::vector<Counted>& to) const {
    std::vector<BitField> out = out_;
    for (BitField& field : out) {
        const auto found = std::ranges::find(from, field.counted);
        if (found != from.end()) field.counted = to[static_cast<size_t>(found - from.begin())];
    }
    return {in_, out, columns_};
}

LinearMap LinearMap::without_out(Counted out) const {
    std::vector<BitField> fields;
    for (const BitField& field : out_) {
        if (field.counted != out) fields.push_back(field);
    }
    std::vector<Bits> columns;
    for (Bits column : columns_) {
        Bits kept = 0;
        for (int at = 0; const BitField& field : fields) {
            kept |= static_cast<Bits>(part(column, field.counted)) << at;
            at += field.bits;
        }
        columns.push_back(kept);
    }
    return {in_, fields, columns};
}

LinearMap LinearMap::without_copies(Counted in) const {
    std::vector<BitField> fields = in_;
    std::vector<Bits> columns;
    for (BitField& field : fields) {
        for (Bits column : this->columns(field.counted)) {
            if (field.counted == in && column == 0) {
                --field.bits;
            } else {
                columns.push_back(column);
            }
        }
    }
    return {fields, out_, columns};
}

}  // namespace tsr::ir
