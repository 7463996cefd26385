// What is true of each operation on every machine, once: the record.
// Printer, parser, verifier, builder, simplifier and documentation ask it; nothing about an operation is stated
// elsewhere.
#pragma once

#include <array>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "ir/core/function.h"
#include "ir/ops/facts.h"
#include "ir/ops/inferred.h"

namespace tsr::ir {

// A list of fixed capacity: a std::initializer_list member breaks constant evaluation in g++ 12.
template <typename T, size_t Capacity>
struct FixedList {
    std::array<T, Capacity> items{};
    size_t count = 0;

    constexpr FixedList() = default;
    template <typename... Items>
    constexpr FixedList(Items... all) : items{all...}, count(sizeof...(Items)) {}
    [[nodiscard]] constexpr const T* begin() const { return items.data(); }
    [[nodiscard]] constexpr const T* end() const { return items.data() + count; }
    [[nodiscard]] constexpr size_t size() const { return count; }
};

// What is done to the memory that an operand names.
enum class Access : uint8_t { value, reads, writes, reads_writes };

// How many operands play a role: one; none or one; any number. At most one role of an operation is not `one`, except
// where the record of the operation says how they are told apart.
enum class Many : uint8_t { one, optional, any };

struct Role {
    std::string_view name;
    Many many = Many::one;
    Access access = Access::value;
};

struct AttrRole {
    Attr attr = Attr::value;
    bool required = true;
};
constexpr AttrRole needs(Attr attr) { return {attr, true}; }
constexpr AttrRole may(Attr attr) { return {attr, false}; }

// What an operation does beside giving its results. None of them: it is pure, a function of its operands.
enum class Effect : uint8_t {
    barrier,           // every tile of the group arrives before one goes on
    collective,        // all tiles of the group (or warp) do it together: it may not be moved into a condition
    in_order,          // stands where it stands: waits, commits, results, yields
    io,                // seen from outside, or may be: output, calls
    nondeterministic,  // the result may differ between runs
    identity,          // two of them are two things: allocations
};
using Effects = FixedList<Effect, 4>;

// How the regions of an operation run.
enum class Flow : uint8_t {
    straight,      // it has none
    counted,       // `for`: the region once per iteration, with what is carried
    repeated,      // `while`: a test and a body in turn, with what is carried
    branch,        // `if`: one of two regions
    rounds,        // `grid`: the region once per round that the group does
    lanes,         // `lanes`: the region once per tile or round, in any order or at once
    active_lanes,  // `for_active`: the region once per lane of a mask
};

// How the axes of what an operation gives follow from the axes of its operands, for tensors of graphs and register
// tiles (axes.h).
enum class AxisRule : uint8_t {
    none,      // it neither takes nor gives register tiles
    made,      // the result's axes come from nowhere else: loads, indices. Or there is no result
    same,      // element by element: axis i of each tile among the operands is axis i of the result
    each,      // result number n is operand number n: waits, which let them through
    repeat,    // axis i is axis `axes`[i] of the result, or repeated along it
    permute,   // the last two axes swapped
    drop,      // without `axis`, along which elements meet
    along,     // the same axes; along `axis` elements meet
    contract,  // a product: rows of a, columns of b; along the inner axes elements meet
    pack,      // elements of neighbouring rows in one: columns stay columns
    move,      // elements in other places, as the operation says: tensors of graphs alone
};

// A set of levels. An operation names each of its levels: a new level has no operation that does not say so.
class Levels {
public:
    constexpr Levels() = default;
    template <typename... Each>
    constexpr explicit Levels(Each... levels)
        : bits_(static_cast<uint8_t>(((1U << static_cast<unsigned>(levels)) | ...))) {}
    [[nodiscard]] constexpr bool has(Level level) const { return (bits_ >> static_cast<unsigned>(level) & 1U) != 0; }
    [[nodiscard]] constexpr bool any() const { return bits_ != 0; }

private:
    uint8_t bits_ = 0;
};
inline constexpr Levels kEveryLevel{Level::graph, Level::host, Level::tile, Level::target};
inline constexpr Levels kGraph{Level::graph};
inline constexpr Levels kHost{Level::host};
inline constexpr Levels kGraphAndHost{Level::graph, Level::host};
inline constexpr Levels kGraphAndTile{Level::graph, Level::tile};
inline constexpr Levels kTile{Level::tile};
inline constexpr Levels kTarget{Level::target};
inline constexpr Levels kGraphHostTile{Level::graph, Level::host, Level::tile};
inline constexpr Levels kHostAndTile{Level::host, Level::tile};

// Types of the results from types of the operands and the attributes; a failure names operands by their roles.
using InferFn = Inferred (*)(std::span<const Type> operands, const Attrs& attrs);

// A function or none. With sanitizers g++ 12 does not compare the address of a template's instance with null while it
// compiles, so that it is written down whether there is one.
struct Inference {
    InferFn run = nullptr;
    bool given = false;

