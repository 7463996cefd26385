#include "ir/passes/host/random_keys.h"

#include <algorithm>
#include <map>
#include <string>

#include "ir/build/builder.h"
#include "ir/ops/control.h"
#include "ir/ops/graph.h"

namespace tsr::ir {

namespace {

// A place in the text that draws random numbers, and how often one call of the function runs it; nothing: only the run
// knows, and the function gives the stream of the next run.
struct DrawingPlace {
    int64_t number = 0;
    std::optional<int64_t> runs = 0;
    bool operator==(const DrawingPlace&) const = default;
};

// What a graph function takes for its random numbers: the seed; how many runs of a place lie between two of its own,
// more than one where `vmap` batches it; the stream of the first run of each place. Before these the scale of
// cotangents that is `dynamic`.
struct Needs {
    bool scale = false;
    bool seed = false;
    bool step = false;
    std::vector<DrawingPlace> places;
    // Where these parameters stand behind the function's own. What the rule of a forward derivative takes for tangents
    // has one beside each parameter.
    size_t own = 0;
    size_t results = 0;
    bool twice = false;

    [[nodiscard]] size_t count() const { return types().size(); }
    [[nodiscard]] bool draws() const { return seed || !places.empty(); }
    // Of the parameters, in their order.
    [[nodiscard]] std::vector<Type> types() const {
        std::vector<Type> all;
        if (scale) all.push_back(Type::scalar(DType::f64));
        all.resize(all.size() + static_cast<size_t>(seed) + static_cast<size_t>(step) + places.size(),
                   Type::scalar(DType::u64));
        return all;
    }
    [[nodiscard]] size_t streams_given() const {
        return static_cast<size_t>(std::ranges::count_if(places, [](const DrawingPlace& one) { return !one.runs; }));
    }
    DrawingPlace& place(int64_t number) {
        const auto found = std::ranges::find(places, number, &DrawingPlace::number);
        return found != places.end() ? *found : places.emplace_back(DrawingPlace{number, 0});
    }
    void add_runs(int64_t number, std::optional<int64_t> runs) {
        DrawingPlace& of = place(number);
        of.runs = of.runs && runs ? std::optional(*of.runs + *runs) : std::nullopt;
    }
    void settle_step() {
        step = step || std::ranges::any_of(places, [](const DrawingPlace& one) { return one.runs != 1; });
    }
};

const Type& key_type() {
    static const Type type = Type::scalar(DType::u64);
    return type;
}

bool names_function(const Op& op) {
    return op.kind == OpKind::call || op.kind == OpKind::vjp || op.kind == OpKind::jvp || op.kind == OpKind::batch;
}

// In a graph function: a call of the runtime that stands for a key.
bool is_key(const Op& op, std::string_view entry) {
    return op.kind == OpKind::host && op.attrs.string(Attr::callee) == entry;
}
bool is_seed(const Op& op) { return is_key(op, "seed"); }
bool is_stream(const Op& op) { return is_key(op, "random_stream"); }
bool is_scale(const Op& op) { return is_key(op, "loss_scale"); }

// A call of a function with a rule of its own for its derivative.
bool is_ruled(const Function& fn, OpId id) {
    return CustomCallOp::is_one(fn.op(id)) && CustomCallOp(fn, id).has_rule();
}

void insert_results(Function& fn, OpId op, size_t at, const std::vector<Type>& types) {
    for (const Type& type : types) fn.add_result(op, type);
    std::vector<ValueId>& all = fn.op(op).results;
    std::rotate(all.begin() + static_cast<std::ptrdiff_t>(at), all.end() - static_cast<std::ptrdiff_t>(types.size()),
                all.end());
    for (size_t i = at; i < all.size(); ++i) fn.value(all[i]).number = static_cast<uint32_t>(i);
}

ValueId insert_parameter(Function& fn, size_t at, const Type& type, std::string name) {
    const ValueId made = fn.add_arg(fn.body, type, std::move(name));
    std::vector<ValueId>& all = fn.region(fn.body).args;
    std::rotate(all.begin() + static_cast<std::ptrdiff_t>(at), all.end() - 1, all.end());
    for (size_t i = at; i < all.size(); ++i) fn.value(all[i]).number = static_cast<uint32_t>(i);
    return made;
}

// Which random numbers each function draws. Reads alone.
class Draws {
public:
    Draws(const Module& module, Diagnostics& diagnostics) : module_(module), diagnostics_(diagnostics) {
        for (const Function& fn : module_.functions) {
            for (size_t i = 0; i < fn.op_count(); ++i) {
                if (fn.op(OpId(i)).parent.valid() && is_ruled(fn, OpId(i))) note_rule(CustomCallOp(fn, OpId(i)));
            }
        }
    }

