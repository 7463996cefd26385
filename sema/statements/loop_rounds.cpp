#include "sema/statements/loop_rounds.h"

#include <algorithm>
#include <functional>
#include <map>

#include <fmt/format.h>

#include "sema/expressions/comprehensions.h"
#include "sema/expressions/differing_items.h"
#include "sema/program/copied_syntax.h"
#include "sema/program/host_methods.h"
#include "sema/state/entities.h"
#include "sema/state/recursion.h"
#include "sema/state/scope.h"
#include "sema/statements/backward_loops.h"
#include "sema/values/rounds.h"

namespace tsr::sema {

namespace {

constexpr int64_t kMostRounds = 1024;

// What a round gives to a name of the loop.
struct Given {
    const ast::Expr* target;
    // Either a number, which the name stands for, or what is written in its place.
    std::function<std::optional<int64_t>(size_t round)> number;
    std::function<ast::ExprNode(size_t round)> item;
    bool first = false;  // evaluated before the first round
};

struct Rounds {
    std::string form;                 // tells apart what the loop goes through in other instances
    std::vector<std::string> labels;  // of each round, behind the names that are its own
    std::vector<Given> given;
};

bool is_name(const ast::Expr& e) { return std::holds_alternative<ast::Name>(e.node); }
const std::string& text_of(const ast::Expr& name) { return std::get<ast::Name>(name.node).text; }

// Each round has variables of its own for what it assigns first.
std::vector<std::string> own_names(Body& b, const ast::For& f) {
    std::map<std::string, int, std::less<>> bound;
    count_bindings(f.body, bound);
    std::vector<std::string> own;
    for (const auto& [name, count] : bound) {
        const Slot* slot = b.find_slot(name);
        const bool before = slot && slot->id.index < b.flow.assigned.size() && b.flow.assigned[slot->id.index];
        if (!before) own.push_back(name);
    }
    return own;
}

// ---- dictionaries whose items differ ----

std::optional<Rounds> rounds_of_keys(Body& b, const ast::For& f) {
    const auto gone = differing_items(b, *f.iterable, *f.target);
    if (!gone) return std::nullopt;
    const Type dict = expression(b, *gone->dict).type;
    MadeSyntax& syntax = b.checker.program.made;
    Rounds rounds;
    for (const std::string& name : dict.names()) rounds.form += name + "|";
    rounds.labels.assign(dict.names().begin() + 1, dict.names().end());
    const auto key = [labels = rounds.labels](size_t round) { return ast::StringLiteral{labels[round], {}}; };
    if (gone->key) rounds.given.push_back({gone->key, {}, key});
    const Span at = f.target->span;
    if (gone->value) {
        rounds.given.push_back({gone->value, {}, [&syntax, key, at, of = gone->dict](size_t round) {
                                    SyntaxCopier copier(syntax);
                                    return ast::Subscript{copier.expr(of), {&syntax.expr(at, key(round))}};
                                }});
    }
    return rounds;
}

// ---- sequences of known length ----

// What may be written several times: names, their members and items, and slices of them.
bool is_repeatable(const ast::Expr& e) {
    if (const auto* member = std::get_if<ast::Attribute>(&e.node)) return is_repeatable(*member->base);
    if (const auto* part = std::get_if<ast::Subscript>(&e.node)) {
        const auto plain = [](const ast::Expr* bound) {
            const auto* minus = bound ? std::get_if<ast::Unary>(&bound->node) : nullptr;
            const ast::Expr* number = minus ? minus->operand : bound;
            return !number || std::holds_alternative<ast::IntLiteral>(number->node) || is_name(*number);
        };
        const auto plain_index = [&](const ast::Expr* index) {
            const auto* slice = std::get_if<ast::Slice>(&index->node);
            return slice ? plain(slice->lower) && plain(slice->upper) && plain(slice->step) : plain(index);
        };
        return is_repeatable(*part->base) && std::ranges::all_of(part->indices, plain_index);
    }
    return is_name(e);
}

// `for f in (relu, tanh):`
bool is_display(const ast::Expr& e) {
    return std::holds_alternative<ast::Tuple>(e.node) || std::holds_alternative<ast::List>(e.node);
}

std::optional<std::vector<int64_t>> static_arguments(Body& b, const ast::Call& call) {
    std::vector<int64_t> numbers;
    for (const ast::Argument& argument : call.arguments) {
        if (argument.keyword || argument.unpacked) return std::nullopt;
        const Value value = expression(b, *argument.value);
        const auto number = value.value ? value.value->integer()
                            : value.dim ? value.dim->constant_value()
                                        : std::nullopt;
        if (!number) return std::nullopt;
        numbers.push_back(*number);
    }
    return numbers;
}

class Sequences {
public:
    Sequences(Body& b, Rounds& rounds) : b_(b), rounds_(rounds) {}

