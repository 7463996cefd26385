#include "ir/text/parse_text.h"

#include <cctype>
#include <unordered_map>

#include <fmt/format.h>

#include "ir/core/names.h"
#include "ir/core/spell.h"
#include "ir/ops/record.h"
#include "ir/text/parse_attrs.h"
#include "ir/text/text_cursor.h"

namespace tsr::ir {

namespace {

constexpr int kDeepest = 200;  // regions inside regions

bool is_number(const std::string& text) {
    for (char c : text) {
        if (std::isdigit(static_cast<unsigned char>(c)) == 0) return false;
    }
    return !text.empty();
}

std::string without_suffix(const std::string& name) {
    const size_t dot = name.rfind('.');
    return dot != std::string::npos && is_number(name.substr(dot + 1)) ? name.substr(0, dot) : name;
}

class FunctionParser {
public:
    FunctionParser(TextCursor& in, Function& function) : in_(in), fn_(function) {}

    bool whole() {
        if (!header()) return false;
        if (!region_ops(fn_.body)) return false;
        if (in_.take("launch")) {
            fn_.kernel.launch = fn_.add_region({});
            if (!region_ops(fn_.kernel.launch)) return false;
        }
        return !in_.take("plan") || plan();
    }

private:
    bool header() {
        if (in_.take("kernel")) {
            fn_.is_kernel = true;
            fn_.level = Level::tile;
        } else if (in_.take("host") || in_.take("func")) {
            fn_.level = Level::host;
        } else if (in_.take("graph")) {
            fn_.level = Level::graph;
        } else {
            return in_.fail("'kernel', 'host', 'graph' or 'func' is expected");
        }
        if (!in_.want('@')) return false;
        std::optional<std::string> name = in_.peek() == '"' ? in_.quoted() : in_.word();
        if (!name) return false;
        fn_.name = std::move(*name);
        if (in_.take('<')) {
            do {
                std::optional<std::string> symbol = in_.symbol();
                if (!symbol) return false;
                fn_.symbols.push_back(std::move(*symbol));
            } while (in_.take(','));
            if (!in_.want('>')) return false;
        }
        if (!args(fn_.body)) return false;
        if (in_.take("->")) {
            do {
                std::optional<Type> type = in_.type();
                if (!type) return false;
                fn_.results.push_back(std::move(*type));
            } while (in_.take(','));
        }
        return clauses();
    }

    bool clauses() {
        KernelInfo& kernel = fn_.kernel;
        while (!in_.failed() && in_.peek() != '{' && in_.peek() != '!') {
            if (in_.take("host")) {
                fn_.level = Level::host;
            } else if (in_.take("tile")) {
                fn_.level = Level::tile;
            } else if (in_.take("target")) {
                fn_.level = Level::target;
            } else if (in_.take("flat")) {
                kernel.flat = true;
            } else if (in_.take("elements")) {
                kernel.elements = true;
            } else if (in_.take("names_group")) {
                kernel.names_group = true;
            } else if (in_.take("nondeterministic")) {
                kernel.nondeterministic = true;
            } else if (in_.take("group")) {
                if (!parse_integers(in_, kernel.group_shape)) return false;
            } else if (in_.take("tiles")) {
                std::optional<std::vector<Dim>> tiles = in_.dims();
                if (!tiles) return false;
                kernel.header_tiles = std::move(*tiles);
            } else if (in_.take("shared")) {
                kernel.shared_limit = in_.integer();
                if (!kernel.shared_limit) return false;
            } else if (in_.take("scratch")) {
                const std::optional<int64_t> bytes = in_.integer();
                if (!bytes) return false;
                fn_.scratch_bytes = *bytes;
            } else if (in_.take("point")) {
                if (!parse_point(in_, kernel.point.emplace())) return false;
            } else {
                return in_.fail("a clause of the header or '{' is expected");
            }
        }
        return place(fn_.place);
    }

    bool plan() {
        fn_.plan = parse_plan(in_);
        return fn_.plan.has_value();
    }

