// Random kernels, run by the evaluator and tile by tile by the plainest walker there can be.
#include <map>

#include <doctest/doctest.h>

#include "../random_kernel.h"
#include "ir/eval/evaluate.h"
#include "ir/law/scalar.h"
#include "ir/ops/record.h"
#include "ir/text/print.h"

namespace tsr::ir::eval {
namespace {

using random_kernel::Generator;
using random_kernel::kElements;
using random_kernel::kTiles;

struct Memory {
    std::vector<uint32_t> floats = std::vector<uint32_t>(kElements, 0x3f800000);
    std::vector<uint32_t> whole = std::vector<uint32_t>(kElements, 5);
    bool operator==(const Memory&) const = default;
};

// A kernel's tiles touch each their own element, so they may run one after the other.
class Walker {
public:
    Walker(const Function& fn, const std::vector<Bits>& scalars) : fn_(fn) {
        for (size_t i = 0; i < scalars.size(); ++i) values_[fn.params()[i + 2]] = scalars[i];
    }

    Memory run() {
        region(fn_.body);
        return memory_;
    }

private:
    std::vector<Bits> region(RegionId id) {
        for (OpId at : fn_.region(id).ops) {
            const Op& op = fn_.op(at);
            if (op.kind == OpKind::yield) return all(op.operands);
            one(op);
        }
        return {};
    }

    // Lane arrays that a loop of the group carries are not made by the generator: values are scalars here.
    std::vector<Bits> all(const std::vector<ValueId>& ids) {
        std::vector<Bits> out;
        for (ValueId v : ids) out.push_back(values_[v]);
        return out;
    }
    void bind(const std::vector<ValueId>& ids, const std::vector<Bits>& given, size_t first = 0) {
        for (size_t i = 0; i < given.size(); ++i) values_[ids[first + i]] = given[i];
    }

    std::vector<uint32_t>& tensor(ValueId v) { return v == fn_.params()[0] ? memory_.floats : memory_.whole; }

    void one(const Op& op) {
        if (is_element(op.kind)) return element(op);
        if (op.kind == OpKind::constant) values_[op.results[0]] = constant_bits(op.attrs);
        if (op.kind == OpKind::if_) bind(op.results, region(op.regions[values_[op.operands[0]] != 0 ? 0 : 1]));
        if (op.kind == OpKind::for_) loop(op);
        if (op.kind == OpKind::while_) while_loop(op);
        if (op.kind == OpKind::lanes) lanes(op);
        if (op.kind == OpKind::lane_read) values_[op.results[0]] = arrays_[op.operands[0]][static_cast<size_t>(tile_)];
        if (op.kind == OpKind::read) {
            const ValueId result = op.results[0];
            values_[result] = canonical(fn_.type(result).elem, tensor(op.operands[0])[values_[op.operands[1]]]);
        }
        if (op.kind == OpKind::write) {
            tensor(op.operands[0])[values_[op.operands[2]]] = static_cast<uint32_t>(values_[op.operands[1]]);
        }
    }

    void element(const Op& op) {
        const DType type = fn_.type(op.operands[op.kind == OpKind::select ? 1 : 0]).elem;
        const auto result = fold(op.kind, type, fn_.type(op.results[0]).elem, all(op.operands));
        REQUIRE(result.has_value());
        values_[op.results[0]] = *result;
    }

    void loop(const Op& op) {
        const auto& args = fn_.region(op.regions[0]).args;
        std::vector<Bits> carried = all({op.operands.begin() + 3, op.operands.end()});
        const auto upper = static_cast<int64_t>(values_[op.operands[1]]);
        for (auto iv = static_cast<int64_t>(values_[op.operands[0]]); iv < upper; ++iv) {
            values_[args[0]] = static_cast<Bits>(iv);
            bind(args, carried, 1);
            carried = region(op.regions[0]);
        }
        bind(op.results, carried);
    }

    void while_loop(const Op& op) {
        std::vector<Bits> carried = all(op.operands);
        while (true) {
            bind(fn_.region(op.regions[0]).args, carried);
            if (region(op.regions[0])[0] == 0) break;
            bind(fn_.region(op.regions[1]).args, carried);
            carried = region(op.regions[1]);
        }
        bind(op.results, carried);
    }

    void lanes(const Op& op) {
        std::map<ValueId, std::vector<Bits>> made;
        for (tile_ = 0; tile_ < kTiles; ++tile_) {
            values_[fn_.region(op.regions[0]).args[0]] = static_cast<Bits>(tile_);
            const std::vector<Bits> yielded = region(op.regions[0]);
            for (size_t i = 0; i < yielded.size(); ++i) made[op.results[i]].push_back(yielded[i]);
        }
        for (auto& [v, array] : made) arrays_[v] = std::move(array);
    }

    const Function& fn_;
    std::map<ValueId, Bits> values_;
    std::map<ValueId, std::vector<Bits>> arrays_;
    int64_t tile_ = 0;
    Memory memory_;
};

TEST_CASE("random kernels write what a walk tile by tile writes") {
    const std::vector<ScalarValue> scalars{{DType::f32, 0x40200000},
                                           {DType::f32, 0xbf000000},
                                           {DType::i32, 0xfffffff9},
                                           {DType::boolean, 1},
                                           {DType::f16, 0x3555}};
    std::vector<Bits> bits;
    for (const ScalarValue& scalar : scalars) bits.push_back(canonical(scalar.type, scalar.bits));
    for (uint32_t seed = 5000; seed < 8000; ++seed) {
        CAPTURE(seed);
        const Function kernel = Generator(seed).make();
        Memory memory;
        std::vector<KernelArgument> arguments{TensorRef{memory.floats.data(), DType::f32, {kElements}},
                                              TensorRef{memory.whole.data(), DType::i32, {kElements}}};
        arguments.insert(arguments.end(), scalars.begin(), scalars.end());
        const KernelOutcome outcome = run_kernel(kernel, arguments, {{1, 1, 1}, 1}, {});
        REQUIRE(!outcome.failure);
        Memory expected = Walker(kernel, bits).run();
        // NaN has no fixed bits.
        for (size_t i = 0; i < kElements; ++i) {
            const auto is_nan = [](uint32_t x) { return (x & 0x7FFFFFFFU) > 0x7F800000U; };
            if (is_nan(expected.floats[i]) && is_nan(memory.floats[i])) expected.floats[i] = memory.floats[i];
        }
        const bool same = memory == expected;
        REQUIRE_MESSAGE(same, print(kernel));
    }
}

}  // namespace
}  // namespace tsr::ir::eval
