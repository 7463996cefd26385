#include "ir/text/parse_attrs.h"

#include <bit>
#include <charconv>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "ir/core/spell.h"

namespace tsr::ir {

namespace {

bool parse_strings(TextCursor& in, std::vector<std::string>& into) {
    if (!in.want('[')) return false;
    if (in.take(']')) return true;
    do {
        std::optional<std::string> text = in.quoted();
        if (!text) return false;
        into.push_back(std::move(*text));
    } while (in.take(','));
    return in.want(']');
}

std::optional<double> parse_double(std::string_view text) {
    const char* end = text.data() + text.size();
    if (text.starts_with("nan(0x") && text.ends_with(")")) {
        uint64_t bits = 0;
        auto [stop, error] = std::from_chars(text.data() + 6, end - 1, bits, 16);
        const auto value = std::bit_cast<double>(bits);
        return error == std::errc() && stop == end - 1 && std::isnan(value) ? std::optional(value) : std::nullopt;
    }
    if (text == "nan") return std::numeric_limits<double>::quiet_NaN();
    double value = 0;
    auto [stop, error] = std::from_chars(text.data(), end, value);
    return error == std::errc() && stop == end ? std::optional(value) : std::nullopt;
}

std::optional<AttrValue> number(TextCursor& in) {
    const size_t at = in.position();
    const std::string_view literal = in.literal();
    int64_t whole = 0;
    const char* end = literal.data() + literal.size();
    auto [stop, error] = std::from_chars(literal.data(), end, whole);
    if (error == std::errc() && stop == end) return whole;
    std::optional<double> real = parse_double(literal);
    if (real) return *real;
    in.fail_at(at, fmt::format("'{}' is no number", literal));
    return std::nullopt;
}

// What an attribute holds is fixed by its key, but for `value`.
std::optional<AttrValue> attr_value(TextCursor& in, OpKind kind, Attr key) {
    if (key == Attr::type || key == Attr::packed) {
        std::optional<std::string> word = in.word();
        std::optional<DType> type = word ? dtype_named(*word) : std::nullopt;
        if (type) return *type;
        in.fail("an element type is expected");
        return std::nullopt;
    }
    if (key == Attr::dim) {
        std::optional<Dim> dim = in.dim();
        if (!dim) return std::nullopt;
        return std::move(*dim);
    }
    if (key == Attr::shape) {
        std::optional<std::vector<Dim>> dims = in.dims();
        if (!dims) return std::nullopt;
        return std::move(*dims);
    }
    if (key == Attr::names) {
        std::vector<std::string> names;
        if (!parse_strings(in, names)) return std::nullopt;
        return names;
    }
    if (in.peek() == '[') {
        std::vector<int64_t> integers;
        if (!parse_integers(in, integers)) return std::nullopt;
        return integers;
    }
    if (in.peek() == '"') {
        std::optional<std::string> text = in.quoted();
        if (!text) return std::nullopt;
        return std::move(*text);
    }
    if (has_enumerators(kind, key)) {
        std::optional<std::string> word = in.word();
        std::optional<int64_t> value = word ? enumerator_named(kind, key, *word) : std::nullopt;
        if (value) return *value;
        in.fail(fmt::format("no value of '{}'", name(key)));
        return std::nullopt;
    }
    return number(in);
}

}  // namespace

bool parse_integers(TextCursor& in, std::vector<int64_t>& into) {
    if (!in.want('[')) return false;
    if (in.take(']')) return true;
    do {
        std::optional<int64_t> value = in.integer();
        if (!value) return false;
        into.push_back(*value);
    } while (in.take(','));
    return in.want(']');
}

bool parse_attrs(TextCursor& in, OpKind kind, Attrs& attrs) {
    do {
        std::optional<std::string> word = in.word();
        if (!word) return false;
        std::optional<Attr> key = attr_named(*word);
        if (!key) return in.fail(fmt::format("there is no attribute '{}'", *word));
        if (is_flag(*key)) {
            attrs.set_flag(*key);
            continue;
        }
        if (!in.want('=')) return false;
        std::optional<AttrValue> value = attr_value(in, kind, *key);
        if (!value) return false;
        attrs.set(*key, std::move(*value));
    } while (in.take(','));
    return in.want('}');
}

std::optional<AttrValue> parse_constant(std::string_view literal, DType type) {
    const char* end = literal.data() + literal.size();
    if (type == DType::boolean) {
        if (literal != "true" && literal != "false") return std::nullopt;
        return int64_t{literal == "true"};
    }
    if (is_integer(type)) {
        int64_t value = 0;
        auto [stop, error] = std::from_chars(literal.data(), end, value);
        if (error == std::errc() && stop == end) return value;
        uint64_t large = 0;
        auto [large_stop, large_error] = std::from_chars(literal.data(), end, large);
        if (type != DType::u64 || large_error != std::errc() || large_stop != end) return std::nullopt;
        return static_cast<int64_t>(large);
    }
    // The text is the shortest of a float for all types that a float holds: it has to be read as one.
    std::optional<double> value = parse_double(literal);
    if (!value || type == DType::f64 || std::isnan(*value)) return value;
    float single = 0;
    auto [stop, error] = std::from_chars(literal.data(), end, single);
    if (error != std::errc() || stop != end) return std::nullopt;
    return static_cast<double>(single);
}

namespace {

bool parse_flag(TextCursor& in, bool& flag) {
    flag = in.take("true");
    return flag || in.take("false") || in.fail("'true' or 'false' is expected");
}

bool parse_panels(TextCursor& in, std::vector<ProductPanel>& panels) {
    const size_t begin = in.position();
    std::vector<std::string> texts;
    if (!parse_strings(in, texts)) return false;
    for (const std::string& text : texts) {
        const std::optional<ProductPanel> panel = parse_panel(text);
        if (!panel) return in.fail_at(begin, fmt::format("\"{}\" is no panel of a product", text));
        panels.push_back(*panel);
    }
    return true;
}

bool parse_number(TextCursor& in, int64_t& number) {
    const std::optional<int64_t> value = in.integer();
    if (value) number = *value;
    return value.has_value();
}

// Nothing for a key that such plans have no field for.
std::optional<bool> parse_field(TextCursor& in, std::string_view key, CpuPlan& plan) {
    if (key == "lanes") return parse_number(in, plan.lanes);
    if (key == "interleave") return parse_number(in, plan.interleave);
    if (key == "depth") return parse_number(in, plan.depth);
    if (key == "split") return parse_number(in, plan.split);
    if (key == "most_groups") return parse_number(in, plan.most_groups);
    if (key == "pack") return parse_flag(in, plan.pack);
    if (key == "panels") return parse_panels(in, plan.panels);
    return std::nullopt;
}

std::optional<bool> parse_field(TextCursor& in, std::string_view key, GpuPlan& plan) {
    if (key == "threads") return parse_number(in, plan.threads);
    if (key == "tiles_per_thread") return parse_number(in, plan.tiles_per_thread);
    if (key == "stages") return parse_number(in, plan.stages);
    if (key == "producers") return parse_number(in, plan.producers);
    if (key == "cluster_rows") return parse_number(in, plan.cluster_rows);
    if (key == "cluster_columns") return parse_number(in, plan.cluster_columns);
    if (key == "box_copies") return parse_flag(in, plan.box_copies);
    if (key == "box_stores") return parse_flag(in, plan.box_stores);
    if (key == "parts") return parse_integers(in, plan.parts);
    return std::nullopt;
}

bool parse_field(TextCursor& in, const std::string& key, Plan& plan) {
    if (key == "task") return parse_number(in, plan.task);
    if (key == "narrow_index") return parse_flag(in, plan.narrow_index);
    if (key == "reasons") return parse_strings(in, plan.reasons);
    const auto own = plan.is_gpu() ? parse_field(in, key, plan.gpu()) : parse_field(in, key, plan.cpu());
    return own ? *own : in.fail(fmt::format("a plan for a {} has no '{}'", plan.is_gpu() ? "GPU" : "CPU", key));
}

}  // namespace

std::optional<Plan> parse_plan(TextCursor& in) {
    if (!in.want('{') || !in.take("machine")) {
        in.fail("a plan begins with its machine");
        return std::nullopt;
    }
    if (!in.want('=')) return std::nullopt;
    std::optional<std::string> machine = in.quoted();
    std::optional<Plan> plan;
    while (machine && in.take(',')) {
        const std::optional<std::string> key = in.word();
        if (!key || !in.want('=')) return std::nullopt;
        if (!plan) plan = *key == "threads" ? Plan(GpuPlan{}) : Plan(CpuPlan{});
        if (!parse_field(in, *key, *plan)) return std::nullopt;
    }
    if (!machine || !in.want('}')) return std::nullopt;
    if (!plan) plan.emplace(CpuPlan{});
    plan->machine = std::move(*machine);
    return plan;
}

bool parse_point(TextCursor& in, TuningPoint& point) {
    std::optional<std::string> kernel = in.quoted();
    if (!kernel || !in.want('{')) return false;
    point.kernel = std::move(*kernel);
    do {
        std::optional<std::string> name = in.word();
        if (!name || !in.want('=')) return false;
        if (in.peek() == '"') {
            std::optional<std::string> text = in.quoted();
            if (!text) return false;
            point.values.emplace_back(std::move(*name), std::move(*text));
        } else {
            const std::optional<int64_t> number = in.integer();
            if (!number) return false;
            point.values.emplace_back(std::move(*name), *number);
        }
    } while (in.take(','));
    return in.want('}');
}

std::optional<ProductPanel> parse_panel(std::string_view text) {
    TextCursor in(text);
    ProductPanel panel;
    const auto elem = in.word();
    const auto type = elem ? dtype_named(*elem) : std::nullopt;
    if (!type) return std::nullopt;
    panel.elem = *type;
    struct Part {
        char before;
        int64_t* value;
    };
    for (const Part& part : {Part{'[', &panel.tile_rows}, Part{',', &panel.tile_columns}, Part{']', &panel.rows},
                             Part{'x', &panel.vectors}}) {
        if (!in.take(part.before)) return std::nullopt;
        const auto value = in.integer();
        if (!value) return std::nullopt;
        *part.value = *value;
    }
    return in.at_end() ? std::optional(panel) : std::nullopt;
}

}  // namespace tsr::ir
