#include "ir/passes/host/ownership.h"

#include <string>

#include "ir/build/builder.h"

namespace tsr::ir {

namespace {

const char* counted(const Type& type) {
    switch (type.kind) {
        case TypeKind::tensor:
            return "tensor";
        case TypeKind::string:
            return "string";
        case TypeKind::list:
        case TypeKind::dict:
        case TypeKind::tuple:
        case TypeKind::record:
            return "list";
        default:
            return nullptr;
    }
}

// Whether the operation's results are new references. Constants live as long as the program.
bool makes_references(const Op& op) { return op.kind != OpKind::string; }

class Owner {
public:
    explicit Owner(Function& host) : host_(host) {}

    void run() { region(host_.body, false); }

private:
    void count(Builder& builder, ValueId value, const char* what) {
        const char* kind = counted(host_.type(value));
        if (kind) builder.host(std::string(kind) + what, {value}, {});
    }

    // `owns_args`: the region of a loop, which has a reference to each value it carries.
    void region(RegionId id, bool owns_args) {
        Values owned;
        if (owns_args) owned = host_.region(id).args;
        for (OpId op : std::vector<OpId>(host_.region(id).ops)) operation(op, owned);
        OpId yield = host_.region(id).ops.back();
        Builder builder = Builder::at(host_, yield);
        for (ValueId value : std::vector<ValueId>(host_.op(yield).operands)) count(builder, value, "_retain");
        for (size_t i = owned.size(); i-- > 0;) count(builder, owned[i], "_release");
    }

    void operation(OpId id, Values& owned) {
        const Op op = host_.op(id);
        if (op.kind == OpKind::yield) return;
        if (op.kind == OpKind::for_ || op.kind == OpKind::while_) {
            Builder builder = Builder::at(host_, id);
            for (size_t i = op.kind == OpKind::for_ ? 3 : 0; i < op.operands.size(); ++i)
                count(builder, op.operands[i], "_retain");
        }
        for (size_t i = 0; i < op.regions.size(); ++i) {
            bool body = op.kind == OpKind::for_ || (op.kind == OpKind::while_ && i == 1);
            region(op.regions[i], body);
        }
        if (!makes_references(op)) return;
        owned.insert(owned.end(), op.results.begin(), op.results.end());
    }

    Function& host_;
};

}  // namespace

void place_ownership(Function& host) { Owner(host).run(); }

}  // namespace tsr::ir
