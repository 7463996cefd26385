// What the tiles of a group or warp do together, in the orders that the operations' records state, and what tiles say.
#include <algorithm>

#include <fmt/format.h>

#include "ir/eval/one_tile/team.h"
#include "ir/eval/text_parts.h"
#include "ir/law/reduction.h"
#include "ir/ops/control.h"
#include "ir/ops/effects.h"
#include "ir/ops/reduction.h"
#include "ir/ops/tile.h"

namespace tsr::ir::eval::one_tile {

namespace {

constexpr size_t kWarp = 32;

std::string_view in_words(const Function& kernel, OpId id) {
    const Op& op = kernel.op(id);
    if (is_of_register_tiles(kernel, op)) return "an operation on a register tile";
    switch (op.kind) {
        case OpKind::barrier:
            return "a barrier";
        case OpKind::copy_async:
            return "an asynchronous copy";
        case OpKind::commit:
            return "a commit of copies";
        case OpKind::wait_group:
            return "a wait for copies";
        case OpKind::group_reduce:
            return "a reduction over the group";
        case OpKind::group_scan:
            return "a scan over the group";
        case OpKind::shuffle:
            return "a shuffle";
        case OpKind::broadcast:
            return "a broadcast";
        case OpKind::ballot:
            return "a ballot";
        case OpKind::for_:
            return "a loop over the group's tiles";
        default:
            return "an operation of the whole group";
    }
}

}  // namespace

void Team::need_all(OpId id, const Mask& mask) {
    const Op& op = kernel_.op(id);
    if (who_.flat) stop(kernel_, id, fmt::format("{} in a flat kernel, which has no groups", in_words(kernel_, id)));
    if (who_.only_some[op.parent.index] || mask.active != tiles_)
        stop(kernel_, id, fmt::format("{} that not all tiles of the group reach", in_words(kernel_, id)));
    if (!is_of_register_tiles(kernel_, op)) return;
    if (std::ranges::any_of(op.operands, [&](ValueId v) { return varies(v); })) {
        stop(kernel_, id,
             "a register tile is one for the group, but is made here of a value that differs between tiles");
    }
}

bool Team::together(OpId id, const Op& op, const Mask& mask) {
    switch (op.kind) {
        case OpKind::barrier:
            need_all(id, mask);
            ++section_;
            return arrive(), true;
        case OpKind::commit:
            need_all(id, mask);
            for (Pending& copy : copies_) {
                if (copy.commit < 0) copy.commit = committed_;
            }
            ++committed_;
            return true;
        case OpKind::wait_group: {
            const WaitOp wait(kernel_, id);
            if (wait.of_products()) return false;
            need_all(id, mask);
            for (Pending& copy : copies_) {
                if (copy.commit >= 0 && copy.commit < committed_ - wait.left()) copy.waited = true;
            }
            return true;
        }
        case OpKind::group_reduce:
            need_all(id, mask);
            ++section_;
            return reduce_group(id), true;
        case OpKind::group_scan:
            need_all(id, mask);
            ++section_;
            return scan_group(id), true;
        case OpKind::shuffle:
        case OpKind::broadcast:
            need_all(id, mask);
            ++section_;
            return shuffle(id), true;
        case OpKind::ballot:
            need_all(id, mask);
            ++section_;
            return ballot(id), true;
        case OpKind::buffer_reduce:
            return reduce_buffer(id), true;
        case OpKind::result: {
            const ResultOp result(kernel_, id);
            if (!who_.is_groups(kernel_, id))
                stop(kernel_, id, "a kernel returns one value, but this one differs between tiles");
            if (group_ == 0) launch_.outcome.result = ScalarValue{type(result.value()).elem, one(result.value())};
            return true;
        }
        case OpKind::print:
        case OpKind::assert_:
            return text(id, op, mask), true;
        default:
            return false;
    }
}

void Team::reduce_group(OpId id) {
    const GroupReduceOp reduce(kernel_, id);
    const DType elem = type(reduce.value()).elem;
    const OpKind combine = combining(reduce.what());
    Bits all = 0;
    for (size_t first = 0; first < tiles_; first += kWarp) {
        const size_t present = std::min(kWarp, tiles_ - first);
        std::vector<Bits> warp;
        for (size_t i = 0; i < present; ++i) warp.push_back(of_tile(reduce.value(), first + i));
        for (size_t distance = kWarp / 2; distance > 0; distance /= 2) {
            for (size_t i = 0; i < distance && i + distance < present; ++i)
                warp[i] = exactly(combine, elem, warp[i], warp[i + distance]);
        }
        all = first == 0 ? warp[0] : exactly(combine, elem, all, warp[0]);
    }
    set_one(reduce.result(), all);
}

void Team::scan_group(OpId id) {
    const GroupReduceOp scan(kernel_, id);
    const DType elem = type(scan.value()).elem;
    const OpKind combine = combining(scan.what());
    std::vector<Bits> sums;
    for (size_t i = 0; i < tiles_; ++i) {
        const Bits value = of_tile(scan.value(), i);
        sums.push_back(i == 0 ? value : exactly(combine, elem, sums.back(), value));
    }
    make(scan.result()) = std::move(sums);
}

void Team::shuffle(OpId id) {
    const ShuffleOp shuffle(kernel_, id);
    std::vector<Bits> taken;
    for (size_t i = 0; i < tiles_; ++i) {
        const size_t from = i / kWarp * kWarp + of_tile(shuffle.source(), i) % kWarp;
        taken.push_back(of_tile(shuffle.value(), from < tiles_ ? from : i));
    }
    make(shuffle.result()) = std::move(taken);
}

void Team::ballot(OpId id) {
    const BallotOp ballot(kernel_, id);
    std::vector<Bits> words(tiles_, 0);
    for (size_t i = 0; i < tiles_; ++i) {
        const size_t first = i / kWarp * kWarp;
        for (size_t k = first; k < std::min(first + kWarp, tiles_); ++k)
            words[i] |= of_tile(ballot.condition(), k) << (k - first);
    }
    make(ballot.result()) = std::move(words);
}

void Team::reduce_buffer(OpId id) {
    constexpr size_t kPartials = 16;
    const GroupReduceOp reduce(kernel_, id);
    const Handle from = handle(reduce.value());
    const DType elem = type(reduce.value()).elem;
    const OpKind combine = combining(reduce.what());
    std::vector<Bits> partials(kPartials, reduction_identity(reduce.what(), elem));
    for (int64_t at = 0; at < from.memory->elements(); ++at) {
        Bits& partial = partials[static_cast<size_t>(at) % kPartials];
        partial = exactly(combine, elem, partial, from.get(at));
    }
    for (size_t distance = kPartials / 2; distance > 0; distance /= 2) {
        for (size_t i = 0; i < distance; ++i) partials[i] = exactly(combine, elem, partials[i], partials[i + distance]);
    }
    set_one(reduce.result(), partials[0]);
}

std::string Team::who(std::optional<size_t> tile) const {
    const int64_t number = tile ? first_ + static_cast<int64_t>(*tile) : 0;
    if (who_.flat || (who_.is_elements() && spread_)) return tile ? fmt::format("tile {}", number) : "every tile";
    const std::string group = fmt::format("group {}", group_);
    return tile ? fmt::format("{} {} of {}", spread_ ? "round" : "tile", number, group) : group;
}

std::string Team::line(const Op& op, size_t first, size_t tile) const {
    std::string text;
    for (const TextPart& part : parse_text_parts(op.attrs.string(Attr::text))) {
        text += part.text;
        if (!part.value || first >= op.operands.size()) continue;
        const ValueId v = op.operands[first++];
        text += format_element(launch_.options, type(v).elem, of_tile(v, tile), part.spec);
    }
    return text;
}

// Lines come in the order of groups, then of what the group does together, then of tiles.
void Team::text(OpId id, const Op& op, const Mask& mask) {
    const bool prints = op.kind == OpKind::print;
    const bool once = is_once(id);
    for (size_t i = 0; i < tiles_; ++i) {
        if (mask.on[i] == 0) continue;
        if (!prints) {
            if (of_tile(AssertOp(kernel_, op).condition(), i) != 0) continue;
            const std::string why = line(op, 1, i);
            stop(kernel_, id,
                 fmt::format("assertion failed{}{}{}", why.empty() ? "" : ": ", why, once ? "" : ", in " + who(i)));
        }
        const int64_t tile = first_ + static_cast<int64_t>(i);
        if (once) {
            launch_.lines.push_back({group_, ++section_, 0, line(op, 0, i)});
            ++section_;
            return;
        }
        const bool of_launch = who_.flat || (who_.is_elements() && spread_);
        launch_.lines.push_back({of_launch ? tile : group_, section_, tile, line(op, 0, i)});
    }
}

}  // namespace tsr::ir::eval::one_tile
