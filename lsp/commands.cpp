// `workspace/executeCommand`. A program is run by the editor, where its user sees it: the answer is the command line
// and the folder. Code is made by a second server, which is ended when nobody wants its answer any more: LLVM does not
// stop halfway.
#include "lsp/commands.h"

#include <filesystem>

#include <fmt/format.h>

#include "lsp/gradient_check.h"
#include "lsp/library_files.h"
#include "lsp/methods.h"
#include "lsp/places.h"
#include "lsp/protocol.h"
#include "lsp/second_server.h"

namespace tsr::lsp {

namespace {

std::string file_name(const std::string& path) { return path.substr(path.rfind('/') + 1); }

Json command_line(const Workspace& workspace, const Document& document, std::string title,
                  const std::vector<std::string>& options, const std::string& program) {
    Json words = Json::array({workspace.compiler.path, "run"});
    for (const std::string& option : options) words.push_back(option);
    for (const std::string& folder : workspace.import_folders()) words.push_back("-I" + folder);
    words.push_back(program);
    return {{"title", std::move(title)},
            {"words", std::move(words)},
            {"folder", std::filesystem::path(document.path).parent_path().string()}};
}

Json run(const Workspace& workspace, const Document& document, bool sanitize) {
    const std::string name = file_name(document.path);
    if (!document.path.starts_with('/'))
        throw RequestError(ErrorCode::request_failed, fmt::format("`{}` is no file: save it first", document.uri));
    if (sanitize)
        return command_line(workspace, document, "Interpret " + name, {"--interpret", "--sanitize=race,bounds,nan"},
                            document.path);
    return command_line(workspace, document, "Run " + name, {}, document.path);
}

const sema::Function* function_of(const Place& place) {
    sema::FunctionId id = place.function();
    if (!id.valid()) return nullptr;
    while (place.program().function(id).enclosing) id = *place.program().function(id).enclosing;
    return &place.program().function(id);
}

Json check_gradients(Workspace& workspace, const Json& argument) {
    const auto place =
        place_of(workspace, {{"textDocument", {{"uri", argument.at("uri")}}}, {"position", argument.at("position")}});
    const sema::Function* function = place ? function_of(*place) : nullptr;
    const auto program = function ? gradient_check(place->analysis, *function) : std::nullopt;
    if (!program)
        throw RequestError(ErrorCode::request_failed,
                           "no function stands here whose gradients can be checked with arguments that are made up");
    const Document& document = place->document;
    const std::string module = file_name(document.path).substr(0, file_name(document.path).rfind('.'));
    const std::string path = cached_file("gradients", fmt::format("{}_{}.tsr", module, function->name), *program);
    if (path.empty()) throw RequestError(ErrorCode::request_failed, "the folder of cached files can not be written");
    const std::string folder = std::filesystem::path(document.path).parent_path();
    return command_line(workspace, document, "Check gradients of " + function->name, {"-I" + folder}, path);
}

std::string title_of(const Document& document, const std::string& level) {
    const std::string what = level == "graph"  ? "Graph IR"
                             : level == "tile" ? "Tile IR"
                             : level == "ptx"  ? "PTX"
                                               : level;
    return fmt::format("{}: {}", file_name(document.path), what);
}

Json order_of(Workspace& workspace, const Document& document, const Json& argument) {
    const Json& level = argument.at("level");
    Json open = Json::array();
    for (const auto& [uri, one] : workspace.documents()) open.push_back({one.path, one.text});
    Json order = {{"path", document.path},
                  {"open", std::move(open)},
                  {"folders", workspace.import_folders()},
                  {"level", level.get<std::string>()}};
    const Json& target = below(argument, {"target"});
    order["target"] = target.is_string() ? target.get<std::string>() : workspace.settings.target;
    if (const Json& at = below(argument, {"position"}); !at.is_null())
        order["offset"] = LineIndex(document.text).offset(document.text, position_of(at), workspace.encoding);
    return order;
}

SlowTask show(Workspace& workspace, const Json& argument) {
    const Document& document = workspace.document(argument.at("uri").get<std::string>());
    return
        [compiler = workspace.compiler.path, order = order_of(workspace, document, argument),
         title = title_of(document, argument.at("level")), uri = argument.at("uri")](const std::atomic<bool>& cancel) {
            Json shown = second_server(compiler, "tessera/code", order, cancel);
            shown["title"] = title;
            shown["uri"] = uri;
            return shown;
        };
}

}  // namespace

SlowTask begin_execute_command(Workspace& workspace, const Json& params) {
    const std::string command = params.at("command");
    const Json& arguments = params.at("arguments");
    const Json& argument = arguments.at(0);
    if (command == kShowCommand) return show(workspace, argument);
    Json found;
    if (command == kCheckGradientsCommand) {
        found = check_gradients(workspace, argument);
    } else if (command == kRunCommand || command == kSanitizeCommand) {
        const Document& document = workspace.document(argument.at("uri").get<std::string>());
        found = run(workspace, document, command == kSanitizeCommand);
    } else {
        throw RequestError(ErrorCode::invalid_params, fmt::format("there is no command `{}`", command));
    }
    return [found = std::move(found)](const std::atomic<bool>&) { return found; };
}

// Of the second server: its answer to the first one.
Json answer_code(Workspace& workspace, const Json& params) {
    CodeOrder order;
    order.path = params.at("path");
    for (const Json& one : params.at("open")) order.open.emplace_back(one.at(0), one.at(1));
    order.import_folders = params.at("folders").get<std::vector<std::string>>();
    order.level = params.at("level");
    order.target = params.at("target");
    if (const Json& offset = below(params, {"offset"}); !offset.is_null()) order.offset = offset.get<uint32_t>();
    const ShownCode shown = workspace.compiler.show(order);
    if (!shown.failure.empty()) throw RequestError(ErrorCode::request_failed, shown.failure);
    Json lines = Json::array();
    for (const uint32_t line : shown.lines) lines.push_back(line == 0 ? Json() : Json(line - 1));
    return {{"level", order.level}, {"text", shown.text}, {"lines", std::move(lines)}};
}

}  // namespace tsr::lsp
