#include "ir/passes/graph/recompute.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <span>

#include "ir/build/clone.h"
#include "ir/core/lines.h"
#include "ir/ops/effects.h"
#include "ir/ops/graph.h"
#include "ir/ops/record.h"

namespace tsr::ir {

namespace {

constexpr int64_t kSmall = 8;  // a value that has so many times fewer bytes than another is kept for it

// Where the operations of a function's body stand, and where values are used there.
class UsesInBody {
public:
    explicit UsesInBody(const Function& graph) : graph_(graph) {
        const std::vector<OpId>& ops = graph.region(graph.body).ops;
        for (size_t i = 0; i < ops.size(); ++i) {
            place_[ops[i]] = i;
            note(ops[i], i);
        }
    }

    [[nodiscard]] const std::vector<OpId>& ops() const { return graph_.region(graph_.body).ops; }
    [[nodiscard]] std::optional<size_t> made_at(ValueId v) const {
        const auto found = place_.find(graph_.value(v).op);
        return found == place_.end() ? std::nullopt : std::optional(found->second);
    }
    // In order, each place once.
    [[nodiscard]] const std::vector<size_t>& of(ValueId v) const {
        static const std::vector<size_t> none;
        const auto found = uses_.find(v);
        return found == uses_.end() ? none : found->second;
    }
    [[nodiscard]] bool is_used_from(ValueId v, size_t place) const { return !of(v).empty() && of(v).back() >= place; }

private:
    void note(OpId id, size_t place) {
        const Op& op = graph_.op(id);
        for (const ValueId v : op.operands) {
            std::vector<size_t>& uses = uses_[v];
            if (uses.empty() || uses.back() != place) uses.push_back(place);
        }
        for (const RegionId region : op.regions) {
            for (const OpId inner : graph_.region(region).ops) note(inner, place);
        }
    }

    const Function& graph_;
    std::map<OpId, size_t> place_;
    std::map<ValueId, std::vector<size_t>> uses_;
};

std::optional<int64_t> bytes_in(const Type& type, int64_t extent) {
    if (type.kind != TypeKind::tensor) return 0;
    return at_extent(bytes_of(type), extent);
}

// Bits do not depend on the kernel that it is part of.
bool may_be_repeated(const Op& op) {
    if (!op.regions.empty() || op.results.size() != 1 || !is_pure(op.kind)) return false;
    switch (op.kind) {
        case OpKind::constant:
        case OpKind::dim:
        case OpKind::full:
        case OpKind::contract:
        case OpKind::expand:
        case OpKind::transpose:
        case OpKind::positions:
        case OpKind::reshape:
        case OpKind::slice:
        case OpKind::pad:
        case OpKind::concat:
        case OpKind::update:
        case OpKind::gather_axis:
            return true;
        default:
            return is_element(op.kind);
    }
}

bool is_free(const Op& op) { return !is_element(op.kind) && record(op.kind).cost == Cost::free; }

std::optional<int64_t> work_of(const Function& graph, OpId id, int64_t extent) {
    const Op& op = graph.op(id);
    const auto elements = [&](ValueId v) { return at_extent(element_count(graph.type(v).shape), extent); };
    const auto count = elements(op.results.front());
    if (!count) return std::nullopt;
    if (op.kind != OpKind::contract) return *count * std::max<int64_t>(1, instructions(record(op.kind).cost));
    const auto of_a = elements(ContractOp(graph, id).a()), of_b = elements(ContractOp(graph, id).b());
    if (!of_a || !of_b) return std::nullopt;
    // rows * columns * depth, of sqrt(rows depth * depth columns * rows columns)
    const double steps = static_cast<double>(*of_a) * static_cast<double>(*of_b) * static_cast<double>(*count);
    return static_cast<int64_t>(2 * std::sqrt(steps));
}

// What is done again for a value that is wanted at a place of the body.
class Slice {
public:
    Slice(const Function& graph, const UsesInBody& uses, ValueId wanted, size_t place, int64_t extent)
        : graph_(graph), uses_(uses), wanted_(wanted), place_(place), extent_(extent) {
        sound_ = visit(wanted);
    }
    [[nodiscard]] bool sound() const { return sound_ && !ops_.empty(); }
    [[nodiscard]] const std::set<size_t>& ops() const { return ops_; }  // places in the body
    [[nodiscard]] const std::set<ValueId>& kept() const { return kept_; }
    [[nodiscard]] int64_t work() const { return work_; }

private:
    bool visit(ValueId v) {
        const auto made = uses_.made_at(v);
        const bool there = !made || (v != wanted_ && !needs_no_memory(v) && uses_.is_used_from(v, place_));
        if (there) {
            kept_.insert(v);
            return true;
        }
        if (ops_.contains(*made)) return true;
        const OpId id = uses_.ops()[*made];
        const auto work = work_of(graph_, id, extent_);
        if (!may_be_repeated(graph_.op(id)) || !work) {
            // A small one, such as the sums of rows, lives longer.
            const auto bytes = bytes_in(graph_.type(v), extent_);
            const auto of_wanted = bytes_in(graph_.type(wanted_), extent_);
            if (v == wanted_ || !bytes || !of_wanted || *bytes * kSmall > *of_wanted) return false;
            kept_.insert(v);
            return true;
        }
        ops_.insert(*made);
        work_ += *work;
        return std::ranges::all_of(graph_.op(id).operands, [&](ValueId from) { return visit(from); });
    }

