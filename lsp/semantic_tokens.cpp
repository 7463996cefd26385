// `textDocument/semanticTokens/full`, `full/delta`, `range`: what each name of the text stands for.
#include <algorithm>
#include <string>
#include <vector>

#include "lsp/methods.h"
#include "lsp/places.h"
#include "lsp/protocol.h"

namespace tsr::lsp {

namespace {

using sema::NameKind;

// The order is that of `tokenTypes` in the table of methods.
enum class Token : uint32_t {
    name_space,
    type,
    class_name,
    type_parameter,
    parameter,
    variable,
    property,
    function,
    method,
    decorator
};
constexpr int kDeclaration = 1, kOfLanguage = 2;

Token token_of(NameKind kind) {
    switch (kind) {
        case NameKind::variable:
            return Token::variable;
        case NameKind::parameter:
        case NameKind::tuning_parameter:
        case NameKind::builtin_parameter:
            return Token::parameter;
        case NameKind::dimension:
        case NameKind::type_variable:
            return Token::type_parameter;
        case NameKind::function:
        case NameKind::builtin:
            return Token::function;
        case NameKind::class_:
            return Token::class_name;
        case NameKind::field:
        case NameKind::property:
            return Token::property;
        case NameKind::method:
            return Token::method;
        case NameKind::module:
        case NameKind::name_space:
            return Token::name_space;
        case NameKind::element_type:
            return Token::type;
        case NameKind::decorator:
        case NameKind::clause:
        case NameKind::policy:
            return Token::decorator;
    }
    __builtin_unreachable();
}

// Five numbers for each name between the places: lines and columns from the name before, length, kind, modifiers.
std::vector<uint32_t> tokens_between(const Place& place, uint32_t begin, uint32_t end) {
    std::vector<uint32_t> data;
    const Analysis& analysis = place.analysis;
    Position last;
    uint32_t behind = 0;
    for (const sema::NameUse& use : place.program().modules[kRoot.index].names) {
        if (use.at.begin < behind || use.at.end == use.at.begin) continue;  // of two names of one place the first
        if (use.at.end <= begin || use.at.begin >= end) continue;
        const Position from = analysis.position(analysis.root, use.at.begin);
        const Position to = analysis.position(analysis.root, use.at.end);
        if (from.line != to.line) continue;
        behind = use.at.end;
        const bool library = use.entity.module.valid() && place.program().modules[use.entity.module.index].library;
        const int modifiers =
            (use.binds ? kDeclaration : 0) | (library || !use.entity.module.valid() ? kOfLanguage : 0);
        data.insert(data.end(), {from.line - last.line, from.character - (from.line == last.line ? last.character : 0),
                                 to.character - from.character, static_cast<uint32_t>(token_of(use.entity.kind)),
                                 static_cast<uint32_t>(modifiers)});
        last = from;
    }
    return data;
}

std::vector<uint32_t> all_tokens(const std::optional<Place>& place) {
    if (!place) return {};
    return tokens_between(*place, 0, static_cast<uint32_t>(place->text().size()));
}

// What the client has from now on, under a new name.
void remember(Document& document, std::vector<uint32_t> data) {
    document.tokens = std::move(data);
    ++document.tokens_given;
}

std::string name_of_tokens(const Document& document) { return std::to_string(document.tokens_given); }

Json whole(const Document& document) { return {{"resultId", name_of_tokens(document)}, {"data", document.tokens}}; }

}  // namespace

Json answer_semantic_tokens(Workspace& workspace, const Json& params) {
    Document& document = workspace.document_of(params);
    remember(document, all_tokens(place_of(workspace, params)));
    return whole(document);
}

// One edit: the numbers that differ, without the same ones before and behind them.
Json answer_semantic_tokens_delta(Workspace& workspace, const Json& params) {
    Document& document = workspace.document_of(params);
    const bool known = params.at("previousResultId") == name_of_tokens(document);
    const std::vector<uint32_t> before = document.tokens;
    remember(document, all_tokens(place_of(workspace, params)));
    if (!known) return whole(document);
    const std::vector<uint32_t>& now = document.tokens;
    const auto [differs_before, differs_now] = std::ranges::mismatch(before, now);
    const auto first = differs_now - now.begin();
    const size_t most = std::min(before.size(), now.size()) - static_cast<size_t>(first);
    size_t same_behind = 0;
    while (same_behind < most && before[before.size() - 1 - same_behind] == now[now.size() - 1 - same_behind])
        ++same_behind;
    const size_t removed = before.size() - static_cast<size_t>(first) - same_behind;
    const std::vector<uint32_t> added(differs_now, now.end() - static_cast<std::ptrdiff_t>(same_behind));
    Json edits = Json::array();
    if (removed != 0 || !added.empty()) edits.push_back({{"start", first}, {"deleteCount", removed}, {"data", added}});
    return {{"resultId", name_of_tokens(document)}, {"edits", std::move(edits)}};
}

Json answer_semantic_tokens_range(Workspace& workspace, const Json& params) {
    const auto place = place_of(workspace, params);
    if (!place) return {{"data", Json::array()}};
    const Json& range = params.at("range");
    return {{"data", tokens_between(*place, place->analysis.offset(position_of(range.at("start"))),
                                    place->analysis.offset(position_of(range.at("end"))))}};
}

}  // namespace tsr::lsp
