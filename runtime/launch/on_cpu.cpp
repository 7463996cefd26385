// The variant of a kernel that fits, run by all cores.
#include "runtime/launch/on_cpu.h"

#include <algorithm>
#include <cstdlib>
#include <vector>

#include "runtime/clock.h"
#include "runtime/device/cpu/pool.h"
#include "runtime/fail.h"
#include "runtime/launch/guards.h"

namespace tsr::runtime {

namespace {

bool has_machine(const TsrKernelVariant& variant) {
    return variant.machine == TSR_MACHINE_X86_64 && (variant.features & ~tsr_cpu_features()) == 0;
}

// Memory for each worker, kept from launch to launch and grown when a kernel needs more.
class Scratch {
public:
    void reserve(int workers, int64_t bytes, const TsrPlace* place) {
        if (bytes <= bytes_) return;
        blocks_.resize(static_cast<size_t>(workers), nullptr);
        for (void*& block : blocks_) {
            tsr_free(block);
            block = nullptr;
        }
        bytes_ = 0;
        for (void*& block : blocks_) block = tsr_allocate(bytes, place);
        bytes_ = bytes;
    }
    void* of(int worker) const { return blocks_[static_cast<size_t>(worker)]; }

private:
    std::vector<void*> blocks_;
    int64_t bytes_ = 0;
};

Scratch& scratch() {
    static auto* instance = new Scratch;
    return *instance;
}

// Memory of packed operands, kept from launch to launch and grown when one needs more.
class PackedBuffers {
public:
    void* reserve(size_t number, int64_t bytes, const TsrPlace* place) {
        if (number >= buffers_.size()) buffers_.resize(number + 1);
        Buffer& buffer = buffers_[number];
        if (bytes > buffer.bytes) {
            tsr_free(buffer.memory);
            buffer = {};
            buffer.memory = tsr_allocate(bytes, place);
            buffer.bytes = bytes;
        }
        return buffer.memory;
    }

private:
    struct Buffer {
        void* memory = nullptr;
        int64_t bytes = 0;
    };
    std::vector<Buffer> buffers_;
};

PackedBuffers& packed_buffers() {
    static auto* instance = new PackedBuffers;
    return *instance;
}

int64_t blocks_of(const TsrPackedOperand& operand, const uint64_t* slots) {
    int64_t blocks = 1;
    for (int64_t i = 0; i < operand.naxes; ++i) {
        const TsrBlockAxis& axis = operand.axes[i];
        int64_t extent = axis.slot < 0 ? axis.extent : static_cast<int64_t>(slots[axis.slot]);
        blocks *= extent <= 0 ? 0 : (extent - 1) / axis.step + 1;
    }
    return blocks;
}

struct Launch {
    TsrKernelEntry entry;
    int64_t task;
    int64_t scratch_bytes;
    const uint64_t* slots;
    int64_t total;
    uint64_t* result;
    Messages& messages;

    int64_t tasks() const { return (total - 1) / task + 1; }

    static void work(void* context, int worker, int64_t first, int64_t last) {
        auto& launch = *static_cast<Launch*>(context);
        // After a failed assertion the rest is not begun.
        if (launch.messages.failed()) return;
        TsrTask task{worker, 0, launch.total, launch.result, &launch.messages};
        void* memory = launch.scratch_bytes > 0 ? scratch().of(worker) : nullptr;
        int64_t begin = first * launch.task;
        int64_t end = std::min(last * launch.task, launch.total);
        launch.entry(launch.slots, begin, end, memory, &task);
    }
};

void run(Launch launch, const TsrPlace* place) {
    if (launch.total <= 0) return;
    Pool& pool = Pool::instance();
    if (launch.scratch_bytes > 0) scratch().reserve(pool.workers(), launch.scratch_bytes, place);
    pool.run(launch.tasks(), Launch::work, &launch);
}

// Launches that do not wait for each other, as one loop over the tasks of all.
struct Launches {
    std::vector<Launch> all;
    std::vector<int64_t> ends;  // of the tasks of each

    void add(const Launch& launch) {
        if (launch.total <= 0) return;
        all.push_back(launch);
        ends.push_back((ends.empty() ? 0 : ends.back()) + launch.tasks());
    }

