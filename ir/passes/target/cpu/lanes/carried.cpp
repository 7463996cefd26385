// What loops carry for lanes and branches give, as the values that Target carries: one for each vector.
#include "ir/passes/target/cpu/lanes/code.h"

namespace tsr::ir {

LaneCode::Carried LaneCode::carried(const std::vector<ValueId>& olds) {
    Carried out{olds, {}};
    for (ValueId old : olds) {
        const Type& type = s_.tile.type(old);
        size_t parts = type.is_vector() ? type.width : 1;
        if (!type.is_vector() && !s_.differing[old.index]) {
            out.types.push_back(Type::scalar(type.elem));
            continue;
        }
        Type lane = Type::vector(type.is_vector() ? type.elem : lane_type(old), static_cast<uint32_t>(width_));
        for (size_t i = 0; i < parts * static_cast<size_t>(copies_); ++i) out.types.push_back(lane);
    }
    return out;
}

void LaneCode::flatten(const Carried& carried, const std::vector<ValueId>& values, std::vector<ValueId>& out) {
    for (size_t i = 0; i < values.size(); ++i) {
        ValueId old = carried.olds[i];
        const Type& type = s_.tile.type(old);
        LaneValue v = value(values[i]);
        auto append = [&](const LaneValue& part, DType elem) {
            auto copies = vectors(part, elem);
            out.insert(out.end(), copies.begin(), copies.end());
        };
        if (type.is_vector()) {
            for (const LaneValue& part : v.parts) append(part, type.elem);
        } else if (!s_.differing[old.index]) {
            out.push_back(v.scalar);
        } else {
            append(v, lane_type(old));
        }
    }
}

void LaneCode::unflatten(const std::vector<ValueId>& olds, const std::vector<ValueId>& values, size_t& at) {
    auto take = [&] {
        std::vector<ValueId> copies(values.begin() + static_cast<std::ptrdiff_t>(at),
                                    values.begin() + static_cast<std::ptrdiff_t>(at) + copies_);
        at += static_cast<size_t>(copies_);
        return of(copies);
    };
    for (ValueId old : olds) {
        const Type& type = s_.tile.type(old);
        if (type.is_vector()) {
            LaneValue v{LaneValue::Kind::parts, {}, 0, {}, {}};
            for (uint32_t part = 0; part < type.width; ++part) v.parts.push_back(take());
            values_[old] = v;
        } else if (!s_.differing[old.index]) {
            values_[old] = uniform(values[at++]);
        } else {
            values_[old] = take();
        }
    }
}

std::vector<ValueId> LaneCode::add_args(RegionId region, const std::vector<Type>& types) {
    std::vector<ValueId> out;
    for (const Type& type : types) out.push_back(s_.target.add_arg(region, type));
    return out;
}

}  // namespace tsr::ir
