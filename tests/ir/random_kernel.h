// Random sound kernels of one group, for tests that hold two ways of running one against each other.
#pragma once

#include <random>

#include "ir/build/builder.h"

namespace tsr::ir::random_kernel {

constexpr int64_t kElements = 16;
constexpr int64_t kTiles = 8;

// Makes kernels of one group: statements of the group, `lanes` regions, loops and branches in both.
class Generator {
public:
    explicit Generator(uint32_t seed) : random_(seed) {}

    Function make() {
        fn_.name = "fuzz";
        fn_.is_kernel = true;
        fn_.kernel.group_shape = {kTiles};
        floats_out_ = fn_.add_arg(fn_.body, Type::tensor(DType::f32, {Dim::constant(kElements)}, true), "x");
        whole_out_ = fn_.add_arg(fn_.body, Type::tensor(DType::i32, {Dim::constant(kElements)}, true), "z");
        for (DType type : {DType::f32, DType::f32, DType::i32, DType::boolean, DType::f16}) {
            see(fn_.add_arg(fn_.body, Type::scalar(type)));
        }
        Builder b = Builder::at_end(fn_, fn_.body);
        statements(b, 14);
        b.yield({});
        return std::move(fn_);
    }

private:
    size_t pick(size_t count) { return random_() % count; }
    void see(ValueId value) { visible_.push_back(value); }

    ValueId any(Builder& b, DType type) {
        std::vector<ValueId> fitting;
        for (ValueId v : visible_) {
            if (fn_.type(v) == Type::scalar(type)) fitting.push_back(v);
        }
        if (!fitting.empty() && pick(4) != 0) return fitting[pick(fitting.size())];
        return constant(b, type);
    }

    ValueId constant(Builder& b, DType type) {
        constexpr double kFloats[] = {0.0, -0.0, 1.0, -1.5, 0.1, 3e38, 1e-45, 65504};
        constexpr int64_t kWhole[] = {0, 1, -1, 2, 7, INT32_MAX, INT32_MIN, 32};
        ValueId made;
        if (is_float(type)) {
            made = b.constant(kFloats[pick(8)], type);
        } else {
            made = type == DType::boolean ? b.boolean(pick(2) == 0) : b.constant(kWhole[pick(8)], type);
        }
        see(made);
        return made;
    }

    DType any_type() {
        constexpr DType kTypes[] = {DType::f32, DType::i32, DType::boolean, DType::f16, DType::index, DType::u8};
        return kTypes[pick(6)];
    }

    ValueId element(Builder& b) {
        using enum OpKind;
        const DType type = any_type();
        if (pick(6) == 0) return b.cast(any(b, any_type()), type);
        if (pick(6) == 0) return b.select(any(b, DType::boolean), any(b, type), any(b, type));
        if (pick(4) == 0) {
            constexpr OpKind kTests[] = {eq, ne, lt, le, gt, ge};
            return b.element(kTests[pick(6)], {any(b, type), any(b, type)});
        }
        if (type == DType::boolean) {
            constexpr OpKind kOfBool[] = {bit_and, bit_or, bit_xor};
            if (pick(3) == 0) return b.bit_not(any(b, type));
            return b.element(kOfBool[pick(3)], {any(b, type), any(b, type)});
        }
        if (is_float(type)) {
            constexpr OpKind kOne[] = {neg, OpKind::abs, OpKind::sqrt, OpKind::floor, OpKind::round};
            constexpr OpKind kTwo[] = {add, sub, mul, OpKind::div, minimum, maximum};
            if (pick(5) == 0) return b.fma(any(b, type), any(b, type), any(b, type));
            if (pick(4) == 0) return b.element(kOne[pick(5)], {any(b, type)});
            return b.element(kTwo[pick(6)], {any(b, type), any(b, type)});
        }
        constexpr OpKind kWhole[] = {add,     sub,     mul,    floordiv, mod, minimum,
                                     maximum, bit_and, bit_or, bit_xor,  shl, shr};
        return b.element(kWhole[pick(12)], {any(b, type), any(b, type)});
    }