    const Needs& of(const std::string& name) {
        if (const auto known = needs_.find(name); known != needs_.end()) return known->second;
        needs_[name] = own(name);
        // A function and what gives its result for a derivative take the same keys.
        const auto partner = partners_.find(name);
        if (partner == partners_.end()) return needs_[name];
        const std::string& other = partner->second.first;
        needs_[other] = own(other);
        share(name, other, partner->second.second);
        return needs_[name];
    }

private:
    void note_rule(const CustomCallOp& call) {
        if (call.callee() == call.rule()) return;
        unruled_[call.callee()] = call.unruled();
        partners_[call.callee()] = {call.rule(), true};
        partners_[call.rule()] = {call.callee(), false};
        if (call.is_reverse()) backward_[call.callee()] = call.backward();
        if (call.is_forward()) twice_.insert({call.rule(), true});
    }

    void share(const std::string& name, const std::string& other, bool name_is_called) {
        Needs& a = needs_[name_is_called ? name : other];
        Needs& b = needs_[name_is_called ? other : name];
        std::vector<DrawingPlace> all = a.places;
        for (const DrawingPlace& one : b.places) {
            const auto found = std::ranges::find(all, one.number, &DrawingPlace::number);
            if (found == all.end())
                all.push_back(one);
            else if (found->runs && one.runs)
                found->runs = std::max(*found->runs, *one.runs);
        }
        a.places = b.places = all;
        a.scale = b.scale = a.scale || b.scale;
        a.seed = b.seed = a.seed || b.seed;
        a.step = b.step = a.step || b.step;
        a.settle_step();
        b.settle_step();
        b.own = a.own - unruled_[name_is_called ? name : other];
        b.twice = twice_.contains(name_is_called ? other : name);
    }

    Needs own(const std::string& name) {
        Needs needs;
        const Function* function = module_.find(name);
        if (function == nullptr || function->level != Level::graph) return needs;
        needs.own = function->params().size();
        needs.results = function->results.size();
        needs_[name] = needs;  // of a function that calls itself
        take_in(*function, function->body, needs);
        needs.settle_step();
        return needs;
    }

    void take_in(const Function& fn, RegionId region, Needs& needs) {
        for (const OpId id : fn.region(region).ops) {
            const Op& op = fn.op(id);
            if (is_scale(op)) needs.scale = true;
            if (is_seed(op)) needs.seed = true;
            if (is_stream(op)) needs.add_runs(op.attrs.integer(Attr::count), 1);
            if (names_function(op)) called(fn, id, needs);
            if (op.kind == OpKind::if_) branch(fn, IfOp(fn, id), needs);
            if (op.kind == OpKind::for_ || op.kind == OpKind::while_) loop(fn, id, needs);
        }
    }

