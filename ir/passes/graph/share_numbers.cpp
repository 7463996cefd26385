#include "ir/passes/graph/share_numbers.h"

#include <algorithm>
#include <bit>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "ir/build/builder.h"
#include "ir/ops/control.h"
#include "ir/ops/effects.h"
#include "ir/passes/graph/indexed_code.h"
#include "ir/passes/graph/packed_results.h"
#include "ir/text/print.h"

namespace tsr::ir {

namespace {

constexpr size_t kEnough = 3;  // functions that differ

// What does the same whatever the number is. Not `pow`: some exponents have code of their own.
constexpr OpKind kAnyNumber[]{OpKind::add,     OpKind::sub,    OpKind::mul, OpKind::div, OpKind::fma, OpKind::maximum,
                              OpKind::minimum, OpKind::select, OpKind::lt,  OpKind::le,  OpKind::gt,  OpKind::ge};

// The constants of a fused function that may be parameters, in program order.
class Numbers {
public:
    explicit Numbers(const Function& fused) : fused_(fused), users_(fused.value_count()) {
        for_each_op(fused, fused.body, [&](OpId id) {
            for (const ValueId v : fused.op(id).operands) users_[v.index].push_back(id);
        });
    }

    [[nodiscard]] std::vector<OpId> found() const {
        std::vector<OpId> all;
        for_each_op(fused_, fused_.body, [&](OpId id) {
            if (fused_.op(id).kind != OpKind::constant) return;
            const ValueId number = fused_.op(id).results[0];
            const DType elem = fused_.type(number).elem;
            if ((elem == DType::f32 || elem == DType::f64) && may_be_any(number)) all.push_back(id);
        });
        return all;
    }

private:
    [[nodiscard]] bool may_be_any(ValueId v) const {
        return std::ranges::all_of(users_[v.index], [&](OpId user) {
            const Op& op = fused_.op(user);
            if (op.kind == OpKind::full || op.kind == OpKind::expand) return may_be_any(op.results[0]);
            return std::ranges::find(kAnyNumber, op.kind) != std::end(kAnyNumber);
        });
    }

    const Function& fused_;
    std::vector<std::vector<OpId>> users_;
};

struct Alike {
    Function* function;
    std::vector<OpId> numbers;
};

// Bit for bit: -0.0 and 0.0 are two.
std::vector<uint64_t> bits_of_numbers(const Alike& one) {
    std::vector<uint64_t> all;
    for (const OpId id : one.numbers) all.push_back(std::bit_cast<uint64_t>(ConstantOp(*one.function, id).real()));
    return all;
}

// The text that functions have in common which are alike but for these numbers.
std::string text_without(const Function& function, const std::vector<OpId>& numbers) {
    Function plain = function;
    plain.name = "fused";
    for (const OpId number : numbers) plain.op(number).attrs.set(Attr::value, 0.0);
    return text_of_code(plain);
}

// In place of the constant; gives what it was.
double make_parameter(Function& function, OpId constant) {
    const double number = ConstantOp(function, constant).real();
    const ValueId was = function.op(constant).results[0];
    const ValueId param = function.add_arg(function.body, function.type(was), function.value(was).name);
    std::vector<ValueId> to(function.value_count());
    to[was.index] = param;
    function.replace_uses(to);
    function.remove(constant);
    return number;
}

class Sharing {
public:
    explicit Sharing(Module& module) : module_(module) {}

    void run() {
        std::map<std::string, std::vector<Alike>> groups;
        for (Function& function : module_.functions) {
            if (function.level != Level::graph || alone_in(function).valid() || packs_codes(function)) continue;
            std::vector<OpId> numbers = Numbers(function).found();
            if (numbers.empty()) continue;
            std::string text = text_without(function, numbers);
            groups[std::move(text)].push_back({&function, std::move(numbers)});
        }
        for (const auto& [text, alike] : groups) share(alike);
        if (given_.empty()) return;
        for (Function& host : module_.functions) {
            if (host.level == Level::host) give_to_calls(host);
        }
    }

private:
    void share(const std::vector<Alike>& alike) {
        std::set<std::vector<uint64_t>> different;
        for (const Alike& one : alike) different.insert(bits_of_numbers(one));
        if (different.size() < kEnough) return;
        const std::vector<uint64_t> first = bits_of_numbers(alike.front());
        for (size_t i = 0; i < first.size(); ++i) {
            if (std::ranges::all_of(different, [&](const auto& numbers) { return numbers[i] == first[i]; })) continue;
            for (const Alike& one : alike) {
                const DType elem = ConstantOp(*one.function, one.numbers[i]).dtype();
                given_[one.function->name].push_back({make_parameter(*one.function, one.numbers[i]), elem});
            }
        }
    }

    void give_to_calls(Function& host) {
        std::vector<OpId> calls;
        for_each_op(host, host.body, [&](OpId id) {
            if (host.op(id).kind == OpKind::call && given_.contains(CallOp(host, id).callee())) calls.push_back(id);
        });
        for (const OpId call : calls) {
            for (const Number& number : given_.at(CallOp(host, call).callee())) {
                const ValueId value = Builder::at(host, call).constant(number.value, number.elem);
                host.op(call).operands.push_back(value);
            }
        }
    }

    struct Number {
        double value;
        DType elem;
    };
    Module& module_;
    std::map<std::string, std::vector<Number>> given_;  // by fused functions
};

}  // namespace

ModulePass share_numbers_pass() {
    return {"share_numbers", [](Module& module, PassContext&) {
                Sharing(module).run();
                return true;
            }};
}

}  // namespace tsr::ir
