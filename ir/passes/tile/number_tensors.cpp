#include "ir/passes/tile/number_tensors.h"

#include <algorithm>
#include <set>
#include <unordered_map>

#include "ir/build/clone.h"
#include "ir/passes/tile/walk.h"

namespace tsr::ir {

namespace {

class Numbering {
public:
    explicit Numbering(Function& kernel) : kernel_(kernel) {
        for (size_t i = 0; i < kernel.params().size(); ++i) numbers_[kernel.params()[i]] = i;
    }

    void run() {
        find_choices();
        if (choices_.empty()) return;
        do {
            changed_ = false;
            visit_flow([&](ValueId to, RegionId, size_t, ValueId& from) { follow(to, from); });
        } while (changed_);
        std::vector<OpId> through;
        walk(kernel_, kernel_.body, [&](OpId id) {
            if (memory_operand(kernel_.op(id))) through.push_back(id);
        });
        for (OpId id : through) name_tensor(id);
        carry_numbers();
    }

private:
    [[nodiscard]] bool is_tensor(ValueId v) const { return kernel_.type(v).kind == TypeKind::tensor; }

    void find_choices() {
        const auto note = [&](ValueId v) {
            if (is_tensor(v)) choices_[v];
        };
        walk(kernel_, kernel_.body, [&](OpId id) {
            const Op& op = kernel_.op(id);
            for (ValueId result : op.results) note(result);
            for (RegionId region : op.regions) {
                for (ValueId arg : kernel_.region(region).args) note(arg);
            }
        });
    }

    // Calls `flows(to, region, position, from)` for each tensor that flows into a result or argument of control flow;
    // `from` is an operand, which may be replaced by a value that stands before `position` of `region`.
    template <typename Flows>
    void visit_flow(const Flows& flows) {
        std::vector<OpId> all;
        walk(kernel_, kernel_.body, [&](OpId id) { all.push_back(id); });
        for (OpId id : all) {
            Op& op = kernel_.op(id);
            if (op.kind != OpKind::if_ && op.kind != OpKind::for_ && op.kind != OpKind::while_) continue;
            const bool loop = op.kind != OpKind::if_;
            const size_t bounds = op.kind == OpKind::for_ ? 3 : 0;  // operands before what is carried
            const size_t own = op.kind == OpKind::for_ ? 1 : 0;     // arguments before what is carried
            for (size_t i = 0; i < op.results.size(); ++i) {
                if (!choices_.contains(op.results[i])) continue;
                if (loop) flow_in(id, op.operands[bounds + i], op.results[i], flows);
                for (size_t k = 0; k < op.regions.size(); ++k) {
                    if (loop) {
                        ValueId arg = kernel_.region(op.regions[k]).args[own + i];
                        ValueId carried = op.results[i];
                        flows(arg, RegionId{}, 0, carried);
                    }
                    if (op.kind == OpKind::while_ && k == 0) continue;  // the test gives a bool
                    OpId yield = kernel_.region(op.regions[k]).ops.back();
                    flow_in(yield, kernel_.op(yield).operands[i], op.results[i], flows);
                }
            }
        }
    }

    template <typename Flows>
    void flow_in(OpId user, ValueId& from, ValueId to, const Flows& flows) {
        RegionId region = kernel_.op(user).parent;
        const auto& ops = kernel_.region(region).ops;
        flows(to, region, static_cast<size_t>(std::ranges::find(ops, user) - ops.begin()), from);
    }

    void follow(ValueId to, ValueId from) {
        std::set<size_t>& into = choices_.at(to);
        const size_t before = into.size();
        if (auto parameter = numbers_.find(from); parameter != numbers_.end()) {
            into.insert(parameter->second);
        } else {
            const std::set<size_t> more = choices_.at(from);
            into.insert(more.begin(), more.end());
        }
        changed_ |= into.size() != before;
    }