    // How many items there are, and what each gives to the target; nothing where that is not known.
    std::optional<int64_t> go(const ast::Expr& iterable, const ast::Expr& target) {
        const auto builtin = called_builtin(b_, iterable);
        if (!builtin) return items(iterable, target, false);
        const auto& call = std::get<ast::Call>(iterable.node);
        switch (*builtin) {
            case Builtin::range:
                return range(call, target);
            case Builtin::reversed:
                return call.arguments.size() == 1 ? items(*call.arguments[0].value, target, true) : std::nullopt;
            case Builtin::enumerate:
                return enumerated(call, target);
            case Builtin::zip:
                return zipped(call, target);
            default:
                return std::nullopt;
        }
    }

private:
    std::optional<int64_t> range(const ast::Call& call, const ast::Expr& target) {
        const auto numbers = static_arguments(b_, call);
        if (!numbers || numbers->empty() || numbers->size() > 3 || !is_name(target)) return std::nullopt;
        const StaticRange range{numbers->size() > 1 ? (*numbers)[0] : 0,
                                numbers->size() > 1 ? (*numbers)[1] : (*numbers)[0],
                                numbers->size() > 2 ? (*numbers)[2] : 1};
        if (range.step == 0) return std::nullopt;
        rounds_.form += fmt::format("{}:{}:{}|", range.start, range.stop, range.step);
        counted(target, range.start, range.step);
        return std::max<int64_t>(0, range.length());
    }
    void counted(const ast::Expr& target, int64_t start, int64_t step) {
        rounds_.given.push_back(
            {&target, [=](size_t round) { return std::optional(start + static_cast<int64_t>(round) * step); }, {}});
    }
    std::optional<int64_t> items(const ast::Expr& sequence, const ast::Expr& target, bool from_end) {
        if (!is_repeatable(sequence) && !is_display(sequence)) return std::nullopt;
        const Type type = expression(b_, sequence).type;
        std::optional<int64_t> count;
        if (type.is(Kind::list)) count = type.length();
        if (type.is(Kind::tuple)) count = static_cast<int64_t>(type.parts().size());
        if (type.is(Kind::tensor) && type.rank() > 0) count = type.shape()[0].constant_value();
        if (!count) return std::nullopt;
        rounds_.form += fmt::format("{}{}|", *count, from_end ? "-" : "");
        MadeSyntax& syntax = b_.checker.program.made;
        rounds_.given.push_back({&target,
                                 {},
                                 [=, &syntax, of = &sequence](size_t round) {
                                     SyntaxCopier copier(syntax);
                                     const auto place = static_cast<int64_t>(round);
                                     const auto at = static_cast<uint64_t>(from_end ? *count - 1 - place : place);
                                     const auto* tuple = std::get_if<ast::Tuple>(&of->node);
                                     const auto* list = std::get_if<ast::List>(&of->node);
                                     if (tuple) return copier.expr(tuple->elements[at])->node;
                                     if (list) return copier.expr(list->elements[at])->node;
                                     const ast::Expr& index = syntax.expr(of->span, ast::IntLiteral{at, false});
                                     return ast::ExprNode(ast::Subscript{copier.expr(of), {&index}});
                                 },
                                 is_display(sequence)});
        return count;
    }
    std::optional<int64_t> enumerated(const ast::Call& call, const ast::Expr& target) {
        const auto* pair = std::get_if<ast::Tuple>(&target.node);
        if (call.arguments.size() != 1 || !pair || pair->elements.size() != 2 || !is_name(*pair->elements[0]))
            return std::nullopt;
        counted(*pair->elements[0], 0, 1);
        return go(*call.arguments[0].value, *pair->elements[1]);
    }
    std::optional<int64_t> zipped(const ast::Call& call, const ast::Expr& target) {
        const auto* parts = std::get_if<ast::Tuple>(&target.node);
        if (!parts || parts->elements.size() != call.arguments.size()) return std::nullopt;
        std::optional<int64_t> least;
        for (size_t i = 0; i < call.arguments.size(); ++i) {
            const auto count = go(*call.arguments[i].value, *parts->elements[i]);
            if (!count) return std::nullopt;
            least = least ? std::min(*least, *count) : *count;
        }
        return least;
    }

