// Three threads: one reads messages, and sees at once what is to be given up; one works on them in their order, and
// checks programs whose texts have changed when no message waits; one does what takes seconds.
#include "lsp/server.h"

#include <algorithm>
#include <chrono>
#include <csignal>
#include <thread>

#include <fmt/format.h>

#include "lsp/diagnostic_messages.h"
#include "lsp/folder_check.h"
#include "lsp/inbox.h"
#include "lsp/lifecycle.h"
#include "lsp/message_stream.h"
#include "lsp/methods.h"
#include "lsp/protocol.h"
#include "lsp/published.h"
#include "lsp/reproducer.h"

namespace tsr::lsp {

namespace {

Json error_answer(const Json& id, ErrorCode code, const std::string& message) {
    return {{"jsonrpc", "2.0"}, {"id", id}, {"error", {{"code", static_cast<int>(code)}, {"message", message}}}};
}

Json outdated_answer(const Json& id) {
    return error_answer(id, ErrorCode::content_modified, "the text has changed since");
}

bool is_request(const Json& message) { return message.contains("id"); }

const Method* method_named(const std::string& name) {
    const auto found = std::ranges::find(methods(), name, &Method::name);
    return found == methods().end() ? nullptr : &*found;
}

bool is_outdated_by_edits(const Json& request) {
    const Json& name = below(request, {"method"});
    const Method* method = is_request(request) && name.is_string() ? method_named(name) : nullptr;
    return method && method->outdated_by_edits;
}

bool asks_for_traces(const Json& value) { return value == "messages" || value == "verbose"; }

// Of the request for the user's settings.
constexpr const char* kSettings = "settings";

class Server {
public:
    explicit Server(const ServerOptions& options)
        : reader_(options.input),
          writer_(options.output),
          version_(options.version),
          workspace_(options.import_folders, options.documentation, options.compiler, inbox_.cancel()),
          slow_([this](const Json& id, const std::function<Json()>& task) { answer_slowly(id, task); }) {}

    int run() {
        std::thread reading([this] {
            while (const auto content = reader_.next()) {
                if (!receive(*content)) break;
            }
            inbox_.end();
        });
        work();  // in the thread that has the large stack
        reading.join();
        return shut_down_ ? 0 : 1;
    }

private:
    void send(const Json& message) { writer_.write(text_of(message)); }
    void notify(std::string_view method, Json params) {
        send({{"jsonrpc", "2.0"}, {"method", method}, {"params", std::move(params)}});
    }
    void request(std::string_view method, Json params, const char* id = nullptr) {
        Json message = {{"jsonrpc", "2.0"}, {"id", id ? Json(id) : Json(++requests_)}, {"method", method}};
        if (!params.is_null()) message["params"] = std::move(params);
        send(message);
    }
    void log(const std::string& message) { notify("window/logMessage", {{"type", 1}, {"message", message}}); }

    // ---- the reading thread ----

    // False: nothing behind this message is read.
    bool receive(const std::string& content) {
        Json message = parse_json(content);
        if (message.is_discarded()) {
            send(error_answer(nullptr, ErrorCode::parse_error, "the message is not JSON in UTF-8"));
            return true;
        }
        const Json& id = below(message, {"id"});
        const bool answer = message.is_object() && !message.contains("method") && message.contains("id");
        if (answer) {
            // To requests of the server's own; of all others it says nothing.
            const Json& result = below(message, {"result"});
            if (id == kSettings && result.is_array() && !result.empty() && result.front().is_object())
                inbox_.put({{"method", "workspace/didChangeConfiguration"},
                            {"params", {{"settings", {{"tessera", result.front()}}}}}});
            return true;
        }
        if (!below(message, {"method"}).is_string() || !(id.is_null() || id.is_number_integer() || id.is_string())) {
            send(error_answer(nullptr, ErrorCode::invalid_request, "a message is an object with a `method`"));
            return true;
        }
        const std::string method = message["method"];
        if (method == "$/cancelRequest") {
            const Json& cancelled = below(message, {"params", "id"});
            const auto request = inbox_.take_back(cancelled);
            if (request) send(error_answer((*request)["id"], ErrorCode::request_cancelled, "cancelled"));
            if (!request) slow_.cancel(cancelled);
            if (!request) inbox_.put(std::move(message));  // one that stands is known to the working thread
            return true;
        }
        if (method == "textDocument/didChange") {
            const Json uri = below(message, {"params", "textDocument", "uri"});
            const auto outdated = inbox_.put(std::move(message), [&](const Json& request) {
                return is_outdated_by_edits(request) && below(request, {"params", "textDocument", "uri"}) == uri;
            });
            for (const Json& request : outdated) send(outdated_answer(request["id"]));
            return !writer_.failed();
        }
        inbox_.put(std::move(message));
        return method != "exit" && !writer_.failed();
    }

    // ---- the working thread ----

