#include "ir/build/inline_call.h"

#include <map>
#include <set>
#include <string>

#include <fmt/format.h>

#include "ir/build/clone.h"
#include "ir/build/dim_code.h"
#include "ir/core/internal.h"
#include "ir/ops/bound_dim.h"
#include "ir/ops/control.h"

namespace tsr::ir {

namespace {

class Inliner {
public:
    Inliner(Builder& at, const Function& callee, Values arguments)
        : at_(at), caller_(at.function()), callee_(callee), arguments_(std::move(arguments)) {}

    struct Put {
        Values results;
        std::vector<EqualExtents> conditions;
    };
    Result<Put> run() {
        if (&caller_ == &callee_) return Failure{fmt::format("@{} calls itself", callee_.name)};
        if (auto fault = bind_symbols()) return *fault;
        Put put;
        if (auto fault = compare_extents(put.conditions)) return *fault;
        try {
            put.results = body();
        } catch (const InternalError&) {
            // The callee was checked with symbols; here they are numbers.
            if (auto fault = unequal_extents()) return *fault;
            throw;
        }
        return put;
    }

private:
    [[nodiscard]] const Value& param(size_t number) const { return callee_.value(callee_.params()[number]); }

    [[nodiscard]] OperandAxis given(size_t number, size_t axis) const {
        return {number, axis, caller_.type(arguments_[number]).shape[axis], param(number).name};
    }

    // Each symbol becomes what stands where a parameter's shape has it alone.
    std::optional<Failure> bind_symbols() {
        for (size_t i = 0; i < arguments_.size(); ++i) {
            if (param(i).role.kind == ParamRole::Kind::dimension) {
                const auto dim = dimension_given(caller_, arguments_[i]);
                if (!dim) return Failure{fmt::format("`{}` is known when the program runs", param(i).name)};
                symbols_.emplace(callee_.symbols[static_cast<size_t>(param(i).role.number)],
                                 OperandAxis{i, 0, *dim, param(i).name});
            }
            const std::vector<Dim>& shape = param(i).type.shape;
            for (size_t axis = 0; axis < shape.size(); ++axis) {
                if (const auto name = shape[axis].symbol_name()) symbols_.emplace(*name, given(i, axis));
            }
        }
        std::set<std::string> inside;
        for (size_t i = 0; i < callee_.op_count(); ++i) {
            if (BoundDimOp::is_one(callee_.op(OpId(i)))) inside.insert(BoundDimOp(callee_, OpId(i)).symbol());
        }
        for (const std::string& symbol : callee_.symbols) {
            if (!symbols_.contains(symbol) && !inside.contains(symbol))
                return Failure{fmt::format("no argument's shape gives the dimension `{}`", symbol)};
        }
        return std::nullopt;
    }

    [[nodiscard]] std::optional<Dim> of_symbol(const std::string& name) const {
        const auto found = symbols_.find(name);
        return found == symbols_.end() ? std::nullopt : std::optional(found->second.extent);
    }

    // What the callee's declaration says of an axis: of a symbol alone, the axis that gives it its value.
    [[nodiscard]] OperandAxis expected(size_t number, size_t axis) const {
        const Dim& dim = param(number).type.shape[axis];
        if (const auto name = dim.symbol_name()) return symbols_.at(*name);
        const Dim value = dim.substitute([&](const std::string& name) { return of_symbol(name); });
        return {number, axis, value, param(number).name};
    }

    std::optional<Failure> compare_extents(std::vector<EqualExtents>& conditions) {
        for (size_t i = 0; i < arguments_.size(); ++i) {
            for (size_t axis = 0; axis < param(i).type.rank(); ++axis) {
                if (auto fault = same_extent(given(i, axis), expected(i, axis), conditions)) return fault;
            }
        }
        return std::nullopt;
    }

    // What an assertion of the callee says of two extents that are different numbers in this call.
    [[nodiscard]] std::optional<Failure> unequal_extents() const {
        for (size_t i = 0; i < callee_.op_count(); ++i) {
            const Op& op = callee_.op(OpId(i));
            if (!op.parent.valid() || op.kind != OpKind::assert_) continue;
            const AssertOp assertion(callee_, OpId(i));
            std::string text = assertion.text();
            std::vector<int64_t> numbers;
            for (const ValueId value : assertion.values()) {
                const auto dim = dimension_of(callee_, value);
                const auto here =
                    dim ? dim->substitute([&](const std::string& name) { return of_symbol(name); }) : Dim();
                const auto number = here.constant_value();
                const size_t hole = text.find("{}");
                if (!dim || !number || hole == std::string::npos) break;
                numbers.push_back(*number);
                text.replace(hole, 2, std::to_string(*number));
            }
            if (numbers.size() == 2 && numbers[0] != numbers[1]) return Failure{std::move(text)};
        }
        return std::nullopt;
    }

    // Where the call stands in the source comes behind the calls that the place has already.
    PlaceId inlined(PlaceId old) {
        if (const auto found = places_.find(old); found != places_.end()) return found->second;
        Place place = old.valid() ? callee_.place_of(old) : Place{};
        const PlaceId at = at_.place();
        if (at.valid()) {
            const Place around = caller_.place_of(at);
            place.inlined_at.push_back(around.span);
            place.inlined_at.insert(place.inlined_at.end(), around.inlined_at.begin(), around.inlined_at.end());
        }
        return places_[old] = caller_.add_place(std::move(place));
    }

    Values body() {
        ValueMap values;
        for (size_t i = 0; i < arguments_.size(); ++i) values[callee_.params()[i]] = arguments_[i];
        Cloner cloner(callee_, caller_, values);
        cloner.place = [&](PlaceId old) { return inlined(old); };
        cloner.dim = [&](const std::string& name) { return of_symbol(name); };
        cloner.own_symbols = true;
        return cloner.contents(at_, callee_.body);
    }

    Builder& at_;
    Function& caller_;
    const Function& callee_;
    Values arguments_;
    std::map<std::string, OperandAxis> symbols_;  // what gives each its value
    std::map<PlaceId, PlaceId> places_;
};

}  // namespace

Result<std::vector<EqualExtents>> inline_call(Function& caller, OpId call, const Function& callee) {
    const CallOp op(caller, call);
    Builder at = Builder::at(caller, call);
    auto put = Inliner(at, callee, {op.arguments().begin(), op.arguments().end()}).run();
    if (!put) return Failure{put.message()};
    const Values old = caller.op(call).results;
    caller.remove(call);
    for (size_t i = 0; i < old.size(); ++i) caller.replace_uses(old[i], put.value().results[i]);
    return std::move(put.value().conditions);
}

Result<Values> put_body(Builder& at, const Function& callee, const Values& arguments) {
    auto put = Inliner(at, callee, arguments).run();
    if (!put) return Failure{put.message()};
    return std::move(put.value().results);
}

}  // namespace tsr::ir