    bool args(RegionId region) {
        if (!in_.want('(')) return false;
        if (in_.take(')')) return true;
        do {
            std::optional<std::string> name = in_.value_name();
            if (!name || !in_.want(':')) return false;
            std::optional<Type> type = in_.type();
            if (!type) return false;
            const ValueId arg = fn_.add_arg(region, std::move(*type), programmers(*name));
            if (!define(*name, arg)) return false;
            if (in_.take("as") && !role(fn_.value(arg).role)) return false;
        } while (in_.take(','));
        return in_.want(')');
    }

    bool role(ParamRole& role) {
        using Kind = ParamRole::Kind;
        role.kind = in_.take("dimension") ? Kind::dimension
                    : in_.take("stream")  ? Kind::stream
                    : in_.take("seed")    ? Kind::seed
                                          : Kind::value;
        if (role.kind == Kind::value) return in_.fail("'dimension', 'seed' or 'stream' is expected");
        if (role.kind == Kind::seed) return true;
        const std::optional<int64_t> number = in_.integer();
        if (!number) return false;
        role.number = *number;
        return role.kind != Kind::dimension || (*number >= 0 && *number < static_cast<int64_t>(fn_.symbols.size())) ||
               in_.fail(fmt::format("the function has no dimension {}", *number));
    }

    static std::string programmers(const std::string& name) { return is_number(name) ? std::string() : name; }

    bool define(const std::string& name, ValueId value) {
        return values_.emplace(name, value).second || in_.fail(fmt::format("%{} is defined twice", name));
    }

    bool place(PlaceId& id) {
        if (!in_.take('!')) return !in_.failed();
        Place place;
        if (!span(place.span)) return false;
        while (in_.take('<')) {
            if (!span(place.inlined_at.emplace_back())) return false;
        }
        id = fn_.add_place(std::move(place));
        return true;
    }

    bool span(Span& span) {
        if (!in_.take('?')) {
            std::optional<uint32_t> file = in_.number();
            if (!file) return false;
            span.file = FileId(*file);
        }
        if (!in_.want(':')) return false;
        std::optional<uint32_t> begin = in_.number();
        if (!begin || !in_.want('-')) return false;
        std::optional<uint32_t> end = in_.number();
        if (!end) return false;
        span.begin = *begin;
        span.end = *end;
        return true;
    }

    // Everything between the braces. A region without a `yield` ends with a bare one.
    bool region_ops(RegionId region) {
        if (++depth_ > kDeepest) return in_.fail("regions are nested too deeply");
        if (!in_.want('{')) return false;
        while (!in_.take('}')) {
            if (in_.at_end()) return in_.fail("'}' is expected");
            if (!op(region)) return false;
        }
        const std::vector<OpId>& ops = fn_.region(region).ops;
        if (ops.empty() || fn_.op(ops.back()).kind != OpKind::yield) {
            fn_.append(region, fn_.add_op(OpKind::yield, {}, {}, {}));
        }
        --depth_;
        return true;
    }

    bool op(RegionId region) {
        std::vector<std::string> results;
        if (in_.peek() == '%') {
            do {
                std::optional<std::string> name = in_.value_name();
                if (!name) return false;
                results.push_back(std::move(*name));
            } while (in_.take(','));
            if (!in_.want('=')) return false;
        }
        std::optional<std::string> word = in_.word();
        if (!word) return false;
        std::optional<OpKind> kind = op_named(*word);
        if (!kind) return in_.fail(fmt::format("there is no operation '{}'", *word));
        const OpId id = fn_.add_op(*kind, {}, {}, {});
        fn_.append(region, id);
        std::string_view constant;
        const size_t literal_at = in_.position();
        if (*kind == OpKind::constant) {
            constant = in_.literal();
        } else if (!operands(id) || !attrs(id)) {
            return false;
        }
        std::vector<Type> types;
        if (!result_types(results.size(), types)) return false;
        if (*kind == OpKind::constant && !constant_attrs(id, constant, literal_at, types)) return false;
        if (!place(fn_.op(id).place) || !regions(id)) return false;
        return define_results(id, results, types);
    }

