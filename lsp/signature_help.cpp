// `textDocument/signatureHelp`: what is called, and which parameter the argument at the place is of.
#include "lsp/calls.h"
#include "lsp/descriptions.h"
#include "lsp/methods.h"
#include "lsp/places.h"

namespace tsr::lsp {

Json answer_signature_help(Workspace& workspace, const Json& params) {
    const auto place = place_of(workspace, params);
    const auto call = place ? call_around(workspace, *place) : std::nullopt;
    if (!call) return nullptr;
    Json parameters = Json::array();
    for (const Callable::Parameter& p : call->callable.parameters) parameters.push_back({{"label", p.text}});
    Json signature = {{"label", call->callable.label}, {"parameters", std::move(parameters)}};
    if (std::string text = without_heading(call->documentation); !text.empty())
        signature["documentation"] = {{"kind", "markdown"}, {"value", std::move(text)}};
    Json answer = {{"signatures", Json::array({std::move(signature)})}, {"activeSignature", 0}};
    if (const auto parameter = call->parameter()) answer["activeParameter"] = *parameter;
    return answer;
}

}  // namespace tsr::lsp