    void called(const Function& fn, OpId id, Needs& needs) {
        const Op& op = fn.op(id);
        const Needs callee = of(op.attrs.string(Attr::callee));
        if (is_ruled(fn, id)) {
            if (callee.streams_given() != 0)
                refuse(fn, id, "random numbers in a loop or condition of a function with a derivative of its own");
            const auto backward = backward_.find(op.attrs.string(Attr::callee));
            if (backward != backward_.end() && of(backward->second).draws())
                refuse(fn, id, "random numbers in the backward rule of a function");
            if (backward != backward_.end() && of(backward->second).scale)
                refuse(fn, id, "`@loss_scale(dynamic)` in the backward rule of a function");
        }
        const bool batch = op.kind == OpKind::batch && callee.draws();
        needs.scale = needs.scale || callee.scale;
        needs.seed = needs.seed || callee.seed;
        needs.step = needs.step || callee.step || batch;
        for (const DrawingPlace& one : callee.places) needs.add_runs(one.number, batch ? std::nullopt : one.runs);
    }

    void branch(const Function& fn, const IfOp& op, Needs& needs) {
        Needs then, otherwise;
        take_in(fn, op.then(), then);
        take_in(fn, op.otherwise(), otherwise);
        for (const DrawingPlace& one : otherwise.places) (void)then.place(one.number);
        for (const DrawingPlace& one : then.places) {
            const std::optional<int64_t> runs = otherwise.place(one.number).runs;
            needs.add_runs(one.number, runs == one.runs ? runs : std::nullopt);
        }
        needs.scale = needs.scale || then.scale || otherwise.scale;
        needs.seed = needs.seed || then.seed || otherwise.seed;
        needs.step = needs.step || then.step || otherwise.step || !then.places.empty();
    }

    void loop(const Function& fn, OpId id, Needs& needs) {
        for (const RegionId region : fn.op(id).regions) {
            Needs inside;
            take_in(fn, region, inside);
            if (fn.op(id).kind == OpKind::while_ && region == WhileOp(fn, id).test() && inside.streams_given() != 0)
                refuse(fn, id, "random numbers in a condition or loop of the condition of a `while`");
            for (const DrawingPlace& one : inside.places) needs.add_runs(one.number, std::nullopt);
            needs.scale = needs.scale || inside.scale;
            needs.seed = needs.seed || inside.seed;
            needs.step = needs.step || inside.step;
        }
    }

    void refuse(const Function& fn, OpId id, const std::string& what) {
        diagnostics_.error("E0601", fn.span_of(id), what + " are not compiled yet");
    }

    const Module& module_;
    Diagnostics& diagnostics_;
    std::map<std::string, Needs> needs_;
    std::map<std::string, std::pair<std::string, bool>> partners_;  // the other one; whether the key is what is called
    std::map<std::string, size_t> unruled_;  // arguments of what is called that its rule is not told of
    std::map<std::string, std::string> backward_;
    std::map<std::string, bool> twice_;
};

// Puts parameters in the place of the keys of one function, and gives each call its own.
class KeyGiver {
public:
    KeyGiver(Function& fn, Draws& draws) : fn_(fn), draws_(draws) {}

    void in_graph(const Needs& needs) {
        size_t at = needs.own;
        if (needs.scale) scale_ = insert_parameter(fn_, at++, Type::scalar(DType::f64), "loss_scale");
        if (needs.seed) seed_ = insert_parameter(fn_, at++, key_type(), "random.seed");
        if (needs.step) step_ = insert_parameter(fn_, at++, key_type(), "random.step");
        for (const DrawingPlace& one : needs.places)
            streams_[one.number] = insert_parameter(fn_, at++, key_type(), "random.stream");
        for (const Type& type : needs.twice ? needs.types() : std::vector<Type>{})
            fn_.add_arg(fn_.body, type, "unused");
        region(fn_.body);
        Values next;
        for (const DrawingPlace& one : needs.places) {
            if (!one.runs) next.push_back(streams_.at(one.number));
        }
        std::vector<ValueId>& yields = fn_.op(fn_.region(fn_.body).ops.back()).operands;
        const auto behind = static_cast<std::ptrdiff_t>(needs.results);
        yields.insert(yields.begin() + behind, next.begin(), next.end());
        fn_.results.insert(fn_.results.begin() + behind, next.size(), key_type());
    }

