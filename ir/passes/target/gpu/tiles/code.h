// The code of one thread for register tiles: its elements are scalars, one after the other, as the tile's layout says.
#pragma once

#include <functional>
#include <map>
#include <unordered_map>
#include <vector>

#include "ir/layout/access.h"
#include "ir/layout/convert.h"
#include "ir/passes/target/cpu/tiles/uses.h"
#include "ir/passes/target/gpu/tiles/layouts.h"
#include "ir/passes/target/gpu/tiles/thread_numbers.h"
#include "ir/passes/target/kernel_code.h"

namespace tsr::ir {

class ThreadTiles : ThreadNumbers {
public:
    // `thread`: this thread's number in its block, of the plan's; both stand at the beginning of the code.
    ThreadTiles(KernelCode& code, ValueId thread, const GpuMachine& machine);

    // An operation on register tiles without regions. What it gives stands in `code.parts`, or in `code.scalars`.
    void operation(OpId id);
    // A tile's registers as the tile `like` has them.
    std::vector<ValueId> as(ValueId tile, ValueId like) { return in(tile, layout(like)); }
    // Warp groups read shared memory by themselves.
    [[nodiscard]] bool by_groups() const { return multiplies_by_groups(layouts_); }
    [[nodiscard]] int64_t registers(ValueId tile) const { return layout(tile).size(); }
    // Control flow comes or goes: what other threads still read is not known any more.
    void forget() { others_read_ = true; }
    // All threads have met.
    void met() { others_read_ = false; }
    // What tiles were stored by has been read; at the end of the kernel.
    void end_boxes();
    // Of two warp groups that multiply in turn: this one waits for its turn, or passes it to the other one.
    void await_turn();
    void pass_turn();
    // The first turn is that of warp group 0: passed to it by the other one before all loops, and taken back by it
    // behind them.
    void begin_turns();
    void end_turns();
    // Gives the tiles' shared memory its place behind `used` bytes; answers the bytes that are used then.
    int64_t finish(int64_t used);

private:
    void make(OpId id);
    using Registers = std::vector<ValueId>;

    [[nodiscard]] const Layout& layout(ValueId tile) const { return layouts_.of.at(tile); }
    [[nodiscard]] DType elem(ValueId value) const { return code_.tile.type(value).elem; }
    Registers in(ValueId tile, const Layout& wanted);

    // ---- where a thread's elements are (views.cpp; wide accesses: values.cpp) ----
    // The coordinate of a register's element along an axis.
    ValueId coordinate(const Layout& lies, size_t number, int64_t reg);
    // A register whose element is beyond the tile's shape: in all threads, or where `inside` is false.
    struct Beyond {
        bool always = false;
        ValueId inside;  // invalid: it never is
    };
    Beyond beyond_end(const Layout& lies, size_t number, int64_t reg);
    Beyond beyond_end(const Layout& lies, int64_t reg);  // along any axis
    // One access of several elements that follow each other.
    Registers load_vector(ValueId pointer, int64_t width);
    void store_vector(ValueId pointer, const Registers& values);
    ValueId vector(const Registers& values);