    void work() {
        const CancelScope scope(inbox_.cancel());
        while (true) {
            Inbox::Next next = inbox_.take(!has_unreported() && !folders_.has_work());
            if (next.nothing_yet) {
                has_unreported() ? report_one() : check_folders();
                continue;
            }
            if (!next.message) return;
            const Json& message = *next.message;
            if (message["method"] == "exit") return;
            const auto begin = std::chrono::steady_clock::now();
            is_request(message) ? answer(message) : take_notification(message);
            if (traces_) trace(message, std::chrono::steady_clock::now() - begin);
        }
    }

    void answer(const Json& request) {
        const Json& id = request["id"];
        const std::string method = request["method"];
        const Json& params = below(request, {"params"});
        try {
            const Method* found = method_named(method);
            if (found && found->begin) {
                refuse_before_and_behind();
                slow_.add(id, with_progress(params, found->begin(workspace_, params)));
                return;
            }
            if (method == "workspace/diagnostic") {
                refuse_before_and_behind();
                end_standing(folders_.ask(id, params));
                return;
            }
            Json result = result_of(method, params);
            if (inbox_.was_cancelled()) throw Cancelled();
            send({{"jsonrpc", "2.0"}, {"id", id}, {"result", std::move(result)}});
        } catch (const Cancelled&) {
            send(inbox_.was_outdated() ? outdated_answer(id)
                                       : error_answer(id, ErrorCode::request_cancelled, "cancelled"));
        } catch (const RequestError& error) {
            send(error_answer(id, error.code, error.what()));
        } catch (const Json::exception& error) {
            send(error_answer(id, ErrorCode::invalid_params, fmt::format("{}: {}", method, error.what())));
        } catch (const std::exception& error) {
            const std::string left = leave_reproducer(workspace_, request);
            send(error_answer(
                id, ErrorCode::internal_error,
                fmt::format("{}: {}{}{}", method, error.what(), left.empty() ? "" : "; what replays it is in ", left)));
        }
    }

    Json result_of(const std::string& method, const Json& params) {
        if (method == "initialize") {
            if (initialized_) throw RequestError(ErrorCode::invalid_request, "`initialize` comes once");
            initialized_ = true;
            traces_ = asks_for_traces(below(params, {"trace"}));
            return initialize(workspace_, params, version_);
        }
        refuse_before_and_behind();
        if (method == "shutdown") {
            shut_down_ = true;
            const Json standing = folders_.standing();
            if (folders_.give_up(standing))
                send(error_answer(standing, ErrorCode::request_cancelled, "the server ends"));
            return nullptr;
        }
        const Method* found = method_named(method);
        if (!found) throw RequestError(ErrorCode::method_not_found, fmt::format("there is no method `{}`", method));
        return found->answer(workspace_, params);
    }

    void refuse_before_and_behind() const {
        if (!initialized_) throw RequestError(ErrorCode::not_initialized, "`initialize` comes first");
        if (shut_down_) throw RequestError(ErrorCode::invalid_request, "the server was shut down");
    }

    void take_notification(const Json& message) {
        const std::string method = message["method"];
        if (!initialized_ || shut_down_) return;
        try {
            const Json& params = below(message, {"params"});
            if (method == "initialized") {
                if (auto wanted = wanted_events(workspace_)) request("client/registerCapability", std::move(*wanted));
                ask_for_settings();
            } else if (method == "workspace/didChangeConfiguration") {
                // Who gives no settings with it is asked for them.
                if (!below(params, {"settings", "tessera"}).is_object()) {
                    ask_for_settings();
                    return;
                }
                workspace_.settings.take(below(params, {"settings", "tessera"}));
                for (auto& [uri, document] : workspace_.documents()) document.costs.reset();  // of another GPU
                refresh("inlayHint");
                refresh("codeLens");
            } else if (method == "$/cancelRequest") {
                const Json& id = below(params, {"id"});
                if (folders_.give_up(id)) send(error_answer(id, ErrorCode::request_cancelled, "cancelled"));
            } else if (method == "$/setTrace") {
                traces_ = asks_for_traces(below(params, {"value"}));
            } else if (method == "textDocument/didClose") {
                const std::string uri = params.at("textDocument").at("uri");
                workspace_.close(uri);
                publish_imports(published_.drop(uri));
                folders_.files_changed();
            } else {
                change_texts(workspace_, method, params);
                if (method == "textDocument/didChange") {
                    folders_.text_changed(workspace_.document_of(params).path);
                } else {
                    folders_.files_changed();
                }
            }
        } catch (const std::exception& error) {
            log(fmt::format("{}: {}", method, error.what()));
        }
    }

    void ask_for_settings() {
        if (says(workspace_.client, {"workspace", "configuration"}))
            request("workspace/configuration", {{"items", Json::array({{{"section", "tessera"}}})}}, kSettings);
    }

    // The client asks again for what is shown so.
    void refresh(const char* shown) {
        if (says(workspace_.client, {"workspace", shown, "refreshSupport"}))
            request(fmt::format("workspace/{}/refresh", shown), nullptr);
    }

    void trace(const Json& message, std::chrono::steady_clock::duration took) {
        const double milliseconds = std::chrono::duration<double, std::milli>(took).count();
        notify("$/logTrace",
               {{"message", fmt::format("{}: {:.1f} ms", message["method"].get<std::string>(), milliseconds)}});
    }