    // A call in a host function takes the keys where it stands, and counts what it ran: a place that it may have run,
    // once at least.
    void in_host() {
        for (size_t i = 0, count = fn_.op_count(); i < count; ++i) {
            const OpId id(i);
            if (!fn_.op(id).parent.valid() || !names_function(fn_.op(id))) continue;
            const Needs needs = draws_.of(fn_.op(id).attrs.string(Attr::callee));
            if (needs.count() == 0) continue;
            Builder before = Builder::at(fn_, id);
            if (needs.scale) {
                const OpId made = before.emit(OpKind::host, {}, {{Attr::callee, std::string("loss_scale")}},
                                              {Type::scalar(DType::f64)});
                scale_ = fn_.op(made).results[0];
            }
            if (needs.seed) seed_ = fn_.op(before.emit(OpKind::host, {}, *key_source(kSeed), {key_type()})).results[0];
            if (needs.step) step_ = before.constant(1, DType::u64);
            for (const DrawingPlace& one : needs.places) {
                streams_[one.number] = next_run(before, one.number);
                for (int64_t more = 1; more < one.runs.value_or(1); ++more) (void)next_run(before, one.number);
            }
            const std::map<int64_t, ValueId> first = streams_;
            call(id, needs);
            Builder after = Builder::at(fn_, id);
            after.after(id);
            for (const DrawingPlace& one : needs.places) {
                if (one.runs) continue;
                const ValueId runs = after.sub(streams_.at(one.number), first.at(one.number));
                after.for_(after.index(1), after.cast(runs, DType::index), after.index(1), {},
                           {{Attr::loop, static_cast<int64_t>(LoopKind::in_order)}},
                           [&](Builder& in, ValueId, const Values&) {
                               (void)next_run(in, one.number);
                               return Values{};
                           });
            }
        }
    }

private:
    static constexpr ParamRole kSeed{.kind = ParamRole::Kind::seed};

    static ValueId next_run(Builder& at, int64_t place) {
        const OpId made =
            at.emit(OpKind::host, {}, *key_source({.kind = ParamRole::Kind::stream, .number = place}), {key_type()});
        return at.function().op(made).results[0];
    }

    void region(RegionId region) {
        for (const OpId id : std::vector<OpId>(fn_.region(region).ops)) operation(id);
    }

    void operation(OpId id) {
        const OpKind kind = fn_.op(id).kind;
        if (is_seed(fn_.op(id)) || is_scale(fn_.op(id))) {
            fn_.replace_uses(fn_.op(id).results[0], is_seed(fn_.op(id)) ? seed_ : scale_);
            return fn_.remove(id);
        }
        if (is_stream(fn_.op(id))) {
            const int64_t place = fn_.op(id).attrs.integer(Attr::count);
            Builder at = Builder::at(fn_, id);
            const ValueId stream = streams_.at(place);
            if (step_.valid()) streams_[place] = at.add(stream, step_);
            fn_.replace_uses(fn_.op(id).results[0], stream);
            return fn_.remove(id);
        }
        if (names_function(fn_.op(id))) {
            const Needs needs = draws_.of(fn_.op(id).attrs.string(Attr::callee));
            if (needs.count() == 0) return;
            if (kind == OpKind::batch) return batch(id, needs);
            call(id, needs);
            Builder after = Builder::at(fn_, id);
            after.after(id);
            for (const DrawingPlace& one : needs.places) {
                if (one.runs && step_.valid()) advance(after, one.number, *one.runs, step_);
            }
            return;
        }
        if (kind == OpKind::if_) return branch(id);
        if (kind == OpKind::for_ || kind == OpKind::while_) return loop(id);
    }

    void advance(Builder& at, int64_t place, int64_t runs, ValueId step) {
        if (runs == 0) return;
        const ValueId by = runs == 1 ? step : at.mul(step, at.constant(runs, DType::u64));
        streams_[place] = at.add(streams_.at(place), by);
    }

