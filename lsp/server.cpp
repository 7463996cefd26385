// Three threads: one reads messages, and sees at once what is to be given up; one works on them in their order, and
// checks programs whose texts have changed when no message waits; one does what takes seconds.
#include "lsp/server.h"

#include <algorithm>
#include <csignal>
#include <thread>

#include <fmt/format.h>

#include "lsp/diagnostic_messages.h"
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
    // Whose answer says nothing.
    void request(std::string_view method, Json params) {
        Json message = {{"jsonrpc", "2.0"}, {"id", ++requests_}, {"method", method}};
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
        if (answer) return true;  // to a request of the server's, which says nothing
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
            Inbox::Next next = inbox_.take(!has_unreported());
            if (next.nothing_yet) {
                report_one();
                continue;
            }
            if (!next.message) return;
            const Json& message = *next.message;
            if (message["method"] == "exit") return;
            is_request(message) ? answer(message) : take_notification(message);
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
                slow_.add(id, found->begin(workspace_, params));
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
            return initialize(workspace_, params, version_);
        }
        refuse_before_and_behind();
        if (method == "shutdown") {
            shut_down_ = true;
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
            } else if (method == "workspace/didChangeConfiguration") {
                workspace_.settings.take(below(params, {"settings", "tessera"}));
                for (auto& [uri, document] : workspace_.documents()) document.costs.reset();  // of another GPU
                if (says(workspace_.client, {"workspace", "inlayHint", "refreshSupport"}))
                    request("workspace/inlayHint/refresh", nullptr);
            } else if (method == "textDocument/didClose") {
                const std::string uri = params.at("textDocument").at("uri");
                workspace_.close(uri);
                publish_imports(published_.drop(uri));
            } else {
                change_texts(workspace_, method, params);
            }
        } catch (const std::exception& error) {
            log(fmt::format("{}: {}", method, error.what()));
        }
    }

    // ---- the thread for what takes seconds ----

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
            document.by_others = false;
        }
        const Analysis& analysis = workspace_.analysis(document);
        if (!pulls()) publish(document.uri, document.version, diagnostics_of_root(analysis, workspace_));
        std::map<std::string, Json> imports = diagnostics_of_imports(analysis, workspace_);
        std::erase_if(imports, [&](const auto& entry) { return workspace_.find(entry.first) != nullptr; });
        publish_imports(published_.replace(document.uri, std::move(imports)));
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
    bool initialized_ = false;
    std::atomic<bool> shut_down_ = false;
    int requests_ = 0;
    SlowWork slow_;  // the last: it ends before what its thread uses
};

}  // namespace

int serve(const ServerOptions& options) {
    std::signal(SIGPIPE, SIG_IGN);  // an editor that has gone is the end of the input
    return Server(options).run();
}

}  // namespace tsr::lsp
