// From a kernel to a program: slots, instructions, side tables.
#pragma once

#include <array>
#include <map>
#include <span>

#include "ir/eval/frame.h"
#include "ir/eval/program.h"
#include "ir/eval/variability.h"

namespace tsr::ir::eval {

// Where a value stands: one for all (`one`), an array over lanes (`many`), or both.
struct Home {
    Slot one = 0, many = 0;
    bool owned = true;       // `many` is given back after the last use
    bool owned_one = false;  // so is `one`: a register tile's
};

class Compiler {
public:
    // Operations from `written_ops` on are parts of an expanded one.
    Compiler(const Function& function, const EvalOptions& options, size_t written_ops);
    std::variant<Program, CompileFailure> kernel();
    std::variant<Program, CompileFailure> launch_region();

private:
    // Values (compile_values.cpp).
    void take_params();
    void take_home(ValueId v);             // slots of a result
    Slot take_array(ValueId v);            // of the value's size over all lanes
    void take_fixed(ValueId v, Slot one);  // known when a launch begins
    Slot fixed_array(Slot one, uint32_t size, uint32_t width);
    void release_after(OpId op);
    [[nodiscard]] uint32_t size_of(ValueId v) const;
    [[nodiscard]] uint32_t width_of(ValueId v) const;  // elements: of a vector, of a register tile
    [[nodiscard]] uint64_t array_bytes(ValueId v) const;
    [[nodiscard]] bool varies(ValueId v) const { return facts_.varying[v.index]; }
    [[nodiscard]] Home& home(ValueId v) { return homes_[v.index]; }
    Slot constant_slot(DType type, uint64_t bits);
    Slot constant_slot(const Op& constant);
    Slot table_slot(const Op& table);
    // After the value is made: its array, where loops over lanes want one.
    void spread(ValueId v);
    void spread_into(ValueId v, Slot many, bool whole_frame);
    // 64-bit copies for bounds and indices; temporaries are given back by `drop_temporaries`.
    Slot wide_one(ValueId v);
    Slot wide_many(ValueId v);
    Operand wide(ValueId v);
    void drop_temporaries(size_t down_to = 0);
    Slot temporary(uint64_t bytes);

    // Copies between values: `to` takes `from`, all at once.
    struct Move {
        ValueId from;
        Home to;
        bool to_many = false;
    };
    void move(std::vector<Move> moves, bool masked);
    void move_one(const Move& move, bool masked);

    // Instructions.
    Inst& emit(Step step, OpId op);
    [[nodiscard]] uint32_t here() const { return static_cast<uint32_t>(program_.code.size()); }
    void region(RegionId id);  // without its yield
    void op(OpId id);
    struct Runs;  // what each operation becomes: a table in compile.cpp; on register tiles: in compile_register.cpp
    void not_run(OpId id, const Op& op);
    bool refuse(OpId id, std::string message);
    [[nodiscard]] const std::vector<ValueId>& yielded(RegionId id) const;

    // Element operations (compile_elements.cpp).
    void element(OpId id, const Op& op);
    void select_by_one(OpId id, const Op& op);
    [[nodiscard]] LaneFn loop_of(const Op& op) const;
    static void set_operands(Inst& inst, const Op& op, std::array<Slot, 3> slots);

    // Plain values (compile_values.cpp).
    void constant(OpId id, const Op& op);
    void dimension(OpId id, const Op& op);
    void group_size(OpId id, const Op& op);
    void group_number(OpId id, const Op& op);
    void lane_number(OpId id, const Op& op);
    void lane_read(OpId id, const Op& op);
    void vector_extract(OpId id, const Op& op);
    void vector_build(OpId id, const Op& op);

    // Control (compile_control.cpp).
    void for_loop(OpId id, const Op& op);
    void while_loop(OpId id, const Op& op);
    void branch(OpId id, const Op& op);
    void for_uniform(OpId id, const Op& op);
    void for_divergent(OpId id, const Op& op);
    void while_uniform(OpId id, const Op& op);
    void while_divergent(OpId id, const Op& op);
    void if_uniform(OpId id, const Op& op);
    void if_divergent(OpId id, const Op& op);
    void lanes(OpId id, const Op& op);
    void grid(OpId id, const Op& op);
    AxesData axes_of(const Op& op);
    void bind_carried(const Op& op, std::span<const ValueId> initial, std::span<const ValueId> args);
    void spread_args(RegionId id);
    void move_yield(RegionId id, const Op& op, bool masked);

    // Memory and the group (compile_memory.cpp).
    void text(OpId id, const Op& op);
    void watched(OpId id, const Op& op);
    void access(OpId id, const Op& op);
    void buffer(OpId id, const Op& op);
    void stage(OpId id, const Op& op);
    void copy_async(OpId id, const Op& op);
    void barrier(OpId id, const Op& op);
    void commit(OpId id, const Op& op);
    void wait_group(OpId id, const Op& op);
    void acquire(OpId id, const Op& op);
    void take(OpId id, const Op& op);
    void release(OpId id, const Op& op);
    void group_result(OpId id, const Op& op);
    void reduction(OpId id, const Op& op);
    void across_lanes(OpId id, const Op& op);
    Operand operand_of(ValueId v);

    // Register tiles (compile_register.cpp).
    Slot tile_start(ValueId v);
    void tile_view(OpId id, const Op& op);
    void expand(OpId id, const Op& op);
    void move_elements(OpId id, const Op& op);
    bool tile_operation(OpId id, const Op& op);
    void along(OpId id, const Op& op, Step step, size_t axis, std::optional<ReduceOp> what);
    void product(OpId id, const Op& op);
    FactorData factor(ValueId v, bool transposed, DType to);

    const Function& fn_;
    const EvalOptions& options_;
    const LaneOps& ops_;
    size_t written_ops_;
    Analysis facts_;
    Program program_;
    Frame frame_;
    std::vector<Home> homes_;
    std::vector<uint32_t> view_of_;            // per value
    std::vector<std::vector<ValueId>> dying_;  // per op
    std::map<std::pair<DType, uint64_t>, Slot> constants_;
    std::map<Slot, Slot> fixed_arrays_;  // of values known when a launch begins
    std::vector<std::pair<Slot, uint64_t>> temporaries_;
    bool in_lanes_ = false;
    std::optional<CompileFailure> failure_;
};

// How an atomic combines two elements; null where it combines nothing.
LaneFn combine_of(const LaneOps& ops, AtomicOp op, DType type);

}  // namespace tsr::ir::eval
