#include "ir/eval/one_tile/launch.h"

#include <algorithm>

#include <fmt/format.h>

#include "ir/ops/control.h"
#include "ir/ops/effects.h"

namespace tsr::ir::eval::one_tile {

void stop(const Function& kernel, OpId at, std::string message) {
    Report report{ReportKind::failure, kernel.name, std::move(message), {}, {}, {}};
    const PlaceId place = at.valid() ? kernel.op(at).place : kernel.place;
    if (place.valid()) report.place = kernel.place_of(place);
    throw Stopped{std::move(report)};
}

int64_t Launch::dimension(OpId at, const Dim& dim) const {
    const auto value = dim.evaluate([&](const std::string& symbol) -> std::optional<int64_t> {
        for (const auto& [name, number] : symbols) {
            if (name == symbol) return number;
        }
        return std::nullopt;
    });
    if (!value) stop(kernel, at, fmt::format("the dimension {} has no value in this launch", dim.text()));
    return *value;
}

uint64_t iterations(Bits lower, Bits upper, Bits step, DType type) {
    const bool down = is_signed(type) && static_cast<int64_t>(step) < 0;
    if (step == 0 || exactly(down ? OpKind::gt : OpKind::lt, type, lower, upper) == 0) return 0;
    const uint64_t distance = down ? lower - upper : upper - lower;
    return (distance - 1) / (down ? 0 - step : step) + 1;
}

namespace {

// Values that are known before the kernel runs.
class Known {
public:
    explicit Known(Launch& launch) : launch_(launch) {}

    Bits operator()(ValueId value) {
        const Function& kernel = launch_.kernel;
        const Value& v = kernel.value(value);
        if (!v.op.valid()) return canonical(v.type.elem, std::get<ScalarValue>(launch_.arguments[v.number]).bits);
        const Op& op = kernel.op(v.op);
        if (op.kind == OpKind::constant) return constant_bits(op.attrs);
        if (op.kind == OpKind::dim) return static_cast<Bits>(launch_.dimension(v.op, op.attrs.dim(Attr::dim)));
        std::vector<Bits> operands(3);
        for (size_t i = 0; i < op.operands.size(); ++i) operands[i] = (*this)(op.operands[i]);
        const Element element = launch_.elements.find(kernel, op);
        if (!element.known()) stop(kernel, v.op, "the number of groups needs an operation that there is not");
        return element(operands.data());
    }

private:
    Launch& launch_;
};

// The conditions `tile < E` of a flat kernel, E known at the launch.
class TileLimits {
public:
    explicit TileLimits(const Function& kernel) : kernel_(kernel) { visit(kernel.body, false); }

    bool every_write = true;         // stands under one
    std::vector<ValueId> with_work;  // something is written or said under them
    std::vector<ValueId> without;

private:
    [[nodiscard]] const Op* maker(ValueId value) const {
        const OpId op = kernel_.value(value).op;
        return op.valid() ? &kernel_.op(op) : nullptr;
    }

    [[nodiscard]] bool is_number_of_tile(ValueId value) const {
        const Op* op = maker(value);
        if (op == nullptr) return false;
        if (op->kind == OpKind::cast && is_integer(op->attrs.dtype(Attr::type)))
            return is_number_of_tile(CastOp(kernel_, *op).from());
        return op->kind == OpKind::tile_id && op->attrs.empty();
    }

    [[nodiscard]] bool is_literally(ValueId value, bool truth) const {
        const Op* op = maker(value);
        return op != nullptr && op->kind == OpKind::constant && constant_bits(op->attrs) == (truth ? 1U : 0U);
    }

    void compare(ValueId tile, ValueId limit, std::vector<ValueId>& found) const {
        if (is_number_of_tile(tile) && is_known_at_launch(kernel_, limit)) found.push_back(limit);
    }