    Body& b_;
    Rounds& rounds_;
};

// ---- which loops ----

// The lists that are there before a loop and change their length in it.
struct Growth {
    Body& b;
    std::vector<const Slot*> lists;
    std::string_view counter = {};  // the name of a number
    bool chooses = false;           // something is chosen by that number: `states[k]`

    void block(const ast::Block& statements) {
        for (const ast::Stmt* stmt : statements) std::visit(*this, stmt->node);
    }
    void operator()(const ast::ExprStmt& s) { expr(*s.value); }
    void operator()(const ast::Assign& s) {
        expr(*s.value);
        for (const ast::Expr* target : s.targets) expr(*target);
        // `ys = ys + [h]`
        const auto* sum = std::get_if<ast::Binary>(&s.value->node);
        const bool joins = sum && sum->op == ast::BinaryOp::add && (list(*sum->lhs) || list(*sum->rhs));
        if (joins && s.targets.size() == 1) add(*s.targets[0]);
    }
    void operator()(const ast::AugmentedAssign& s) {
        expr(*s.value), expr(*s.target);
        if (s.op == ast::BinaryOp::add) add(*s.target);
    }
    void operator()(const ast::AnnotatedAssign& s) {
        if (s.value) expr(*s.value);
    }
    void operator()(const ast::If& s) {
        for (const ast::If::Branch& one : s.branches) expr(*one.condition), block(one.body);
        block(s.otherwise);
    }
    void operator()(const ast::For& s) { expr(*s.iterable), block(s.body), block(s.otherwise); }
    void operator()(const ast::While& s) { expr(*s.condition), block(s.body), block(s.otherwise); }
    void operator()(const ast::Return& s) {
        if (s.value) expr(*s.value);
    }
    void operator()(const ast::Assert& s) { expr(*s.condition); }
    template <class Other>
    void operator()(const Other&) {}

private:
    const Slot* list(const ast::Expr& e) const {
        const Slot* slot = is_name(e) ? b.find_slot(text_of(e)) : nullptr;
        const bool before = slot && slot->id.index < b.flow.assigned.size() && b.flow.assigned[slot->id.index];
        return before && slot->joined && slot->joined->is(Kind::list) ? slot : nullptr;
    }
    void add(const ast::Expr& name) {
        if (const Slot* slot = list(name)) lists.push_back(slot);
    }
    bool reads_counter(const ast::Expr& e) const {
        bool found = is_name(e) && text_of(e) == counter;
        for_each_part(e, [&](const ast::Expr& part) { found = found || reads_counter(part); });
        return found;
    }
    // `ys.append(h)`, `f(ys.pop())`
    void expr(const ast::Expr& e) {
        for_each_part(e, [&](const ast::Expr& part) { expr(part); });
        if (const auto* item = std::get_if<ast::Subscript>(&e.node); item && !counter.empty())
            chooses = chooses || std::ranges::any_of(item->indices, [&](const auto* at) { return reads_counter(*at); });
        const auto* call = std::get_if<ast::Call>(&e.node);
        const auto* method = call ? std::get_if<ast::Attribute>(&call->callee->node) : nullptr;
        if (!method) return;
        const auto rows = host_methods(Kind::list, method->name.text);
        if (!rows.empty() && rows.front()->changes) add(*method->base);
    }
};

// Items that have no common type: functions, tensors of several ranks.
bool items_differ(Body& b, const ast::Expr& iterable) {
    if (!std::holds_alternative<ast::Tuple>(iterable.node) && !is_name(iterable)) return false;
    const Type type = expression(b, iterable).type;
    return type.is(Kind::tuple) && !type.parts().empty() && !common_item(type.parts());
}

// The name of the number in `for k, layer in enumerate(layers):` over a list or tuple; empty in other loops.
std::string_view number_of_item(Body& b, const ast::For& f) {
    const auto* pair = std::get_if<ast::Tuple>(&f.target->node);
    if (!pair || pair->elements.size() != 2 || !is_name(*pair->elements[0])) return {};
    if (called_builtin(b, *f.iterable) != Builtin::enumerate) return {};
    const auto& arguments = std::get<ast::Call>(f.iterable->node).arguments;
    if (arguments.size() != 1 || arguments[0].unpacked) return {};
    const Type type = expression(b, *arguments[0].value).type;
    return type.is(Kind::list) || type.is(Kind::tuple) ? text_of(*pair->elements[0]) : std::string_view();
}

std::optional<Rounds> rounds_of_items(Body& b, const ast::For& f) {
    Growth growth{b, {}};
    if (b.rules().new_values) {
        growth.counter = number_of_item(b, f);
        growth.block(f.body);
    }
    if (growth.lists.empty() && !growth.chooses && !items_differ(b, *f.iterable)) return std::nullopt;
    Rounds rounds;
    const auto count = Sequences(b, rounds).go(*f.iterable, *f.target);
    if (!count || *count > kMostRounds) return std::nullopt;
    for (int64_t i = 0; i < *count; ++i) rounds.labels.push_back(std::to_string(i));
    return rounds;
}

// ---- rows of tensors ----

// `for x in xs:` of a tensor in a graph function, also of `enumerate(xs)` and `zip(xs, ys)`: a loop over their first
// axis whose rounds read the rows.
class RowLoop {
public:
    RowLoop(Body& b, const ast::Stmt& stmt, const ast::For& f) : b_(b), stmt_(stmt), f_(f) {}