    // The keys stand behind the arguments for the callee's own parameters; cotangents and tangents follow.
    void give(OpId id, const Needs& needs, const Values& keys) {
        std::vector<ValueId>& operands = fn_.op(id).operands;
        operands.insert(operands.begin() + static_cast<std::ptrdiff_t>(needs.own), keys.begin(), keys.end());
        if (needs.twice) operands.insert(operands.end(), keys.begin(), keys.end());
    }

    // What follows the results of its own, one for each stream that it gives.
    Values next_streams(OpId id, const Needs& needs, const Type& type) {
        insert_results(fn_, id, needs.results, std::vector<Type>(needs.streams_given(), type));
        const std::vector<ValueId>& all = fn_.op(id).results;
        const auto first = all.begin() + static_cast<std::ptrdiff_t>(needs.results);
        return {first, first + static_cast<std::ptrdiff_t>(needs.streams_given())};
    }

    void call(OpId id, const Needs& needs) {
        Values keys;
        if (needs.scale) keys.push_back(scale_);
        if (needs.seed) keys.push_back(seed_);
        if (needs.step) keys.push_back(step_);
        for (const DrawingPlace& one : needs.places) keys.push_back(streams_.at(one.number));
        give(id, needs, keys);
        const Values next = next_streams(id, needs, key_type());
        auto given = next.begin();
        for (const DrawingPlace& one : needs.places) {
            if (!one.runs) streams_[one.number] = *given++;
        }
    }

    // All examples draw in each run of a place, one after the other: example i begins with run i.
    void batch(OpId id, const Needs& needs) {
        const Dim examples = BatchOp(fn_, id).examples();
        if (!needs.draws()) {  // the scale is the same for all
            give(id, needs, {scale_});
            std::vector<int64_t> axes = fn_.op(id).attrs.integers(Attr::axes);
            axes.insert(axes.begin() + static_cast<std::ptrdiff_t>(needs.own), 0);
            fn_.op(id).attrs.set(Attr::axes, axes);
            return;
        }
        Builder before = Builder::at(fn_, id);
        const ValueId count = before.cast(before.dim(examples), DType::u64);
        const ValueId step = before.mul(step_, count);
        const std::vector<Dim> shape{examples};
        const auto all = [&](Builder& at, ValueId number) {
            return at.value(OpKind::full, {number}, {{Attr::shape, shape}});
        };
        const ValueId numbers = before.value(OpKind::positions, {}, {{Attr::type, DType::i64}, {Attr::shape, shape}});
        const ValueId first = before.mul(before.cast(numbers, DType::u64), all(before, step_));
        Values keys;
        std::vector<int64_t> varies;
        const auto take = [&](ValueId key, int64_t one_each) {
            keys.push_back(key);
            varies.push_back(one_each);
        };
        if (needs.scale) take(scale_, 0);
        if (needs.seed) take(seed_, 0);
        if (needs.step) take(step, 0);
        for (const DrawingPlace& one : needs.places) take(before.add(all(before, streams_.at(one.number)), first), 1);
        give(id, needs, keys);
        std::vector<int64_t> axes = fn_.op(id).attrs.integers(Attr::axes);
        axes.insert(axes.begin() + static_cast<std::ptrdiff_t>(needs.own), varies.begin(), varies.end());
        fn_.op(id).attrs.set(Attr::axes, axes);
        const Values next = next_streams(id, needs, Type::tensor(DType::u64, shape, false));
        Builder after = Builder::at(fn_, id);
        after.after(id);
        auto given = next.begin();
        for (const DrawingPlace& one : needs.places) {
            if (one.runs) {
                advance(after, one.number, *one.runs, step);
                continue;
            }
            // Behind the example that ran it most often.
            const ValueId runs = after.sub(after.sub(*given++, first), all(after, streams_.at(one.number)));
            const ValueId most =
                after.value(OpKind::reduce, {after.cast(runs, DType::i64)},
                            {{Attr::axis, int64_t{0}}, {Attr::op, static_cast<int64_t>(ReduceOp::max)}});
            streams_[one.number] = after.add(streams_.at(one.number), after.cast(most, DType::u64));
        }
    }

