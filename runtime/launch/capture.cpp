#include "runtime/launch/capture.h"

#include <algorithm>
#include <cstring>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <utility>

#include "runtime/clock.h"
#include "runtime/device/cuda/memory.h"
#include "runtime/device/cuda/pending.h"
#include "runtime/device/cuda/recording.h"
#include "runtime/device/cuda/spread.h"
#include "runtime/environment.h"
#include "runtime/tensor/device_copy.h"
#include "runtime/trace/trace.h"

namespace tsr::runtime::cuda {

Status launch_grid(const Device& device, GridLaunch& launch) {
    std::vector<void*> arguments;
    for (uint64_t& slot : launch.slots) arguments.push_back(&slot);
    for (TensorMap& map : launch.maps) arguments.push_back(&map);
    const auto blocks = static_cast<unsigned>(launch.blocks);
    const auto threads = static_cast<unsigned>(launch.kernel->threads);
    const auto shared = static_cast<unsigned>(launch.kernel->shared);
    if (launch.cluster <= 1) {
        return device.driver.launch(launch.function, blocks, 1, 1, threads, 1, 1, shared, device.stream,
                                    arguments.data(), nullptr);
    }
    LaunchAttribute attribute = clusters_of(launch.cluster);
    const LaunchConfig config{{blocks, 1, 1}, {threads, 1, 1}, shared, device.stream, &attribute, 1};
    return device.driver.launch_ex(&config, launch.function, arguments.data(), nullptr);
}

namespace {

constexpr size_t kMostRecordings = 256;
constexpr int kMostAttempts = 2;
constexpr int64_t kTensor = -1;          // a kind
constexpr int64_t kTemporaryUnit = 256;  // bytes; where temporaries begin

// Memory that launches of a call name: of an argument, of a result, or what the call makes and lets go.
struct Block {
    enum class Of : uint8_t { argument, result, call };