    constexpr Inference() = default;
    template <typename Function>
    constexpr Inference(Function function) : run(function), given(true) {}
};

// Where the types of the results come from.
enum class ResultsFrom : uint8_t {
    infer,    // from operands and attributes
    regions,  // from what the regions yield: `if`, `lanes`
    given,    // from what is called
};

struct OpRecord {
    OpKind kind = OpKind::count_;
    std::string_view name;  // in IR text
    std::string_view doc;   // the law, then the edge cases
    FixedList<Role, 6> operands;
    Inference infer;
    Levels levels;
    FixedList<AttrRole, 9> attrs;
    Effects effects;
    uint8_t regions = 0;
    Flow flow = Flow::straight;
    ResultsFrom results = ResultsFrom::infer;
    AxisRule axes = AxisRule::none;
    bool conditional = false;  // `infer` may answer with conditions on extents
    ErrorBound error;          // of element operations
    Cost cost = Cost::unsaid;  // of element operations and those on register tiles
    Formula formula = Formula::none;
    Example example;

    [[nodiscard]] constexpr bool has(Effect effect) const {
        for (Effect e : effects) {
            if (e == effect) return true;
        }
        return false;
    }
    // No effect, and no memory read or written. Says nothing of regions.
    [[nodiscard]] constexpr bool pure() const {
        for (const Role& role : operands) {
            if (role.access != Access::value) return false;
        }
        return effects.size() == 0;
    }
};

const OpRecord& record(OpKind kind);
std::string_view name(OpKind kind);  // in IR text: "for", "add"
// Neither an effect, nor memory, nor regions: a function of its operands.
bool is_pure(OpKind kind);
inline Flow flow(OpKind kind) { return record(kind).flow; }
std::optional<OpKind> op_named(std::string_view text);
bool is_of_gpu(OpKind kind);  // of the families that a GPU alone has

// The record's `infer` after its counts of operands and its attributes were checked. Conditions are a fault where the
// record is not `conditional`.
Inferred infer(OpKind kind, std::span<const Type> operands, const Attrs& attrs);
// What must be equal when the program runs for an operation of the function to be right: of its operands' types.
std::vector<EqualExtents> conditions_of(const Function& function, OpId op);

// The role that an operand plays; nothing for one too many.
const Role* role_of(const OpRecord& record, size_t operand, size_t operand_count);

// The families, for `record`. Each stands in the file of its name, complete by a static assertion there.
std::span<const OpRecord> element_records();
std::span<const OpRecord> control_records();
std::span<const OpRecord> memory_records();
std::span<const OpRecord> tile_records();
std::span<const OpRecord> pipeline_records();
std::span<const OpRecord> register_records();
std::span<const OpRecord> graph_records();
std::span<const OpRecord> host_records();
std::span<const OpRecord> target_records();
std::span<const OpRecord> gpu_records();
std::span<const OpRecord> box_records();

}  // namespace tsr::ir
