#include "play/jobs.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <memory>

#include <unistd.h>

#include "base/child_process.h"
#include "lsp/json.h"

namespace tsr::play {

namespace {

using lsp::below;
using lsp::Json;
using Clock = std::chrono::steady_clock;

constexpr size_t kMostOutput = 4 << 20;  // bytes of a job
constexpr size_t kMostArguments = 100;
constexpr std::array kLevels{"graph", "schedule", "tile", "target", "llvm", "asm", "ptx"};

// The words of the compiler's command line for an order; empty where it is none.
std::vector<std::string> words_of(const Json& order, const PlayOptions& options, const std::string& program) {
    const Json& what = below(order, {"do"});
    std::vector<std::string> words{options.compiler};
    std::vector<std::string> behind;
    if (what == "show") {
        const Json& level = below(order, {"level"});
        if (level == "explain") {
            behind = {"--explain=fusion,memory,cost"};
        } else if (std::ranges::find(kLevels, level) != kLevels.end()) {
            behind = {"--emit=" + level.get<std::string>(), "-o", "-"};
        } else {
            return {};
        }
    } else {
        words.emplace_back("run");
        if (what == "interpret" || what == "sanitize") words.emplace_back("--interpret");
        if (what == "sanitize") words.emplace_back("--sanitize=race,bounds,nan");
        const Json& arguments = below(order, {"arguments"});
        if (!arguments.is_array() || arguments.size() > kMostArguments) return {};
        for (const Json& one : arguments) {
            if (!one.is_string()) return {};
            behind.push_back(one.get<std::string>());
        }
    }
    for (const std::string& folder : options.import_folders) words.insert(words.end(), {"-I", folder});
    words.push_back(program);
    words.insert(words.end(), behind.begin(), behind.end());
    return words;
}

// The length of what of the text is whole characters; bytes that are none count as such.
size_t whole_characters(std::string_view text) {
    for (size_t back = 1; back <= std::min<size_t>(3, text.size()); ++back) {
        const auto byte = static_cast<unsigned char>(text[text.size() - back]);
        if ((byte & 0xc0) == 0x80) continue;
        const size_t length = byte < 0xc0 ? 1 : byte < 0xe0 ? 2 : byte < 0xf0 ? 3 : 4;
        return length > back ? text.size() - back : text.size();
    }
    return text.size();
}

// One of the two streams of a job.
struct Stream {
    int file = -1;
    const char* name = "";
    std::string kept;  // the begin of a character
    bool open = true;
};

class Jobs {
public:
    Jobs(Connection& connection, const PlayOptions& options, const Place& place, Results& results)
        : connection_(connection),
          options_(options),
          place_(place),
          results_(results),
          program_(texts_.file(place.name)) {}

    void serve() {
        while (connection_.wait(files(), longest_wait())) {
            while (const auto message = connection_.next_message()) take(*message);
            if (!child_) continue;
            for (Stream& stream : streams_) read(stream);
            if (child_ && options_.time_limit > 0 && Clock::now() >= end_) finish("time");
            if (child_ && child_->ended() && !streams_[0].open && !streams_[1].open) finish("");
        }
    }

private:
    void tell(const Json& message) { connection_.send(lsp::text_of(message)); }
    void refuse(const std::string& why) { tell({{"is", "refused"}, {"text", why}}); }

    [[nodiscard]] std::vector<int> files() const {
        std::vector<int> found;
        for (const Stream& stream : streams_) {
            if (child_ && stream.open) found.push_back(stream.file);
        }
        return found;
    }

    [[nodiscard]] std::optional<std::chrono::milliseconds> longest_wait() const {
        if (!child_) return std::nullopt;
        const std::chrono::milliseconds longest{files().empty() ? 5 : 1000};
        if (options_.time_limit == 0) return longest;
        const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(end_ - Clock::now());
        return std::clamp(left + std::chrono::milliseconds(1), std::chrono::milliseconds(0), longest);
    }

    void take(const std::string& message) {
        const Json order = lsp::parse_json(message);
        const Json& what = below(order, {"do"});
        if (child_) finish("stopped");
        if (what == "stop") return;
        const Json& text = below(order, {"text"});
        if (!text.is_string()) return refuse("an order is an object with `do` and `text`");
        if (what == "save") {
            if (options_.program.empty()) return refuse("the page shows no file");
            if (const auto wrong = options_.write(options_.program, text.get<std::string>()); !wrong.empty())
                return refuse(wrong);
            return tell({{"is", "saved"}});
        }
        if (what != "run" && what != "interpret" && what != "sanitize" && what != "show")
            return refuse("there is no such order");
        const auto words = words_of(order, options_, program_);
        if (words.empty()) return refuse("the order is not complete");
        if (const auto wrong = options_.write(program_, text.get<std::string>()); !wrong.empty()) return refuse(wrong);
        begin(words);
    }

    void begin(const std::vector<std::string>& words) {
        before_ = results_.look();
        begun_ = Clock::now();
        end_ = begun_ + std::chrono::seconds(options_.time_limit);
        output_ = 0;
        child_ = std::make_unique<ChildProcess>(words,
                                                ChildOptions{.folder = place_.folder, .memory = options_.memory_limit});
        if (!child_->started()) {
            child_.reset();
            return refuse("the compiler can not be started");
        }
        streams_ = {Stream{child_->output(), "out"}, Stream{child_->errors(), "err"}};
        tell({{"is", "begun"}, {"path", texts_.file("")}});
    }

    void read(Stream& stream) {
        if (!child_ || !stream.open || !connection_.readable(stream.file)) return;
        std::array<char, 1 << 15> chunk;
        const ssize_t got = ::read(stream.file, chunk.data(), chunk.size());
        if (got < 0 && errno == EINTR) return;
        stream.open = got > 0;
        std::string text = std::move(stream.kept);
        if (got > 0) text.append(chunk.data(), static_cast<size_t>(got));
        const size_t whole = got > 0 ? whole_characters(text) : text.size();
        stream.kept = text.substr(whole);
        text.resize(whole);
        output_ += text.size();
        if (!text.empty()) tell({{"is", stream.name}, {"text", text}});
        if (output_ > kMostOutput) finish("output");
    }

    // Ends the job, whether it has ended by itself or not.
    void finish(const char* why) {
        child_->kill();
        const int code = child_->wait();
        child_.reset();
        for (const Results::Result& result : results_.since(before_)) {
            tell({{"is", "result"}, {"id", result.id}, {"name", result.name}, {"bytes", result.bytes}});
        }
        const std::chrono::duration<double> took = Clock::now() - begun_;
        tell({{"is", "ended"}, {"code", code}, {"why", why}, {"seconds", took.count()}});
    }

    Connection& connection_;
    const PlayOptions& options_;
    const Place& place_;
    Results& results_;
    TemporaryFolder texts_;
    std::string program_;
    std::unique_ptr<ChildProcess> child_;  // of the job; null: none
    std::array<Stream, 2> streams_;
    Results::Seen before_;
    Clock::time_point begun_;
    Clock::time_point end_;
    size_t output_ = 0;
};

}  // namespace

void serve_jobs(Connection& connection, const PlayOptions& options, const Place& place, Results& results) {
    Jobs(connection, options, place, results).serve();
}

}  // namespace tsr::play