    const TsrStorage* storage;  // while the call is recorded
    Pointer device;
    int64_t bytes;
    Of of = Of::call;
    size_t number = 0;           // of the argument or result
    size_t first = 0, last = 0;  // launches that name it
    bool written = false;
    Pointer now = 0;  // where it is in the graph
};

struct Address {
    size_t slot;
    size_t block;
    uint64_t offset;
};

struct RecordedLaunch {
    GridLaunch launch;
    std::vector<Address> addresses;
    std::vector<TsrTensor> tensors;  // by slot, where the kernel has maps: their extents
    const TsrKernelFamily* family;
    TsrPlace place;
    GraphNode node = nullptr;
};

// A tensor that the call gives, or the bits of a number.
struct ResultForm {
    int64_t kind;
    uint64_t bits;
    std::vector<int64_t> shape;
};

struct Recording {
    std::vector<const TsrStorage*> arguments;  // while it is made
    std::vector<Block> blocks;
    std::vector<RecordedLaunch> launches;
    std::vector<ResultForm> results;
    int attempts = 0;       // to record it
    bool complete = false;  // the call has ended
    bool spoiled = false;   // it can not be replayed
    Graph graph = nullptr;
    GraphExec exec = nullptr;
    Pointer memory = 0;  // of what the call makes and lets go
    int64_t bytes = 0;
};

struct State {
    std::map<std::string, std::unique_ptr<Recording>> all;
    Recording* current = nullptr;
    std::vector<TensorRef> given;  // by a replay, not asked for yet; empty for numbers
    const Recording* replayed = nullptr;
};

State& state() {
    static auto* made = new State;
    return *made;
}

bool has_graphs(const Driver& driver) {
    return driver.begin_capture != nullptr && driver.capture_info != nullptr && driver.end_capture != nullptr &&
           driver.instantiate != nullptr && driver.set_node != nullptr && driver.launch_graph != nullptr &&
           driver.destroy_graph != nullptr && driver.destroy_exec != nullptr;
}

template <typename T>
void add(std::string& key, const T& value) {
    key.append(reinterpret_cast<const char*>(&value), sizeof value);
}

uint64_t offset_in_storage(const TsrTensor& tensor) {
    return static_cast<uint64_t>(static_cast<const char*>(tensor.dl.data) -
                                 static_cast<const char*>(tensor.storage->data));
}

// What has to be the same for the same launches with nothing but addresses changed.
std::string key_of(const char* function, std::span<const int64_t> kinds, const TsrSlot* arguments) {
    std::string key = function;
    key += '\0';
    for (size_t i = 0; i < kinds.size(); ++i) {
        add(key, kinds[i]);
        if (kinds[i] != kTensor) {
            add(key, arguments[i].bits);
            continue;
        }
        const TsrTensor& tensor = *arguments[i].tensor;
        add(key, tensor.dtype);
        add(key, tensor.dl.ndim);
        for (int32_t axis = 0; axis < tensor.dl.ndim; ++axis) {
            add(key, tensor.shape[axis]);
            add(key, tensor.strides[axis]);
        }
        add(key, offset_in_storage(tensor));
        add(key, tensor.storage->bytes);
        size_t same = i;  // the first argument in the same memory
        for (size_t k = i; k-- > 0;) {
            if (kinds[k] == kTensor && arguments[k].tensor->storage == tensor.storage) same = k;
        }
        add(key, same);
    }
    return key;
}

void destroy(Device& device, Recording& of) {
    if (of.exec != nullptr) device.driver.destroy_exec(of.exec);
    if (of.graph != nullptr) device.driver.destroy_graph(of.graph);
    if (of.memory != 0) free(device, of.memory, of.bytes);
    of.exec = nullptr;
    of.graph = nullptr;
    of.memory = 0;
}

size_t block_of(Recording& of, const TsrStorage& storage) {
    const auto known = std::ranges::find_if(of.blocks, [&](const Block& block) {
        return block.storage == &storage && block.device == storage.device && block.bytes == storage.bytes;
    });
    if (known != of.blocks.end()) return static_cast<size_t>(known - of.blocks.begin());
    of.blocks.push_back({.storage = &storage, .device = storage.device, .bytes = storage.bytes});
    of.blocks.back().first = of.launches.size();
    return of.blocks.size() - 1;
}

// ---- replaying ----

// Each block that the call makes gets a place that no other has while it is needed: the largest first, the lowest that
// is free.
int64_t place_temporaries(Recording& of, std::vector<int64_t>& places) {
    std::vector<size_t> order;
    for (size_t i = 0; i < of.blocks.size(); ++i) {
        if (of.blocks[i].of == Block::Of::call) order.push_back(i);
    }
    std::ranges::stable_sort(order, [&](size_t a, size_t b) { return of.blocks[a].bytes > of.blocks[b].bytes; });
    places.assign(of.blocks.size(), 0);
    int64_t all = 0;
    for (size_t n = 0; n < order.size(); ++n) {
        const Block& block = of.blocks[order[n]];
        int64_t at = 0;
        for (bool moved = true; moved;) {
            moved = false;
            for (size_t k = 0; k < n; ++k) {
                const Block& other = of.blocks[order[k]];
                const bool together = other.first <= block.last && block.first <= other.last;
                const int64_t begin = places[order[k]], end = begin + other.bytes;
                if (!together || at >= end || at + block.bytes <= begin) continue;
                at = (end + kTemporaryUnit - 1) / kTemporaryUnit * kTemporaryUnit;
                moved = true;
            }
        }
        places[order[n]] = at;
        all = std::max(all, at + block.bytes);
    }
    return all;
}

// Puts the blocks' addresses into the launch. False: its tensors can not be described.
bool patch(const Device& device, const Recording& of, RecordedLaunch& launch) {
    for (const Address& address : launch.addresses)
        launch.launch.slots[address.slot] = of.blocks[address.block].now + address.offset;
    if (launch.launch.maps.empty()) return true;
    std::vector<TsrTensor*> tensors;
    for (TsrTensor& tensor : launch.tensors) tensors.push_back(&tensor);
    auto maps = make_maps(device, *launch.launch.kernel, tensors.data(), launch.launch.slots.data());
    if (maps) launch.launch.maps = std::move(*maps);
    return maps.has_value();
}

// The stream records instead of running what stands between its begin and its end.
bool capture(Device& device, Recording& of) {
    const Driver& driver = device.driver;
    if (driver.begin_capture(device.stream, kCaptureRelaxed) != kSuccess) return false;
    bool whole = true;
    for (RecordedLaunch& launch : of.launches) {
        int status = 0;
        uint64_t id = 0;
        Graph graph = nullptr;
        const GraphNode* last = nullptr;
        size_t count = 0;
        whole = whole && patch(device, of, launch) && launch_grid(device, launch.launch) == kSuccess &&
                driver.capture_info(device.stream, &status, &id, &graph, &last, &count) == kSuccess && count == 1;
        if (!whole) break;
        launch.node = last[0];
    }
    const bool ended = driver.end_capture(device.stream, &of.graph) == kSuccess;
    return ended && whole && driver.instantiate(&of.exec, of.graph, 0) == kSuccess;
}

bool update(const Device& device, Recording& of, RecordedLaunch& launch) {
    if (!patch(device, of, launch)) return false;
    GridLaunch& grid = launch.launch;
    std::vector<void*> arguments;
    for (uint64_t& slot : grid.slots) arguments.push_back(&slot);
    for (TensorMap& map : grid.maps) arguments.push_back(&map);
    const KernelNode node{grid.function,
                          {static_cast<unsigned>(grid.blocks), 1, 1},
                          {static_cast<unsigned>(grid.kernel->threads), 1, 1},
                          static_cast<unsigned>(grid.kernel->shared),
                          arguments.data(),
                          nullptr};
    return device.driver.set_node(of.exec, launch.node, &node) == kSuccess;
}

// The graph as it is for these arguments and results. False: the driver does not take it.
bool prepare(Device& device, Recording& of, const std::vector<Pointer>& where, const TsrPlace* place) {
    if (of.exec == nullptr) {
        std::vector<int64_t> places;
        of.bytes = place_temporaries(of, places);
        if (of.bytes > 0) of.memory = allocate(device, of.bytes, place);
        for (size_t i = 0; i < of.blocks.size(); ++i) {
            Block& block = of.blocks[i];
            block.now = block.of == Block::Of::call ? of.memory + static_cast<Pointer>(places[i]) : where[i];
        }
        return capture(device, of);
    }
    std::vector<bool> moved(of.blocks.size());
    for (size_t i = 0; i < of.blocks.size(); ++i) {
        Block& block = of.blocks[i];
        if (block.of == Block::Of::call) continue;
        moved[i] = block.now != where[i];
        block.now = where[i];
    }
    return std::ranges::all_of(of.launches, [&](RecordedLaunch& launch) {
        const bool stays = std::ranges::none_of(launch.addresses, [&](const Address& a) { return moved[a.block]; });
        return stays || update(device, of, launch);
    });
}

// False: it is called instead.
bool replay(Device& device, Recording& of, const char* function, std::span<const int64_t> kinds,
            const TsrSlot* arguments, const TsrPlace* place) {
    State& s = state();
    for (size_t i = 0; i < kinds.size(); ++i) {
        if (kinds[i] == kTensor) bring_in(device, *arguments[i].tensor->storage, place);
    }
    std::vector<TensorRef> given;
    for (const ResultForm& form : of.results) {
        given.emplace_back();
        if (form.kind >= 0) continue;
        given.back() = make_tensor(static_cast<int32_t>(form.bits), form.shape, Contents::undefined, place);
        make_copy(device, *given.back()->storage, place);
        given.back()->storage->device_stale = false;
    }
    const auto storage_of = [&](const Block& block) {
        return block.of == Block::Of::argument ? arguments[block.number].tensor->storage : given[block.number]->storage;
    };
    std::vector<Pointer> where(of.blocks.size());
    for (size_t i = 0; i < of.blocks.size(); ++i) {
        if (of.blocks[i].of != Block::Of::call) where[i] = storage_of(of.blocks[i])->device;
    }
    if (!prepare(device, of, where, place)) {
        destroy(device, of);
        of.spoiled = true;
        of.attempts = kMostAttempts;
        return false;
    }
    const double begin = trace_enabled() ? now() : 0;
    check(device, device.driver.launch_graph(of.exec, device.stream), "launching a graph", place);
    for (const Block& block : of.blocks) {
        if (block.of != Block::Of::call && block.written) written_there(*storage_of(block));
    }
    for (const RecordedLaunch& launch : of.launches)
        add_pending(*launch.family, *launch.launch.kernel, nullptr, &launch.place);
    if (trace_enabled() || wished("TESSERA_CUDA_WAIT").value_or(false)) wait(device, place);
    if (trace_enabled()) trace_replay(function, device_text(device), of.launches.size(), place, begin, now());
    s.given = std::move(given);
    s.replayed = &of;
    return true;
}

}  // namespace

void record(const Call& call, std::vector<GridLaunch> made) {
    Recording* of = state().current;
    if (of == nullptr || recording_state().spoiled) return;
    for (GridLaunch& launch : made) {
        RecordedLaunch one{.launch = std::move(launch),
                           .addresses = {},
                           .tensors = {},
                           .family = &call.family,
                           .place = call.place != nullptr ? *call.place : TsrPlace{}};
        for (int32_t slot = 0; slot < call.family.nslots; ++slot) {
            if (call.family.uses[slot] == TSR_SLOT_VALUE) continue;
            const TsrStorage& storage = *call.tensors[slot]->storage;
            const size_t number = block_of(*of, storage);
            Block& block = of->blocks[number];
            block.last = of->launches.size();
            block.written = block.written || call.family.uses[slot] == TSR_SLOT_WRITTEN;
            const auto at = static_cast<size_t>(slot);
            one.addresses.push_back({at, number, one.launch.slots[at] - storage.device});
        }
        if (!one.launch.maps.empty()) {
            for (int32_t slot = 0; slot < call.family.nslots; ++slot) {
                const bool tensor = call.family.uses[slot] != TSR_SLOT_VALUE;
                one.tensors.push_back(tensor ? *call.tensors[slot] : TsrTensor{});
            }
        }
        of->launches.push_back(std::move(one));
    }
}

}  // namespace tsr::runtime::cuda