    // The limits that hold where the condition is true, or false.
    void hold(ValueId condition, bool truth, std::vector<ValueId>& found) const {
        const Op* op = maker(condition);
        if (op == nullptr) return;
        const auto both = [&] { return BinaryOp(kernel_, *op); };
        if (op->kind == (truth ? OpKind::lt : OpKind::ge)) return compare(both().lhs(), both().rhs(), found);
        if (op->kind == (truth ? OpKind::gt : OpKind::le)) return compare(both().rhs(), both().lhs(), found);
        if (op->kind == OpKind::bit_not) return hold(UnaryOp(kernel_, *op).operand(), !truth, found);
        if (op->kind == (truth ? OpKind::bit_and : OpKind::bit_or)) {
            hold(both().lhs(), truth, found);
            return hold(both().rhs(), truth, found);
        }
        if (op->kind != OpKind::if_) return;
        // `a and b` gives b where a holds, else False; `a or b` gives True where a holds, else b.
        const uint32_t number = kernel_.value(condition).number;
        const ValueId fixed = yielded(kernel_, op->regions[truth ? 1 : 0])[number];
        if (!is_literally(fixed, !truth)) return;
        hold(IfOp(kernel_, *op).condition(), truth, found);
        hold(yielded(kernel_, op->regions[truth ? 0 : 1])[number], truth, found);
    }

    void visit(RegionId region, bool limited) {
        for (OpId id : kernel_.region(region).ops) {
            const Op& op = kernel_.op(id);
            if (!limited && !written_memories(kernel_, op).empty()) every_write = false;
            for (size_t i = 0; i < op.regions.size(); ++i) {
                std::vector<ValueId> here;
                if (op.kind == OpKind::if_) hold(IfOp(kernel_, op).condition(), i == 0, here);
                const Touches does = touches(kernel_, op.regions[i]);
                std::vector<ValueId>& all = does.writes.empty() && does.effects.empty() ? without : with_work;
                all.insert(all.end(), here.begin(), here.end());
                visit(op.regions[i], limited || !here.empty());
            }
        }
    }

    const Function& kernel_;
};

std::optional<int64_t> tiles_of_flat(Launch& launch) {
    const Function& kernel = launch.kernel;
    const auto product = [&](const std::vector<Dim>& shape) {
        int64_t all = 1;
        for (const Dim& dim : shape) all *= launch.dimension({}, dim);
        return all;
    };
    if (!kernel.kernel.header_tiles.empty()) return product(kernel.kernel.header_tiles);
    const TileLimits limits(kernel);
    const std::vector<ValueId>& counted = limits.with_work.empty() ? limits.without : limits.with_work;
    if (!counted.empty()) {
        if (!limits.every_write) return std::nullopt;
        int64_t most = 0;
        for (ValueId limit : counted) {
            const DType type = kernel.type(limit).elem;
            most = std::max(most, static_cast<int64_t>(cast_scalar(type, DType::index, Known(launch)(limit))));
        }
        return most;
    }
    std::optional<int64_t> only;
    for (ValueId param : kernel.params()) {
        const Type& type = kernel.type(param);
        if (type.kind != TypeKind::tensor || !type.mut) continue;
        if (only) return std::nullopt;
        only = product(type.shape);
    }
    return only;
}

}  // namespace

std::optional<LaunchSize> own_size(Launch& launch) {
    const Function& kernel = launch.kernel;
    std::vector<int64_t> counts;
    const auto& symbols = kernel.symbols;
    if (launch.who.flat) {
        const auto tiles = tiles_of_flat(launch);
        if (!tiles) return std::nullopt;
        counts.push_back(*tiles);
    } else if (std::ranges::find(symbols, "grid_groups") != symbols.end() && !launch.who.is_elements()) {
        counts.push_back(launch.dimension({}, Dim::symbol("grid_groups")));
    } else if (launch.who.grid.valid()) {
        for (OpId axis : nest_of(kernel, launch.who, launch.who.grid)) {
            const ForOp loop(kernel, axis);
            Known known(launch);
            counts.push_back(static_cast<int64_t>(iterations(known(loop.lower()), known(loop.upper()),
                                                             known(loop.step()), kernel.type(loop.lower()).elem)));
        }
    }
    LaunchSize size;
    for (size_t k = 0; k < counts.size(); ++k) {
        const int64_t count = std::max<int64_t>(counts[k], 0);
        size.total *= count;
        size.groups[std::min<size_t>(k, 2)] *= count;
    }
    return size;
}

}  // namespace tsr::ir::eval::one_tile