    // The places of which a region draws.
    void find_places(RegionId region, std::vector<int64_t>& places) {
        const auto add = [&](int64_t place) {
            if (std::ranges::find(places, place) == places.end()) places.push_back(place);
        };
        for (const OpId id : fn_.region(region).ops) {
            const Op& op = fn_.op(id);
            if (is_stream(op)) add(op.attrs.integer(Attr::count));
            if (names_function(op)) {
                for (const DrawingPlace& one : draws_.of(op.attrs.string(Attr::callee)).places) add(one.number);
            }
            for (const RegionId below : op.regions) find_places(below, places);
        }
    }

    std::vector<int64_t> places_in(OpId id) {
        std::vector<int64_t> places;
        for (const RegionId region : fn_.op(id).regions) find_places(region, places);
        return places;
    }

    void yield_streams(RegionId region, const std::vector<int64_t>& places) {
        std::vector<ValueId>& yields = fn_.op(fn_.region(region).ops.back()).operands;
        for (const int64_t place : places) yields.push_back(streams_.at(place));
    }

    void take_results(OpId id, const std::vector<int64_t>& places) {
        for (const int64_t place : places) streams_[place] = fn_.add_result(id, key_type());
    }

    void branch(OpId id) {
        const std::vector<int64_t> places = places_in(id);
        const std::map<int64_t, ValueId> before = streams_;
        for (const RegionId one : std::vector<RegionId>(fn_.op(id).regions)) {
            streams_ = before;
            region(one);
            yield_streams(one, places);
        }
        take_results(id, places);
    }

    void enter(RegionId region, const std::vector<int64_t>& places) {
        for (const int64_t place : places) streams_[place] = fn_.add_arg(region, key_type(), "random.stream");
    }

    void loop(OpId id) {
        const std::vector<int64_t> places = places_in(id);
        for (const int64_t place : places) fn_.op(id).operands.push_back(streams_.at(place));
        std::map<int64_t, int64_t> tested;  // runs in the test of a `while`
        if (fn_.op(id).kind == OpKind::while_) {
            const RegionId test = WhileOp(fn_, id).test();
            for (const OpId op : fn_.region(test).ops) count_runs(op, tested);
            enter(test, places);
            region(test);
        }
        const RegionId body = LoopOp(fn_, id).body();
        enter(body, places);
        if (!tested.empty()) {
            Builder at = Builder::at(fn_, fn_.region(body).ops.front());
            for (const auto& [place, runs] : tested) advance(at, place, runs, step_);
        }
        region(body);
        yield_streams(body, places);
        take_results(id, places);
        if (tested.empty()) return;
        Builder after = Builder::at(fn_, id);
        after.after(id);
        for (const auto& [place, runs] : tested) advance(after, place, runs, step_);
    }

    void count_runs(OpId id, std::map<int64_t, int64_t>& runs) {
        const Op& op = fn_.op(id);
        if (is_stream(op)) ++runs[op.attrs.integer(Attr::count)];
        if (!names_function(op)) return;
        for (const DrawingPlace& one : draws_.of(op.attrs.string(Attr::callee)).places)
            runs[one.number] += one.runs.value_or(0);
    }

    Function& fn_;
    Draws& draws_;
    ValueId scale_, seed_, step_;
    std::map<int64_t, ValueId> streams_;  // of the next run of each place
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

void give_random_keys(Module& module, Diagnostics& diagnostics) {
    Draws draws(module, diagnostics);
    std::map<std::string, Needs> all;  // before any function changes
    for (const Function& function : module.functions) {
        if (function.level == Level::graph) all[function.name] = draws.of(function.name);
    }
    if (diagnostics.has_errors()) return;
    for (Function& function : module.functions) {
        if (function.level == Level::graph && all[function.name].count() != 0)
            KeyGiver(function, draws).in_graph(all[function.name]);
        if (function.level == Level::host) KeyGiver(function, draws).in_host();
    }
}

}  // namespace tsr::ir
