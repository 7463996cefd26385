#include "ir/passes/host/lower_dims.h"

#include "ir/build/dim_code.h"
#include "ir/passes/tile/walk.h"

namespace tsr::ir {

namespace {

void fail_when(Builder& builder, ValueId condition, std::string message) {
    builder.if_(condition, [&](Builder& then) {
        then.host("fail", {}, {}, {{Attr::text, std::move(message)}});
        return Values{};
    });
}

ValueId lowered(Builder& builder, const Dim& dim) {
    DimMaker maker;
    maker.constant = [&](int64_t value) { return builder.index(value); };
    maker.binary = [&](OpKind kind, ValueId a, ValueId b) { return builder.element(kind, {a, b}); };
    maker.symbol = [&](const std::string& name) { return builder.dim(Dim::symbol(name)); };
    maker.divides = [&](const Dim::Atom& quotient, ValueId numerator, ValueId denominator) {
        const std::string text = "the dimension " + quotient.numerator->text() + " / " + quotient.denominator->text();
        const ValueId zero = builder.index(0);
        fail_when(builder, builder.eq(denominator, zero), text + " divides by zero");
        if (quotient.kind != Dim::Atom::Kind::exact_quotient) return;
        fail_when(builder, builder.ne(builder.mod(numerator, denominator), zero), text + " is no whole number");
    };
    return dim_code(dim, maker);
}

}  // namespace

void lower_dims(Function& host) {
    std::vector<OpId> dims;
    walk(host, host.body, [&](OpId id) {
        if (host.op(id).kind == OpKind::dim && !host.op(id).attrs.dim(Attr::dim).symbol_name()) dims.push_back(id);
    });
    for (OpId id : dims) {
        Builder builder = Builder::at(host, id);
        const ValueId value = lowered(builder, host.op(id).attrs.dim(Attr::dim));
        host.replace_uses(host.op(id).results[0], value);
        host.remove(id);
    }
}

}  // namespace tsr::ir