    // ---- the thread for what takes seconds ----

    // Tells its client, where that wants to know, when the work begins and ends.
    SlowTask with_progress(const Json& params, SlowTask task) {
        const Json& token = below(params, {"workDoneToken"});
        if (token.is_null()) return task;
        return [this, token, task = std::move(task)](const std::atomic<bool>& cancel) {
            const auto tell = [&](Json value) {
                notify("$/progress", {{"token", token}, {"value", std::move(value)}});
            };
            tell({{"kind", "begin"}, {"title", "Tessera"}, {"cancellable", true}});
            try {
                Json result = task(cancel);
                tell({{"kind", "end"}});
                return result;
            } catch (...) {
                tell({{"kind", "end"}});
                throw;
            }
        };
    }

    void answer_slowly(const Json& id, const std::function<Json()>& task) {
        try {
            send({{"jsonrpc", "2.0"}, {"id", id}, {"result", task()}});
        } catch (const Cancelled&) {
            send(error_answer(id, ErrorCode::request_cancelled, "cancelled"));
        } catch (const RequestError& error) {
            send(error_answer(id, error.code, error.what()));
        } catch (const std::exception& error) {
            send(error_answer(id, ErrorCode::internal_error, error.what()));
        }
    }

    // ---- diagnostics that nobody asked for ----

    [[nodiscard]] bool pulls() const { return !below(workspace_.client, {"textDocument", "diagnostic"}).is_null(); }

    [[nodiscard]] bool has_unreported() {
        return std::ranges::any_of(workspace_.documents(), [](const auto& entry) { return !entry.second.reported; });
    }

    void publish(const std::string& uri, std::optional<int64_t> version, const Json& diagnostics) {
        Json params = {{"uri", uri}, {"diagnostics", diagnostics}};
        if (version) params["version"] = *version;
        notify("textDocument/publishDiagnostics", std::move(params));
    }

    void report_one() {
        const auto found = std::ranges::find_if(workspace_.documents(), [](auto& e) { return !e.second.reported; });
        Document& document = found->second;
        if (!inbox_.begin_own_work()) return;
        try {
            report(document);
            document.reported = true;
        } catch (const Cancelled&) {
            return;  // the message that came is worked on; then this begins anew
        } catch (const std::exception& error) {
            document.reported = true;
            const std::string left = leave_reproducer(workspace_, {});
            log(fmt::format("the check of {} failed: {}{}{}", document.uri, error.what(),
                            left.empty() ? "" : "; what replays it is in ", left));
        }
    }

    void report(Document& document) {
        if (pulls()) {
            // The editor asks when its user changes a text, and is told to where another file has changed what is said.
            if (document.by_others && says(workspace_.client, {"workspace", "diagnostics", "refreshSupport"})) {
                request("workspace/diagnostic/refresh", nullptr);
            }
        }
        if (document.by_others) {
            refresh("semanticTokens");
            refresh("inlayHint");
            refresh("codeLens");
        }
        document.by_others = false;
        const Analysis& analysis = workspace_.analysis(document);
        if (!pulls()) publish(document.uri, document.version, diagnostics_of_root(analysis, workspace_));
        std::map<std::string, Json> imports = diagnostics_of_imports(analysis, workspace_);
        std::erase_if(imports, [&](const auto& entry) { return workspace_.find(entry.first) != nullptr; });
        publish_imports(published_.replace(document.uri, std::move(imports)));
    }

    // ---- programs that nobody has open ----

    void end_standing(const Json& id) {
        if (!id.is_null()) send(error_answer(id, ErrorCode::server_cancelled, "another request has taken its place"));
    }

    void check_folders() {
        if (!inbox_.begin_own_work()) return;
        const Json id = folders_.standing();
        try {
            if (auto result = folders_.step()) send({{"jsonrpc", "2.0"}, {"id", id}, {"result", std::move(*result)}});
        } catch (const Cancelled&) {
            return;  // as above
        } catch (const std::exception& error) {
            folders_.give_up(id);
            send(error_answer(id, ErrorCode::internal_error, error.what()));
        }
    }

    // Nobody asks for what is said of a file that is not open.
    void publish_imports(const std::map<std::string, Json>& said) {
        for (const auto& [uri, diagnostics] : said) {
            // What an open document says of itself stands where this would.
            if (pulls() || !workspace_.find(uri)) publish(uri, {}, diagnostics);
        }
    }

    MessageReader reader_;
    MessageWriter writer_;
    std::string version_;
    Inbox inbox_;
    Workspace workspace_;
    Published published_;
    FolderCheck folders_{workspace_};
    bool initialized_ = false;
    std::atomic<bool> shut_down_ = false;
    bool traces_ = false;
    int requests_ = 0;
    SlowWork slow_;  // the last: it ends before what its thread uses
};

}  // namespace

int serve(const ServerOptions& options) {
    std::signal(SIGPIPE, SIG_IGN);  // an editor that has gone is the end of the input
    return Server(options).run();
}

}  // namespace tsr::lsp