    // ---- operations (which is made how: operations.cpp) ----
    struct Makers;
    Registers made_anywhere(const Op& op, const Layout& wanted);
    Registers positions_below(const Op& op, const Layout& wanted);
    void element(const Op& op);
    void expand(const Op& op);
    void transpose(const Op& op);
    // convert.cpp
    Registers convert(const Registers& values, const Layout& from, const Layout& to, DType type);
    Registers shuffled(const ShuffleRounds& rounds, Registers values);
    Registers renamed(const LaneRenaming& by, const Registers& values);
    void through_memory(const Conversion& plan, const Registers& values, Registers& out, DType type);
    // Shared memory of the tiles, from its beginning, for one purpose at a time.
    ValueId memory(DType type, int64_t elements);
    void before_write();
    void barrier();
    // reduce.cpp
    void reduce(OpId id);
    ValueId identity(ReduceOp what, DType type);
    ValueId combined(ReduceOp what, ValueId a, ValueId b);
    Registers over_warps(ReduceOp what, Registers values, const Layout& from, const Layout& to, size_t axis,
                         DType type);
    ValueId row_offset(const Layout& layout, int64_t reg);
    // scan.cpp
    struct Scan;
    struct ScanRun;
    void scan(OpId id);
    static std::vector<ScanRun> scan_runs(const Layout& lies, size_t along);
    Registers scanned(const Scan& scan, size_t run, const std::vector<int64_t>& blocks, const Registers& sums,
                      bool before);
    Registers scanned_registers(const Scan& scan, size_t run, const std::vector<int64_t>& blocks, const Registers& sums,
                                bool before);
    Registers scanned_lanes(const Scan& scan, size_t run, const std::vector<int64_t>& blocks, Registers sums,
                            bool before);
    Registers scanned_warps(const Scan& scan, size_t run, const std::vector<int64_t>& blocks, const Registers& sums,
                            bool before);
    ValueId joined(ReduceOp what, ValueId before, ValueId value);
    ValueId first_part(const Scan& scan, const ScanRun& warps, const Layout& others, int64_t reg);
    // products.cpp
    struct Part;
    void product(OpId id);
    Part part(ValueId value, bool transposed, Operand operand, const ProductPlan& plan, const Coordinates& shape);
    Registers kept(ValueId value, bool transposed, Operand operand, const Layout& lies);
    ValueId multiplied(ValueId fragment, DType input);
    void keep_for_products(ValueId tile);
    Registers fragments(Part& part, int64_t atom, int64_t k);
    // group_products.cpp
    struct Panels;
    Panels panels(ValueId buffer, bool turned, bool of_group, int warps);
    ValueId described(const Panels& panels, int64_t outer, int64_t inner);
    void group_product(OpId id);
    void wait_for_sums(const Op& op);
    // Fragments of operands (matrices.cpp, products.cpp)
    std::optional<Part> matrices(ValueId value, bool transposed, Operand operand, const ProductPlan& plan,
                                 const Layout& lies);
    ValueId piece_of(const Part& part, bool pairs, ValueId begin, Bits piece);
    ValueId row_inside(const Part& part, bool pairs, int64_t row, Bits piece);
    Registers load_matrices(Part& part, int64_t atom, int64_t k, bool pairs);
    Registers operand(ValueId value, bool transposed, const Layout& wanted);
    void clear_beyond(Registers& values, const Layout& lies, size_t inner, DType type);
    ValueId fragment_of(const Registers& values, const Layout& lies, int64_t row, int64_t column);
    // thread_products.cpp
    struct Factor;
    void thread_product(OpId id);
    void store_rows(const Registers& values, const Layout& lies, ValueId pointer, int64_t row);
    Factor factor(ValueId value, bool transposed, int64_t together, int64_t& at);
    ValueId factor_place(const Layout& lies, int64_t number);
    Registers factor_values(const Layout& lies, ValueId begin, int64_t step, int64_t aligned, DType type);
    std::vector<Registers> factor_values_along(const Layout& lies, const Factor& factor, ValueId k, int64_t step,
                                               int64_t many, DType type);
    // buffers.cpp
    Registers load_buffer(ValueId buffer, const Layout& lies);  // a shared buffer of two axes, the whole of it
    ValueId swizzled_pointer(const Memory& memory, const Layout& lies, int64_t reg);
    Registers load_swizzled(const Memory& memory, DType type, const Layout& lies, int64_t atom);
    bool reads_by_steps(ValueId value, Operand operand, const Layout& lies) const;
    Registers load_fragment(const Part& part, int64_t row, int64_t column);
    // views.cpp
    struct View;
    void load(OpId id);
    void store(OpId id);
    View view(const TileViewOp& op, const Layout& lies);
    View view(const Memory& memory, DType type, const std::vector<int64_t>& axes, std::vector<ValueId> starts,
              const Layout& lies);
    Registers load_view(const View& view, ValueId fill);
    Layout along_rows(const TileViewOp& op, const Layout& own) const;
    ValueId address(const View& view, int64_t reg);
    ValueId whole(const View& view);
    ValueId aligned(const View& view, bool ends);
    std::vector<ValueId> indices(const View& view, int64_t reg);
    ValueId within_memory(const View& view, int64_t reg, std::map<std::pair<size_t, int64_t>, ValueId>& known);
    template <typename Accesses, typename Elements>
    Registers by_reach(const View& seen, const std::vector<Type>& types, Accesses accesses, Elements elements);
    template <typename Access>
    void each_access(const View& view, bool clipped, Access access);
    template <typename Element>
    void each_element(const View& view, Element element);
    ValueId within(ValueId index, ValueId extent);
    // atomics.cpp
    void atomic(OpId id);
    Layout in_pairs(const TileViewOp& op, const Layout& own) const;
    void combine(View seen, AtomicOp what, const Registers& values, int64_t most);
    void combine_at(ValueId pointer, AtomicOp what, const Registers& values);
    // packed_stores.cpp
    void store_packed(OpId id);
    void store_packs(const View& view, const Registers& values);
    void store_pairs(const View& view, const std::vector<int64_t>& registers, const Registers& values);
    ValueId begins_at_accesses(const View& view);
    // box_stores.cpp
    struct Box;
    [[nodiscard]] bool goes_in_boxes(OpId store) const;
    void store_boxes(OpId id);
    ValueId box_memory(DType type);
    void write_words(const Box& box);
    void write_matrices(const Box& box);
    void send(const Box& box, ValueId tensor, const std::vector<ValueId>& starts);
    void boxes_read(int64_t count);
    void first_lane(const std::function<void()>& body);
    // Conditions; an invalid one is true.
    ValueId both(ValueId a, ValueId b);
    void when(ValueId condition, const std::function<void()>& body);
    template <typename Then, typename Otherwise>
    Registers choose(ValueId condition, const std::vector<Type>& types, Then then, Otherwise otherwise);

    KernelCode& code_;
    Emit& emit_;
    TileLayouts layouts_;
    Uses uses_;
    // Operands of products in loops, of tiles made before those.
    struct Kept {
        ValueId value;
        bool transposed;
        Operand operand;
        Layout lies;
        Registers registers;
    };
    std::vector<Kept> kept_;
    std::vector<OpId> places_;  // of shared memory, whose offset is not known yet
    int64_t memory_bytes_ = 0;
    std::vector<OpId> box_places_;  // the same of boxes that are stored
    int64_t box_bytes_ = 0;
    bool others_read_ = false;  // the tiles' shared memory since the last barrier
};

}  // namespace tsr::ir