using namespace tsr::runtime;
using cuda::Block;
using cuda::Recording;

extern "C" {

int32_t tsr_capture_begin(const char* function, const int64_t* kinds, int32_t nkinds, const TsrSlot* arguments,
                          int32_t count, const TsrPlace* place) {
    cuda::State& s = cuda::state();
    s.current = nullptr;
    cuda::recording_state() = {};
    cuda::Device* device = cuda::device();
    if (device == nullptr || nkinds != count || !cuda::has_graphs(device->driver)) return 0;
    cuda::enter(*device);
    const std::span<const int64_t> all(kinds, static_cast<size_t>(nkinds));
    for (size_t i = 0; i < all.size(); ++i) {
        if (all[i] == cuda::kTensor && !cuda::can_have_copy(*arguments[i].tensor->storage)) return 0;
    }
    const std::string key = cuda::key_of(function, all, arguments);
    const auto found = s.all.find(key);
    if (found != s.all.end() && found->second->complete) {
        Recording& known = *found->second;
        if (!known.spoiled) return cuda::replay(*device, known, function, all, arguments, place) ? 1 : 0;
        // A first call may have tuned its kernels on copies.
        if (known.attempts == cuda::kMostAttempts) return 0;
    }
    if (s.all.size() >= cuda::kMostRecordings) {
        cuda::wait(*device, place);
        for (auto& [text, old] : s.all) cuda::destroy(*device, *old);
        s.all.clear();
    }
    auto& made = s.all[key];
    const int before = made != nullptr ? made->attempts : 0;
    made = std::make_unique<Recording>();
    made->attempts = before + 1;
    for (size_t i = 0; i < all.size(); ++i) {
        const bool tensor = all[i] == cuda::kTensor;
        if (tensor) cuda::bring_in(*device, *arguments[i].tensor->storage, place);
        made->arguments.push_back(tensor ? arguments[i].tensor->storage : nullptr);
    }
    s.current = made.get();
    cuda::recording_state() = {.on = true};
    return 0;
}

TsrTensor* tsr_capture_tensor(int32_t number) { return cuda::state().given[static_cast<size_t>(number)].give(); }

uint64_t tsr_capture_number(int32_t number) {
    const cuda::Recording* replayed = cuda::state().replayed;
    return replayed ? replayed->results[static_cast<size_t>(number)].bits : 0;
}

void tsr_capture_end(const int64_t* kinds, int32_t nkinds, const TsrSlot* results, int32_t count) {
    cuda::State& s = cuda::state();
    Recording* of = std::exchange(s.current, nullptr);
    if (of == nullptr) return;
    of->complete = true;
    of->spoiled = std::exchange(cuda::recording_state(), {}).spoiled;
    // Without launches it ran elsewhere.
    of->spoiled = of->spoiled || nkinds != count || of->launches.empty();
    for (Block& block : of->blocks) {
        const auto argument = std::ranges::find(of->arguments, block.storage);
        if (argument == of->arguments.end()) continue;
        block.of = Block::Of::argument;
        block.number = static_cast<size_t>(argument - of->arguments.begin());
    }
    for (int32_t i = 0; i < count && !of->spoiled; ++i) {
        if (kinds[i] != cuda::kTensor) {
            of->results.push_back({kinds[i], results[i].bits, {}});
            continue;
        }
        const TsrTensor& tensor = *results[i].tensor;
        const Shape extents = shape(tensor);
        const Result<int64_t> bytes = dense_bytes(tensor.dtype, extents);
        // A view of something else, or of what another result has, is not made again.
        of->spoiled = !bytes || *bytes != tensor.storage->bytes || cuda::offset_in_storage(tensor) != 0 ||
                      tsr_is_dense(&tensor) == 0;
        of->results.push_back({cuda::kTensor, static_cast<uint64_t>(tensor.dtype), {extents.begin(), extents.end()}});
        bool made = bytes && *bytes == 0;
        for (Block& block : of->blocks) {
            if (block.storage != tensor.storage || block.device != tensor.storage->device ||
                block.bytes != tensor.storage->bytes)
                continue;
            made = made || block.written;
            of->spoiled = of->spoiled || block.of != Block::Of::call;
            block.of = Block::Of::result;
            block.number = static_cast<size_t>(i);
        }
        of->spoiled = of->spoiled || !made;
    }
}
}
