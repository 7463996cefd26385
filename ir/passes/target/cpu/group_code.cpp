#include "ir/passes/target/cpu/group_code.h"

#include <algorithm>

#include "ir/core/total.h"
#include "ir/ops/control.h"
#include "ir/ops/tile.h"
#include "ir/passes/target/cpu/spread_lanes.h"
#include "ir/passes/target/handler.h"
#include "ir/passes/tile/walk.h"

namespace tsr::ir {

namespace {

constexpr int64_t kAlignment = 64;  // of a shared buffer: a cache line

}  // namespace

int64_t GroupCode::array_size(const Type& type) const {
    return s_.tile.kernel.group_size() * (type.width > 0 ? type.width : 1);
}

ValueId GroupCode::new_array(const Type& type) { return s_.stack(type.elem, array_size(type)); }

void GroupCode::copy_array(ValueId to, ValueId from, const Type& type) {
    if (to == from) return;
    int64_t bytes = array_size(type) * ((bits(type.elem) + 7) / 8);
    emit_.statement(OpKind::memory_copy, {to, from, emit_.integer(bytes)});
}

void GroupCode::run() {
    const KernelInfo& info = s_.tile.kernel;
    if (info.flat || info.elements) {
        s_.group = emit_.integer(0);
        tiles_.begin_round();
        region(s_.tile.body);
    } else {
        ValueId begin = emit_.op(OpKind::task_begin, {});
        ValueId end = emit_.op(OpKind::task_end, {});
        counted_loop(begin, end, 1, [&](ValueId group) {
            s_.group = group;
            tiles_.begin_round();
            region(s_.tile.body);
        });
    }
    emit_.yield({});
}

void GroupCode::region(RegionId region) {
    for (OpId id : s_.tile.region(region).ops) {
        const Op& op = s_.tile.op(id);
        if (op.kind == OpKind::yield || tiles_.begins_sum(id)) continue;
        if (tiles_.stored_by_sum(id)) {
            tiles_.store_what_sums_do_not(id);
            continue;
        }
        if (joins_tiles(op)) {
            const bool view =
                op.kind == OpKind::load_tile || op.kind == OpKind::store_tile || op.kind == OpKind::atomic_tile;
            auto waits = [&](ValueId v) { return !is_tile(s_.tile, v) && tiles_.waits(v); };
            if (view && std::ranges::any_of(op.operands, waits)) tiles_.flush();  // where it lies is not known yet
            tiles_.add(id);
            continue;
        }
        if (!passes_tiles(op)) tiles_.flush();
        if (tiles_.sums_in_nest(id)) {
            tiles_.sum_nest(id);
            continue;
        }
        operation(id);
    }
    tiles_.flush();
}

bool GroupCode::joins_tiles(const Op& op) const {
    auto tile = [&](ValueId v) { return is_tile(s_.tile, v); };
    return op.regions.empty() && (std::ranges::any_of(op.operands, tile) || std::ranges::any_of(op.results, tile));
}

// Scalar code that nothing on register tiles has a part in may be done before those that wait.
bool GroupCode::passes_tiles(const Op& op) const {
    return is_pure(op.kind) && std::ranges::none_of(op.operands, [&](ValueId v) { return tiles_.waits(v); });
}

void GroupCode::operation(OpId id) {
    // What the group does with each operation that is neither an element operation nor one on register tiles.
    static constexpr Row<Handler<GroupCode>> kGroupHandlers[]{
        {OpKind::constant, &GroupCode::scalar},
        {OpKind::yield, &GroupCode::elsewhere},  // by what the region belongs to
        {OpKind::for_, &GroupCode::control},
        {OpKind::while_, &GroupCode::control},
        {OpKind::if_, &GroupCode::control},
        {OpKind::call, &GroupCode::elsewhere},
        {OpKind::dim, &GroupCode::scalar},
        {OpKind::print, &GroupCode::message},
        {OpKind::assert_, &GroupCode::message},
        {OpKind::read, &GroupCode::scalar},
        {OpKind::write, &GroupCode::scalar},
        {OpKind::read_vector, &GroupCode::scalar},
        {OpKind::write_vector, &GroupCode::scalar},
        {OpKind::vector_extract, &GroupCode::scalar},
        {OpKind::vector_build, &GroupCode::scalar},
        {OpKind::tile_id, &GroupCode::elsewhere},  // arguments of `lanes` since `form_groups`
        {OpKind::lane_id, &GroupCode::elsewhere},
        {OpKind::group_id, &GroupCode::scalar},
        {OpKind::group_size, &GroupCode::scalar},
        {OpKind::group_count, &GroupCode::scalar},
        {OpKind::buffer, &GroupCode::buffer},
        {OpKind::stage, &GroupCode::scalar},
        {OpKind::atomic, &GroupCode::atomic},
        {OpKind::copy_async, &GroupCode::copy},
        {OpKind::commit, &GroupCode::nothing},  // a copy has happened when its statement is over
        {OpKind::wait_group, &GroupCode::nothing},
        {OpKind::barrier, &GroupCode::nothing},  // the end of a loop over lanes is one
        {OpKind::acquire, &GroupCode::nothing},
        {OpKind::fill, &GroupCode::nothing},
        {OpKind::take, &GroupCode::nothing},
        {OpKind::release, &GroupCode::nothing},
        {OpKind::group_reduce, &GroupCode::reduce},
        {OpKind::group_scan, &GroupCode::scan},
        {OpKind::shuffle, &GroupCode::exchange},
        {OpKind::broadcast, &GroupCode::exchange},
        {OpKind::ballot, &GroupCode::ballot},
        {OpKind::buffer_reduce, &GroupCode::scalar},
        {OpKind::grid, &GroupCode::grid},
        {OpKind::lanes, &GroupCode::lanes},
        {OpKind::lane_read, &GroupCode::elsewhere},
        {OpKind::result, &GroupCode::result},
    };
    static constexpr Total<kGroupHandlers, kControlFamily, kMemoryFamily, kTileFamily> kHandlers;
    const Op& op = s_.tile.op(id);
    emit_.place = op.place;
    if (is_element(op.kind)) return scalar(op);
    kHandlers[op.kind].answer(*this, s_.tile, id);
}

void GroupCode::scalar(const Op& op) {
    if (!s_.scalar_operation(op)) elsewhere(op);
}

void GroupCode::elsewhere(const Op& op) {
    internal_error("a group on a CPU does not do '" + std::string(name(op.kind)) + "'");
}

void GroupCode::message(const Op& op) {
    std::vector<ValueId> operands;
    for (ValueId v : op.operands) operands.push_back(s_.scalars.at(v));
    operands.insert(operands.begin() + (op.kind == OpKind::assert_ ? 1 : 0), s_.group);
    emit_.statement(op.kind, operands, op.attrs);
}

void GroupCode::buffer(const Op& op) {
    const Type& type = s_.tile.type(op.results[0]);
    Memory memory;
    memory.elements = 1;
    for (const Dim& dim : type.shape) {
        int64_t extent = dim.constant_value().value_or(0);
        memory.elements *= extent;
        memory.dims.push_back(emit_.integer(extent));
    }
    int64_t bytes = memory.elements * op.attrs.integer(Attr::count, 1) * ((bits(type.elem) + 7) / 8);
    memory.pointer = emit_.op(OpKind::scratch, {}, {{Attr::count, s_.scratch_bytes}, {Attr::type, type.elem}});
    s_.scratch_bytes += (bytes + kAlignment - 1) / kAlignment * kAlignment;
    s_.memories[op.results[0]] = memory;
}

// Loops and branches around lanes regions: scalars are carried as values, lane arrays as storage.
void GroupCode::control(const Op& op) {
    const ValueSpan inits = op.kind == OpKind::if_ ? ValueSpan() : LoopOp(s_.tile, op).inits();
    auto is_array = [&](size_t i) { return s_.tile.type(op.results[i]).kind == TypeKind::lane_array; };
    auto is_held = [&](size_t i) { return is_tile(s_.tile, op.results[i]); };
    std::vector<Home> homes(op.results.size());
    std::vector<ValueId> operands;
    std::vector<Type> types;
    std::vector<ValueId> storage(op.results.size());
    if (op.kind == OpKind::for_) {
        for (ValueId bound : ForOp(s_.tile, op).bounds()) operands.push_back(s_.scalars.at(bound));
    }
    for (size_t i = 0; i < op.results.size(); ++i) {
        const Type& type = s_.tile.type(op.results[i]);
        if (is_array(i)) {
            storage[i] = new_array(type);
            if (op.kind != OpKind::if_) copy_array(storage[i], s_.arrays.at(inits[i]), type);
        } else if (is_held(i)) {
            homes[i] = carried_home(op, i);
        } else {
            types.push_back(type);
            if (op.kind != OpKind::if_) operands.push_back(s_.scalars.at(inits[i]));
        }
    }
    RegionId outside = emit_.region;
    const OpId made = op.kind == OpKind::if_
                          ? emit_.open_if(s_.scalars.at(IfOp(s_.tile, op).condition()), types)
                          : emit_.open(op.kind, operands, op.kind == OpKind::for_ ? Attrs{} : op.attrs);
    for (size_t number = 0; number < op.regions.size(); ++number) {
        const Region& old = s_.tile.region(op.regions[number]);
        emit_.region = emit_.add_region(made);
        size_t arg = 0;
        if (op.kind == OpKind::for_) {
            s_.scalars[old.args[0]] =
                s_.target.add_arg(emit_.region, s_.tile.type(old.args[0]), s_.tile.value(old.args[0]).name);
            arg = 1;
        }
        for (size_t i = 0; arg < old.args.size(); ++i, ++arg) {
            if (is_array(i)) {
                s_.arrays[old.args[arg]] = storage[i];
            } else if (is_held(i)) {
                tiles_.set_home(old.args[arg], homes[i]);
                if (op.kind == OpKind::for_) tiles_.carry_in_place(old.args[arg], s_.yielded(op.regions[0])[i]);
            } else {
                s_.scalars[old.args[arg]] =
                    s_.target.add_arg(emit_.region, s_.tile.type(old.args[arg]), s_.tile.value(old.args[arg]).name);
            }
        }
        region(op.regions[number]);
        const auto& values = s_.yielded(op.regions[number]);
        std::vector<ValueId> out;
        if (op.kind == OpKind::while_ && number == 0) {
            out.push_back(s_.scalars.at(values[0]));
        } else {
            yield_arrays(op, values, storage);
            yield_tiles(values, homes);
            for (size_t i = 0; i < values.size(); ++i) {
                if (!is_array(i) && !is_held(i)) out.push_back(s_.scalars.at(values[i]));
            }
        }
        emit_.yield(out);
    }
    emit_.close(made, outside);
    for (size_t i = 0, next = 0; i < op.results.size(); ++i) {
        if (is_array(i)) {
            s_.arrays[op.results[i]] = storage[i];
        } else if (is_held(i)) {
            tiles_.set_home(op.results[i], homes[i]);
        } else {
            s_.scalars[op.results[i]] = s_.target.op(made).results[next++];
        }
    }
}

// The home of a register tile that control flow carries or gives, with what it begins with in it.
Home GroupCode::carried_home(const Op& op, size_t number) {
    const Type& type = s_.tile.type(op.results[number]);
    const std::string& name = s_.tile.value(op.results[number]).name;
    if (op.kind == OpKind::if_) return tiles_.new_home(type, name);
    const ValueId init = LoopOp(s_.tile, op).inits()[number];
    const OpId made = s_.tile.value(init).op;
    if (made.valid() && tiles_.begins_sum(made)) {
        const ForOp loop(s_.tile, op);
        return tiles_.begin_sum(init,
                                emit_.compare(OpKind::ge, s_.scalars.at(loop.lower()), s_.scalars.at(loop.upper())));
    }
    const Home home = tiles_.gives_up_home(init, op.parent) ? tiles_.home(init) : tiles_.new_home(type, name);
    tiles_.copy(home, tiles_.home(init), type);
    return home;
}

// Yielded tiles may be in each other's homes (a swap): those go through a copy first.
void GroupCode::yield_tiles(const std::vector<ValueId>& values, const std::vector<Home>& homes) {
    std::vector<Home> sources(values.size());
    for (size_t i = 0; i < values.size(); ++i) {
        if (!homes[i].pointer.valid()) continue;
        sources[i] = tiles_.home(values[i]);
        bool others = false;
        for (size_t j = 0; j < homes.size(); ++j) others |= j != i && homes[j].pointer == sources[i].pointer;
        if (!others) continue;
        const Home saved = tiles_.new_home(s_.tile.type(values[i]), "");
        tiles_.copy(saved, sources[i], s_.tile.type(values[i]));
        sources[i] = saved;
    }
    for (size_t i = 0; i < values.size(); ++i) {
        if (homes[i].pointer.valid()) tiles_.copy(homes[i], sources[i], s_.tile.type(values[i]));
    }
}

// Yielded arrays may be each other's storage (a swap): those go through a copy first.
void GroupCode::yield_arrays(const Op& op, const std::vector<ValueId>& values, const std::vector<ValueId>& storage) {
    std::vector<ValueId> sources(values.size());
    for (size_t i = 0; i < values.size(); ++i) {
        if (!storage[i].valid()) continue;
        sources[i] = s_.arrays.at(values[i]);
        bool others = false;
        for (size_t j = 0; j < storage.size(); ++j) others |= j != i && storage[j] == sources[i];
        if (!others) continue;
        ValueId saved = new_array(s_.tile.type(op.results[i]));
        copy_array(saved, sources[i], s_.tile.type(op.results[i]));
        sources[i] = saved;
    }
    for (size_t i = 0; i < values.size(); ++i) {
        if (storage[i].valid()) copy_array(storage[i], sources[i], s_.tile.type(op.results[i]));
    }
}

// The rounds number `group`, `group` + groups, …; with the launch's own number of groups, exactly one.
void GroupCode::grid(const Op& op) {
    std::vector<Axis> all = axes(op);
    RegionId outside = emit_.region;
    OpId made = emit_.open(OpKind::for_, {s_.group, s_.rounds(all), s_.total});
    emit_.region = emit_.add_region(made);
    s_.bind_round(op, all, s_.target.add_arg(emit_.region, Type::scalar(DType::index), "round"));
    tiles_.begin_round();
    region(op.regions[0]);
    emit_.yield({});
    emit_.close(made, outside);
}

void GroupCode::result(const Op& op) {
    when(emit_.compare(OpKind::eq, s_.group, emit_.integer(0)), [&] {
        emit_.statement(OpKind::runtime, {s_.scalars.at(ResultOp(s_.tile, op).value())},
                        {{Attr::callee, std::string("task_result")}});
    });
}

Function spread_lanes(const Function& kernel) {
    Spread spread(kernel);
    GroupCode(spread).run();
    spread.target.plan = kernel.plan;
    spread.target.scratch_bytes = spread.scratch_bytes;
    return std::move(spread.target);
}

}  // namespace tsr::ir