    // The operand that is a chosen tensor.
    [[nodiscard]] std::optional<size_t> memory_operand(const Op& op) const {
        if (!op.regions.empty() || op.kind == OpKind::yield) return std::nullopt;
        for (size_t i = 0; i < op.operands.size(); ++i) {
            if (choices_.contains(op.operands[i])) return i;
        }
        return std::nullopt;
    }

    ValueId number(RegionId region, size_t at, size_t parameter, PlaceId place) {
        OpId op = kernel_.add_op(OpKind::constant, place, {}, {Type::scalar(DType::index)},
                                 {{Attr::value, static_cast<int64_t>(parameter)}, {Attr::type, DType::index}});
        kernel_.insert(region, at, op);
        return kernel_.op(op).results[0];
    }

    // The operation, once for each parameter that its tensor may be.
    void name_tensor(OpId id) {
        const size_t operand = memory_operand(kernel_.op(id)).value();
        const ValueId chosen = kernel_.op(id).operands[operand];
        const std::set<size_t>& set = choices_.at(chosen);
        std::vector<size_t> parameters(set.begin(), set.end());
        if (parameters.empty()) return;
        if (parameters.size() == 1) {
            kernel_.op(id).operands[operand] = kernel_.params()[parameters[0]];
            return;
        }
        const RegionId region = kernel_.op(id).parent;
        const auto& ops = kernel_.region(region).ops;
        const auto at = static_cast<size_t>(std::ranges::find(ops, id) - ops.begin());
        const Op original = kernel_.op(id);
        kernel_.remove(id);
        std::vector<ValueId> results = choose(region, at, id, chosen, parameters, 0);
        for (size_t i = 0; i < results.size(); ++i) kernel_.replace_uses(original.results[i], results[i]);
    }

    std::vector<ValueId> choose(RegionId region, size_t at, OpId id, ValueId chosen,
                                const std::vector<size_t>& parameters, size_t first) {
        if (first + 1 == parameters.size()) {
            ValueMap values{{chosen, kernel_.params()[parameters[first]]}};
            Cloner cloner(kernel_, kernel_, values);
            cloner.names = false;
            const OpId copy = cloner.make(id);
            kernel_.insert(region, at, copy);
            return kernel_.op(copy).results;
        }
        const Op& original = kernel_.op(id);
        std::vector<Type> types;
        for (ValueId result : original.results) types.push_back(kernel_.type(result));
        ValueId mine = number(region, at, parameters[first], original.place);
        OpId same = kernel_.add_op(OpKind::eq, original.place, {chosen, mine}, {Type::scalar(DType::boolean)});
        kernel_.insert(region, at + 1, same);
        OpId choice = kernel_.add_op(OpKind::if_, original.place, {kernel_.op(same).results[0]}, types,
                                     {{Attr::of_tensor, kFlag}});
        kernel_.insert(region, at + 2, choice);
        const std::vector<size_t> one{parameters[first]};
        for (int side = 0; side < 2; ++side) {
            RegionId inner = kernel_.add_region(choice);
            auto given =
                side == 0 ? choose(inner, 0, id, chosen, one, 0) : choose(inner, 0, id, chosen, parameters, first + 1);
            kernel_.append(inner, kernel_.add_op(OpKind::yield, original.place, given, {}));
        }
        return kernel_.op(choice).results;
    }

    void carry_numbers() {
        for (auto& [value, unused] : choices_) kernel_.value(value).type = Type::scalar(DType::index);
        visit_flow([&](ValueId, RegionId region, size_t at, ValueId& from) {
            auto parameter = numbers_.find(from);
            if (region.valid() && parameter != numbers_.end() && is_tensor(from)) {
                from = number(region, at, parameter->second, kernel_.op(kernel_.region(region).ops[at]).place);
            }
        });
    }

    Function& kernel_;
    std::unordered_map<ValueId, size_t> numbers_;
    std::unordered_map<ValueId, std::set<size_t>> choices_;  // tensors that are no parameter → parameters they may be
    bool changed_ = false;
};

}  // namespace

void number_tensors(Function& kernel) { Numbering(kernel).run(); }

}  // namespace tsr::ir
