#include "runtime/device/cuda/device.h"

#include <array>
#include <cstdlib>
#include <string_view>

#include "runtime/fail.h"

namespace tsr::runtime::cuda {

namespace {

// Attributes by the driver's numbers.
enum Attribute : int {
    kMaxThreads = 1,
    kMaxGridX = 5,
    kMajor = 75,
    kMinor = 76,
    kMaxShared = 97,
    kPools = 115,
    kClusters = 120
};
constexpr int kKeepFreed = 4;  // of pools: how much memory they keep for later
constexpr unsigned kNonBlocking = 1;

int attribute(const Driver& driver, DeviceNumber id, Attribute number) {
    int value = 0;
    // What a driver does not know is not there.
    if (driver.device_attribute(&value, number, id) != kSuccess) return 0;
    return value;
}

Pool pool_of(const Driver& driver, DeviceNumber id) {
    Pool pool = nullptr;
    if (attribute(driver, id, kPools) == 0 || driver.allocate_ordered == nullptr || driver.free_ordered == nullptr ||
        driver.default_pool == nullptr || driver.set_pool == nullptr || driver.trim_pool == nullptr ||
        driver.default_pool(&pool, id) != kSuccess) {
        return nullptr;
    }
    uint64_t all = UINT64_MAX;
    return driver.set_pool(pool, kKeepFreed, &all) == kSuccess ? pool : nullptr;
}

Result<Device*> open(int number) {
    if (!driver()) return driver().refusal();
    const Driver& d = **driver();
    const auto refused = [&](const char* what, Status status) {
        return Refusal{text("cuda:%d: %s: %s", number, what, d.text(status).c_str())};
    };
    int count = 0;
    if (const Status status = d.device_count(&count); status != kSuccess) return refused("no devices", status);
    if (number >= count) return Refusal{text("no such device; this machine has %d", count)};
    DeviceNumber id = 0;
    if (const Status status = d.device_get(&id, number); status != kSuccess) return refused("no such device", status);
    Context context = nullptr;
    if (const Status status = d.retain_context(&context, id); status != kSuccess)
        return refused("the device can not be used", status);
    Stream stream = nullptr;
    Status status = d.set_current(context);
    if (status == kSuccess) status = d.make_stream(&stream, kNonBlocking);
    if (status != kSuccess) return refused("the device can not be used", status);
    std::array<char, 256> name{};
    d.device_name(name.data(), static_cast<int>(name.size()) - 1, id);
    int version = 0;
    d.driver_version(&version);
    return new Device{.driver = d,
                      .number = number,
                      .id = id,
                      .name = name.data(),
                      .capability = 10 * attribute(d, id, kMajor) + attribute(d, id, kMinor),
                      .version = version,
                      .max_threads = attribute(d, id, kMaxThreads),
                      .max_shared = attribute(d, id, kMaxShared),
                      .max_blocks = attribute(d, id, kMaxGridX),
                      .clusters = attribute(d, id, kClusters) != 0 && d.launch_ex != nullptr,
                      .pool = pool_of(d, id),
                      .context = context,
                      .stream = stream};
}

// The number in TESSERA_DEVICE; -1: the processor, -2: nothing is said.
int wish() {
    const char* word = std::getenv("TESSERA_DEVICE");
    const std::string_view name = word != nullptr ? word : "";
    if (name.empty()) return -2;
    if (name == "cpu") return -1;
    if (name == "cuda") return 0;
    constexpr std::string_view kBefore = "cuda:";
    const std::string_view digits = name.substr(name.starts_with(kBefore) ? kBefore.size() : name.size());
    int number = 0;
    for (const char c : digits)
        number = c >= '0' && c <= '9' && number < 1'000'000 ? 10 * number + (c - '0') : -1'000'000;
    if (digits.empty() || number < 0) fail(nullptr, "TESSERA_DEVICE=%s: no such device; expected cpu or cuda:N", word);
    return number;
}

Device* choose() {
    const int number = wish();
    if (number == -1) return nullptr;
    const Result<Device*> opened = open(number < 0 ? 0 : number);
    if (opened) {
        (*opened)->asked_for = number >= 0;
        return *opened;
    }
    if (number >= 0) fail(nullptr, "TESSERA_DEVICE=%s: %s", std::getenv("TESSERA_DEVICE"), opened.message().c_str());
    // Without a driver programs run here, but not without one that was named.
    const char* named = std::getenv("TESSERA_CUDA_DRIVER");
    if (named != nullptr && *named != 0 && !driver())
        fail(nullptr, "TESSERA_CUDA_DRIVER: %s", driver().message().c_str());
    return nullptr;
}

struct Chosen {
    bool done = false;
    Device* device = nullptr;
};

Chosen& chosen() {
    static auto* instance = new Chosen;
    return *instance;
}

}  // namespace

Device* device() {
    Chosen& c = chosen();
    if (!c.done) {
        c.device = choose();
        c.done = true;
    }
    return c.device;
}

Device* open_device() { return chosen().device; }

void check_device() {
    if (wish() >= 0) device();
}

std::string device_text(const Device& device) {
    return text("cuda:%d (%s, sm_%d)", device.number, device.name.c_str(), device.capability);
}

}  // namespace tsr::runtime::cuda
