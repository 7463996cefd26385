#include "ir/passes/target/gpu/choose_threads.h"

#include <algorithm>
#include <bit>
#include <optional>

#include <fmt/format.h>

#include "ir/ops/effects.h"
#include "ir/ops/memory.h"
#include "ir/ops/tile.h"
#include "ir/passes/target/gpu/tiles/groups.h"
#include "ir/passes/target/gpu/tiles/layouts.h"
#include "ir/passes/target/gpu/tiles/registers.h"
#include "ir/passes/tile/walk.h"

namespace tsr::ir {

namespace {

constexpr int64_t kFlatThreads = 256;
constexpr int64_t kShortBody = 24;  // operations of a body that is written several times
constexpr int64_t kMostNeighbours = 8;
constexpr int64_t kShortApart = 64;  // the same of tiles that are not side by side
constexpr int64_t kApart = 4;
constexpr int64_t kApartOfFew = 8;  // of one axis, where the code is as short as `kShortBody`

// Bytes of the smallest elements that the region touches; nothing where it touches none, or elements share bytes.
std::optional<int64_t> smallest_element(const Function& kernel, RegionId region) {
    int64_t least = kAccess;
    bool any = false;
    bool packed = false;
    for (OpId id : kernel.region(region).ops) {
        const Op& op = kernel.op(id);
        if (op.kind != OpKind::read && op.kind != OpKind::write) continue;
        const DType elem = kernel.type(AccessOp(kernel, op).memory()).elem;
        packed |= is_packed(elem);
        least = std::min<int64_t>(least, (bits(elem) + 7) / 8);
        any = true;
    }
    return any && !packed ? std::optional(least) : std::nullopt;
}

// An access to memory of one axis, at the index alone.
bool reads_at(const Function& kernel, const Op& op, ValueId index) {
    const AccessOp access(kernel, op);
    return access.indices().size() == 1 && access.indices().front() == index;
}

// Neighbouring tiles that a thread does: as many as make its accesses of the smallest elements 16 bytes wide, where the
// code of a tile is short, straight, and reads and writes at the tile's own number.
int64_t neighbours(const Function& kernel, const Op& lanes) {
    if (NestOp(kernel, lanes).axes() != 1) return 1;
    const Region& body = kernel.region(lanes.regions[0]);
    if (static_cast<int64_t>(body.ops.size()) > kShortBody) return 1;
    for (OpId id : body.ops) {
        const Op& op = kernel.op(id);
        if (!op.regions.empty()) return 1;
        const bool element = op.kind == OpKind::read || op.kind == OpKind::write;
        if (!element && !is_pure(op.kind) && op.kind != OpKind::yield) return 1;
        if (element && !reads_at(kernel, op, body.args[0])) return 1;
        for (ValueId v : op.results) {
            if (!kernel.type(v).is_scalar()) return 1;
        }
    }
    auto smallest = smallest_element(kernel, lanes.regions[0]);
    return smallest ? std::clamp<int64_t>(kAccess / *smallest, 1, kMostNeighbours) : 1;
}

// Tiles apart from each other that a thread does, below each other in a loop over two or more axes of single elements:
// as many as share enough of what they compute and read, where their code is short and says nothing. Along one axis
// they share what a thread does once, which very short code is shorter than.
int64_t apart(const Function& kernel, const Op& lanes) {
    int64_t count = 0;
    bool plain = true;
    walk(kernel, lanes.regions[0], [&](OpId id) {
        const Op& op = kernel.op(id);
        plain = plain && !is_collective(kernel, op) &&
                (is_pure(op.kind) || op.kind == OpKind::read || op.kind == OpKind::write || op.kind == OpKind::atomic ||
                 op.kind == OpKind::if_ || op.kind == OpKind::yield);
        if (op.kind != OpKind::constant && op.kind != OpKind::yield) ++count;
    });
    if (!plain || count > kShortApart) return 1;
    return count <= kShortBody && NestOp(kernel, lanes).axes() == 1 ? kApartOfFew : kApart;
}

int64_t whole_warps(int64_t threads) { return (threads + kWarp - 1) / kWarp * kWarp; }

// The most rounds that a tile loop is known to have; nothing where one is not known.
std::optional<int64_t> rounds(const Function& kernel) {
    std::optional<int64_t> most = 0;
    walk(kernel, kernel.body, [&](OpId id) {
        const Op& op = kernel.op(id);
        if (op.kind != OpKind::lanes || !most) return;
        int64_t product = 1;
        for (size_t i = 0; i < op.operands.size() && most; i += 3) {
            std::optional<int64_t> bounds[3];
            for (size_t part = 0; part < 3; ++part) {
                OpId from = kernel.value(op.operands[i + part]).op;
                if (!from.valid() || kernel.op(from).kind != OpKind::constant) continue;
                bounds[part] = kernel.op(from).attrs.integer(Attr::value);
            }
            if (!bounds[0] || !bounds[1] || !bounds[2] || *bounds[2] <= 0) {
                most.reset();
            } else {
                product *= std::max<int64_t>((*bounds[1] - *bounds[0] + *bounds[2] - 1) / *bounds[2], 0);
            }
        }
        if (most) most = std::max(*most, product);
    });
    return most;
}

}  // namespace

bool by_tiles(const Function& kernel) { return kernel.kernel.flat || kernel.kernel.elements; }

bool has_tile_loop(const Function& kernel) {
    return any_below(kernel, kernel.body, [](const Op& op) {
        return op.kind == OpKind::lanes && static_cast<LanesOver>(op.attrs.integer(Attr::over)) == LanesOver::tiles;
    });
}

bool side_by_side(const Function& kernel, const Op& lanes) { return neighbours(kernel, lanes) > 1; }

int64_t most_neighbours(const Function& kernel) {
    int64_t most = 1;
    for (OpId id : kernel.region(kernel.body).ops) {
        const Op& op = kernel.op(id);
        if (op.kind != OpKind::lanes) continue;
        most = side_by_side(kernel, op) ? neighbours(kernel, op) : apart(kernel, op);
    }
    return most;
}

namespace {

// Threads do some of the products, which warps have none for: operands of theirs are in registers, too.
bool multiplies_by_threads(const Function& kernel, const GpuMachine& machine) {
    bool any = false;
    for_each_op(kernel, kernel.body, [&](OpId id) {
        any |= kernel.op(id).kind == OpKind::mma && !product_of(kernel, MmaOp(kernel, id), machine.capability);
    });
    return any;
}

// What loops carry and compute may ask for more registers than the threads have that the largest tile asks for.
void add_threads(const Function& kernel, const GpuMachine& machine, Plan& plan) {
    constexpr int64_t kMost = 256;                           // more of them have fewer registers together
    constexpr int64_t kCrowded = 180, kCrowdedBeside = 100;  // the latter where threads multiply
    const int64_t limit = multiplies_by_threads(kernel, machine) ? kCrowdedBeside : kCrowded;
    const auto crowded = [&](const GpuPlan& gpu) {
        return lacks_registers(kernel, gpu) || crowded_registers(kernel, gpu.threads) > limit;
    };
    if (!crowded(plan.gpu())) return;
    GpuPlan more = plan.gpu();
    while (more.threads < kMost && crowded(more)) more.threads *= 2;
    if (lacks_registers(kernel, more)) return;
    plan.gpu().threads = more.threads;
    plan.reasons.back() = "threads: the tiles of a loop have room in the registers of so many";
}

void plan_tiles(const Function& kernel, const GpuPlanFields& fields, Plan& plan) {
    GpuPlan& gpu = plan.gpu();
    gpu.threads = fields.threads.value_or(kFlatThreads);
    gpu.tiles_per_thread = fields.tiles_per_thread.value_or(most_neighbours(kernel));
    plan.task = gpu.threads * gpu.tiles_per_thread;
    const bool beside = any_below(kernel, kernel.body,
                                  [&](const Op& op) { return op.kind == OpKind::lanes && side_by_side(kernel, op); });
    if (gpu.tiles_per_thread > 1) {
        plan.reasons.emplace_back(beside ? "neighbouring tiles to a thread: accesses of 16 bytes"
                                         : "several tiles to a thread: they share what they read and count");
    } else {
        plan.reasons.emplace_back(most_neighbours(kernel) > 1 ? "one tile to a thread: fixed"
                                                              : "one tile to a thread: its code is long, or loops");
    }
}

}  // namespace

Plan choose_threads(const Function& kernel, const GpuMachine& machine, const GpuPlanFields& fields) {
    Plan plan(GpuPlan{.box_copies = machine.box_copies});
    plan.machine = machine.name;
    GpuPlan& gpu = plan.gpu();
    const KernelInfo& info = kernel.kernel;
    if (by_tiles(kernel)) {
        plan_tiles(kernel, fields, plan);
        return plan;
    }
    gpu.tiles_per_thread = fields.tiles_per_thread.value_or(1);
    gpu.threads = whole_warps(info.group_size());
    const bool tiles = has_tile_loop(kernel);
    if (auto enough = tile_threads(kernel)) {
        const auto groups = group_threads(kernel, machine);
        if (groups) enough = groups;
        // Layouts of register tiles are spread over powers of two.
        gpu.threads = *enough;
        if (tiles)
            gpu.threads =
                std::max(*enough, static_cast<int64_t>(std::bit_ceil(static_cast<uint64_t>(info.group_size()))));
        plan.reasons.emplace_back(groups ? "threads: warp groups, each 64 rows of a product"
                                         : "threads: by the elements of the largest register tile");
        if (!groups) add_threads(kernel, machine, plan);
        if (const auto warps = kernel.kernel.warps()) {
            gpu.threads = *warps * kWarp;
            plan.reasons.back() = fmt::format("threads: num_warps={}", *warps);
        }
        if (!groups && turned_would_suit(kernel, machine))
            plan.reasons.emplace_back(
                "products: warp by warp: warp groups take second operands of 8 bits that run along the inner axis, as "
                "`B[n, k].T`");
    } else if (info.names_group || tiles) {
        plan.reasons.emplace_back("threads: the tiles of a group, in whole warps");
    } else {
        gpu.threads = kFlatThreads;
        if (auto most = rounds(kernel)) gpu.threads = std::clamp(whole_warps(*most), kWarp, kFlatThreads);
        plan.reasons.emplace_back("threads: the kernel names no tile, as many as its loops have rounds, at most 256");
    }
    if (fields.threads && *fields.threads != gpu.threads) {
        gpu.threads = *fields.threads;
        plan.reasons = {"threads: fixed"};
    }
    return plan;
}

}  // namespace tsr::ir