    // An index inside of the tensors; a tile's own in `lanes`, so that no two tiles write one element.
    ValueId place(Builder& b) {
        if (own_.valid()) return own_;
        return b.mod(b.cast(any(b, DType::i32), DType::index), b.index(kElements));
    }

    Values yields(Builder& b, const Values& like) {
        Values out;
        for (ValueId v : like) out.push_back(any(b, fn_.type(v).elem));
        return out;
    }

    // Fills a region; what it defines is out of sight behind it.
    template <typename Fill>
    Values inside(Fill&& fill) {
        const size_t before = visible_.size();
        ++depth_;
        Values out = fill();
        --depth_;
        visible_.resize(before);
        return out;
    }

    Values initial(Builder& b) {
        Values all;
        for (size_t i = pick(4); i > 0; --i) all.push_back(any(b, any_type()));
        return all;
    }

    void see_results(OpId op) {
        for (ValueId result : Values(fn_.op(op).results)) {
            if (fn_.type(result).is_scalar()) see(result);
        }
    }

    Values body(Builder& b, const Values& carried) {
        return inside([&] {
            for (ValueId v : carried) see(v);
            statements(b, 1 + pick(5));
            return yields(b, carried);
        });
    }

    void loop(Builder& b) {
        const ValueId lower = b.index(static_cast<int64_t>(pick(3)));
        const ValueId upper = b.index(static_cast<int64_t>(pick(5)));
        see_results(
            b.for_(lower, upper, b.index(1), initial(b), {}, [&](Builder& in, ValueId iv, const Values& carried) {
                return inside([&] {
                    see(iv);
                    return body(in, carried);
                });
            }));
    }

    // The first carried value counts the rounds down.
    void while_loop(Builder& b) {
        Values carried = initial(b);
        carried.insert(carried.begin(), b.index(static_cast<int64_t>(pick(4))));
        see_results(b.while_(
            carried,
            [&](Builder& in, const Values& seen) {
                return inside([&] {
                    for (ValueId v : seen) see(v);
                    const ValueId more = in.gt(seen[0], in.index(0));
                    return Values{pick(3) == 0 ? in.bit_and(more, any(in, DType::boolean)) : more};
                })[0];
            },
            [&](Builder& in, const Values& seen) {
                Values next = body(in, Values(seen.begin() + 1, seen.end()));
                next.insert(next.begin(), in.sub(seen[0], in.index(1)));
                return next;
            }));
    }

    void branch(Builder& b) {
        const Values like = initial(b);
        auto side = [&](Builder& in) {
            return inside([&] {
                statements(in, pick(5));
                return yields(in, like);
            });
        };
        see_results(b.if_(any(b, DType::boolean), side, side));
    }

    void lanes(Builder& b) {
        const Builder::Axis axis{b.index(0), b.index(kTiles), b.index(1)};
        OpId op = b.lanes(LanesOver::tiles, {axis}, {}, [&](Builder& in, const Values& ivs) {
            own_ = ivs[0];
            Values yielded = inside([&] {
                see(ivs[0]);
                for (ValueId array : arrays_) see(in.lane_read(array));
                statements(in, 6);
                return Values{any(in, DType::i32), any(in, DType::f32)};
            });
            own_ = {};
            return yielded;
        });
        if (depth_ == 0) arrays_ = fn_.op(op).results;
    }

    void statements(Builder& b, size_t count) {
        for (; count > 0; --count) {
            const size_t what = pick(12);
            if (what == 0 && depth_ < 3) loop(b);
            if (what == 1 && depth_ < 3) while_loop(b);
            if (what == 2 && depth_ < 3) branch(b);
            if (what == 3 && depth_ < 2 && !own_.valid()) lanes(b);
            if (what == 4) b.write(floats_out_, any(b, DType::f32), {place(b)});
            if (what == 5) b.write(whole_out_, any(b, DType::i32), {place(b)});
            if (what == 6) see(b.read(whole_out_, {place(b)}));
            if (what > 6) see(element(b));
        }
    }

    std::mt19937 random_;
    Function fn_;
    ValueId floats_out_;
    ValueId whole_out_;
    ValueId own_;
    std::vector<ValueId> visible_;
    Values arrays_;
    size_t depth_ = 0;
};

}  // namespace tsr::ir::random_kernel
