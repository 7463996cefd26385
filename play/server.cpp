// A thread for each connection; all of them end with the server.
#include "play/server.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <list>
#include <thread>

#include <arpa/inet.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/random.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/child_process.h"
#include "lsp/json.h"
#include "play/connection.h"
#include "play/files.h"
#include "play/http.h"
#include "play/jobs.h"
#include "play/language.h"
#include "play/results.h"

namespace tsr::play {

namespace {

constexpr size_t kMostConnections = 64;

// An open file, closed at the end.
struct Descriptor {
    explicit Descriptor(int number) : number(number) {}
    ~Descriptor() {
        if (number >= 0) ::close(number);
    }
    Descriptor(const Descriptor&) = delete;
    Descriptor& operator=(const Descriptor&) = delete;
    int number;
};

// What nobody guesses: 128 bits. Empty where the system gives none.
std::string random_token() {
    std::array<unsigned char, 16> bytes{};
    if (::getrandom(bytes.data(), bytes.size(), 0) != static_cast<ssize_t>(bytes.size())) return {};
    std::string token;
    for (unsigned char byte : bytes) token += fmt::format("{:02x}", byte);
    return token;
}

// The time that it takes tells nothing of where they differ.
bool same(std::string_view one, std::string_view other) {
    unsigned char difference = one.size() != other.size();
    for (size_t i = 0; i < std::min(one.size(), other.size()); ++i)
        difference |= static_cast<unsigned char>(one[i] ^ other[i]);
    return difference == 0;
}

const File* find(std::span<const File> files, std::string_view name) {
    const auto found = std::ranges::find(files, name, &File::name);
    return found == files.end() ? nullptr : &*found;
}

std::string text_of_file(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}

// A program's name as the list of samples shows it; empty for data.
std::string_view shown_name(const File& sample) {
    std::string_view name = sample.name;
    return name.ends_with(".tsr") ? name.substr(name.rfind('/') + 1) : "";
}

class Server {
public:
    explicit Server(const PlayOptions& options)
        : options_(options), stopping_(::eventfd(0, EFD_CLOEXEC)), token_(random_token()), results_(folder()) {
        namespace fs = std::filesystem;
        place_.folder = folder();
        if (options_.program.empty()) {
            place_.name = "program.tsr";
            // Samples name their data as it stands beside them.
            for (const File& sample : sample_files()) {
                if (!shown_name(sample).empty()) continue;
                const std::string path = work_.file(std::string(sample.name));
                std::error_code ignored;
                fs::create_directories(fs::path(path).parent_path(), ignored);
                std::ofstream(path, std::ios::binary) << sample.content;
            }
        } else {
            place_.name = fs::path(options_.program).filename().string();
            options_.import_folders.insert(options_.import_folders.begin(), place_.folder);
        }
    }

