#include "lsp/calls.h"

#include <algorithm>

namespace tsr::lsp {

namespace {

// Farther back no call begins that somebody is still typing.
constexpr uint32_t kFarthestCall = 4000;

// Brackets that are open at a place, with what stands behind them at their own level.
struct Bracket {
    char kind = '(';
    uint32_t at = 0;
    size_t commas = 0;
    uint32_t argument_begin = 0;                           // behind the bracket or the last comma
    std::vector<std::pair<uint32_t, uint32_t>> arguments;  // before the last comma
};

// Where a logical line begins: a line that is indented no more than a `def` or holds no bracket of lines before it can
// not be told from the text alone, so this takes the nearest statement of the syntax tree.
uint32_t statement_begin(const Place& place) {
    uint32_t begin = 0;
    for (const ast::Stmt& stmt : place.analysis.tree->stmts) {
        if (stmt.span.begin <= place.offset && stmt.span.begin > begin) begin = stmt.span.begin;
    }
    return place.offset - begin > kFarthestCall ? place.offset - kFarthestCall : begin;
}

// Behind a string or comment that begins at `i`; `i` where none does.
uint32_t skipped(std::string_view text, uint32_t i, uint32_t end) {
    if (text[i] == '#') return static_cast<uint32_t>(std::min<size_t>(text.find('\n', i), end));
    if (text[i] != '"' && text[i] != '\'') return i;
    const std::string_view triple = text.substr(i, 3);
    const bool is_triple = triple == "\"\"\"" || triple == "'''";
    const std::string_view close = is_triple ? triple : text.substr(i, 1);
    for (size_t at = i + close.size(); at < end; ++at) {
        if (text[at] == '\\')
            ++at;
        else if (text.substr(at).starts_with(close))
            return static_cast<uint32_t>(at + close.size());
        else if (!is_triple && text[at] == '\n')
            return static_cast<uint32_t>(at);
    }
    return end;
}

std::vector<Bracket> open_brackets(std::string_view text, uint32_t begin, uint32_t end) {
    std::vector<Bracket> open;
    for (uint32_t i = begin; i < end;) {
        if (const uint32_t behind = skipped(text, i, end); behind != i) {
            if (behind >= end && text[i] != '#') open.clear();  // the place is in a string
            i = behind;
            continue;
        }
        const char c = text[i++];
        if (c == '(' || c == '[' || c == '{') open.push_back({c, i - 1, 0, i, {}});
        if ((c == ')' || c == ']' || c == '}') && !open.empty()) open.pop_back();
        if (c == ',' && !open.empty()) {
            Bracket& in = open.back();
            in.arguments.emplace_back(in.argument_begin, i - 1);
            ++in.commas;
            in.argument_begin = i;
        }
    }
    return open;
}

// `h` of an argument `h = 2`.
std::string keyword_of(std::string_view argument) {
    const size_t begin = argument.find_first_not_of(" \n\r\t");
    if (begin == std::string_view::npos) return {};
    size_t end = begin;
    while (end < argument.size() && is_name_letter(argument[end])) ++end;
    size_t equals = end;
    while (equals < argument.size() && argument[equals] == ' ') ++equals;
    const bool is_keyword = end > begin && equals < argument.size() && argument[equals] == '=' &&
                            (equals + 1 == argument.size() || argument[equals + 1] != '=');
    return is_keyword ? std::string(argument.substr(begin, end - begin)) : "";
}

// What the dotted name that ends at this place calls.
std::optional<OpenCall> callee_before(const Workspace& workspace, const Place& place, uint32_t end) {
    const std::string_view text = place.text();
    OpenCall call;
    if (const sema::NameUse* use = sema::name_at(place.program(), kRoot, end); use && use->at.end == end) {
        auto callable = callable_of(place.analysis, use->entity);
        if (!callable) return std::nullopt;
        call.callable = std::move(*callable);
        call.documentation = documentation_of(workspace, place.analysis, use->entity);
        return call;
    }
    // The parser made nothing of the statement: the name is looked up as it is written.
    uint32_t begin = name_begin(text, end);
    while (begin > 0 && text[begin - 1] == '.') begin = name_begin(text, begin - 1);
    std::string path(text.substr(begin, end - begin));
    for (const sema::VisibleName& name : sema::visible_names(place.program(), kRoot, place.function())) {
        if (name.name != path || !name.entity) continue;
        auto callable = callable_of(place.analysis, *name.entity);
        if (!callable) return std::nullopt;
        call.callable = std::move(*callable);
        call.documentation = documentation_of(workspace, place.analysis, *name.entity);
        return call;
    }
    auto callable = callable_of_path(path);
    if (!callable) return std::nullopt;
    call.callable = std::move(*callable);
    call.documentation = workspace.documentation.operation(path);
    return call;
}

}  // namespace

std::optional<size_t> OpenCall::parameter() const {
    const auto& all = callable.parameters;
    if (!keyword.empty()) {
        const auto found = std::ranges::find(all, keyword, &Callable::Parameter::name);
        return found == all.end() ? std::nullopt : std::optional(static_cast<size_t>(found - all.begin()));
    }
    for (size_t i = 0; i < all.size(); ++i) {
        if (i == argument || (all[i].variadic && argument > i)) return i;
    }
    return std::nullopt;
}

std::optional<OpenCall> call_around(const Workspace& workspace, const Place& place) {
    const std::string_view text = place.text();
    auto open = open_brackets(text, statement_begin(place), place.offset);
    for (; !open.empty(); open.pop_back()) {
        const Bracket& bracket = open.back();
        if (bracket.kind != '(') continue;
        const uint32_t name = name_begin(text, bracket.at);
        if (name == bracket.at) continue;  // a tuple
        const std::string_view before = text.substr(0, name);
        if (before.ends_with("def ") || before.ends_with("class ")) return std::nullopt;
        auto call = callee_before(workspace, place, bracket.at);
        if (!call) return std::nullopt;
        for (const auto& [begin, end] : bracket.arguments) {
            if (std::string word = keyword_of(text.substr(begin, end - begin)); !word.empty())
                call->keywords.insert(word);
        }
        const std::string_view argument = text.substr(bracket.argument_begin, place.offset - bracket.argument_begin);
        call->argument = bracket.commas;
        call->keyword = keyword_of(argument);
        const uint32_t word = name_begin(text, place.offset);
        call->at_start =
            argument.find_first_not_of(" \n\r\t") == std::string_view::npos ||
            (word >= bracket.argument_begin &&
             text.substr(bracket.argument_begin, word - bracket.argument_begin).find_first_not_of(" \n\r\t") ==
                 std::string_view::npos);
        return call;
    }
    return std::nullopt;
}

}  // namespace tsr::lsp
