#include "runtime/device/cuda/pending.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <vector>

#include "runtime/fail.h"

namespace tsr::runtime::cuda {

namespace {

// As many lines of two values as a processor keeps of one launch.
constexpr uint64_t kWords = 400'000;
// So many launches that may say something go before the host waits for them.
constexpr size_t kMailboxes = 4;
// Of the launches since the last wait so many are named when one of them fails.
constexpr size_t kNamed = 8;
constexpr unsigned kMapped = 2;

struct PendingLaunch {
    const TsrKernelFamily* family;
    const TsrCudaKernel* kernel;
    const Mailbox* mailbox;
    TsrPlace place;
    const TsrLibraryCall* call;  // that it was launched in
};

struct State {
    std::vector<Mailbox> mailboxes;  // those in use first
    size_t used = 0;
    std::vector<PendingLaunch> speaking;  // with a mailbox
    std::vector<PendingLaunch> latest;    // without or with one
    uint64_t launches = 0;
};

State& state() {
    static auto* instance = [] {
        auto* made = new State;
        made->mailboxes.reserve(kMailboxes);
        return made;
    }();
    return *instance;
}

uint64_t words_of(const TsrCudaKernel& kernel) {
    uint64_t most = 0;
    for (int32_t i = 0; i < kernel.nmessages; ++i) {
        const TsrMessage& message = *kernel.messages[i];
        const auto* pieces = message.pieces;
        const auto values = std::count_if(pieces, pieces + message.npieces, [](auto& p) { return p.text == nullptr; });
        most = std::max(most, static_cast<uint64_t>(values));
    }
    return TSR_CUDA_MESSAGE_HEAD + most;
}

Mailbox make_mailbox(Device& device, const TsrPlace* place) {
    Mailbox box;
    void* memory = nullptr;
    const size_t bytes = sizeof(TsrDeviceContext) + kWords * sizeof(uint64_t);
    check(device, device.driver.allocate_host(&memory, bytes, kMapped), "making room for messages", place);
    std::memset(memory, 0, bytes);
    check(device, device.driver.host_pointer(&box.device, memory, 0), "making room for messages", place);
    box.host = static_cast<TsrDeviceContext*>(memory);
    box.words = reinterpret_cast<uint64_t*>(box.host + 1);
    box.host->capacity = kWords;
    // NOLINTNEXTLINE(performance-no-int-to-ptr): the device gives addresses as numbers
    box.host->words = reinterpret_cast<uint64_t*>(box.device + sizeof(TsrDeviceContext));
    return box;
}

void clear(const Mailbox& box) {
    TsrDeviceContext& context = *box.host;
    std::memset(box.words, 0, std::min(context.next, context.capacity) * sizeof(uint64_t));
    context.next = context.result = 0;
    context.failed = 0;
}

// Ends the program at an assertion that failed; the launches behind it never ran.
void tell() {
    State& s = state();
    const std::vector<PendingLaunch> all = std::move(s.speaking);
    s.speaking.clear();
    s.used = 0;
    for (size_t i = 0; i < all.size(); ++i) {
        const PendingLaunch& launch = all[i];
        Messages messages(*launch.family);
        read_messages(*launch.kernel, *launch.mailbox->host, launch.mailbox->words, messages);
        clear(*launch.mailbox);
        if (messages.failed()) {
            for (const PendingLaunch& later : std::span(all).subspan(i + 1)) clear(*later.mailbox);
        }
        const InLibraryCall in(launch.call);
        messages.deliver();
    }
}

// Before another failure ends the program: what was launched before it says its lines, or fails first.
void settle() {
    Device* device = open_device();
    if (device != nullptr && device->lost.empty() && messages_pending()) wait(*device, nullptr);
}

std::string place_text(const TsrPlace& place) {
    if (place.file == nullptr) return "";
    return text(" (%s:%d)", place.file, place.line);
}

}  // namespace

const Mailbox& next_mailbox(Device& device, const TsrPlace* place) {
    State& s = state();
    if (s.used == kMailboxes) wait(device, place);
    before_failure(settle);
    if (s.used == s.mailboxes.size()) s.mailboxes.push_back(make_mailbox(device, place));
    return s.mailboxes[s.used++];
}

void add_pending(const TsrKernelFamily& family, const TsrCudaKernel& kernel, const Mailbox* mailbox,
                 const TsrPlace* place) {
    State& s = state();
    const PendingLaunch launch{&family, &kernel, mailbox, place != nullptr ? *place : TsrPlace{}, library_call()};
    if (mailbox != nullptr) s.speaking.push_back(launch);
    if (s.latest.size() == kNamed) s.latest.erase(s.latest.begin());
    s.latest.push_back(launch);
    ++s.launches;
}

void forget_messages() {
    State& s = state();
    for (const PendingLaunch& launch : s.speaking) clear(*launch.mailbox);
    s.speaking.clear();
    s.used = 0;
}

bool messages_pending() { return !state().speaking.empty(); }

void wait(Device& device, const TsrPlace* place) {
    State& s = state();
    if (s.launches > 0) check(device, device.driver.wait_stream(device.stream), "waiting", place);
    s.launches = 0;
    s.latest.clear();
    if (!s.speaking.empty()) tell();
}

void fail_pending(Device& device, const std::string& what, const TsrPlace* place) {
    State& s = state();
    tell();
    const std::vector<PendingLaunch> latest = std::move(s.latest);
    const uint64_t launches = s.launches;
    s.latest.clear();
    s.launches = 0;
    const std::string where = device_text(device);
    if (latest.empty()) fail(place, "%s: %s", where.c_str(), what.c_str());
    if (launches == 1) {
        const PendingLaunch& only = latest[0];
        const InLibraryCall in(only.call);
        fail(&only.place, "kernel %s%s failed on %s: %s", only.family->name, place_text(only.family->place).c_str(),
             where.c_str(), what.c_str());
    }
    std::vector<std::string> names;
    for (size_t i = latest.size(); i-- > 0;) {
        std::string name = latest[i].family->name + place_text(latest[i].family->place);
        if (std::ranges::find(names, name) == names.end()) names.push_back(std::move(name));
    }
    std::string list;
    for (const std::string& name : names) list += (list.empty() ? "" : ", ") + name;
    const InLibraryCall in(latest.back().call);
    fail(&latest.back().place,
         "one of the last %llu launches failed on %s: %s; the latest first: %s%s (TESSERA_CUDA_WAIT=1 finds which)",
         static_cast<unsigned long long>(launches), where.c_str(), what.c_str(), list.c_str(),
         launches > latest.size() ? ", …" : "");
}

void enter(Device& device) {
    if (!device.lost.empty()) fail(nullptr, "%s; it failed before", device.lost.c_str());
    check(device, device.driver.set_current(device.context), "entering the device", nullptr);
}

void check(Device& device, Status status, const char* doing, const TsrPlace* place) {
    if (status == kSuccess) return;
    const std::string what = device.driver.text(status);
    const bool died = device.driver.wait_stream(device.stream) != kSuccess;
    if (!died) fail(place, "%s: %s: %s", device_text(device).c_str(), doing, what.c_str());
    device.lost = device_text(device) + " can not be used any more";
    fail_pending(device, what, place);
}

void read_messages(const TsrCudaKernel& kernel, const TsrDeviceContext& context, const uint64_t* words,
                   Messages& messages) {
    const uint64_t size = words_of(kernel);
    const uint64_t most = std::min(context.next, context.capacity) / size;
    std::vector<const uint64_t*> all;
    for (uint64_t i = 0; i < most; ++i) {
        const uint64_t* message = words + i * size;
        const uint64_t number = (message[0] & (TSR_CUDA_ASSERTION - 1)) - 1;
        // What a kernel did not come to write before another thread's assertion ended it is not there.
        if (number < static_cast<uint64_t>(kernel.nmessages)) all.push_back(message);
    }
    std::ranges::stable_sort(
        all, {}, [](const uint64_t* message) { return std::pair(static_cast<int64_t>(message[1]), message[0] >> 32); });
    for (const uint64_t* message : all) {
        const TsrMessage& text = *kernel.messages[(message[0] & (TSR_CUDA_ASSERTION - 1)) - 1];
        const uint64_t* values = message + TSR_CUDA_MESSAGE_HEAD;
        const auto order = static_cast<int64_t>(message[1]);
        if ((message[0] & TSR_CUDA_ASSERTION) != 0) {
            messages.assertion(text, values, order);
        } else {
            messages.print(text, values, order);
        }
    }
    if (context.next > context.capacity) messages.lose(context.next / size - most);
}

}  // namespace tsr::runtime::cuda
