// A kernel made ready to run: a flat list of instructions over one frame of bytes. Every value has its slot, every
// operation its loop; nothing is looked up while it runs. Control flow is jumps, so a run may stop between any two
// instructions of the group and go on later.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "ir/core/function.h"
#include "ir/eval/evaluate.h"
#include "ir/eval/lane_ops.h"
#include "ir/eval/register_data.h"

namespace tsr::ir::eval {

struct Machine;
struct Inst;
// Does one instruction and gives the next; null ends or suspends the run.
using Step = const Inst* (*)(Machine&, const Inst&);

struct Inst {
    Step step = nullptr;
    LaneFn loop = nullptr;
    Slot result = 0, a = 0, b = 0, c = 0;
    uint32_t count = 0;   // elements; of a loop over lanes: those of a vector's components before the last
    uint32_t target = 0;  // where a jump goes
    uint32_t data = 0;    // row of the side table that the step reads
    OpId op;
};

// A number per lane, or one for all.
struct Operand {
    Slot slot = 0;
    bool uniform = true;
};

// One access to memory: indices are 64-bit integers.
struct AccessData {
    uint32_t view = 0;
    std::vector<Operand> indices;
    DType elem = DType::f32;
    uint32_t size = 0;       // bytes of an element in a slot
    uint32_t width = 1;      // consecutive elements of the last axis
    Operand value, compare;  // of writes and atomics
    Slot result = 0;
    bool uniform = false;  // one access for all lanes, or the group's
    AtomicOp atomic = AtomicOp::add;
    LaneFn combine = nullptr;  // of atomics: new = combine(old, value)
};

struct LoopData {
    Slot lower = 0, upper = 0, step = 0;  // 64 bits each, or arrays of them
    Slot rounds = 0;                      // unsigned rounds that are left
    Slot iv = 0;                          // 64 bits
    bool is_signed = true;
    Slot live = 0;   // mask of a divergent loop
    Slot saved = 0;  // the mask around it
};

struct BranchData {
    Slot then_mask = 0, else_mask = 0, saved = 0;
};

struct AxesData {
    std::vector<Slot> lower, upper, step;  // uniform, 64 bits
    std::vector<Slot> iv;                  // per axis; arrays of 64 bits in `lanes`, uniform in `grid`
    LanesOver over = LanesOver::tiles;
    Slot round = 0;  // the linear number of the first round (64 bits), the total after it
};

struct CopyData {
    uint32_t to = 0, from = 0;
    std::vector<Slot> starts;  // 64 bits
};

struct TextPart {
    std::string text;  // before the value
    bool value = false;
    std::string spec;
    Operand operand;
    DType type = DType::i32;
};
struct TextData {
    std::vector<TextPart> parts;
};

struct CollectiveData {
    DType elem = DType::f32;
    uint32_t size = 0;
    LaneFn combine = nullptr;
    uint64_t identity = 0;  // of buffer_reduce's partials
    uint32_t view = 0;
};

// A tensor parameter, or a buffer or a stage of one.
struct ViewData {
    std::string name;
    DType elem = DType::f32;
    std::vector<Dim> shape;
    bool buffer = false;
    uint32_t stages = 1;
    uint64_t offset = 0;  // of a buffer, in the group's shared bytes
    uint32_t of = 0;      // of a stage: the buffer's view; else itself
};

struct DimSlot {
    Slot slot = 0;
    Dim dim;
};
struct FillAtLaunch {
    Slot from = 0, to = 0;
    uint32_t size = 0, components = 1;
};

struct Program {
    const Function* function = nullptr;
    std::shared_ptr<const Function> own;  // where the kernel was rewritten for it
    std::vector<Inst> code;
    uint32_t lanes = 0;  // of a full frame: arrays have this many elements per component
    uint32_t group_size = 128;
    uint64_t frame_bytes = 0, shared_bytes = 0;
    std::vector<std::pair<Slot, uint64_t>> constants;
    std::vector<Slot> params;  // of scalar parameters; 0 for tensors
    std::vector<DimSlot> dims;
    std::vector<FillAtLaunch> fills;
    Slot mask = 0;         // all true
    bool flat = false;     // one region over all tiles of the launch
    bool commits = false;  // copies end at `wait_group`, not at the next barrier

    std::vector<AccessData> accesses;
    std::vector<LoopData> loops;
    std::vector<BranchData> branches;
    std::vector<AxesData> axes;
    std::vector<CopyData> copies;
    std::vector<TextData> texts;
    std::vector<CollectiveData> collectives;
    std::vector<ViewData> views;
    TileTables tiles;

    std::vector<Operand> results;  // of a launch region's program: groups per axis, or tiles
};

// Of a kernel in the group's form. The failure says which operation can not be run; `place` is its own.
struct CompileFailure {
    std::string message;
    Place place;
};
std::variant<Program, CompileFailure> compile_kernel(const Function& kernel, const EvalOptions& options);
// Of the region that yields the number of groups per axis (tiles of a flat kernel).
std::variant<Program, CompileFailure> compile_launch(const Function& kernel);

}  // namespace tsr::ir::eval
