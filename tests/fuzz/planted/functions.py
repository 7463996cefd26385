"""Headers of functions, classes, and the functions a program is made of."""

from collections import namedtuple

from bodies import Bodies
from headers import header
from host import ELEMENTS, Host
from kinds import COMMON, DictOf, ListOf, Record, Tensor, TupleOf, is_float, written
from scope import Function, Var
from tree import Block, Expr

Class = namedtuple("Class", "name fields stmt")


def dimensions(params):
    """Names that the tensors among the parameters bind."""
    return sorted({dim for var in params if isinstance(var.type, Tensor) for dim in var.type.dims if isinstance(dim, str)})


class Functions:
    """Writes functions into a program; `world` is the program."""

    def __init__(self, draw, world):
        self.draw = draw
        self.world = world

    def tensor(self, elements=None):
        rank = self.draw.choice([1, 1, 2])
        dims = tuple(self.draw.choice(["n", "n", "m", 4, 16]) for _ in range(rank))
        return Tensor(self.draw.choice(elements or ELEMENTS), dims)

    def host_type(self):
        form = self.draw.random()
        if form < 0.45:
            return self.draw.choice([*COMMON, "bool"])
        if form < 0.75:
            return self.tensor()
        if form < 0.8:
            return "str"
        if form < 0.87:
            return ListOf(self.draw.choice(["i32", "f32", "f64", "str"]))
        if form < 0.93 or not self.world.classes:
            return self.draw.choice([DictOf("str", "i32"), DictOf("str", "f64"), TupleOf(("i32", "f32")), TupleOf(("f64", "bool", "i32"))])
        return Record(self.draw.choice(list(self.world.classes)))

    def params(self, count, type, function_kind="host"):
        made = []
        for _ in range(count):
            kind = type()
            made.append(Var(self.world.fresh("a"), kind, "parameter"))
        return made

    def result(self):
        form = self.draw.random()
        if form < 0.6:
            return self.draw.choice([*COMMON, "bool"])
        if form < 0.7:
            return TupleOf(tuple(self.draw.choice(["i32", "f32", "f64"]) for _ in range(2)))
        return self.tensor() if form < 0.8 else None

    def host(self, owner=""):
        draw = self.draw
        params = self.params(draw.randint(0 if owner else 1, 5), self.host_type)
        function = Function(self.world.fresh("method" if owner else "fun"), params, self.result(), owner=owner)
        if isinstance(function.result, Tensor):     # what it gives has extents that it knows
            known = dimensions(params)
            function.result = Tensor(function.result.elem, tuple(draw.choice([*known, 4]) for _ in function.result.dims))
        function.generic = not owner and draw.random() < 0.15 and not isinstance(function.result, Tensor) \
            and all(isinstance(var.type, str) for var in params)
        self.choose_words(function)
        self.body(function, Host(draw, self.world, function), "def")
        return function

    def choose_words(self, function):
        """Which parameters are written, static, or have a default."""
        draw = self.draw
        function.mut = frozenset(var.name for var in function.params if isinstance(var.type, Tensor) and draw.random() < 0.4)
        if function.owner and draw.random() < 0.5:
            function.mut |= {"self"}
        if function.generic:
            return
        rest = function.params
        while rest and draw.random() < 0.3 and isinstance(rest[-1].type, str) and rest[-1].type != "str":
            kind = rest[-1].type
            function.defaults[rest[-1].name] = draw.choice(["True", "False"] if kind == "bool" else ["0.5", "1.0", "2"] if is_float(kind) else ["1", "2", "7"])
            if kind == "i32" and draw.random() < 0.5:
                function.static = function.static | {rest[-1].name}
            rest = rest[:-1]

    def body(self, function, frame, tag, lines=(), write=None, **facts):
        world = self.world
        if function.owner:
            frame.block = world.classes[function.owner].stmt.body
        else:
            frame.block = world.module
        stmt = frame.put(*header(function, lines), tag=tag, function=function, **facts)
        function.stmt = stmt
        names = []
        for var in function.params:
            var.stmts.append(stmt)
            var.writable = var.name in function.mut
            if var.name in function.static:
                var.origin = "static"
            names.append(var)
        names += [Var(dim, "index", "dimension") for dim in dimensions(function.params)]
        if function.owner:
            names.append(Var("self", Record(function.owner), "parameter", writable="self" in function.mut))

        def standard():
            frame.statements(3, 5)
            if function.result is not None:
                frame.give_back()
        frame.under(stmt, write or standard, names=names)
        world.functions.append(function)

    def plain(self):
        """A function of scalars that kernels call, too."""
        draw = self.draw
        params = self.params(draw.randint(1, 3), lambda: draw.choice([*COMMON, "bool"]))
        function = Function(self.world.fresh("p"), params, draw.choice([*COMMON, "bool"]), kind="plain")
        self.choose_words(function)
        function.static = frozenset()
        self.body(function, Bodies(draw, self.world, function), "def")

    def record(self):
        draw, world = self.draw, self.world
        name = world.fresh("Shape")
        fields = []
        for _ in range(draw.randint(1, 4)):
            kind = draw.choice(["i32", "f32", "f64", "bool", "str", Tensor("f32", (draw.choice([3, 4]),))])
            fields.append((world.fresh("field"), kind))
        frame = Host(draw, world, None)
        frame.block = world.module
        stmt = frame.put(f"class {name}:", tag="class")
        stmt.body = Block(stmt)
        frame.block = stmt.body
        for field, kind in fields:
            frame.put(f"{field}: ", Expr(None, written(kind)).used("type"), tag="field declaration")
        world.classes[name] = Class(name, fields, stmt)
        stmt.facts["entry"] = world.classes[name]
        for _ in range(draw.randint(0, 2)):
            self.host(owner=name)

    def main(self):
        draw = self.draw
        params = self.params(draw.randint(0, 3), lambda: draw.choice(["i32", "f32", "bool", Tensor("f32", ("n",)), Tensor("i32", ("n", "m"))]))
        function = Function("main", params)
        function.called = True
        frame = Host(draw, self.world, function)

        def write():
            for var in params:
                var.writable = isinstance(var.type, Tensor)
            frame.statements(2, 8)
            for each in self.world.functions:
                if not each.called and draw.random() < 0.5 and each.kind in ("host", "plain") and not each.owner:
                    value = frame.call(each, 1)
                    if value is not None:
                        frame.put(value, tag="call")
        self.body(function, frame, "def", write=write)