    // Kernels read it where it is computed from, or know it.
    bool needs_no_memory(ValueId v) const {
        const Op& op = graph_.op(graph_.value(v).op);
        const bool known = op.kind == OpKind::constant || op.kind == OpKind::dim;
        return known || (may_be_repeated(op) && is_free(op));
    }

    const Function& graph_;
    const UsesInBody& uses_;
    ValueId wanted_;
    size_t place_;
    int64_t extent_;
    std::set<size_t> ops_;
    std::set<ValueId> kept_;
    int64_t work_ = 0;
    bool sound_ = false;
};

// The place of the use behind the longest way on which nothing uses the value.
std::optional<size_t> late_use(const UsesInBody& uses, ValueId v) {
    size_t before = *uses.made_at(v), longest = 1;
    std::optional<size_t> late;
    for (const size_t use : uses.of(v)) {
        if (use - before > longest) {
            longest = use - before;
            late = use;
        }
        before = use;
    }
    return late;
}

}  // namespace

std::optional<int64_t> at_extent(const Dim& dim, int64_t extent) {
    return dim.evaluate([&](const std::string&) { return std::optional(extent); });
}

std::vector<Recomputed> recomputable(const Function& graph, int64_t extent) {
    const UsesInBody uses(graph);
    std::vector<Recomputed> found;
    for (const OpId id : uses.ops()) {
        for (const ValueId v : graph.op(id).results) {
            const auto bytes = bytes_in(graph.type(v), extent);
            const auto late = bytes.value_or(0) > 0 && !is_free(graph.op(id)) ? late_use(uses, v) : std::nullopt;
            if (!late || graph.op(uses.ops()[*late]).kind == OpKind::yield) continue;
            const Slice slice(graph, uses, v, *late, extent);
            if (slice.sound()) found.push_back({v, uses.ops()[*late], *bytes, slice.work(), extent});
        }
    }
    std::ranges::stable_sort(found, [](const Recomputed& a, const Recomputed& b) {
        return static_cast<double>(a.bytes) * static_cast<double>(b.work) >
               static_cast<double>(b.bytes) * static_cast<double>(a.work);
    });
    return found;
}

bool recompute(Function& graph, const Recomputed& chosen) {
    const UsesInBody uses(graph);
    const std::vector<OpId>& ops = uses.ops();
    const auto late = static_cast<size_t>(std::ranges::find(ops, chosen.before) - ops.begin());
    if (late == ops.size() || !uses.is_used_from(chosen.value, late)) return false;
    const Slice slice(graph, uses, chosen.value, late, chosen.extent);
    if (!slice.sound()) return false;
    Builder at = Builder::at(graph, chosen.before);
    at.take_place(graph.value(chosen.value).op);
    ValueMap values;
    for (const ValueId v : slice.kept()) {
        if (graph.type(v).kind == TypeKind::tensor)
            values[v] = at.value(OpKind::reshape, {v}, {{Attr::shape, graph.type(v).shape}, {Attr::anew, kFlag}});
    }
    Cloner cloner(graph, graph, values);
    for (const size_t place : slice.ops()) cloner.copy(at, ops[place]);
    const ValueId again = values.at(chosen.value);
    const auto replace = [&](const auto& self, OpId id) -> void {
        for (ValueId& v : graph.op(id).operands) {
            if (v == chosen.value) v = again;
        }
        for (const RegionId region : graph.op(id).regions) {
            for (const OpId inner : graph.region(region).ops) self(self, inner);
        }
    };
    for (size_t place = late; place < ops.size(); ++place) replace(replace, ops[place]);
    return true;
}

namespace {

// The way from a function to one that needs less, step by step.
class MemorySearch {
public:
    // By peaks: a step lowers the greatest of the times at which most is there; else all that are beyond the limit.
    MemorySearch(const Function& graph, int64_t limit, int64_t extent, int tries, bool by_peaks,
                 const MemoryNeedOf& need_of)
        : now_(graph), limit_(limit), extent_(extent), left_(tries), by_peaks_(by_peaks), need_of_(need_of) {
        measure();
        best_ = {need_.most, now_, {}};
    }

