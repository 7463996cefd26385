#include "runtime/device/cpu/messages.h"

#include <algorithm>
#include <cstdio>

#include "runtime/fail.h"
#include "runtime/text/format_spec.h"

namespace tsr::runtime {

namespace {

std::string message_text(const TsrMessage& message, const uint64_t* values) {
    std::string result;
    for (int32_t i = 0; i < message.npieces; ++i) {
        const TsrMessagePiece& piece = message.pieces[i];
        if (piece.text != nullptr) {
            result += piece.text;
            continue;
        }
        Result<std::string> value = format_value(*values++, piece.dtype, piece.spec == nullptr ? "" : piece.spec);
        result += value ? *value : "<" + value.message() + ">";
    }
    return result;
}

}  // namespace

void Messages::print(const TsrMessage& message, const uint64_t* values, int64_t group) {
    std::string text = message_text(message, values);
    std::lock_guard lock(mutex_);
    if (lines_.size() < kMostLines) {
        lines_.push_back({group, std::move(text)});
    } else {
        ++dropped_;
    }
}

void Messages::assertion(const TsrMessage& message, const uint64_t* values, int64_t group) {
    std::string text = message_text(message, values);
    std::lock_guard lock(mutex_);
    // Of several failures the one in the lowest group is told.
    if (failed() && failed_group_ <= group) return;
    failed_group_ = group;
    failed_place_ = message.place;
    failure_ = std::move(text);
    failed_.store(true, std::memory_order_relaxed);
}

void Messages::deliver() {
    if (!lines_.empty() || dropped_ > 0) {
        std::fflush(stdout);
        std::ranges::stable_sort(lines_, {}, &Line::group);
        for (const Line& line : lines_) std::fprintf(stderr, "%s\n", line.text.c_str());
        if (dropped_ > 0) {
            std::fprintf(stderr, "kernel %s printed %llu more lines\n", kernel_.name,
                         static_cast<unsigned long long>(dropped_));
        }
    }
    if (!failed()) return;
    std::string what = failure_.empty() ? "" : ": " + failure_;
    fail(&failed_place_, "assertion failed in kernel %s%s", kernel_.name, what.c_str());
}

}  // namespace tsr::runtime

extern "C" {

void tsr_task_print(TsrTask* task, const TsrMessage* message, const uint64_t* values, int64_t group) {
    static_cast<tsr::runtime::Messages*>(task->log)->print(*message, values, group);
}

void tsr_task_assert_failed(TsrTask* task, const TsrMessage* message, const uint64_t* values, int64_t group) {
    static_cast<tsr::runtime::Messages*>(task->log)->assertion(*message, values, group);
    task->failed = 1;
}
}
