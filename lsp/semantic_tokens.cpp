// `textDocument/semanticTokens/full`: what each name of the text stands for.
#include "lsp/methods.h"
#include "lsp/places.h"

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

}  // namespace

Json answer_semantic_tokens(Workspace& workspace, const Json& params) {
    const auto place = place_of(workspace, params);
    Json data = Json::array();
    if (!place) return {{"data", data}};
    const Analysis& analysis = place->analysis;
    Position last;
    uint32_t end = 0;
    for (const sema::NameUse& use : place->program().modules[kRoot.index].names) {
        if (use.at.begin < end || use.at.end == use.at.begin) continue;  // of two names of one place the first
        const Position from = analysis.position(analysis.root, use.at.begin);
        const Position to = analysis.position(analysis.root, use.at.end);
        if (from.line != to.line) continue;
        end = use.at.end;
        const bool library = use.entity.module.valid() && place->program().modules[use.entity.module.index].library;
        const int modifiers =
            (use.binds ? kDeclaration : 0) | (library || !use.entity.module.valid() ? kOfLanguage : 0);
        for (const uint32_t number :
             {from.line - last.line, from.character - (from.line == last.line ? last.character : 0),
              to.character - from.character, static_cast<uint32_t>(token_of(use.entity.kind)),
              static_cast<uint32_t>(modifiers)}) {
            data.push_back(number);
        }
        last = from;
    }
    return {{"data", std::move(data)}};
}

}  // namespace tsr::lsp