    const LoopRounds* made() {
        if (!b_.rules().new_values || !SyntaxCopier::may_copy(f_.body, true)) return nullptr;
        if (!go(*f_.iterable, *f_.target) || rows_.empty()) return nullptr;
        MadeSyntax& syntax = b_.checker.program.made;
        LoopRounds& made = syntax.loop_rounds[{b_.instance.module, stmt_.id, "rows"}];
        if (made.rounds.valid()) return &made;
        const Span at = f_.target->span, of = f_.iterable->span;
        SyntaxCopier copier(syntax);
        std::vector<const ast::Expr*> targets;
        target_names(*f_.target, targets);
        for (const ast::Expr* target : targets) {
            if (!b_.loop_names.contains(text_of(*target))) continue;  // it is read elsewhere, too
            copier.names[text_of(*target)] = text_of(*target) + ".row";
            const ast::Expr& own = syntax.expr(at, ast::Name{text_of(*target) + ".row"});
            made.names.push_back({own.id, std::nullopt});
        }
        const auto name = [&](const std::string& text) { return &syntax.expr(of, ast::Name{text}); };
        const auto member = [&](const ast::Expr* base, const std::string& text) {
            return &syntax.expr(of, ast::Attribute{base, {text, of}});
        };
        const std::string counter = fmt::format("row.{}", stmt_.span.begin);
        ast::Block body;
        for (const auto& [target, tensor] : rows_) {
            const ast::Expr* row =
                tensor ? &syntax.expr(of, ast::Subscript{copier.expr(tensor), {name(counter)}}) : name(counter);
            body.push_back(&syntax.stmt(at, ast::Assign{{copier.expr(target)}, row}));
        }
        const ast::Block copied = copier.block(f_.body);
        body.insert(body.end(), copied.begin(), copied.end());
        const ast::Expr* first = &syntax.expr(of, ast::IntLiteral{0, false});
        const ast::Expr* extent = &syntax.expr(of, ast::Subscript{member(copier.expr(tensor_), "shape"), {first}});
        const ast::Expr* range =
            &syntax.expr(of, ast::Call{member(name("tessera"), "range"), {ast::Argument{std::nullopt, extent, false}}});
        const ast::Expr* index = name(counter);
        ast::For loop{index, range, std::move(body), f_.header, copier.block(f_.otherwise)};
        ast::If holds;
        holds.branches.push_back(
            {&syntax.expr(at, ast::BoolLiteral{true}), {&syntax.stmt(stmt_.span, std::move(loop))}, f_.header});
        made.rounds = syntax.stmt(stmt_.span, std::move(holds)).id;
        made.names.push_back({index->id, std::nullopt});
        return &made;
    }

private:
    bool go(const ast::Expr& iterable, const ast::Expr& target) {
        const auto builtin = called_builtin(b_, iterable);
        const auto* pair = std::get_if<ast::Tuple>(&target.node);
        const size_t names = pair ? pair->elements.size() : 0;
        if (!builtin) return tensor(iterable, target);
        const auto& arguments = std::get<ast::Call>(iterable.node).arguments;
        if (*builtin == Builtin::enumerate && arguments.size() == 1 && names == 2) {
            rows_.emplace_back(pair->elements[0], nullptr);
            return tensor(*arguments[0].value, *pair->elements[1]);
        }
        if (*builtin != Builtin::zip || arguments.size() != names) return false;
        for (size_t i = 0; i < names; ++i) {
            if (!tensor(*arguments[i].value, *pair->elements[i])) return false;
        }
        return true;
    }
    bool tensor(const ast::Expr& e, const ast::Expr& target) {
        if (!is_repeatable(e)) return false;
        const Type type = expression(b_, e).type;
        if (!type.is(Kind::tensor) || type.rank() == 0) return false;
        if (tensor_ && ir::compare(type.shape()[0], b_.instance.type(*tensor_).shape()[0]) != ir::Equality::equal)
            return false;
        if (!tensor_) tensor_ = &e;
        rows_.emplace_back(&target, &e);
        return true;
    }

