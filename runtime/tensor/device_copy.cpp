#include "runtime/tensor/device_copy.h"

#include "runtime/clock.h"
#include "runtime/device/cuda/memory.h"
#include "runtime/device/cuda/pending.h"
#include "runtime/device/cuda/recording.h"
#include "runtime/numbers/dtypes.h"
#include "runtime/trace/trace.h"

namespace tsr::runtime::cuda {

namespace {

// Looking at so many elements one by one is as long as a copy of this many bytes: beyond either all come home.
constexpr int kLooks = 16;
constexpr int64_t kLookFrom = int64_t{64} << 10;

// A copy, in the trace.
template <typename Copy>
void traced(Device& device, const char* name, int64_t bytes, const TsrPlace* place, Copy copy) {
    if (!trace_enabled()) return copy();
    const double begin = now();
    copy();
    check(device, device.driver.wait_stream(device.stream), "copying", place);
    trace_copy(name, device_text(device), bytes, place, begin, now());
}

}  // namespace

Pointer address_of(const TsrTensor& tensor) {
    const TsrStorage& storage = *tensor.storage;
    return storage.device +
           static_cast<uint64_t>(static_cast<const char*>(tensor.dl.data) - static_cast<const char*>(storage.data));
}

bool can_have_copy(const TsrStorage& storage) { return !storage.gaps; }

void make_copy(Device& device, TsrStorage& storage, const TsrPlace* place) {
    if (storage.device != 0) return;
    storage.device = allocate(device, storage.bytes, place);
    storage.device_stale = true;
}

void bring_in(Device& device, TsrStorage& storage, const TsrPlace* place) {
    make_copy(device, storage, place);
    if (!storage.device_stale) return;
    const auto bytes = static_cast<size_t>(storage.bytes);
    const Driver& driver = device.driver;
    if (bytes > 0 && storage.fresh == Fresh::zero) {
        check(device, driver.fill(storage.device, 0, bytes, device.stream), "filling memory", place);
    } else if (bytes > 0 && storage.fresh == Fresh::no) {
        traced(device, "to the device", storage.bytes, place, [&] {
            check(device, driver.copy_in(storage.device, storage.data, bytes, device.stream), "copying", place);
            // From pinned memory the copy would go on while its owner writes it.
            if (storage.borrowed) check(device, driver.wait_stream(device.stream), "copying", place);
        });
    }
    storage.device_stale = false;
}

void written_there(TsrStorage& storage) {
    storage.host_stale = true;
    storage.fresh = Fresh::no;
    storage.looks = 0;
}

void copy_there(Device& device, TsrTensor& to, const TsrTensor& from, const TsrPlace* place) {
    spoil_recording();
    const Result<int64_t> bytes = dense_bytes(from.dtype, shape(from));
    enter(device);
    bring_in(device, *from.storage, place);
    // The rest of the storage stays.
    if (bytes && *bytes == to.storage->bytes) {
        make_copy(device, *to.storage, place);
    } else {
        bring_in(device, *to.storage, place);
    }
    if (bytes && *bytes > 0) {
        const auto size = static_cast<size_t>(*bytes);
        check(device, device.driver.copy(address_of(to), address_of(from), size, device.stream), "copying", place);
    }
    to.storage->device_stale = false;
    written_there(*to.storage);
}

bool fill_there(Device& device, TsrTensor& tensor, uint64_t bits, const TsrPlace* place) {
    spoil_recording();
    const int width = runtime::bits(tensor.dtype);
    const bool bytes = width >= 8 && bits == 0;
    if (!bytes && width != 8 && width != 16 && width != 32) return false;
    enter(device);
    bring_in(device, *tensor.storage, place);
    const Driver& driver = device.driver;
    const Pointer to = address_of(tensor);
    const auto count = static_cast<size_t>(size(tensor));
    if (count == 0) return true;
    if (bytes || width == 8) {
        const size_t each = static_cast<size_t>(width) / 8;
        check(device, driver.fill(to, static_cast<unsigned char>(bits), count * each, device.stream), "filling", place);
    } else if (width == 16) {
        check(device, driver.fill_16(to, static_cast<uint16_t>(bits), count, device.stream), "filling", place);
    } else {
        check(device, driver.fill_32(to, static_cast<uint32_t>(bits), count, device.stream), "filling", place);
    }
    written_there(*tensor.storage);
    return true;
}

void bring_home(TsrStorage& storage) {
    spoil_recording();
    Device& device = *open_device();
    enter(device);
    wait(device, nullptr);
    const auto bytes = static_cast<size_t>(storage.bytes);
    if (bytes > 0) {
        traced(device, "from the device", storage.bytes, nullptr, [&] {
            const Driver& driver = device.driver;
            check(device, driver.copy_out(storage.data, storage.device, bytes, device.stream), "copying", nullptr);
            check(device, driver.wait_stream(device.stream), "copying", nullptr);
        });
    }
    storage.host_stale = false;
}

bool look(TsrStorage& storage, const void* at, int64_t bytes, void* to) {
    spoil_recording();
    if (storage.bytes < kLookFrom || storage.looks >= kLooks) return false;
    ++storage.looks;
    Device& device = *open_device();
    enter(device);
    wait(device, nullptr);
    const auto offset = static_cast<uint64_t>(static_cast<const char*>(at) - static_cast<const char*>(storage.data));
    traced(device, "from the device", bytes, nullptr, [&] {
        const Driver& driver = device.driver;
        const auto from = storage.device + offset;
        check(device, driver.copy_out(to, from, static_cast<size_t>(bytes), device.stream), "copying", nullptr);
        check(device, driver.wait_stream(device.stream), "copying", nullptr);
    });
    return true;
}

}  // namespace tsr::runtime::cuda
