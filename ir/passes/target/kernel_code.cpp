#include "ir/passes/target/kernel_code.h"

#include <algorithm>
#include <bit>

#include "ir/build/dim_code.h"
#include "ir/core/total.h"
#include "ir/ops/memory.h"
#include "ir/ops/tile.h"
#include "ir/passes/tile/walk.h"

namespace tsr::ir {

namespace {

constexpr int64_t kDeviceAlignment = 16;  // of every tensor that a launch on a GPU is given

}  // namespace

KernelCode::KernelCode(const Function& kernel) : tile(kernel), plan(*kernel.plan), emit(target) {
    target.name = kernel.name;
    target.level = Level::target;
    target.share_places(kernel);
    target.place = kernel.place;
    emit.place = target.place;
    emit.region = target.body;
    int64_t slot = 0;
    auto scalar_slot = [&](DType type) {
        return emit.op(OpKind::slot, {}, {{Attr::count, slot++}, {Attr::type, type}});
    };
    std::vector<ValueId> tensors;
    const auto packed = static_cast<std::ptrdiff_t>(kernel.kernel.packed);
    const std::vector<ValueId> given(kernel.params().begin(), kernel.params().end() - packed);
    const std::vector<ValueId> filled(kernel.params().end() - packed, kernel.params().end());
    auto tensor_slot = [&](ValueId param) {
        DType elem = kernel.type(param).elem;
        if (is_packed(elem)) memories[param].packed = elem;
        if (is_packed(elem)) elem = DType::u8;
        Attrs attrs{{Attr::count, slot++}, {Attr::type, elem}, {Attr::pointer, kFlag}};
        if (kernel.plan->is_gpu()) attrs.set(Attr::alignment, kDeviceAlignment);
        memories[param].pointer = emit.op(OpKind::slot, {}, attrs);
        tensors.push_back(param);
    };
    for (ValueId param : given) {
        const Type& type = kernel.type(param);
        if (type.kind == TypeKind::tensor) {
            tensor_slot(param);
        } else {
            scalars[param] = scalar_slot(type.elem);
        }
    }
    for (const std::string& symbol : kernel.symbols) symbols[symbol] = scalar_slot(DType::index);
    for (ValueId& count : counts) count = scalar_slot(DType::index);
    for (ValueId param : filled) tensor_slot(param);
    total = emit.mul(emit.mul(counts[0], counts[1]), counts[2]);
    for (ValueId tensor : tensors) {
        for (const Dim& dim : kernel.type(tensor).shape) memories[tensor].dims.push_back(dimension(dim));
        if (memories[tensor].packed) describe_packed(memories[tensor]);
    }
}

ValueId KernelCode::dimension(const Dim& dim) {
    DimMaker maker;
    maker.constant = [&](int64_t value) { return emit.integer(value); };
    maker.binary = [&](OpKind kind, ValueId a, ValueId b) {
        if (kind == OpKind::mul) return emit.mul(a, b);
        return kind == OpKind::add ? emit.add(a, b) : emit.binary(kind, a, b);
    };
    maker.symbol = [&](const std::string& name) { return symbols.at(name); };
    return dim_code(dim, maker);
}

// Rows of 2^t odd pieces: 2^(3 - t) of them lie in different banks by themselves.
Memory::Swizzle Memory::Swizzle::of_rows(int64_t columns, int64_t bytes) {
    constexpr int64_t kPiece = 16;
    const int64_t pieces = columns * bytes / kPiece;
    if (pieces == 0 || columns * bytes % kPiece != 0) return {};
    const int free = std::min(std::countr_zero(static_cast<uint64_t>(pieces)), 3);
    if (free == 0) return {};
    return {kPiece / bytes, 3 - free, int64_t{1} << free};
}

Memory::Swizzle Memory::Swizzle::of_panels(int64_t rows, int64_t columns, int64_t bytes) {
    constexpr int64_t kRowsOfBanks = 8;
    for (const int64_t width : {128, 64, 32}) {
        if (rows % kRowsOfBanks != 0 || columns * bytes % width != 0) continue;
        Swizzle out = of_rows(width / bytes, bytes);
        out.panel = width / bytes;
        return out;
    }
    return {};
}

ValueId KernelCode::linear(const Memory& memory, const std::vector<ValueId>& indices) {
    if (indices.empty()) return emit.integer(0);
    const Memory::Swizzle& swizzle = memory.swizzle;
    if (swizzle.panel != 0 && emit.integer_value(memory.dims[1]) != swizzle.panel) {
        const ValueId row = emit.cast(indices[0], DType::index), column = emit.cast(indices[1], DType::index);
        const int bits = std::countr_zero(static_cast<uint64_t>(swizzle.panel));
        const ValueId number = emit.binary(OpKind::shr, column, emit.integer(bits));
        const ValueId inside = emit.binary(OpKind::bit_and, column, emit.integer(swizzle.panel - 1));
        Memory panel = memory;
        panel.dims[1] = emit.integer(swizzle.panel);
        const ValueId begin = emit.mul(number, emit.mul(memory.dims[0], panel.dims[1]));
        return emit.add(begin, linear(panel, {row, inside}));
    }
    auto index = [&](size_t i) {
        const ValueId given = emit.cast(indices[i], DType::index);
        if (swizzle.piece == 0 || i + 1 < indices.size() || i == 0) return given;
        ValueId phase = emit.cast(indices[i - 1], DType::index);
        if (swizzle.drop > 0) phase = emit.binary(OpKind::shr, phase, emit.integer(swizzle.drop));
        phase = emit.binary(OpKind::bit_and, phase, emit.integer(swizzle.phases - 1));
        return emit.binary(OpKind::bit_xor, given, emit.mul(phase, emit.integer(swizzle.piece)));
    };
    ValueId at = index(0);
    for (size_t i = 1; i < indices.size(); ++i) at = emit.add(emit.mul(at, memory.dims[i]), index(i));
    return at;
}

// Small vectors of one tile, the same for all tiles: element by element.
bool KernelCode::vector_operation(const Op& op) {
    auto indices = [&](ValueSpan given, size_t part) {
        std::vector<ValueId> out;
        for (ValueId index : given) out.push_back(emit.cast(scalars.at(index), DType::index));
        out.back() = emit.add(out.back(), emit.integer(static_cast<int64_t>(part)));
        return out;
    };
    if (op.kind == OpKind::vector_extract) {
        const VectorExtractOp extract(tile, op);
        scalars[extract.result()] = parts.at(extract.vector()).at(static_cast<size_t>(extract.position()));
        return true;
    }
    if (op.kind == OpKind::write_vector) {
        const WriteOp write(tile, op);
        const auto& values = parts.at(write.value());
        const Memory& memory = memories.at(write.memory());
        if (memory.packed) {
            store_packed(memory, indices(write.indices(), 0), values);
            return true;
        }
        for (size_t i = 0; i < values.size(); ++i) emit.store(address(memory, indices(write.indices(), i)), values[i]);
        return true;
    }
    if (op.results.empty() || !tile.type(op.results[0]).is_vector()) return false;
    const Type& type = tile.type(op.results[0]);
    std::vector<ValueId>& out = parts[op.results[0]];
    for (size_t i = 0; i < type.width; ++i) {
        if (op.kind == OpKind::read_vector) {
            const ReadOp read(tile, op);
            out.push_back(load(memories.at(read.memory()), indices(read.indices(), i)));
        } else if (op.kind == OpKind::vector_build) {
            out.push_back(scalars.at(op.operands[i]));
        } else {
            std::vector<ValueId> operands;
            for (ValueId v : op.operands) operands.push_back(parts.contains(v) ? parts.at(v)[i] : scalars.at(v));
            out.push_back(emit.op(op.kind, operands, op.attrs));
        }
    }
    return true;
}

// What both kinds of machines make of an operation in the same way.
struct KernelCode::Makes {
    static constexpr Row<bool (KernelCode::*)(const Op&)> kRows[]{
        {OpKind::constant, &KernelCode::make_element},
        {OpKind::yield, &KernelCode::leave},
        {OpKind::for_, &KernelCode::leave},
        {OpKind::while_, &KernelCode::leave},
        {OpKind::if_, &KernelCode::leave},
        {OpKind::call, &KernelCode::leave},
        {OpKind::dim, &KernelCode::make_dim},
        {OpKind::print, &KernelCode::leave},
        {OpKind::assert_, &KernelCode::leave},

        {OpKind::read, &KernelCode::make_read},
        {OpKind::write, &KernelCode::make_write},
        // Made before, as small vectors are (`vector_operation`).
        {OpKind::read_vector, &KernelCode::leave},
        {OpKind::write_vector, &KernelCode::leave},
        {OpKind::vector_extract, &KernelCode::leave},
        {OpKind::vector_build, &KernelCode::leave},

        {OpKind::tile_id, &KernelCode::leave},
        {OpKind::lane_id, &KernelCode::leave},
        {OpKind::group_id, &KernelCode::make_group_number},
        {OpKind::group_size, &KernelCode::make_group_number},
        {OpKind::group_count, &KernelCode::make_group_number},
        {OpKind::buffer, &KernelCode::leave},
        {OpKind::stage, &KernelCode::make_stage},
        {OpKind::atomic, &KernelCode::leave},
        {OpKind::copy_async, &KernelCode::leave},
        {OpKind::commit, &KernelCode::leave},
        {OpKind::wait_group, &KernelCode::leave},
        {OpKind::barrier, &KernelCode::leave},
        {OpKind::acquire, &KernelCode::leave},
        {OpKind::fill, &KernelCode::leave},
        {OpKind::take, &KernelCode::leave},
        {OpKind::release, &KernelCode::leave},
        {OpKind::group_reduce, &KernelCode::leave},
        {OpKind::group_scan, &KernelCode::leave},
        {OpKind::shuffle, &KernelCode::leave},
        {OpKind::broadcast, &KernelCode::leave},
        {OpKind::ballot, &KernelCode::leave},
        {OpKind::buffer_reduce, &KernelCode::make_buffer_reduce},
        {OpKind::grid, &KernelCode::leave},
        {OpKind::lanes, &KernelCode::leave},
        {OpKind::lane_read, &KernelCode::leave},
        {OpKind::result, &KernelCode::leave},
    };
    static constexpr Total<kRows, kControlFamily, kMemoryFamily, kTileFamily> kTable{};
};

bool KernelCode::scalar_operation(const Op& op) {
    emit.place = op.place;
    if (vector_operation(op)) return true;
    if (is_element(op.kind)) return make_element(op);
    return Makes::kTable.has(op.kind) && (this->*Makes::kTable[op.kind].answer)(op);
}

bool KernelCode::leave(const Op&) { return false; }

bool KernelCode::bind(const Op& op, ValueId made) {
    scalars[op.results[0]] = made;
    return true;
}

std::vector<ValueId> KernelCode::scalars_of(ValueSpan values) const {
    std::vector<ValueId> out;
    for (ValueId v : values) out.push_back(scalars.at(v));
    return out;
}

bool KernelCode::make_element(const Op& op) { return bind(op, emit.op(op.kind, scalars_of(op.operands), op.attrs)); }

bool KernelCode::make_dim(const Op& op) { return bind(op, dimension(op.attrs.dim(Attr::dim))); }

bool KernelCode::make_group_number(const Op& op) { return bind(op, group_number(op)); }

bool KernelCode::make_read(const Op& op) {
    const ReadOp read(tile, op);
    return bind(op, load(memories.at(read.memory()), scalars_of(read.indices())));
}

bool KernelCode::make_write(const Op& op) {
    const WriteOp write(tile, op);
    emit.store(address(memories.at(write.memory()), scalars_of(write.indices())), scalars.at(write.value()));
    return true;
}

bool KernelCode::make_buffer_reduce(const Op& op) { return bind(op, reduce_buffer(op)); }

bool KernelCode::make_stage(const Op& op) {
    const StageOp chosen(tile, op);
    Memory stage = memories.at(chosen.buffer());
    ValueId offset = emit.mul(emit.cast(scalars.at(chosen.index()), DType::index), emit.integer(stage.elements));
    stage.pointer = emit.pointer_add(stage.pointer, offset);
    memories[chosen.result()] = stage;
    return true;
}

ValueId KernelCode::group_number(const Op& op) {
    if (op.kind == OpKind::group_size) return emit.integer(tile.kernel.group_size());
    bool axis = op.attrs.has(Attr::axis);
    int64_t number = axis ? op.attrs.integer(Attr::axis) : 0;
    if (op.kind == OpKind::group_count) return axis ? counts[number] : total;
    if (!axis) return group;
    ValueId at = group;
    for (int64_t i = 0; i < number; ++i) at = emit.binary(OpKind::floordiv, at, counts[i]);
    return number == 2 ? at : emit.binary(OpKind::mod, at, counts[number]);
}

ValueId KernelCode::atomic_rmw(const Op& op) {
    const AtomicUpdateOp update(tile, op);
    const Memory& memory = memories.at(update.memory());
    std::vector<ValueId> operands{address(memory, scalars_of(update.indices())), scalars.at(update.value())};
    if (update.compares()) operands.push_back(scalars.at(update.compare()));
    return emit.op(OpKind::atomic_rmw, operands, {{Attr::op, op.attrs.integer(Attr::op)}});
}

std::vector<KernelCode::Axis> KernelCode::axes(const Op& op) {
    std::vector<Axis> out;
    const NestOp nest(tile, op);
    for (size_t i = 0; i < nest.axes(); ++i) {
        ValueId lower = scalars.at(nest.lower(i));
        ValueId upper = scalars.at(nest.upper(i));
        ValueId step = scalars.at(nest.step(i));
        ValueId count;
        if (emit.is_integer(step, 1) && emit.is_integer(lower, 0)) {
            count = upper;
        } else {  // ceil((upper - lower) / step), for either sign
            ValueId span = emit.binary(OpKind::sub, lower, upper);
            ValueId floor = emit.is_integer(step, 1) ? span : emit.binary(OpKind::floordiv, span, step);
            count = emit.op(OpKind::neg, {floor});
        }
        out.push_back({lower, step, emit.binary(OpKind::maximum, count, emit.integer(0))});
    }
    return out;
}

ValueId KernelCode::rounds(const std::vector<Axis>& axes) {
    ValueId product = axes[0].count;
    for (size_t i = 1; i < axes.size(); ++i) product = emit.mul(product, axes[i].count);
    return product;
}

void KernelCode::bind_round(const Op& op, const std::vector<Axis>& axes, ValueId number) {
    const auto& args = tile.region(op.regions[0]).args;
    for (size_t i = axes.size(); i-- > 0;) {
        ValueId at = i == 0 ? number : emit.binary(OpKind::mod, number, axes[i].count);
        if (i > 0) number = emit.binary(OpKind::floordiv, number, axes[i].count);
        scalars[args[i]] = emit.add(axes[i].lower, emit.mul(at, axes[i].step));
    }
}

}  // namespace tsr::ir