    int run() {
        // Before any thread: all of them leave these signals to the one that waits for them.
        sigset_t ends;
        ::sigemptyset(&ends);
        for (int signal : {SIGINT, SIGTERM, SIGHUP}) ::sigaddset(&ends, signal);
        ::pthread_sigmask(SIG_BLOCK, &ends, nullptr);
        std::signal(SIGPIPE, SIG_IGN);
        const Descriptor asked_to_end(::signalfd(-1, &ends, SFD_CLOEXEC));
        const Descriptor listening(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
        if (asked_to_end.number < 0 || stopping_.number < 0 || token_.empty() || !work_.ok())
            return fail(fmt::format("can not begin: {}", std::strerror(errno)));
        if (!listen(listening.number))
            return fail(fmt::format("can not listen at 127.0.0.1:{}: {}", options_.port, std::strerror(errno)));
        fmt::print("http://127.0.0.1:{}/{}/\n", port_, token_);
        std::fflush(stdout);
        while (true) {
            std::array<pollfd, 2> streams{{{listening.number, POLLIN, 0}, {asked_to_end.number, POLLIN, 0}}};
            if (::poll(streams.data(), streams.size(), -1) < 0 && errno != EINTR) break;
            if (streams[1].revents != 0) break;
            if (streams[0].revents != 0) take(::accept4(listening.number, nullptr, nullptr, SOCK_CLOEXEC));
        }
        ::eventfd_write(stopping_.number, 1);
        for (Worker& worker : workers_) worker.thread.join();
        return 0;
    }

private:
    struct Worker {
        std::thread thread;
        std::atomic<bool> done = false;
    };

    static int fail(const std::string& why) {
        fmt::print(stderr, "tesserac: {}\n", why);
        return 1;
    }

    // Programs run where their file stands, else in a folder of the server's.
    [[nodiscard]] std::string folder() const {
        if (options_.program.empty()) return work_.path();
        return std::filesystem::absolute(options_.program).parent_path().string();
    }

    bool listen(int socket) {
        sockaddr_in here{};
        here.sin_family = AF_INET;
        here.sin_port = htons(options_.port);
        here.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        socklen_t size = sizeof here;
        auto* address = reinterpret_cast<sockaddr*>(&here);
        if (::bind(socket, address, size) != 0 || ::listen(socket, 16) != 0 ||
            ::getsockname(socket, address, &size) != 0)
            return false;
        port_ = ntohs(here.sin_port);
        return true;
    }

    void take(int socket) {
        if (socket < 0) return;
        for (auto worker = workers_.begin(); worker != workers_.end();) {
            if (!worker->done) {
                ++worker;
                continue;
            }
            worker->thread.join();
            worker = workers_.erase(worker);
        }
        if (workers_.size() >= kMostConnections) {
            Connection refused(socket, stopping_.number);
            refused.write(refusal(503, "too many connections"));
            return;
        }
        Worker& worker = workers_.emplace_back();
        worker.thread = std::thread([this, socket, &worker] {
            Connection connection(socket, stopping_.number);
            answer_one(connection);
            worker.done = true;
        });
    }

    void answer_one(Connection& connection) {
        const std::string head = connection.read_head();
        if (head.empty()) return;
        if (!head.ends_with("\r\n\r\n")) {
            connection.write(refusal(431, "the request is too long"));
            return connection.finish();
        }
        const auto request = parse_request(head);
        if (!request) {
            connection.write(refusal(400, request.message()));
            return connection.finish();
        }
        if (request.value().header_has("upgrade", "websocket")) return upgrade(connection, request.value());
        connection.write(answer_to(request.value()));
        connection.finish();
    }

    // An address of this server's as browsers write it.
    [[nodiscard]] bool is_here(std::string_view address) const {
        return address == fmt::format("127.0.0.1:{}", port_) || address == fmt::format("localhost:{}", port_);
    }

    // What is wrong with where a request comes from; empty: nothing. A page of another site may send requests here, and
    // a name of another site may lead here; neither can say these headers as our page does.
    [[nodiscard]] std::string wrong_origin(const Request& request, bool needs_origin) const {
        if (!is_here(request.header("host"))) return "the request is for another host";
        const std::string_view origin = request.header("origin");
        if (origin.empty()) return needs_origin ? "the request does not say where it comes from" : "";
        constexpr std::string_view kScheme = "http://";
        return origin.starts_with(kScheme) && is_here(origin.substr(kScheme.size())) ? ""
                                                                                     : "the request is of another page";
    }

    // Other pages that the user has named get the language server, which runs nothing, and only that.
    [[nodiscard]] bool may_ask_language(const Request& request) const {
        return is_here(request.header("host")) && below_token(request) == "language" &&
               std::ranges::find(options_.origins, request.header("origin")) != options_.origins.end();
    }

    // The path below the token; nothing where that is not ours.
    [[nodiscard]] std::optional<std::string> below_token(const Request& request) const {
        const std::string_view path = std::string_view(request.path).substr(1);
        const size_t slash = path.find('/');
        if (slash == std::string_view::npos || !same(path.substr(0, slash), token_)) return std::nullopt;
        return std::string(path.substr(slash + 1));
    }

    std::string answer_to(const Request& request) {
        if (const auto wrong = wrong_origin(request, false); !wrong.empty()) return refusal(403, wrong);
        if (request.method != "GET") return refusal(405, "only GET is answered");
        const auto path = below_token(request);
        if (!path) return refusal(404, "the address is not that which `tesserac play` has printed");
        if (*path == "start.json") return answer(200, content_type(*path), start());
        constexpr std::string_view kSamples = "samples/";
        constexpr std::string_view kResults = "results/";
        if (path->starts_with(kResults)) {
            const auto content = results_.read(path->substr(kResults.size()));
            if (!content) return refusal(404, "there is no such result");
            return answer(200, content_type(content->name), content->bytes);
        }
        const File* file = path->starts_with(kSamples) && path->ends_with(".tsr")
                               ? find(sample_files(), *path)
                               : find(page_files(), path->empty() ? "index.html" : *path);
        if (!file) return refusal(404, "there is no such file");
        const auto type = content_type(file->name);
        return answer(200, file->name.ends_with(".tsr") ? "text/plain; charset=utf-8" : type, file->content);
    }

    // What the page has to know.
    std::string start() {
        lsp::Json samples = lsp::Json::array();
        for (const File& sample : sample_files()) {
            if (const auto name = shown_name(sample); !name.empty()) samples.push_back(sample.name);
        }
        return lsp::text_of({{"version", options_.version},
                             {"path", place_.folder + "/" + place_.name},
                             {"saves", !options_.program.empty()},
                             {"text", options_.program.empty() ? "" : text_of_file(options_.program)},
                             {"timeLimit", options_.time_limit},
                             {"samples", std::move(samples)}});
    }

    void upgrade(Connection& connection, const Request& request) {
        const std::string key = accept_key(request.header("sec-websocket-key"));
        std::string wrong = may_ask_language(request) ? "" : wrong_origin(request, true);
        int status = wrong.empty() ? 400 : 403;
        if (wrong.empty() && (request.method != "GET" || !request.header_has("connection", "upgrade") || key.empty() ||
                              request.header("sec-websocket-version") != "13"))
            wrong = "the request is not one for a WebSocket of version 13";
        const auto path = below_token(request);
        if (wrong.empty() && path != "language" && path != "jobs") {
            wrong = "there is no such connection";
            status = 404;
        }
        if (!wrong.empty()) {
            connection.write(refusal(status, wrong));
            return connection.finish();
        }
        connection.write(
            fmt::format("HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                        "Sec-WebSocket-Accept: {}\r\n\r\n",
                        key));
        if (path == "language") {
            serve_language(connection, options_);
        } else {
            serve_jobs(connection, options_, place_, results_);
        }
        connection.finish();
    }

    PlayOptions options_;
    TemporaryFolder work_;
    Place place_;
    Descriptor stopping_;
    std::string token_;
    Results results_;
    uint16_t port_ = 0;
    std::list<Worker> workers_;  // of the thread that accepts
};

}  // namespace

int serve(const PlayOptions& options) {
    if (!options.program.empty() && !std::filesystem::is_regular_file(options.program)) {
        fmt::print(stderr, "tesserac: {}: there is no such file\n", options.program);
        return 1;
    }
    return Server(options).run();
}

}  // namespace tsr::play
