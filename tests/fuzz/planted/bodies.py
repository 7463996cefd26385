"""Statements that stand in any function: assignments of every form, conditions, loops, early ends."""

import re

from expressions import Expressions
from kinds import COMMON, NUMBERS, SIGNED, is_float, is_integer, widens
from scope import Var
from tree import Expr


class Bodies(Expressions):

    def statements(self, budget, most=3):
        for _ in range(self.draw.randint(1, most)):
            self.statement(budget)

    def statement(self, budget):
        if budget > 0 and self.chance(0.42):
            self.draw.choice([self.condition_statement, self.condition_statement, self.counted_loop, self.counted_loop, self.while_loop,
                              self.fold_loop, self.carried_loop])(budget - 1)
        else:
            self.draw.choice([self.assign_new, self.assign_new, self.assign_again, self.assign_again, self.assign_again, self.annotated,
                              self.parallel, self.store, self.store, self.widening, self.check])()

    # -- assignments --

    def kind(self):
        return self.draw.choice([*COMMON, "bool"])

    def assigned(self, name, value, var=None, **facts):
        """A plain assignment; `var` where the name is known."""
        return self.put(name, " = ", value, tag="assign", **facts)

    def record(self, var, stmt):
        var.stmts.append(stmt)
        stmt.facts["var"] = var

    def marked(self, value):
        """Whether what is assigned here differs between tiles."""
        return self.kernel and (value.varying or self.varying)

    def assign_new(self):
        name, kind = self.fresh("v"), self.kind()
        value = self.want(kind, 3)
        stmt = self.assigned(name, value)
        var = self.define(name, kind, stmt, varying=self.marked(value))
        stmt.facts["var"] = var
        value.used("assigned", var)

    def annotated(self):
        name, kind = self.fresh("d"), self.draw.choice([*NUMBERS, "bool", "f32"])
        value = self.want(self.stored_kind(kind), 2) if self.chance(0.8) or kind == "bool" else self.literal(kind)
        stmt = self.put(name, ": ", Expr(None, kind).used("type"), " = ", value, tag="annotated")
        var = self.define(name, kind, stmt, origin="annotated", varying=self.marked(value))
        stmt.facts["var"] = var
        value.used("stored", kind)

    def stored_kind(self, kind):
        """A type of which a value may be stored as this one."""
        found = [other for other in NUMBERS if other != kind and widens(other, kind)] + ["index"] * (kind in SIGNED and any(var.type == "index" for var in self.vars.values()))
        return self.draw.choice(found) if found and self.chance(0.15) and kind != "bool" else kind

    def target(self, test=lambda var: True):
        """A variable that may be assigned again here."""
        return self.pick(lambda var: var.origin in ("inferred", "annotated") and isinstance(var.type, str) and var.type != "str" and test(var))

    def assign_again(self):
        var = self.target()
        if var is None:
            return self.assign_new()
        form = self.draw.random()
        if form < 0.3 and var.type != "bool":
            value = self.want(self.narrower(var.type), 2)
            operators = ["+=", "-=", "*="] if is_float(var.type) else ["+=", "-=", "*=", "|=", "&=", "^="]
            stmt = self.put(var.name, f" {self.draw.choice(operators)} ", value.used("operand", var.type), tag="augment")
        elif form < 0.65 and var.type != "bool":
            value = self.want(self.narrower(var.type), 2)
            one, other = self.read(var).used("operand", value.type), value.used("operand", var.type)
            pair = [one, other] if self.chance(0.6) else [other, one]
            value = Expr(var.type, pair[0], self.draw.choice([" + ", " - ", " * "]), pair[1])
            stmt = self.assigned(var.name, value.used("assigned", var), self_referring=True)
        else:
            kind = self.narrower(var.type) if var.origin == "inferred" else self.stored_kind(var.type)
            value = self.want(kind, 3)
            stmt = self.assigned(var.name, value.used("assigned" if var.origin == "inferred" else "stored", var if var.origin == "inferred" else var.type))
        self.record(var, stmt)
        var.varying = var.varying or self.marked(value)

    def parallel(self):
        var = self.target()
        same = [other for other in self.vars.values() if var is not None and other is not var and other.type == var.type
                and other.origin in ("inferred", "annotated")]
        if not same:
            names = [self.fresh("p"), self.fresh("p")]
            values = [self.want(self.draw.choice(NUMBERS), 2) for _ in names]
            stmt = self.put(", ".join(names), " = ", values[0], ", ", values[1], tag="parallel")
            for name, value in zip(names, values):
                value.used("assigned", self.define(name, value.type, stmt, varying=self.marked(value)))
            return
        other = self.draw.choice(same)
        form = self.draw.random()
        if form < 0.5 or var.type == "bool":
            values = [self.read(other), self.read(var)]
        else:
            step = self.want(var.type, 1)
            values = [self.read(other), Expr(var.type, self.read(var).used("operand", step.type), " + ", step.used("operand", var.type))]
        stmt = self.put(f"{var.name}, {other.name} = ", values[0].used("assigned", var), ", ", values[1].used("assigned", other), tag="parallel")
        for each in (var, other):
            each.stmts.append(stmt)
            each.varying = any(value.varying for value in values) or self.varying or each.varying

    def widening(self):
        """A variable whose type only a later assignment, which reads it, decides."""
        kind = self.draw.choice(["i32", "i64", "f32", "f64", "i16"])
        narrow = [other for other in NUMBERS if other != kind and widens(other, kind) and is_integer(other) == is_integer(kind)]
        name = self.fresh("w")
        literal = self.chance(0.4)
        value = self.literal(kind) if literal else self.want(self.draw.choice(narrow), 1)
        step = self.want(kind, 2)   # does not read the variable itself
        stmt = self.assigned(name, value)
        if literal:
            value.parts = [self.draw.choice(["0", "1"]) if not is_float(kind) else self.draw.choice(["0.0", "1.0"])]
        var = self.define(name, kind, stmt, varying=self.marked(value))
        stmt.facts["var"] = var
        if not literal:
            value.used("assigned", var)
        sum = Expr(kind, self.read(var), self.draw.choice([" + ", " * "]), step.used("decides", kind))
        again = self.assigned(name, sum.used("assigned", var), self_referring=True)
        self.record(var, again)
        var.varying = var.varying or self.marked(step)

    def store(self):
        """An element of a tensor."""
        found = self.storable()
        if not found:
            return self.assign_new()
        var = self.draw.choice(found)
        target = self.element(var)
        kind = var.type.elem
        value = self.want(self.stored_kind(kind), 3) if self.chance(0.85) or kind == "bool" else self.literal(kind)
        if self.chance(0.2) and kind != "bool":
            value = self.want(self.narrower(kind), 1)
            self.put(target.used("target", var), " += ", value.used("operand", kind), tag="store")
            return
        self.put(target.used("target", var), " = ", value.used("stored", kind), tag="store")

    def storable(self):
        return self.tensors(writable=True)

    def check(self):
        var = self.pick(lambda var: var.origin == "parameter" and var.type in NUMBERS)
        if var is None:
            return self.assign_new()
        test = Expr("bool", self.read(var).used("beside literal", var.type), " > ", self.literal(var.type))
        if self.chance(0.5):
            test = Expr("bool", test.used("condition"), " or ", self.condition(1).used("condition"))
        self.put("assert ", test.used("condition"), ", ", Expr("str", '"never"').used("text operand", "str"), tag="assert")

    # -- control flow --

    def run_time(self):
        """Text of a condition that only the run decides, for kernels."""
        dim = self.pick(lambda var: var.origin == "dimension") if self.kernel else None
        return f" == ({dim.name} > 3)" if dim is not None and self.chance(0.8) else ""

    def condition_statement(self, budget):
        condition, ending = self.condition(2), self.run_time()
        stmt = self.put("if ", condition.used("condition"), ending, ":", tag="if")
        varying, decided = condition.varying, not ending
        self.under(stmt, lambda: self.branch(budget), varying, decided=decided)
        while self.chance(0.2):
            condition, ending = self.condition(1), self.run_time()
            varying, decided = varying or condition.varying, decided or not ending
            stmt = self.put("elif ", condition.used("condition"), ending, ":", tag="elif")
            self.under(stmt, lambda: self.branch(budget), varying, decided=decided)
        if self.chance(0.4):
            stmt = self.put("else:", tag="else")
            self.under(stmt, lambda: self.branch(budget), varying, decided=decided)

    def branch(self, budget):
        self.statements(budget)
        if self.chance(0.15):
            self.leave()

    def leave(self):
        """An early end of the innermost loop, or of the function."""
        if self.loops and self.loops[-1] in ("range", "while") and self.chance(0.7):
            self.put(self.draw.choice(["break", "continue"]), tag="leave")
            self.ended = self.ended or "loop"
        elif self.may_return():
            self.give_back()

    def may_return(self):
        return "spread" not in self.loops

    def bound(self):
        form = self.draw.random()
        if form < 0.35:
            return Expr("i32", str(self.draw.randint(2, 9)))
        return self.want(self.draw.choice(["i32", "index", "i64"]), 1) or self.want("i32", 1)

    @staticmethod
    def may_be_known(parts):
        """Whether the compiler may know bounds of a loop: nothing in them is read while the program runs."""
        return not any(re.search(r"\[|\bnum\d|\b[nm]\b", part.text()) for part in parts if isinstance(part, Expr))

    def counted_loop(self, budget):
        name = self.fresh("k")
        bound = self.bound()
        parts = [bound.used("bound")]
        if self.chance(0.2):
            parts = [self.want("i32", 0).used("bound"), ", ", *parts] + ([", ", self.draw.choice(["2", "3"])] if self.chance(0.5) else [])
        stmt = self.put(f"for {name} in range(", *parts, "):", tag="for")
        varying = any(isinstance(part, Expr) and part.varying for part in parts)
        index = Var(name, "index", origin="loop", varying=varying or self.varying, stmts=[stmt])
        self.under(stmt, lambda: self.statements(budget), varying, "range", [index], decided=self.may_be_known(parts))

    def while_loop(self, budget):
        name = self.fresh("n")
        start = self.assigned(name, Expr("i32", "0"))
        counter = self.define(name, "i32", start, origin="counter", varying=self.varying)
        condition = self.condition(1)
        limit = Expr("i32", str(self.draw.randint(2, 9))) if self.chance(0.5) else self.want("i32", 0)
        varying = condition.varying or limit.varying
        stmt = self.put("while ", self.read(counter).used("operand" if limit.role else "beside literal", limit.type), " < ", limit.used("operand" if limit.role else "beside literal", "i32"), " and ",
                        condition.used("condition"), ":", tag="while")

        def write():
            counter.stmts.append(self.put(f"{name} += 1", tag="count"))
            self.statements(budget)
        self.under(stmt, write, varying, "while", decided=True)
        counter.varying = counter.varying or varying

    def fold_loop(self, budget):
        """A sum that starts as a literal: its type comes from what is added."""
        kind = self.draw.choice(["f32", "f32", "f64", "i32", "i64", "u32"])
        name, index = self.fresh("s"), self.fresh("k")
        start = self.assigned(name, Expr(kind, "0.0" if is_float(kind) else "0"))
        known = dict(self.vars)
        bound = self.bound()
        stmt = self.put(f"for {index} in range(", bound.used("bound"), "):", tag="for")
        loop = Var(index, "index", origin="loop", varying=bound.varying or self.varying, stmts=[stmt])

        sum = Var(name, kind, varying=self.varying, stmts=[start])

        def write():
            value = self.want(kind, 2)  # does not read the sum
            self.vars[name] = known[name] = sum
            form = self.draw.randrange(3)
            if form == 0:
                added = self.put(name, " += ", value.used("decides", kind), tag="augment", self_referring=True)
            elif form == 1:
                added = self.assigned(name, Expr(kind, self.read(sum), " + ", value.used("decides", kind)).used("assigned", sum), self_referring=True)
            else:
                added = self.assigned(name, Expr(kind, "max(", self.read(sum), ", ", value.used("decides", kind), ")").used("assigned", sum), self_referring=True)
            sum.stmts.append(added)
            sum.varying = sum.varying or self.marked(value) or bound.varying
            if self.chance(0.4):
                self.statements(budget, 1)
        self.under(stmt, write, bound.varying, "range", [loop], decided=self.may_be_known([bound]))
        self.vars = known

    def carried_loop(self, budget):
        """Variables that pass their values round: each is assigned from another."""
        kind = self.draw.choice(["f32", "i32", "i64", "f64"])
        names = [self.fresh("q") for _ in range(self.draw.choice([2, 2, 3]))]
        # None starts with another: one that starts with a literal has its type from the loop.
        starts = [self.want(kind, 1)]
        starts += [Expr(kind, "0.0" if is_float(kind) else "0") if self.chance(0.5) else self.want(kind, 1) for _ in names[1:]]
        ring = []
        for number, (name, value) in enumerate(zip(names, starts)):
            stmt = self.assigned(name, value)
            ring.append(self.define(name, kind, stmt, varying=self.varying or any(sum.varying for sum in ring) or value.varying))
            if value.role or number == 0:
                value.used("assigned", ring[-1])
        index = self.fresh("k")
        bound = self.bound()
        stmt = self.put(f"for {index} in range(", bound.used("bound"), "):", tag="for")
        loop = Var(index, "index", origin="loop", varying=bound.varying or self.varying, stmts=[stmt])

        def write():
            step = self.want(kind, 1)
            values = [self.read(ring[(number + 1) % len(ring)]).used("assigned", var) for number, var in enumerate(ring)]
            last = values[-1]
            values[-1] = Expr(kind, last.used("operand", step.type), " + ", step.used("operand", kind)).used("assigned", ring[-1])
            varying = any(value.varying for value in values) or self.varying or bound.varying
            if self.chance(0.5):
                parts = []
                for value in values:
                    parts += [", ", value] if parts else [value]
                stmts = [self.put(", ".join(names), " = ", *parts, tag="parallel")] * len(ring)
            else:
                stmts = [self.assigned(name, value) for name, value in zip(names, values)]
            for var, assigned in zip(ring, stmts):
                var.stmts.append(assigned)
                var.varying = var.varying or varying
            if self.chance(0.4):
                self.statements(budget, 1)
        self.under(stmt, write, bound.varying, "range", [loop], decided=self.may_be_known([bound]))

    def give_back(self):
        """A `return` of what the header says."""
        function = self.function
        if function is None:
            return
        self.ended = "function"
        if function.result is None:
            self.put("return", tag="return")
            return
        made = self.result_value(function.result)
        self.put("return ", made, tag="return")

    def result_value(self, type):
        if isinstance(type, str):
            kind = self.stored_kind(type) if not self.function.generic and type != "str" else type
            return self.want(kind, 2).used("stored" if not self.function.generic else "returned", type)
        made = self.whole(type)
        return made.used("given back", type)
