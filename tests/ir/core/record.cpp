// The records: names read back, roles are told apart, effects gather over regions.
#include "ir/ops/record.h"

#include <set>

#include "ir/ops/effects.h"
#include "read.h"
#include "samples.h"

using namespace tsr;
using namespace tsr::ir;

TEST_CASE("every operation has a name of its own that reads back") {
    std::set<std::string_view> names;
    for (size_t i = 0; i < static_cast<size_t>(OpKind::count_); ++i) {
        const auto kind = static_cast<OpKind>(i);
        CHECK(record(kind).kind == kind);
        CHECK(op_named(name(kind)) == kind);
        CHECK(names.insert(name(kind)).second);
        CHECK(record(kind).doc.ends_with("."));
    }
    CHECK(!op_named("nothing"));
    // In text a brace with a flag behind it opens attributes, one with an operation a region.
    for (size_t i = 0; i <= static_cast<size_t>(Attr::points); ++i) {
        const auto key = static_cast<Attr>(i);
        CHECK(attr_named(name(key)) == key);
        CHECK((!is_flag(key) || !op_named(name(key))));
    }
}

TEST_CASE("what is made of tensors has the kinds of policy that any of them has, and no two different ones") {
    const auto tensor = [](const Policy& policy) {
        return Type::tensor(DType::bf16, {Dim::symbol("n")}, false, policy);
    };
    Policy accum, cut, chance;
    accum.accum = DType::f32;
    cut.round = Rounding::toward_zero;
    chance.round = Rounding::stochastic;
    const Inferred sum = infer(OpKind::add, std::vector<Type>{tensor(accum), tensor(cut)}, Attrs{});
    REQUIRE(sum.ok());
    CHECK(sum.value().types[0] == tensor(join_policies(accum, cut)));
    const Inferred refused = infer(OpKind::add, std::vector<Type>{tensor(chance), tensor(cut)}, Attrs{});
    REQUIRE_FALSE(refused.ok());
    CHECK(refused.message() == "the round policies differ: @stochastic_round and @round(rz)");
    const Inferred truths = infer(OpKind::lt, std::vector<Type>{tensor(cut), tensor({})}, Attrs{});
    REQUIRE(truths.ok());
    CHECK(truths.value().types[0].policy.empty());
}

TEST_CASE("`infer` answers any types and attributes with a type or a fault") {
    const std::vector<Type> types{Type::none(),
                                  Type::scalar(DType::f32),
                                  Type::scalar(DType::index),
                                  Type::scalar(DType::boolean),
                                  Type::scalar(DType::c64),
                                  Type::vector(DType::f32, 4),
                                  Type::tensor(DType::f32, {Dim::symbol("n")}, true),
                                  Type::tensor(DType::f32, {}, false),
                                  Type::buffer(DType::f32, {Dim::constant(4)}),
                                  Type::lane_array(DType::i32),
                                  Type::tile(DType::f32, {Dim::constant(3), Dim::constant(3)}),
                                  Type::pointer(DType::f32, Space::stack),
                                  Type::string(),
                                  Type::list(Type::scalar(DType::f32))};
    size_t accepted = 0;
    for (size_t i = 0; i < static_cast<size_t>(OpKind::count_); ++i) {
        const auto kind = static_cast<OpKind>(i);
        for (int64_t number : {int64_t{-1}, int64_t{0}, int64_t{3}, INT64_MAX}) {
            Attrs attrs;
            for (const AttrRole& role : record(kind).attrs) {
                for (const AttrValue& value :
                     {AttrValue(number), AttrValue(DType::i32), AttrValue(std::string("x")),
                      AttrValue(Dim::constant(number)), AttrValue(std::vector<int64_t>{number}),
                      AttrValue(std::vector<Dim>{Dim::constant(number)}), AttrValue(std::vector<std::string>{"x"})}) {
                    if (holds_its_kind(role.attr, value)) attrs.set(role.attr, value);
                }
            }
            for (size_t count = 0; count < 4; ++count) {
                size_t combinations = 1;
                for (size_t k = 0; k < count; ++k) combinations *= types.size();
                for (size_t which = 0; which < combinations; ++which) {
                    std::vector<Type> operands;
                    for (size_t k = 0, rest = which; k < count; ++k, rest /= types.size()) {
                        operands.push_back(types[rest % types.size()]);
                    }
                    const Inferred result = infer(kind, operands, attrs);
                    if (result) ++accepted;
                    if (!result) REQUIRE(!result.message().empty());
                }
            }
        }
    }
    CHECK(accepted > 1000);
}

TEST_CASE("optional and repeated operands are told apart") {
    const OpRecord& store = record(OpKind::store);
    CHECK(role_of(store, 1, 2)->name == "value");
    CHECK(role_of(store, 2, 3)->name == "mask");
    CHECK(role_of(store, 2, 2) == nullptr);
    CHECK(role_of(record(OpKind::write), 1, 4)->name == "value");
    CHECK(role_of(record(OpKind::write), 3, 4)->name == "indices");
    CHECK(role_of(record(OpKind::memory_copy), 0, 3)->access == Access::writes);
}

TEST_CASE("what an operation touches is what stands in it") {
    const Module module = read(samples::kGroupSum);
    const Function& f = module.functions[0];
    OpId lanes;
    OpId loop;
    for (OpId op : f.region(f.body).ops) {
        if (f.op(op).kind == OpKind::lanes) lanes = op;
        if (f.op(op).kind == OpKind::while_) loop = op;
    }
    const Touches own = touches(f, lanes);
    CHECK(own.reads == std::vector<ValueId>{f.params()[0]});
    CHECK(own.writes.size() == 1);
    CHECK(!own.removable());
    CHECK(!own.has(Effect::barrier));
    const Touches all = touches(f, loop);
    CHECK(all.has(Effect::barrier));
    CHECK(all.has(Effect::io));  // the print inside
}