    Body& b_;
    const ast::Stmt& stmt_;
    const ast::For& f_;
    const ast::Expr* tensor_ = nullptr;                                // the first one
    std::vector<std::pair<const ast::Expr*, const ast::Expr*>> rows_;  // targets; null: the number of the row
};

// ---- the rounds as a statement ----

class RoundsMaker {
public:
    RoundsMaker(Body& b, const ast::Stmt& stmt, const ast::For& f, const Rounds& rounds)
        : b_(b), syntax_(b.checker.program.made), stmt_(stmt), f_(f), rounds_(rounds), own_(own_names(b, f)) {
        count_bindings(f.body, bound_);
        for (const Given& given : rounds.given) {
            if (given.number || stands_for(given)) continue;
            std::vector<const ast::Expr*> names;
            target_names(*given.target, names);
            for (const ast::Expr* name : names) own_.push_back(text_of(*name));
        }
        for (const Given& given : rounds.given) {
            if (given.number) own_.push_back(text_of(*given.target));
        }
        for (const std::string& name : own_) {
            const Slot* slot = b.find_slot(name);
            if (slot && slot->last_read > stmt.span.end && !rounds.labels.empty()) outlive_.push_back(name);
        }
    }

    // A name that stands for a number or key in each round keeps it.
    [[nodiscard]] bool possible() const {
        return std::ranges::none_of(rounds_.given, [&](const Given& given) {
            return is_name(*given.target) && (given.number || is_key(given)) && bound_.contains(text_of(*given.target));
        });
    }

    const LoopRounds& made() {
        std::string form = rounds_.form;
        for (const std::string& name : own_) form += name + ",";
        form += "|";
        for (const std::string& name : outlive_) form += name + ",";
        LoopRounds& made = syntax_.loop_rounds[{b_.instance.module, stmt_.id, form}];
        if (made.rounds.valid()) return made;
        ast::Block all;
        for (size_t round = 0; round < rounds_.labels.size(); ++round) add_round(round, made, all);
        const Span at = f_.target->span;
        for (const std::string& name : outlive_) {
            const ast::Expr& last = syntax_.expr(at, ast::Name{name + "." + rounds_.labels.back()});
            all.push_back(&syntax_.stmt(at, ast::Assign{{&syntax_.expr(at, ast::Name{name})}, &last}));
        }
        ast::If holds;
        holds.branches.push_back({&syntax_.expr(at, ast::BoolLiteral{true}), std::move(all), f_.header});
        made.rounds = syntax_.stmt(stmt_.span, std::move(holds)).id;
        return made;
    }

private:
    [[nodiscard]] bool is_key(const Given& given) const {
        return given.item && !rounds_.labels.empty() && std::holds_alternative<ast::StringLiteral>(given.item(0));
    }
    [[nodiscard]] bool stands_for(const Given& given) const { return is_name(*given.target) && is_key(given); }

