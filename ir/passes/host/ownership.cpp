#include "ir/passes/host/ownership.h"

#include <functional>
#include <set>
#include <string>
#include <vector>

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

// Where a value is used last, seen from the region that defines it.
struct LastUse {
    OpId op;  // of that region: the last one that uses the value, itself or in a region of it; invalid: none does
    bool within = false;  // in a region of it
};

std::vector<LastUse> last_uses(const Function& host) {
    std::vector<LastUse> all(host.value_count());
    const auto defined_in = [&](ValueId id) {
        const Value& value = host.value(id);
        return value.op.valid() ? host.op(value.op).parent : value.region;
    };
    const std::function<void(RegionId)> visit = [&](RegionId region) {
        for (const OpId id : host.region(region).ops) {
            for (const ValueId value : host.op(id).operands) {
                if (counted(host.type(value)) == nullptr) continue;
                OpId around = id;
                const RegionId home = defined_in(value);
                while (host.op(around).parent != home) around = host.region(host.op(around).parent).parent;
                LastUse& last = all[value.index];
                if (last.op != around) last = {around, false};
                last.within |= around != id;
            }
            for (const RegionId inner : host.op(id).regions) visit(inner);
        }
    };
    visit(host.body);
    return all;
}

class Owner {
public:
    explicit Owner(Function& host) : host_(host), last_(last_uses(host)) {}

    void run() { region(host_.body, false); }

private:
    void count(Builder& builder, ValueId value, const char* what) {
        const char* kind = counted(host_.type(value));
        if (kind) builder.host(std::string(kind) + what, {value}, {});
    }

    // `owns_args`: the region of a loop, which has a reference to each value it carries.
    void region(RegionId id, bool owns_args) {
        std::set<ValueId> owned;
        const std::vector<OpId> ops = host_.region(id).ops;
        if (owns_args) {
            const Values args = host_.region(id).args;
            owned.insert(args.begin(), args.end());
            Builder builder = Builder::at(host_, ops.front());
            for (const ValueId arg : args) release_unused(builder, arg);
        }
        for (const OpId op : ops) operation(op, owned);
    }

    void operation(OpId id, std::set<ValueId>& owned) {
        const Op op = host_.op(id);
        const bool loop = op.kind == OpKind::for_ || op.kind == OpKind::while_;
        std::set<ValueId> given;  // away: to the loop, or to what the region yields to
        if (loop || op.kind == OpKind::yield) {
            Builder builder = Builder::at(host_, id);
            for (size_t i = op.kind == OpKind::for_ ? 3 : 0; i < op.operands.size(); ++i) {
                const ValueId value = op.operands[i];
                const LastUse& last = last_[value.index];
                const bool gives = owned.contains(value) && last.op == id && !last.within;
                if (!gives || !given.insert(value).second) count(builder, value, "_retain");
            }
        }
        for (size_t i = 0; i < op.regions.size(); ++i) {
            const bool body = op.kind == OpKind::for_ || (op.kind == OpKind::while_ && i == 1);
            region(op.regions[i], body);
        }
        release_behind(id, op, owned, given);
        if (!makes_references(op)) return;
        owned.insert(op.results.begin(), op.results.end());
    }

    // What the region owns and the operation is the last to use; what it makes and nobody uses.
    void release_behind(OpId id, const Op& op, const std::set<ValueId>& owned, const std::set<ValueId>& given) {
        Builder builder = Builder::at(host_, id);
        if (op.kind != OpKind::yield) builder.after(id);
        for (const ValueId value : owned) {
            if (last_[value.index].op == id && !given.contains(value)) count(builder, value, "_release");
        }
        if (!makes_references(op)) return;
        for (const ValueId value : op.results) release_unused(builder, value);
    }

    void release_unused(Builder& builder, ValueId value) {
        if (!last_[value.index].op.valid()) count(builder, value, "_release");
    }

    Function& host_;
    std::vector<LastUse> last_;  // of the values that were there before
};

}  // namespace

void place_ownership(Function& host) { Owner(host).run(); }

}  // namespace tsr::ir
