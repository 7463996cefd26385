// The state of one group's run, and what its instructions share.
#pragma once

#include <cstring>
#include <deque>
#include <memory>
#include <set>
#include <tuple>

#include "ir/eval/program.h"
#include "ir/eval/shadow.h"

namespace tsr::ir::eval {

inline constexpr size_t kMaxRank = TSR_MAX_RANK;

// A memory as the kernel sees it now.
struct View {
    uint8_t* data = nullptr;
    size_t rank = 0;
    std::array<int64_t, kMaxRank> extent{};
    std::array<int64_t, kMaxRank> stride{};  // in elements
    int64_t elements = 0;                    // of one stage
    int64_t stage = 0;
    bool packed = false;  // several elements share a byte
    DType elem = DType::f32;
    ShadowMemory* shadow = nullptr;  // of all stages; null without a sanitizer
    int64_t shadow_base = 0;         // this stage's first element there
};

struct PrintLine {
    int64_t group = 0, region = 0, tile = 0;
    std::string text;
};

// A copy whose data has not arrived.
struct PendingCopy {
    const CopyData* data = nullptr;
    OpId op;
    View to;
    View from;
    std::array<int64_t, kMaxRank> starts{};
    int64_t commit = -1;  // number of its group of copies; -1: not committed yet
    bool waited = false;  // a wait_group covers it: a barrier makes it readable
    uint32_t clock = 0;   // when it was issued
};

// What was reported: a kernel, the kind, the two operations.
using ReportedSet = std::set<std::tuple<const Function*, ReportKind, uint32_t, uint32_t>>;

// What all groups of a launch share.
struct Launch {
    const Program* program = nullptr;
    const LaneOps* ops = nullptr;
    const EvalOptions* options = nullptr;
    LaunchSize size;
    std::deque<ShadowMemory> shadows;  // per tensor parameter, then per buffer
    std::vector<PrintLine> lines;
    KernelOutcome outcome;
    ReportedSet reported;
};

struct Machine {
    Launch* launch = nullptr;
    const Program* program = nullptr;
    const LaneOps* ops = nullptr;
    uint8_t* frame = nullptr;

    // The lanes at work: all of the group outside of a `lanes` region.
    size_t n = 0;
    const uint8_t* mask = nullptr;
    size_t active = 0;  // true ones of the mask's first n
    bool in_lanes = false;
    LanesOver over = LanesOver::tiles;
    int64_t first_round = 0;  // of the chunk
    int64_t region = 0;       // counts regions and statements that print

    // Who does it, for the sanitizers.
    int64_t group = 0;
    int64_t unit = 0;               // what runs in order within the launch: a group, a round of a grid loop
    uint32_t clock = 1, epoch = 1;  // epoch: the clock at the last barrier
    uint32_t before_rounds = 0;     // the clock where the grid loop began

    std::vector<View> views;
    std::vector<int64_t> offsets;
    std::vector<uint8_t> inside;  // scratch: a mask without the lanes found outside, or with those that are finite
    std::vector<uint8_t> shared;
    std::deque<PendingCopy> copies;
    int64_t commits = 0;
    uint64_t rounds = 0;

    template <typename T>
    [[nodiscard]] T& at(Slot slot) const {
        return *reinterpret_cast<T*>(frame + slot);
    }
    [[nodiscard]] uint8_t* bytes(Slot slot) const { return frame + slot; }
    [[nodiscard]] bool all_active() const { return active == n; }
    [[nodiscard]] const Inst* jump(const Inst& inst) const { return program->code.data() + inst.target; }
    // The tile that lane i is, or the round that it runs.
    [[nodiscard]] int64_t tile_of(size_t lane) const { return first_round + static_cast<int64_t>(lane); }
    [[nodiscard]] Actor actor_of(size_t lane) const;
    // Who makes an access that is one for all: the group, or in a region every lane at work. Of those the first and the
    // last stand for all: whoever else touches the element differs from one of them.
    [[nodiscard]] std::vector<Actor> actors_of_all() const;

    // Ends the run. `lane` none: the group's own statement.
    const Inst* fail(const Inst& inst, std::string message, std::optional<size_t> lane = {});
    void report(ReportKind kind, OpId op, std::string message, OpId other = {}, std::string other_text = {});
    [[nodiscard]] std::string who(std::optional<size_t> lane) const;  // "tile 3 of group 0"
    [[nodiscard]] std::string who(const Actor& actor) const;
    // Shared memory counts as never touched but by writes up to clock `kept` (0: none).
    void forget_buffers(uint32_t kept);
    // Counts a round of a loop; true when there were too many.
    bool too_many_rounds();
};

// Runs all groups of a launch.
class Runner {
public:
    Runner(Launch& launch, std::span<const KernelArgument> arguments, const SymbolValues& symbols);
    void run();
    [[nodiscard]] Machine& machine() { return machine_; }

private:
    bool bind(std::span<const KernelArgument> arguments, const SymbolValues& symbols);
    bool fill_dims(const SymbolValues& symbols);
    void fill_views(std::span<const KernelArgument> arguments);
    void run_group(int64_t group);

    Launch& launch_;
    Machine machine_;
    std::vector<uint8_t> frame_;
    bool ready_ = false;
};

// Copies that wait: see steps_copy.cpp.
void arrive(Machine& machine, PendingCopy& copy);
void arrive_at_barrier(Machine& machine);

// A value as `print` shows it: by the runtime's formatting where the caller gave that, else as Python's str() does.
std::string format_element(const EvalOptions& options, DType type, uint64_t bits, const std::string& spec);

}  // namespace tsr::ir::eval