    void run() {
        do {
            taken_ = false;
            const std::vector<Recomputed> choices = recomputable(now_, extent_);
            const size_t together = std::max<size_t>(1, choices.size() / kGroups);
            for (size_t i = 0; i < choices.size(); i += together)
                take(std::span(choices).subspan(i, std::min(together, choices.size() - i)));
        } while (taken_ && wants_more());
    }
    // Of all that were gone through, what had least at once.
    struct Best {
        int64_t most;
        Function function;
        std::vector<Recomputed> chosen;
    };
    [[nodiscard]] const Best& best() const { return best_; }

private:
    static constexpr size_t kGroups = 16;  // of values that are tried at once

    [[nodiscard]] bool wants_more() const { return need_.most > limit_ && left_ > 0; }

    void measure() {
        need_ = *need_of_(now_, limit_);
        if (!by_peaks_) return;
        goal_ = std::max(limit_, need_.most - 1);
        need_ = *need_of_(now_, goal_);
    }
    [[nodiscard]] int64_t goal() const { return by_peaks_ ? goal_ : limit_; }

    // All of them where that lessens the need, else each half alone; no more of them than the limit asks for.
    void take(std::span<const Recomputed> some) {
        if (!wants_more()) return;
        --left_;
        Function tried = now_;
        std::vector<Recomputed> done;
        for (const Recomputed& one : some) {
            if (recompute(tried, one)) done.push_back(one);
        }
        if (done.empty()) return;
        const auto need = need_of_(tried, goal());
        const bool less = need && *need < need_;
        if (some.size() > 1 && (!less || need->most <= limit_)) {
            take(some.first(some.size() / 2));
            return take(some.subspan(some.size() / 2));
        }
        if (!less) return;
        now_ = std::move(tried);
        chosen_.insert(chosen_.end(), done.begin(), done.end());
        need_ = *need;
        taken_ = true;
        if (need_.most < best_.most) best_ = {need_.most, now_, chosen_};
        if (by_peaks_) measure();
    }

    Function now_;
    int64_t limit_, extent_;
    int left_;
    bool by_peaks_;
    const MemoryNeedOf& need_of_;
    MemoryNeed need_;
    int64_t goal_ = 0;
    std::vector<Recomputed> chosen_;
    Best best_;
    bool taken_ = false;
};

}  // namespace

std::optional<MemoryFit> fit_memory(Function& graph, int64_t limit, int64_t extent, int tries,
                                    const MemoryNeedOf& need_of) {
    const auto first = need_of(graph, limit);
    if (!first) return std::nullopt;
    MemoryFit fit{first->most, first->most, {}};
    const Function original = graph;
    // What is beyond the limit at all times together, then, where that is not enough, peak after peak: only several
    // steps may lower one.
    for (const bool by_peaks : {false, true}) {
        if (fit.after <= limit) break;
        MemorySearch search(original, limit, extent, tries, by_peaks, need_of);
        search.run();
        if (search.best().most >= fit.after) continue;
        graph = search.best().function;
        fit.after = search.best().most;
        fit.chosen = search.best().chosen;
    }
    return fit;
}

}  // namespace tsr::ir
