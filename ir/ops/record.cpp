#include "ir/ops/record.h"

#include <fmt/format.h>

#include "ir/core/spell.h"
#include "ir/ops/family.h"

namespace tsr::ir {

namespace {

constexpr size_t index_of(OpKind kind) { return static_cast<size_t>(kind); }

struct Family {
    OpKind first;
    std::span<const OpRecord> (*records)();
};
// In the order of the enumeration.
constexpr std::array kFamilies{
    Family{OpKind::add, element_records},         Family{OpKind::constant, control_records},
    Family{OpKind::read, memory_records},         Family{OpKind::tile_id, tile_records},
    Family{OpKind::copy_async, pipeline_records}, Family{OpKind::expand, register_records},
    Family{OpKind::full, graph_records},          Family{OpKind::launch, host_records},
    Family{OpKind::slot, target_records},         Family{OpKind::thread_id, gpu_records},
    Family{OpKind::mbarrier_init, box_records},
};

std::optional<Failure> check_counts(const OpRecord& r, size_t count) {
    size_t least = 0;
    bool open = false;
    size_t most = 0;
    for (const Role& role : r.operands) {
        if (role.many == Many::one) ++least;
        if (role.many != Many::any) ++most;
        if (role.many == Many::any) open = true;
    }
    if (count >= least && (open || count <= most)) return std::nullopt;
    return Failure{
        fmt::format("'{}' has {} operands, needs {}{}", r.name, count, least, open || most > least ? " or more" : "")};
}

constexpr int64_t kWidestVector = 1 << 16;  // elements of a vector

bool in_range(OpKind kind, Attr key, int64_t number) {
    if (kind == OpKind::host) return true;  // each entry has its own
    const bool counts = key == Attr::count || key == Attr::alignment || key == Attr::prefetch || key == Attr::unroll;
    if (counts && number < 0) return false;
    if (key == Attr::width && (number < 1 || number > kWidestVector)) return false;
    return in_enumeration(kind, key, number);
}

std::optional<Failure> check_attrs(const OpRecord& r, const Attrs& attrs) {
    for (const AttrRole& role : r.attrs) {
        if (role.required && !attrs.has(role.attr)) {
            return Failure{fmt::format("'{}' lacks its attribute '{}'", r.name, name(role.attr))};
        }
    }
    for (const auto& [key, value] : attrs) {
        bool known = false;
        for (const AttrRole& role : r.attrs) known = known || role.attr == key;
        if (!known) return Failure{fmt::format("'{}' has no attribute '{}'", r.name, name(key))};
        if (!holds_its_kind(key, value)) {
            return Failure{fmt::format("the attribute '{}' of '{}' holds a value of another kind", name(key), r.name)};
        }
        const auto* number = std::get_if<int64_t>(&value);
        if (number != nullptr && !in_range(r.kind, key, *number)) {
            return Failure{fmt::format("the attribute '{}' of '{}' is {}", name(key), r.name, *number)};
        }
    }
    return std::nullopt;
}

}  // namespace

const OpRecord& record(OpKind kind) {
    size_t family = kFamilies.size() - 1;
    while (index_of(kFamilies[family].first) > index_of(kind)) --family;
    return kFamilies[family].records()[index_of(kind) - index_of(kFamilies[family].first)];
}

std::string_view name(OpKind kind) { return record(kind).name; }

std::optional<OpKind> op_named(std::string_view text) {
    for (const Family& family : kFamilies) {
        for (const OpRecord& r : family.records()) {
            if (r.name == text) return r.kind;
        }
    }
    return std::nullopt;
}

bool is_pure(OpKind kind) { return record(kind).pure() && record(kind).regions == 0; }

bool is_of_gpu(OpKind kind) { return index_of(kind) >= index_of(OpKind::thread_id); }

Inferred infer(OpKind kind, std::span<const Type> operands, const Attrs& attrs) {
    const OpRecord& r = record(kind);
    if (auto fault = check_counts(r, operands.size())) return *fault;
    if (auto fault = check_attrs(r, attrs)) return *fault;
    if (r.results != ResultsFrom::infer) return ResultTypes{};
    Inferred inferred = r.infer.run(operands, attrs);
    if (!inferred) return inferred;
    for (EqualExtents& condition : inferred.value().conditions) {
        for (OperandAxis* side : {&condition.one, &condition.other}) {
            const Role* role = role_of(r, side->operand, operands.size());
            if (side->role.empty() && role != nullptr) side->role = role->name;
        }
        if (!r.conditional) return Failure{condition.text()};
    }
    return inferred;
}

std::vector<EqualExtents> conditions_of(const Function& function, OpId id) {
    const Op& op = function.op(id);
    if (!record(op.kind).conditional) return {};
    std::vector<Type> operands;
    for (ValueId operand : op.operands) operands.push_back(function.type(operand));
    Inferred inferred = infer(op.kind, operands, op.attrs);
    return inferred ? std::move(inferred).value().conditions : std::vector<EqualExtents>{};
}

const Role* role_of(const OpRecord& r, size_t operand, size_t operand_count) {
    size_t ones = 0;
    for (const Role& role : r.operands) ones += role.many == Many::one ? 1 : 0;
    size_t spare = operand_count > ones ? operand_count - ones : 0;
    size_t at = 0;
    for (const Role& role : r.operands) {
        size_t taken = 1;
        if (role.many == Many::optional) taken = spare > 0 ? 1 : 0;
        if (role.many == Many::any) taken = spare;
        if (role.many != Many::one) spare -= taken;
        at += taken;
        if (operand < at) return &role;
    }
    return nullptr;
}

std::optional<Failure> want_pointer(const Type& type) {
    if (type.kind == TypeKind::pointer) return std::nullopt;
    return Failure{fmt::format("{} is no pointer", type.text())};
}

std::optional<Failure> want_integers(Operands operands, size_t begin, std::string_view what) {
    for (size_t i = begin; i < operands.size(); ++i) {
        if (operands[i].is_scalar() && is_integer(operands[i].elem)) continue;
        return Failure{fmt::format("{} {} is {}, needs an integer", what, i - begin, operands[i].text())};
    }
    return std::nullopt;
}

}  // namespace tsr::ir
