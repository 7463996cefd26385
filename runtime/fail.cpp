#include "runtime/fail.h"

#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <utility>

namespace tsr::runtime {

namespace {

constinit TsrFailureHandler handler = nullptr;
constinit void* handler_context = nullptr;

constexpr int kFinishers = 4;
using Finisher = void (*)();
constinit Finisher finishers[kFinishers] = {};

constinit Finisher settle_first = nullptr;
constinit bool settling = false;

// A failure while settling is that other message.
struct Settling {
    Settling() { settling = true; }
    ~Settling() { settling = false; }
};

std::string format_arguments(const char* format, va_list arguments) {
    va_list again;
    va_copy(again, arguments);
    int length = std::vsnprintf(nullptr, 0, format, arguments);
    std::string result(static_cast<size_t>(length > 0 ? length : 0), '\0');
    std::vsnprintf(result.data(), result.size() + 1, format, again);
    va_end(again);
    return result;
}

constinit thread_local const TsrLibraryCall* entered = nullptr;

// "file:line:column: ", or nothing.
std::string place_in_front(const TsrPlace* place) {
    if (place == nullptr || place->file == nullptr) return "";
    std::string where = place->file;
    if (place->line > 0) where += ":" + std::to_string(place->line);
    if (place->line > 0 && place->column > 0) where += ":" + std::to_string(place->column);
    return where + ": ";
}

void print_failure(const TsrPlace* place, const char* message) {
    std::fflush(stdout);
    std::fprintf(stderr, "%serror: %s\n", place_in_front(place).c_str(), message);
    std::fflush(stderr);
}

}  // namespace

std::string text(const char* format, ...) {
    va_list arguments;
    va_start(arguments, format);
    std::string result = format_arguments(format, arguments);
    va_end(arguments);
    return result;
}

void fail(const TsrPlace* place, const char* format, ...) {
    va_list arguments;
    va_start(arguments, format);
    std::string message = format_arguments(format, arguments);
    va_end(arguments);
    tsr_fail(place, message.c_str());
}

const TsrLibraryCall* library_call() { return entered; }

void before_failure(void (*settle)()) { settle_first = settle; }

void at_failure(void (*finish)()) {
    for (auto& entry : finishers) {
        if (entry == finish) return;
        if (entry == nullptr) {
            entry = finish;
            return;
        }
    }
    std::abort();
}

}  // namespace tsr::runtime

extern "C" {

void tsr_set_failure_handler(TsrFailureHandler new_handler, void* context) {
    tsr::runtime::handler = new_handler;
    tsr::runtime::handler_context = context;
}

const TsrLibraryCall* tsr_enter_library(const TsrLibraryCall* call) {
    return std::exchange(tsr::runtime::entered, call);
}

void tsr_fail(const TsrPlace* place, const char* message) {
    using namespace tsr::runtime;
    if (settle_first != nullptr && !settling) {
        const Settling now;
        settle_first();
    }
    std::string with_note = message;
    if (entered != nullptr) {
        with_note += "\n" + place_in_front(place) + "note: in `" + entered->function + "`";
        place = entered->place;
        entered = nullptr;
    }
    if (handler != nullptr) {
        handler(handler_context, place, with_note.c_str());
    } else {
        print_failure(place, with_note.c_str());
    }
    for (auto finish : finishers) {
        if (finish != nullptr) finish();
    }
    // Other threads may still run kernels: nothing of theirs is destroyed.
    std::fflush(stdout);
    std::_Exit(1);
}

void tsr_assert_failed(const TsrString* message, const TsrPlace* place) {
    std::string text = "assertion failed";
    if (message != nullptr && message->length > 0) {
        text += ": ";
        text.append(message->text, static_cast<size_t>(message->length));
    }
    tsr_fail(place, text.c_str());
}

void tsr_memory_exceeded(const char* function, int64_t needed, int64_t allowed, const TsrPlace* place) {
    const std::string text = "a call of `" + std::string(function) + "` needs " + std::to_string(needed) +
                             " bytes at once, `memory` allows " + std::to_string(allowed);
    tsr_fail(place, text.c_str());
}
}