    // On the line of the operation: the next line begins with a percent sign too. An operand's indices in brackets are
    // the last operands.
    bool operands(OpId id) {
        if (!in_.more_on_line() || in_.peek() != '%') return true;
        std::vector<ValueId> all;
        std::vector<ValueId> indices;
        do {
            if (!use(all)) return false;
            if (!in_.take('[') || in_.take(']')) continue;
            do {
                if (!use(indices)) return false;
            } while (in_.take(','));
            if (!in_.want(']')) return false;
        } while (in_.take(','));
        all.insert(all.end(), indices.begin(), indices.end());
        fn_.op(id).operands = std::move(all);
        return !in_.failed();
    }

    bool use(std::vector<ValueId>& into) {
        std::optional<std::string> name = in_.value_name();
        if (!name) return false;
        auto at = values_.find(*name);
        if (at == values_.end()) return in_.fail(fmt::format("%{} is not defined before", *name));
        into.push_back(at->second);
        return true;
    }

    // `{key = …}` or `{flag …}`; a brace that opens a region has neither an assignment nor a flag behind it: no
    // operation has the name of a flag.
    bool attrs(OpId id) {
        if (in_.peek() != '{') return !in_.failed();
        TextCursor ahead = in_;
        ahead.take('{');
        if (!ahead.at_assignment() && !at_flag(ahead)) return true;
        in_.take('{');
        return parse_attrs(in_, fn_.op(id).kind, fn_.op(id).attrs);
    }

    static bool at_flag(TextCursor ahead) {
        const std::optional<std::string> word = ahead.word();
        const std::optional<Attr> key = word ? attr_named(*word) : std::nullopt;
        return key && is_flag(*key);
    }

    bool result_types(size_t count, std::vector<Type>& types) {
        if (count == 0) return true;
        if (!in_.want(':')) return false;
        do {
            std::optional<Type> type = in_.type();
            if (!type) return false;
            types.push_back(std::move(*type));
        } while (in_.take(','));
        return types.size() == count || in_.fail(fmt::format("{} types for {} results", types.size(), count));
    }

    bool constant_attrs(OpId id, std::string_view literal, size_t at, const std::vector<Type>& types) {
        if (types.size() != 1) return in_.fail_at(at, "a constant has one result");
        std::optional<AttrValue> value = parse_constant(literal, types[0].elem);
        if (!value) return in_.fail_at(at, fmt::format("'{}' is no constant of {}", literal, name(types[0].elem)));
        fn_.op(id).attrs = {{Attr::value, std::move(*value)}, {Attr::type, types[0].elem}};
        return true;
    }

    bool regions(OpId id) {
        const OpKind kind = fn_.op(id).kind;
        const size_t count = record(kind).regions;
        for (size_t i = 0; i < count; ++i) {
            const RegionId region = fn_.add_region(id);
            if (i == 1 && kind == OpKind::if_ && !in_.take("else")) {
                fn_.append(region, fn_.add_op(OpKind::yield, {}, {}, {}));
                break;
            }
            if (i == 1 && kind != OpKind::if_ && !in_.take("do")) return in_.fail("'do' is expected");
            if (in_.peek() == '(' && !args(region)) return false;
            if (!region_ops(region)) return false;
        }
        return !in_.failed();
    }

    // A constant that is called what it would be called without a name has none.
    bool define_results(OpId id, const std::vector<std::string>& names, const std::vector<Type>& types) {
        for (size_t i = 0; i < names.size(); ++i) {
            const ValueId value = fn_.add_result(id, types[i]);
            const bool constant = fn_.op(id).kind == OpKind::constant;
            const std::string usual = constant ? default_constant_name(fn_.op(id).attrs) : std::string();
            const bool unnamed = constant && (names[i] == usual || without_suffix(names[i]) == usual);
            if (!unnamed) fn_.value(value).name = programmers(names[i]);
            if (!define(names[i], value)) return false;
        }
        return true;
    }

    TextCursor& in_;
    Function& fn_;
    std::unordered_map<std::string, ValueId> values_;
    int depth_ = 0;
};

}  // namespace

Result<Module> parse_text(std::string_view text) {
    TextCursor in(text);
    Module module;
    while (!in.at_end()) {
        if (!FunctionParser(in, module.functions.emplace_back()).whole()) {
            in.fail("a function is expected");
            return Failure{in.error()};
        }
    }
    return module;
}

}  // namespace tsr::ir
