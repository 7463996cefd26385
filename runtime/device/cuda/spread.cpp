#include "runtime/device/cuda/spread.h"

#include <algorithm>
#include <map>

namespace tsr::runtime::cuda {

namespace {

// What runs at once.
struct Room {
    int64_t blocks = 0;
    int64_t clusters = 0;
};

Room ask_room(const Device& device, Function function, const TsrCudaKernel& kernel) {
    constexpr int kMultiprocessors = 16;
    int processors = 0, each = 0;
    const Driver& driver = device.driver;
    const auto shared = static_cast<size_t>(kernel.shared);
    if (driver.device_attribute(&processors, kMultiprocessors, device.id) != kSuccess) return {};
    if (driver.occupancy == nullptr) return {};
    if (driver.occupancy(&each, function, kernel.threads, shared) != kSuccess || each < 1) return {};
    Room room{.blocks = int64_t{processors} * each};
    if (kernel.cluster <= 1 || !device.clusters || driver.active_clusters == nullptr) return room;
    // Multiprocessors of a cluster are neighbours: some may be left over.
    LaunchAttribute attribute = clusters_of(kernel.cluster);
    const auto grid = static_cast<unsigned>(room.blocks * kernel.cluster);
    const LaunchConfig config{{grid, 1, 1},
                              {static_cast<unsigned>(kernel.threads), 1, 1},
                              static_cast<unsigned>(kernel.shared),
                              device.stream,
                              &attribute,
                              1};
    int clusters = 0;
    if (driver.active_clusters(&clusters, function, &config) == kSuccess) room.clusters = clusters;
    return room;
}

// Kept: launches come again.
const Room& room_for(const Device& device, Function function, const TsrCudaKernel& kernel) {
    static auto* kept = new std::map<const TsrCudaKernel*, Room>;
    const auto known = kept->find(&kernel);
    if (known != kept->end()) return known->second;
    return kept->emplace(&kernel, ask_room(device, function, kernel)).first->second;
}

}  // namespace

bool takes_groups_in_turn(const TsrCudaKernel& kernel) {
    return kernel.reserved != 0 && reinterpret_cast<const TsrCudaBoxKernel*>(&kernel)->in_turn != 0;
}

Spread spread_of(const Device& device, Function function, const TsrCudaKernel& kernel, int64_t groups) {
    if (!takes_groups_in_turn(kernel)) return {groups, kernel.cluster};
    const Room& room = room_for(device, function, kernel);
    if (room.blocks == 0 || groups <= room.blocks) return {groups, 1};
    if (room.clusters == 0) return {room.blocks, 1};
    return {std::min(room.clusters * kernel.cluster, groups / kernel.cluster * kernel.cluster), kernel.cluster};
}

LaunchAttribute clusters_of(int64_t blocks) {
    LaunchAttribute attribute{.id = kClusterDimension, .pad = {}, .value = {}};
    attribute.value.cluster[0] = static_cast<unsigned>(blocks);
    attribute.value.cluster[1] = attribute.value.cluster[2] = 1;
    return attribute;
}

}  // namespace tsr::runtime::cuda