    static void work(void* context, int worker, int64_t first, int64_t last) {
        auto& launches = *static_cast<Launches*>(context);
        int64_t begin = 0;
        for (size_t i = 0; i < launches.all.size() && begin < last; begin = launches.ends[i++]) {
            const int64_t from = std::max(first, begin);
            const int64_t to = std::min(last, launches.ends[i]);
            if (from < to) Launch::work(&launches.all[i], worker, from - begin, to - begin);
        }
    }

    void run(const TsrPlace* place) {
        if (all.empty()) return;
        Pool& pool = Pool::instance();
        int64_t bytes = 0;
        for (const Launch& launch : all) bytes = std::max(bytes, launch.scratch_bytes);
        if (bytes > 0) scratch().reserve(pool.workers(), bytes, place);
        pool.run(ends.back(), work, this);
    }
};

// The slots with the buffers behind them, filled. What fills one counts its blocks as groups.
std::vector<uint64_t> pack(const TsrKernelVariant& variant, int32_t nslots, const uint64_t* slots, Messages& messages,
                           const TsrPlace* place) {
    std::vector<uint64_t> all(slots, slots + nslots);
    uint64_t unused = 0;
    for (int64_t i = 0; i < variant.npacked; ++i) {
        const TsrPackedOperand& operand = variant.packed[i];
        int64_t blocks = blocks_of(operand, slots);
        void* memory =
            packed_buffers().reserve(static_cast<size_t>(i), std::max<int64_t>(blocks, 1) * operand.block_bytes, place);
        all.push_back(reinterpret_cast<uint64_t>(memory));
    }
    Launches launches;
    std::vector<std::vector<uint64_t>> slots_of_each;
    slots_of_each.reserve(static_cast<size_t>(variant.npacked));
    for (int64_t i = 0; i < variant.npacked; ++i) {
        const TsrPackedOperand& operand = variant.packed[i];
        std::vector<uint64_t>& own = slots_of_each.emplace_back(all);
        int64_t blocks = blocks_of(operand, slots);
        own[static_cast<size_t>(nslots) - 3] = static_cast<uint64_t>(blocks);
        own[static_cast<size_t>(nslots) - 2] = own[static_cast<size_t>(nslots) - 1] = 1;
        launches.add({operand.entry, operand.task, operand.scratch, own.data(), blocks, &unused, messages});
    }
    launches.run(place);
    return all;
}

}  // namespace

const TsrKernelVariant* find_variant(const TsrKernelFamily& family, const uint64_t* slots) {
    for (int32_t i = 0; i < family.nvariants; ++i) {
        const TsrKernelVariant& variant = family.variants[i];
        if (has_machine(variant) && accepts(variant, slots)) return &variant;
    }
    return nullptr;
}

const TsrKernelVariant& choose_variant(const TsrKernelFamily& family, const uint64_t* slots, const TsrPlace* place) {
    const TsrKernelVariant* found = find_variant(family, slots);
    if (found != nullptr) return *found;
    const bool has_code = std::any_of(family.variants, family.variants + family.nvariants, has_machine);
    fail(place,
         has_code ? "kernel %s: no variant in this executable takes these arguments"
                  : "kernel %s: this executable holds no code for this processor",
         family.name);
}

void run_variant(const TsrKernelFamily& family, const TsrKernelVariant& variant, const uint64_t* slots, int64_t total,
                 uint64_t* result, Messages& messages, const TsrPlace* place, double* packed) {
    uint64_t unused = 0;
    std::vector<uint64_t> with_buffers;
    const uint64_t* given = slots;
    if (variant.npacked > 0) {
        with_buffers = pack(variant, family.nslots, slots, messages, place);
        given = with_buffers.data();
    }
    if (packed != nullptr) *packed = now();
    run({variant.entry, variant.task, variant.scratch, given, total, result != nullptr ? result : &unused, messages},
        place);
}

}  // namespace tsr::runtime

extern "C" int32_t tsr_passes_caches(const void* first, int64_t row_bytes, int64_t bytes) {
    constexpr int64_t kLarge = int64_t{32} << 20;  // more than a core's share of a last cache
    constexpr uint64_t kLine = 64;
    const bool lines = (reinterpret_cast<uint64_t>(first) | static_cast<uint64_t>(row_bytes)) % kLine == 0;
    return lines && bytes >= kLarge ? 1 : 0;
}

extern "C" void* tsr_waits_in(void* row, int64_t row_bytes, int64_t bytes, void* room, int64_t room_bytes) {
    return row_bytes <= room_bytes && tsr_passes_caches(row, row_bytes, bytes) != 0 ? room : row;
}
