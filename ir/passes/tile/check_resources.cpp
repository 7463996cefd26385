#include "ir/passes/tile/check_resources.h"

#include <fmt/format.h>

#include "ir/passes/tile/walk.h"

namespace tsr::ir {

namespace {

struct Allocation {
    OpId op;
    std::string name;
    int64_t bytes;
};

int64_t bytes_of(const Function& kernel, const Op& op) {
    const Type& type = kernel.type(op.results[0]);
    int64_t elements = op.attrs.integer(Attr::count, 1);
    for (const Dim& dim : type.shape) elements *= dim.constant_value().value_or(0);
    return (elements * bits(type.elem) + 7) / 8;
}

}  // namespace

bool check_resources(const Function& kernel, Diagnostics& diagnostics) {
    std::vector<Allocation> all;
    walk(kernel, kernel.body, [&](OpId id) {
        const Op& op = kernel.op(id);
        if (op.kind != OpKind::buffer) return;
        std::string name = op.attrs.has(Attr::name) ? op.attrs.string(Attr::name) : "a buffer";
        all.push_back({id, name, bytes_of(kernel, op)});
    });
    int64_t limit = kernel.kernel.shared_limit.value_or(kCpuSharedBytes);
    std::string whose = kernel.kernel.shared_limit ? "the header allows" : "a CPU has";
    if (kernel.kernel.shared_limit && *kernel.kernel.shared_limit > kCpuSharedBytes) {
        limit = kCpuSharedBytes;
        whose = "a CPU has";
    }
    int64_t sum = 0;
    for (size_t i = 0; i < all.size(); ++i) {
        sum += all[i].bytes;
        if (sum <= limit) continue;
        int64_t total = 0;
        for (const Allocation& a : all) total += a.bytes;
        auto& d = diagnostics.error(std::string(kTooMuchMemory), kernel.span_of(all[i].op),
                                    fmt::format("shared buffers of {} bytes, but {} {}", total, whose, limit));
        for (const Allocation& a : all) d.note(fmt::format("`{}` takes {} bytes", a.name, a.bytes));
        return false;
    }
    return true;
}

}  // namespace tsr::ir
