"""Statements of host programs: tensors, lists, dictionaries, records, calls, nested functions, launches."""

from dataclasses import replace

from bodies import Bodies
from headers import header
from kinds import DictOf, ListOf, Record, Tensor, TupleOf
from scope import Function, Var
from tree import Expr

ELEMENTS = ["f32", "f32", "f64", "i32", "i64", "u8", "f16", "bf16", "bool"]


class Host(Bodies):

    def statement(self, budget):
        form = self.draw.random()
        if form < 0.55:
            return super().statement(budget)
        if budget > 0 and form < 0.68:
            return self.draw.choice([self.over_items, self.over_tensor, self.over_pairs, self.nested, self.over_dictionary])(budget - 1)
        return self.draw.choice([self.make_tensor, self.make_tensor, self.make_list, self.append, self.comprehension, self.make_dictionary,
                                 self.put_in_dictionary, self.make_record, self.write_field, self.call_statement, self.call_statement,
                                 self.launch, self.launch, self.show, self.unpack, self.sort, self.function_value, self.rebind])()

    def local_functions(self):
        return [var.type for var in self.vars.values() if isinstance(var.type, Function)]

    def new(self, prefix, value, writable=False, **facts):
        name = self.fresh(prefix)
        stmt = self.put(name, " = ", value, tag="assign", **facts)
        var = self.define(name, value.type, stmt, writable=writable)
        stmt.facts["var"] = var
        return var

    # -- tensors --

    def make_tensor(self):
        form = self.draw.randrange(4)
        known = self.tensors()
        if form == 0 and known:
            var = self.draw.choice(known)
            return self.new("t", Expr(var.type, self.read(var), ".", Expr(None, "copy").used("member", var.type), "()"), writable=True)
        if form == 1 and known:
            var = self.draw.choice(known)
            low = self.draw.randint(0, 1)
            made = Tensor(var.type.elem, (f"?{self.fresh('e')}", *var.type.dims[1:]))
            start = Expr("i32", str(low)).used("index", var.type)
            stop = self.want("i32", 0).used("index", var.type)
            return self.new("t", Expr(made, self.read(var).used("indexed", var), "[", start, ":", stop, "]", *([".copy()"])), writable=True)
        dims = tuple(self.draw.choice([self.draw.randint(2, 8), *[v.name for v in self.vars.values() if v.origin == "dimension"]])
                     for _ in range(self.draw.choice([1, 1, 2])))
        return self.new("t", self.new_tensor(Tensor(self.draw.choice(ELEMENTS), dims)), writable=True)

    def rebind(self):
        """Another tensor of the same type for a name."""
        var = self.pick(lambda var: isinstance(var.type, Tensor) and var.origin == "inferred" and not any("?" in str(dim) for dim in var.type.dims))
        if var is None:
            return self.make_tensor()
        stmt = self.put(var.name, " = ", self.new_tensor(var.type), tag="assign", var=var)
        var.stmts.append(stmt)

    def over_tensor(self, budget):
        var = self.pick(lambda var: isinstance(var.type, Tensor) and len(var.type.dims) == 1)
        if var is None:
            return self.make_tensor()
        name = self.fresh("x")
        stmt = self.put(f"for {name} in ", self.read(var).used("iterated"), ":", tag="for")
        self.under(stmt, lambda: self.statements(budget), loop="range", names=[Var(name, var.type.elem, "loop", stmts=[stmt])])

    # -- lists, dictionaries, tuples --

    def make_list(self):
        kind = ListOf(self.draw.choice(["i32", "f32", "f64", "str", "i64", Tensor("f32", (3,)) if self.chance(0.0) else "bool"]))
        self.new("l", self.made(kind))

    def append(self):
        var = self.pick(lambda var: isinstance(var.type, ListOf) and isinstance(var.type.item, str) and var.origin == "inferred")
        if var is None:
            return self.make_list()
        item = self.want(var.type.item, 2)
        if self.chance(0.3):
            self.put(self.read(var), "[", self.position(var).used("item index", var.type), "] = ", item.used("stored item", var.type), tag="item")
        else:
            self.put(self.read(var), ".", Expr(None, "append").used("member", var.type), "(", item.used("stored item", var.type), ")", tag="append")

    def comprehension(self):
        kind = self.draw.choice(["i32", "f32", "f64"])
        name, bound = self.fresh("c"), self.want("i32", 0)
        known = dict(self.vars)
        self.define(name, "index", origin="loop")
        item = self.want(kind, 2)
        filter = [" if ", self.condition(1).used("condition")] if self.chance(0.3) else []
        self.vars = known
        self.new("l", Expr(ListOf(kind), "[", item.used("converted"), f" for {name} in range(", bound.used("bound"), ")", *filter, "]"))

    def over_items(self, budget):
        var = self.pick(lambda var: isinstance(var.type, ListOf) and isinstance(var.type.item, str))
        if var is None:
            return self.make_list()
        name = self.fresh("x")
        item = Var(name, var.type.item, "loop")
        if self.chance(0.4):
            count = self.fresh("k")
            stmt = self.put(f"for {count}, {name} in enumerate(", self.read(var).used("iterated"), "):", tag="for")
            names = [item]
        else:
            stmt = self.put(f"for {name} in ", self.read(var).used("iterated"), ":", tag="for")
            names = [item]
        item.stmts.append(stmt)
        self.under(stmt, lambda: self.statements(budget), loop="range", names=names)

    def over_pairs(self, budget):
        one = self.pick(lambda var: isinstance(var.type, ListOf) and isinstance(var.type.item, str))
        other = self.pick(lambda var: isinstance(var.type, ListOf) and isinstance(var.type.item, str))
        if one is None or other is None:
            return self.make_list()
        names = [self.fresh("x"), self.fresh("x")]
        stmt = self.put(f"for {', '.join(names)} in zip(", self.read(one).used("iterated"), ", ", self.read(other).used("iterated"), "):", tag="for")
        self.under(stmt, lambda: self.statements(budget), loop="range",
                   names=[Var(name, var.type.item, "loop", stmts=[stmt]) for name, var in zip(names, [one, other])])

    def make_dictionary(self):
        self.new("m", self.made(DictOf(self.draw.choice(["str", "str", "i32"]), self.draw.choice(["i32", "f32", "f64", "bool"]))))

    def put_in_dictionary(self):
        var = self.pick(lambda var: isinstance(var.type, DictOf) and var.origin == "inferred")
        if var is None:
            return self.make_dictionary()
        self.put(self.read(var), "[", self.key(var.type.key), "] = ", self.want(var.type.value, 2).used("stored item", var.type), tag="item")

    def over_dictionary(self, budget):
        var = self.pick(lambda var: isinstance(var.type, DictOf))
        if var is None:
            return self.make_dictionary()
        names = [self.fresh("x"), self.fresh("x")]
        stmt = self.put(f"for {', '.join(names)} in ", self.read(var), ".", Expr(None, "items").used("member", var.type), "():", tag="for")
        self.under(stmt, lambda: self.statements(budget), loop="range",
                   names=[Var(names[0], var.type.key, "loop", stmts=[stmt]), Var(names[1], var.type.value, "loop", stmts=[stmt])])

    def unpack(self):
        kinds = [self.draw.choice(["i32", "f32", "i64", "f64", "bool"]) for _ in range(self.draw.choice([2, 3]))]
        found = [f for f in self.world.functions if isinstance(f.result, TupleOf) and self.callable(f) and not f.owner]
        if found and self.chance(0.6):
            function = self.draw.choice(found)
            kinds = function.result.items
            value = self.call(function, 2)
            if value is None:
                return
        else:
            var = self.new("both", self.made(TupleOf(tuple(kinds))))
            value = self.read(var)
        names = [self.fresh("a") for _ in kinds]
        stmt = self.put(", ".join(names), " = ", value.used("unpacked"), tag="unpack")
        for name, kind in zip(names, kinds):
            self.define(name, kind, stmt)

    def sort(self):
        var = self.pick(lambda var: isinstance(var.type, ListOf) and var.type.item in ("i32", "f32", "f64", "i64"))
        if var is None:
            return self.make_list()
        name = self.fresh("z")
        key = Expr(None, f"lambda {name}: {name} * 2")
        self.new("l", Expr(var.type, "sorted(", self.read(var).used("iterated"), ", key=", key, ")"))

    def show(self):
        parts = [self.want(self.draw.choice(["i32", "f32", "str", "f64", "bool"]), 1) for _ in range(self.draw.randint(1, 3))]
        self.put("print(", *self.separated([part.used("shown") for part in parts]), ")", tag="print")

    # -- records, functions --

    def make_record(self):
        if not self.world.classes:
            return self.make_list()
        entry = self.draw.choice(list(self.world.classes.values()))
        self.new("r", self.new_record(Record(entry.name)), writable=True)

    def write_field(self):
        var = self.pick(lambda var: isinstance(var.type, Record) and var.writable)
        if var is None:
            return self.make_record()
        entry = self.world.classes[var.type.name]
        name, type = self.draw.choice(entry.fields)
        if not isinstance(type, str):
            return self.call_method(var)
        if self.chance(0.5):
            return self.call_method(var)
        target = self.member(var, name, type)
        self.put(target, " = ", self.want(self.stored_kind(type) if type != "str" else type, 2).used("stored", type), tag="field")

    def call_method(self, var):
        found = [f for f in self.world.functions if f.owner == var.type.name and f is not self.function]
        if not found:
            return
        method = self.draw.choice(found)
        if "self" in method.mut and not var.writable:
            return
        arguments = self.arguments(method, 2, [var.name])
        if arguments is None:
            return
        method.called = True
        value = Expr(method.result, self.read(var), ".", Expr(None, method.name).used("member", var.type), "(", *arguments, ")").used("call", method)
        self.call_result(method, value)

    def call_statement(self):
        found = [f for f in self.world.functions if self.callable(f) and not f.owner] + self.local_functions()
        if not found:
            return
        function = self.draw.choice(found)
        value = self.call(function, 2)
        if value is not None:
            self.call_result(function, value)

    def call_result(self, function, value):
        if function.result is None or self.chance(0.15):
            self.put(value, tag="call")
        elif isinstance(function.result, Tensor):
            dims = tuple(f"?{self.fresh('e')}" for _ in function.result.dims)
            value.type = Tensor(function.result.elem, dims)
            self.new("t", value)
        else:
            self.new("v", value)

    def nested(self, budget):
        """A function in the function, which knows what is around it."""
        if self.function is None or self.loops:
            return self.assign_new()
        kind = self.draw.choice(["i32", "f32", "f64"])
        params = [Var(self.fresh("a"), self.draw.choice(["i32", "f32", "f64", "bool"]), "parameter") for _ in range(self.draw.randint(0, 2))]
        inner = Function(self.fresh("inner"), params, kind, called=True, outer=self.function.outer or self.function)
        stmt = self.put(*header(inner), tag="def", function=inner)
        inner.stmt = stmt
        outer, self.function = self.function, inner
        # What it assigns is its own: a name from around it is only read.
        known = {name: replace(var, origin="captured" if var.origin == "annotated" else var.origin) for name, var in self.vars.items()
                 if var.origin in ("parameter", "annotated", "dimension")}
        hidden, self.vars = self.vars, known
        ended = self.ended

        def write():
            self.statements(min(budget, 1), 2)
            self.give_back()
        self.under(stmt, write, names=params)
        self.vars, self.function, self.ended = hidden, outer, ended
        self.vars[inner.name] = Var(inner.name, inner)

    def function_value(self):
        """A lambda with a name, called at once."""
        kind = self.draw.choice(["i32", "f32", "f64"])
        name, parameter = self.fresh("g"), self.fresh("z")
        known = dict(self.vars)
        var = self.define(parameter, kind, origin="parameter")
        body = Expr(kind, "(", self.read(var).used("operand", kind), " * ", self.want(kind, 1).used("operand", kind), ")")
        self.vars = known
        self.put(f"{name} = lambda {parameter}: ", body, tag="lambda")
        self.new("v", Expr(kind, name, "(", self.want(kind, 1).used("generic argument"), ")"))

    def launch(self):
        found = [f for f in self.world.functions if f.kind in ("flat", "group")]
        if not found:
            return
        function = self.draw.choice(found)
        arguments = self.arguments(function, 1)
        if arguments is None:
            return
        function.called = True
        grid = function.stmt.facts.get("grid", "")
        if grid == "asked":
            groups = self.want("i32", 0)
            grid = ["[", groups.used("bound"), "]"] if self.chance(0.7) else ["[(", groups.used("bound"), ", 1)]"]
        self.put(Expr(None, function.name).used("callee", function), *grid, "(", *arguments, ")", tag="launch", function=function)