    void add_round(size_t round, LoopRounds& made, ast::Block& all) {
        const Span at = f_.target->span;
        SyntaxCopier copier(syntax_);
        for (const std::string& name : own_) copier.names[name] = name + "." + rounds_.labels[round];
        for (const Given& given : rounds_.given) {
            if (stands_for(given)) copier.values[text_of(*given.target)] = given.item(round);
        }
        for (const std::string& name : own_) {
            const ast::Expr& own = syntax_.expr(at, ast::Name{copier.names[name]});
            made.names.push_back({own.id, number_of(name, round)});
        }
        // What a display holds is evaluated before the first round.
        ast::Block items, body;
        for (const Given& given : rounds_.given) {
            if (given.number || stands_for(given)) continue;
            const ast::Expr& item = syntax_.expr(at, given.item(round));
            (given.first ? items : body).push_back(&syntax_.stmt(at, ast::Assign{{copier.expr(given.target)}, &item}));
        }
        const ast::Block copied = copier.block(f_.body);
        body.insert(body.end(), copied.begin(), copied.end());
        all.insert(all.begin() + static_cast<ptrdiff_t>(first_), items.begin(), items.end());
        first_ += items.size();
        all.insert(all.end(), body.begin(), body.end());
    }
    [[nodiscard]] std::optional<int64_t> number_of(const std::string& name, size_t round) const {
        for (const Given& given : rounds_.given) {
            if (given.number && text_of(*given.target) == name) return given.number(round);
        }
        return std::nullopt;
    }

    Body& b_;
    MadeSyntax& syntax_;
    const ast::Stmt& stmt_;
    const ast::For& f_;
    const Rounds& rounds_;
    std::vector<std::string> own_;
    std::vector<std::string> outlive_;  // of them: what is read behind the loop is what the last round left
    std::map<std::string, int, std::less<>> bound_;
    size_t first_ = 0;  // so many statements stand before the first round
};

// The names of each round are variables from here on.
void bind_names(Body& b, const LoopRounds& made, const ast::Stmt& rounds) {
    std::map<std::string, int, std::less<>> bound;
    count_bindings(std::get<ast::If>(rounds.node).branches[0].body, bound);
    for (const auto& [id, number] : made.names) {
        const ast::Expr& name = *b.checker.program.made.find(id);
        bind_inner_names(b, name);
        Slot& slot = b.slots[b.inner_slots.at(id).index];
        slot.bindings = std::max(1, bound[text_of(name)]);
        if (!number) continue;
        slot.once = typed(Type::index(), Static::of(*number));
        slot.joined = slot.once->type;
        b.mark_assigned(slot);
    }
}

}  // namespace

void forget_lengths(Body& b, const ast::Block& body) {
    if (!b.rules().new_values) return;
    Growth growth{b, {}};
    growth.block(body);
    for (const Slot* slot : growth.lists) b.mark_length(*slot, Flow::kAnyLength);
}

static const LoopRounds* rounds_apart(Body& b, const ast::Stmt& stmt, const ast::For& f) {
    if (!f.otherwise.empty() || !SyntaxCopier::may_copy(f.body)) return nullptr;
    auto rounds = rounds_of_keys(b, f);
    if (!rounds) rounds = rounds_of_items(b, f);
    if (!rounds) return nullptr;
    RoundsMaker maker(b, stmt, f, *rounds);
    return maker.possible() ? &maker.made() : nullptr;
}

const ast::Stmt* loop_rounds(Body& b, const ast::Stmt& stmt, const ast::For& f) {
    const LoopRounds* made = rounds_apart(b, stmt, f);
    if (!made) made = RowLoop(b, stmt, f).made();
    if (!made) made = loop_backwards(b, stmt, f);
    if (!made) return nullptr;
    const ast::Stmt& written = *b.checker.program.made.find(made->rounds);
    bind_names(b, *made, written);
    return &written;
}

}  // namespace tsr::sema
