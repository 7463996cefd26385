#include "ir/passes/host/random_keys.h"

#include <map>
#include <string>

#include "ir/build/builder.h"
#include "ir/ops/control.h"
#include "ir/ops/graph.h"

namespace tsr::ir {

namespace {

// What a graph function takes behind its own parameters.
struct Keys {
    size_t own = 0;
    std::vector<Attrs> sources;
};

class KeyGiver {
public:
    KeyGiver(Module& module, Diagnostics& diagnostics) : module_(module), diagnostics_(diagnostics) {}

    void run() {
        for (Function& function : module_.functions) {
            if (function.level == Level::graph) (void)keys_of(function.name);
        }
        for (Function& function : module_.functions) {
            if (function.level == Level::host) give_in_host(function);
        }
    }

private:
    static bool names_function(const Op& op) {
        return op.kind == OpKind::call || op.kind == OpKind::vjp || op.kind == OpKind::jvp || op.kind == OpKind::batch;
    }

    // In a graph function.
    static bool is_key(const Op& op) {
        if (op.kind != OpKind::host) return false;
        const std::string& entry = op.attrs.string(Attr::callee);
        return entry == "seed" || entry == "random_stream";
    }

    const Keys& keys_of(const std::string& name) {
        if (const auto known = keys_.find(name); known != keys_.end()) return known->second;
        Keys& keys = keys_[name];
        Function* function = module_.find(name);
        if (function == nullptr || function->level != Level::graph) return keys;
        keys.own = function->params().size();
        Keys made{keys.own, {}};
        take_in(*function, function->body, made);
        return keys_[name] = std::move(made);
    }

    // The keys that the operations of a region need become parameters.
    void take_in(Function& fn, RegionId region, Keys& keys) {
        const std::vector<OpId> ops = fn.region(region).ops;
        const bool once = region == fn.body;
        for (const OpId id : ops) {
            for (const RegionId below : std::vector<RegionId>(fn.op(id).regions)) take_in(fn, below, keys);
            const std::vector<Attrs> wanted = wanted_by(fn, id);
            if (wanted.empty()) continue;
            if (!once) {
                refuse(fn, id,
                       "random numbers in a loop or a condition of a graph function, which only the run decides, are");
                continue;
            }
            Values given;
            for (const Attrs& source : wanted) given.push_back(parameter(fn, source, keys));
            if (is_key(fn.op(id))) {
                fn.replace_uses(fn.op(id).results[0], given[0]);
                fn.remove(id);
            } else {
                give(fn, id, given);
            }
        }
    }

    // The keys that a key operation, or a call of a function with keys, needs; none after a message.
    std::vector<Attrs> wanted_by(const Function& fn, OpId id) {
        const Op& op = fn.op(id);
        if (is_key(op)) return {op.attrs};
        if (!names_function(op)) return {};
        std::vector<Attrs> wanted = keys_of(op.attrs.string(Attr::callee)).sources;
        if (CustomCallOp::is_one(op) && !CustomCallOp(fn, id).is_recomputed()) {
            const std::vector<std::string> names = op.attrs.strings(Attr::names);
            bool random = !wanted.empty();
            for (size_t i = 1; i < names.size(); ++i) random = random || !keys_of(names[i]).sources.empty();
            if (random) refuse(fn, id, "random numbers in a function with a derivative of its own are");
            return {};
        }
        if (op.kind == OpKind::batch && !wanted.empty()) {
            refuse(fn, id, "random numbers in a function that `vmap` batches are");
            return {};
        }
        return wanted;
    }

    static ValueId parameter(Function& fn, const Attrs& source, Keys& keys) {
        const bool seed = source.string(Attr::callee) == "seed";
        for (size_t i = 0; seed && i < keys.sources.size(); ++i) {
            if (keys.sources[i].string(Attr::callee) == "seed") return fn.params()[keys.own + i];
        }
        keys.sources.push_back(source);
        return fn.add_arg(fn.body, Type::scalar(DType::u64), seed ? "random.seed" : "random.stream");
    }

    // Behind the arguments for the callee's own parameters; cotangents and tangents follow.
    void give(Function& fn, OpId id, const Values& keys) {
        Op& op = fn.op(id);
        const size_t own = keys_of(op.attrs.string(Attr::callee)).own;
        op.operands.insert(op.operands.begin() + static_cast<std::ptrdiff_t>(own), keys.begin(), keys.end());
    }

    void give_in_host(Function& fn) {
        for (size_t i = 0, count = fn.op_count(); i < count; ++i) {
            const OpId id(i);
            if (!fn.op(id).parent.valid() || !names_function(fn.op(id))) continue;
            const std::vector<Attrs> wanted = wanted_by(fn, id);
            Builder before = Builder::at(fn, id);
            Values given;
            for (const Attrs& source : wanted) {
                const OpId made = before.emit(OpKind::host, {}, source, {Type::scalar(DType::u64)});
                given.push_back(fn.op(made).results[0]);
            }
            if (!given.empty()) give(fn, id, given);
        }
    }

    void refuse(const Function& fn, OpId id, const std::string& what) {
        diagnostics_.error("E0601", fn.span_of(id), what + " not compiled yet");
    }

    Module& module_;
    Diagnostics& diagnostics_;
    std::map<std::string, Keys> keys_;
};

}  // namespace

std::optional<Attrs> key_source(const ParamRole& role) {
    switch (role.kind) {
        case ParamRole::Kind::seed:
            return Attrs{{Attr::callee, std::string("seed")}};
        case ParamRole::Kind::stream:
            return Attrs{{Attr::callee, std::string("random_stream")}, {Attr::count, role.number}};
        case ParamRole::Kind::value:
        case ParamRole::Kind::dimension:
            return std::nullopt;
    }
    return std::nullopt;
}

void give_random_keys(Module& module, Diagnostics& diagnostics) { KeyGiver(module, diagnostics).run(); }

}  // namespace tsr::ir
