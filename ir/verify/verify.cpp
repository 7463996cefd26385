#include "ir/verify/verify.h"

#include <fmt/format.h>

#include "ir/ops/record.h"
#include "ir/text/print.h"
#include "ir/verify/verify_rules.h"

namespace tsr::ir {

namespace {

class Verifier {
public:
    Verifier(const Function& function, const Module* module)
        : fn_(function),
          module_(module),
          visible_(function.value_count()),
          met_ops_(function.op_count()),
          met_regions_(function.region_count()) {}

    std::vector<std::string> run() {
        check_region(fn_.body, {});
        if (sound_) check_end(fn_.body, fn_.is_kernel ? std::vector<Type>{} : fn_.results, "the function");
        if (fn_.kernel.launch.valid()) check_launch();
        if (!fn_.is_kernel && (fn_.kernel.launch.valid() || fn_.kernel.flat)) {
            say("a function that is no kernel has a kernel's header");
        }
        for (const Type& type : fn_.results) {
            if (type.kind == TypeKind::none) say("a result has no type");
        }
        return std::move(messages_);
    }

private:
    void say(const std::string& what) { messages_.push_back(fmt::format("@{}: {}", fn_.name, what)); }
    void say(OpId op, const std::string& what) {
        messages_.push_back(fmt::format("@{}: `{}`: {}", fn_.name, print_line(fn_, op), what));
    }
    void broken(OpId op, const std::string& what) {
        sound_ = false;
        say(op, what);
    }

    // Defines the region's arguments, checks its operations, and takes all it defined out of sight again.
    void check_region(RegionId id, OpId parent) {
        if (!id.valid() || id.index >= fn_.region_count() || met_regions_[id.index]) {
            sound_ = false;
            return say("a region is missing, or belongs to two operations");
        }
        met_regions_[id.index] = true;
        const Region& region = fn_.region(id);
        if (region.parent != parent) {
            sound_ = false;
            say("a region does not know its operation");
        }
        const size_t defined_before = defined_.size();
        for (size_t i = 0; i < region.args.size(); ++i) define(region.args[i], {}, id, i);
        for (size_t i = 0; i < region.ops.size(); ++i) {
            const OpId op = region.ops[i];
            if (!op.valid() || op.index >= fn_.op_count() || met_ops_[op.index]) {
                sound_ = false;
                say("an operation is missing, or stands in two places");
                continue;
            }
            met_ops_[op.index] = true;
            if (fn_.op(op).parent != id) broken(op, "does not know the region that it stands in");
            const bool last = i + 1 == region.ops.size();
            if ((fn_.op(op).kind == OpKind::yield) != last) broken(op, "a region ends with its only 'yield'");
            check_op(op);
        }
        if (region.ops.empty()) {
            sound_ = false;
            say("a region has no 'yield'");
        }
        // What the launch region sees of the body are the parameters.
        const size_t keep = id == fn_.body ? region.args.size() : defined_before;
        for (; defined_.size() > keep; defined_.pop_back()) visible_[defined_.back().index] = false;
    }

    void define(ValueId id, OpId op, RegionId region, size_t number) {
        if (!id.valid() || id.index >= fn_.value_count()) {
            sound_ = false;
            return say("a value is missing");
        }
        const Value& value = fn_.value(id);
        if (value.op != op || value.region != region || value.number != number) {
            sound_ = false;
            say(fmt::format("value {} does not know where it is defined", id.index));
        }
        if (value.type.kind == TypeKind::none) say(fmt::format("value {} has no type", id.index));
        visible_[id.index] = true;
        defined_.push_back(id);
    }

    void check_op(OpId id) {
        const Op& op = fn_.op(id);
        bool fine = true;
        for (size_t i = 0; i < op.operands.size(); ++i) {
            const ValueId v = op.operands[i];
            if (v.valid() && v.index < fn_.value_count() && visible_[v.index]) continue;
            const bool there = v.valid() && v.index < fn_.value_count();
            broken(id, there ? fmt::format("operand {} is not visible here", i) : "an operand is missing");
            fine = false;
        }
        if (op.regions.size() != record(op.kind).regions) {
            broken(id, fmt::format("has {} regions, needs {}", op.regions.size(), record(op.kind).regions));
            fine = false;
        }
        const bool before = sound_;
        sound_ = true;
        where_.around.push_back(id);
        for (RegionId region : op.regions) check_region(region, id);
        where_.around.pop_back();
        fine = fine && sound_;
        sound_ = sound_ && before;
        if (fine) check_laws(id);
        for (size_t i = 0; i < op.results.size(); ++i) define(op.results[i], id, {}, i);
    }

    void check_laws(OpId id) {
        // Without its operands and attributes an operation can not be asked for more.
        const std::vector<std::string> types = check_types(fn_, id);
        for (const std::string& what : types) say(id, what);
        if (!types.empty()) return;
        for (const std::string& what : check_standing(fn_, id, where_)) say(id, what);
        if (module_ == nullptr) return;
        for (const std::string& what : check_callee(fn_, id, *module_)) say(id, what);
    }

    void check_end(RegionId region, const std::vector<Type>& expected, std::string_view whose) {
        const Op& end = fn_.op(fn_.region(region).ops.back());
        if (end.operands.size() != expected.size()) {
            return say(fmt::format("{} gives {} values, needs {}", whose, end.operands.size(), expected.size()));
        }
        for (size_t i = 0; i < expected.size(); ++i) {
            if (fits(fn_.type(end.operands[i]), expected[i])) continue;
            say(fmt::format("{} gives {}, needs {}", whose, fn_.type(end.operands[i]).text(), expected[i].text()));
        }
    }

    void check_launch() {
        where_.launch_region = true;
        check_region(fn_.kernel.launch, {});
        if (!sound_) return;
        if (!fn_.region(fn_.kernel.launch).args.empty()) say("the launch region takes arguments");
        const Op& end = fn_.op(fn_.region(fn_.kernel.launch).ops.back());
        const size_t most = fn_.kernel.flat || fn_.kernel.elements ? 1 : 3;
        if (end.operands.empty() || end.operands.size() > most) {
            say(fmt::format("the launch region yields {} numbers", end.operands.size()));
        }
        for (ValueId v : end.operands) {
            if (fn_.type(v) != Type::scalar(DType::index)) say("the launch region yields something else than index");
        }
    }

    const Function& fn_;
    const Module* module_;
    std::vector<bool> visible_;
    std::vector<bool> met_ops_;
    std::vector<bool> met_regions_;
    std::vector<ValueId> defined_;
    Surroundings where_;
    bool sound_ = true;  // structure: without it types are not looked at
    std::vector<std::string> messages_;
};

}  // namespace

std::vector<std::string> verify(const Function& function, const Module* module) {
    return Verifier(function, module).run();
}

std::vector<std::string> verify(const Module& module) {
    std::vector<std::string> messages;
    for (const Function& function : module.functions) {
        if (module.find(function.name) != &function) {
            messages.push_back(fmt::format("@{}: there are two functions of this name", function.name));
        }
        for (std::string& message : verify(function, &module)) messages.push_back(std::move(message));
    }
    return messages;
}

}  // namespace tsr::ir
