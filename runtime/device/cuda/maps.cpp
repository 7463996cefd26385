#include "runtime/device/cuda/maps.h"

#include <algorithm>
#include <array>
#include <bit>
#include <map>

namespace tsr::runtime::cuda {

namespace {

constexpr size_t kAxes = TSR_CUDA_MAP_AXES;
constexpr int64_t kUnit = TSR_CUDA_ALIGNMENT;        // bytes; of addresses, and of steps from row to row
constexpr int64_t kMostElements = int64_t{1} << 31;  // along an axis: starts of boxes are numbers of 32 bits
constexpr int64_t kMostBytes = int64_t{1} << 40;     // of a step
constexpr size_t kMostKept = 4096;

// CUtensorMapDataType, CUtensorMapSwizzle, CUtensorMapL2promotion.
int type_of(int32_t bytes) { return bytes == 1 ? 0 : bytes == 2 ? 1 : bytes == 4 ? 2 : 4; }
int swizzle_of(int32_t bytes) { return bytes == 32 ? 1 : bytes == 64 ? 2 : bytes == 128 ? 3 : 0; }
constexpr int kPromotion = 2;  // 128 bytes

// A tensor at its place.
struct Key {
    const TsrCudaMap* map;
    Pointer address;
    std::array<int64_t, kAxes> shape;
    auto operator<=>(const Key&) const = default;
};

bool suits(const TsrCudaMap& map, const TsrTensor& tensor) {
    if (tsr_rank(&tensor) != map.rank) return false;
    int64_t step = map.bytes;
    for (int32_t axis = map.rank; axis-- > 0;) {
        const int64_t extent = tensor.shape[axis];
        if (extent < 1 || extent >= kMostElements) return false;
        if (axis + 1 < map.rank && (step % kUnit != 0 || step >= kMostBytes)) return false;
        step *= extent;
    }
    return true;
}

// Lists of the driver begin with the last axis.
bool encode(const Driver& driver, const Key& key, TensorMap& made) {
    const TsrCudaMap& map = *key.map;
    std::array<uint64_t, kAxes> extents{}, steps{};
    std::array<uint32_t, kAxes> box{}, every{};
    const auto rank = static_cast<size_t>(map.rank);
    uint64_t step = static_cast<uint64_t>(map.bytes);
    for (size_t i = 0; i < rank; ++i) {
        const size_t axis = rank - 1 - i;
        extents[i] = static_cast<uint64_t>(key.shape[axis]);
        box[i] = static_cast<uint32_t>(map.box[axis]);
        every[i] = 1;
        step *= extents[i];
        steps[i] = step;
    }
    return driver.encode_map(&made, type_of(map.bytes), static_cast<uint32_t>(rank),
                             std::bit_cast<void*>(static_cast<uintptr_t>(key.address)), extents.data(), steps.data(),
                             box.data(), every.data(), 0, swizzle_of(map.swizzle), kPromotion, 0) == kSuccess;
}

// Kept: launches come again with the same tensors.
const TensorMap* map_of(const Driver& driver, const Key& key) {
    static auto* kept = new std::map<Key, TensorMap>;
    if (const auto known = kept->find(key); known != kept->end()) return &known->second;
    TensorMap made{};
    if (!encode(driver, key, made)) return nullptr;
    if (kept->size() >= kMostKept) kept->clear();
    return &kept->emplace(key, made).first->second;
}

}  // namespace

std::optional<std::vector<TensorMap>> make_maps(const Device& device, const TsrCudaKernel& kernel,
                                                TsrTensor* const* tensors, const uint64_t* slots) {
    std::vector<TensorMap> made;
    const int32_t count = kernel.reserved;
    if (count > 0 && device.driver.encode_map == nullptr) return std::nullopt;
    const auto* maps = count > 0 ? reinterpret_cast<const TsrCudaBoxKernel*>(&kernel)->maps : nullptr;
    for (int32_t i = 0; i < count; ++i) {
        const TsrCudaMap& map = maps[i];
        const TsrTensor& tensor = *tensors[map.slot];
        if (!suits(map, tensor)) return std::nullopt;
        // One that begins elsewhere gets a copy that does not, before the launch.
        Key key{&map, slots[map.slot] / kUnit * kUnit, {}};
        std::copy(tensor.shape, tensor.shape + map.rank, key.shape.begin());
        const TensorMap* found = map_of(device.driver, key);
        if (found == nullptr) return std::nullopt;
        made.push_back(*found);
    }
    return made;
}

}  // namespace tsr::runtime::cuda
