#include "codegen/check.h"

#include <algorithm>

#include <fmt/format.h>

#include "ir/ops/host.h"
#include "ir/ops/record.h"
#include "ir/passes/host/entries.h"

namespace tsr::codegen {

namespace {

using ir::Attr;
using ir::OpKind;

Failure refuse(const ir::Function& function, const ir::Op& op, const std::string& reason) {
    return Failure{fmt::format("in `{}`: `{}` {}", function.name, ir::name(op.kind), reason)};
}

std::optional<Failure> check_types(const ir::Function& function, const ir::Op& op) {
    const auto& values = {op.operands, op.results};
    for (const std::vector<ir::ValueId>& ids : values) {
        for (const ir::ValueId id : ids) {
            const ir::Type& type = function.type(id);
            const bool has_elements = type.is_scalar() || type.is_vector() || type.kind == ir::TypeKind::pointer;
            if (has_elements && type.elem == DType::c64) return refuse(function, op, "has no code for c64");
            // On the stack and in scratch memory each has a byte.
            const bool shared = type.kind == ir::TypeKind::pointer && type.space == ir::Space::global;
            if (shared && is_packed(type.elem)) {
                return refuse(function, op,
                              fmt::format("addresses single elements of {}, which share bytes", name(type.elem)));
            }
        }
    }
    return std::nullopt;
}

std::optional<Failure> check_level(const ir::Function& function, const ir::Op& op, ir::Level level) {
    if (ir::record(op.kind).levels.has(level)) return std::nullopt;
    return refuse(function, op, level == ir::Level::host ? "is not of level Host" : "is not of level Target");
}

std::optional<Failure> check_host_op(const ir::Function& function, const ir::Op& op, const Program& program) {
    switch (op.kind) {
        case OpKind::host: {
            const std::string& callee = op.attrs.string(Attr::callee);
            if (ir::find_host_entry(callee) != nullptr) return std::nullopt;
            return refuse(function, op, fmt::format("names `{}`, which the runtime does not have", callee));
        }
        case OpKind::call: {
            const std::string& callee = op.attrs.string(Attr::callee);
            const ir::Function* found = program.host->find(callee);
            if (found != nullptr && found->level == ir::Level::host) return std::nullopt;
            return refuse(function, op, fmt::format("names `{}`, which is no Host function", callee));
        }
        case OpKind::launch: {
            if (!op.attrs.has(Attr::mode) || op.attrs.string(Attr::mode) != "total") {
                return refuse(function, op, "has no total of groups yet");
            }
            if (const auto points = ir::LaunchOp::points_of(op); points.size() > 1) {
                const auto known = [&](const Tuning& tuning) { return tuning.names == points; };
                if (std::ranges::any_of(program.tunings, known)) return std::nullopt;
                return refuse(function, op, "names points of no tuned kernel");
            }
            for (const KernelFamily& family : program.families) {
                if (family.name == op.attrs.string(Attr::callee)) return std::nullopt;
            }
            return refuse(function, op, fmt::format("names `{}`, which is no kernel", op.attrs.string(Attr::callee)));
        }
        case OpKind::read_vector:
        case OpKind::write_vector:
        case OpKind::vector_extract:
        case OpKind::vector_build:
            return refuse(function, op, "has no code on the host");
        default:
            return std::nullopt;
    }
}

// What is said to the runtime is said in scalars, behind the number that orders it.
std::optional<Failure> check_target_op(const ir::Function& function, const ir::Op& op) {
    const bool is_message = op.kind == OpKind::print || op.kind == OpKind::assert_;
    if (!is_message && op.kind != OpKind::runtime) return std::nullopt;
    for (const ir::ValueId operand : op.operands) {
        const ir::Type& type = function.type(operand);
        if (!type.is_scalar() && type.kind != ir::TypeKind::pointer) {
            return refuse(function, op, fmt::format("is given {}, which is no scalar", type.text()));
        }
    }
    if (!is_message) return std::nullopt;
    const size_t order = op.kind == OpKind::print ? 0 : 1;
    if (op.operands.size() > order && is_integer(function.type(op.operands[order]).elem)) return std::nullopt;
    return refuse(function, op, "has no number that orders it");
}

bool stands_in(const ir::Function& function, const ir::Op& op) {
    return op.parent.valid() && op.parent.index < function.region_count();
}

}  // namespace

std::optional<Failure> check_target(const ir::Function& function) {
    for (size_t i = 0; i < function.op_count(); ++i) {
        const ir::Op& op = function.op(ir::OpId(i));
        if (!stands_in(function, op)) continue;
        if (auto fault = check_level(function, op, ir::Level::target)) return fault;
        if (auto fault = check_types(function, op)) return fault;
        if (auto fault = check_target_op(function, op)) return fault;
    }
    return std::nullopt;
}

std::optional<Failure> check_host(const ir::Function& function, const Program& program) {
    for (size_t i = 0; i < function.op_count(); ++i) {
        const ir::Op& op = function.op(ir::OpId(i));
        if (!stands_in(function, op)) continue;
        if (auto fault = check_level(function, op, ir::Level::host)) return fault;
        if (auto fault = check_types(function, op)) return fault;
        if (auto fault = check_host_op(function, op, program)) return fault;
    }
    return std::nullopt;
}

}  // namespace tsr::codegen
