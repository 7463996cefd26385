"""Expressions of a wanted type, each part of which knows what it is used for."""

from kinds import NUMBERS, Buffer, DictOf, ListOf, Record, Tensor, TupleOf, Vector, is_float, is_integer, widens
from scope import Frame
from tree import Expr

LITERALS = {"i": ["0", "1", "2", "3", "7", "100"], "f": ["0.0", "1.0", "0.5", "2.25", "1e-3", "100.0", "3"]}


class Taken:
    """What the arguments of one call have taken: names, and extents that are known numbers."""

    def __init__(self):
        self.names = set()
        self.extents = {}

    def takes(self, given, wanted):
        """Whether a variable of the one type may be passed as the other: an extent that is a name meets any, but always
        the same number."""
        if not (isinstance(given, Tensor) and isinstance(wanted, Tensor)):
            return given == wanted
        if given.elem != wanted.elem or len(given.dims) != len(wanted.dims):
            return False
        extents = dict(self.extents)
        for has, wants in zip(given.dims, wanted.dims):
            if isinstance(wants, int) and has != wants:
                return False
            if isinstance(wants, str) and extents.setdefault(wants, has) != has:
                return False
        return True

    def bind(self, given, wanted):
        if isinstance(given, Tensor) and isinstance(wanted, Tensor):
            self.extents.update((wants, has) for has, wants in zip(given.dims, wanted.dims) if isinstance(wants, str))


class Expressions(Frame):
    """`want(type, depth)` gives an expression of exactly this type, which is never a literal."""

    def chance(self, of):
        return self.draw.random() < of

    # -- leaves --

    def literal(self, kind):
        """Beside something of the type."""
        constants = self.world.constants["f" if is_float(kind) else "i"]
        text = self.draw.choice(constants if constants and self.chance(0.2) else LITERALS["f" if is_float(kind) else "i"])
        return Expr(kind, text).used("literal", kind)

    def read(self, var):
        if var.origin == "static":  # as a value it would have no type of its own
            return Expr(var.type, f"cast({var.name}, {var.type})", varying=var.varying)
        return Expr(var.type, var.name, varying=var.varying).used("name", var)

    def number(self, kind):
        """A typed value of a scalar type that needs no variable."""
        if kind == "bool":
            return Expr(kind, self.draw.choice(["True", "False"]))
        if kind == "str":
            return Expr(kind, '"' + self.draw.choice(["a", "text", "b c"]) + '"')
        if kind == "index":
            return None
        return Expr(kind, f"cast({self.draw.randint(1, 9)}, {kind})")

    def sources(self, kind):
        """Ways to read a scalar of the type."""
        for var in self.vars.values():
            type = var.type
            if type == kind:
                yield lambda var=var: self.read(var)
            elif isinstance(type, Tensor) and type.elem == kind:
                yield lambda var=var: self.element(var)
            elif isinstance(type, Buffer) and type.elem == kind and self.may_read_buffer(var):
                yield lambda var=var: self.element(var)
            elif isinstance(type, Vector) and type.elem == kind:
                yield lambda var=var: Expr(kind, self.read(var), "[", Expr("i32", str(self.draw.randrange(var.type.width))).used("static"), "]")
            elif isinstance(type, ListOf) and type.item == kind:
                yield lambda var=var: self.item(var)
            elif isinstance(type, DictOf) and type.value == kind:
                yield lambda var=var: Expr(kind, self.read(var), "[", self.key(var.type.key), "]")
            elif isinstance(type, TupleOf) and kind in type.items:
                yield lambda var=var: Expr(kind, self.read(var), f"[{var.type.items.index(kind)}]")
            elif isinstance(type, Record):
                for name, field in self.world.classes[type.name].fields:
                    if field == kind:
                        yield lambda var=var, name=name: self.member(var, name, kind)

    def may_read_buffer(self, var):
        return False

    def member(self, var, name, kind):
        return Expr(kind, self.read(var), ".", Expr(None, name).used("member", var.type))

    def leaf(self, kind):
        found = list(self.sources(kind))
        if found and self.chance(0.9):
            return self.draw.choice(found)()
        if kind == "index":
            return self.draw.choice(found)() if found else None
        if self.chance(0.85) and kind not in ("bool", "str"):
            other = self.pick(lambda var: var.type in NUMBERS and var.type != kind)
            if other is not None:
                return Expr(kind, "cast(", self.read(other).used("converted"), f", {kind})")
        return self.number(kind)

    def element(self, var):
        axes = var.type.dims if isinstance(var.type, Tensor) else var.type.shape
        parts = [self.read(var).used("indexed", var), "["]
        for number, _ in enumerate(axes):
            parts += [", "] * (number > 0) + [self.position(var)]
        elem = var.type.elem
        return Expr(elem, *parts, "]", varying=False).used("element", var)

    def position(self, var):
        """An index of a tensor: an integer that the compiler does not know."""
        form = self.draw.random()
        for kind in self.draw.sample(["index", "i32", "i64"], 3):
            found = [other for other in self.vars.values() if other.type == kind and other.origin in ("parameter", "loop", "dimension")]
            if found:
                made = self.read(self.draw.choice(found))
                if form < 0.3:
                    made = Expr(kind, made.used("operand", kind), self.draw.choice([" + ", " - ", " * "]), str(self.draw.randint(1, 3)))
                return made.used("index", var.type)
        return Expr("i32", "cast(0, i32)").used("index", var.type)

    def item(self, var):
        return Expr(var.type.item, self.read(var), "[", self.position(var).used("item index", var.type), "]")

    def key(self, kind):
        if kind == "str":
            return Expr("str", self.draw.choice(['"a"', '"b"', '"key"'])).used("key", kind)
        return self.want(kind, 0).used("key", kind)

    # -- numbers --

    def want(self, kind, depth):
        """An expression of a scalar type."""
        if depth <= 0 or kind == "index":
            return self.leaf(kind)
        if kind == "str":
            return self.string(depth)
        if kind == "bool":
            return self.condition(depth)
        form = self.draw.random()
        if form < 0.12:
            return self.leaf(kind)
        if form < 0.3:
            made = self.any_number(kind, depth)
            if made is not None:
                return made
        if form < 0.42:
            made = self.call_for(kind, depth)
            if made is not None:
                return made
        return self.arithmetic(kind, depth)

    def narrower(self, kind):
        """A type that becomes the wanted one beside it."""
        found = [other for other in NUMBERS if other != kind and widens(other, kind) and is_integer(other) == is_integer(kind)]
        return self.draw.choice(found) if found and self.chance(0.15) else kind

    def arithmetic(self, kind, depth):
        operator = self.draw.choice(["+", "-", "*", "/"] if is_float(kind) else ["+", "-", "*", "//", "%", "&", "|", "^", "<<", ">>"])
        one = self.want(kind, depth - 1)
        if operator in ("<<", ">>"):
            other = Expr(kind, str(self.draw.randint(0, 5)))
        elif operator in ("//", "%", "/") or self.chance(0.25):
            other = self.literal(kind)
            if operator in ("//", "%", "/"):
                other.parts = [self.draw.choice(["2", "3", "7"])]
                found = [var for var in self.vars.values() if var.type == kind and var.origin == "parameter"]
                if found and self.chance(0.6):
                    other = self.read(self.draw.choice(found)).used("operand", kind)
                    one.used("operand", kind)
        else:
            other = self.want(self.narrower(kind), depth - 1).used("operand", kind)
            one.used("operand", other.type)
        if self.chance(0.2) and operator in "+*" and not other.role == "literal":
            one, other = other, one
        return Expr(kind, "(", one, f" {operator} ", other, ")")

    def any_number(self, kind, depth):
        form = self.draw.randrange(7)
        a = self.want(kind, depth - 1)
        if form == 0:
            b = self.want(kind, depth - 1)
            return Expr(kind, "(", a.used("operand", b.type), " if ", self.condition(depth - 1).used("condition"), " else ", b.used("operand", kind), ")")
        if form == 1:
            b = self.want(kind, depth - 1)
            return Expr(kind, "where(", self.condition(depth - 1).used("condition"), ", ", a.used("operand", kind), ", ", b.used("operand", kind), ")")
        if form == 2:
            b = self.want(kind, depth - 1)
            return Expr(kind, self.draw.choice(["min", "max"]), "(", a.used("operand", kind), ", ", b.used("operand", kind), ")")
        if form == 3:
            other = self.draw.choice(NUMBERS)
            return Expr(kind, "cast(", self.want(other, depth - 1).used("converted"), f", {kind})")
        if form == 4 and kind not in ("u8", "u16", "u32", "u64"):
            return Expr(kind, "(-", a.used("negated"), ")")
        if form == 5 and is_float(kind):
            function = self.draw.choice(["math.sqrt", "math.exp", "sqrt", "abs", "math.sin", "tessera.math.cos"])
            return Expr(kind, function, "(", a.used("float argument"), ")")
        if form == 6 and not self.kernel and not self.world.quiet:
            return self.folded(kind, depth)
        return None

    def folded(self, kind, depth):
        """A sum, or the largest, of a list that a comprehension makes."""
        name = self.fresh("c")
        if kind not in ("i32", "i64", "f32", "f64"):
            return None
        bound = self.want("i32", 0)
        known = dict(self.vars)
        self.define(name, "index", origin="loop")
        item = self.want(kind, depth - 1)
        filter = [" if ", self.condition(depth - 1).used("condition")] if self.chance(0.3) else []
        self.vars = known
        return Expr(kind, "max" if kind == "i32" else self.draw.choice(["sum", "sum", "max"]), "([", item.used("converted"), f" for {name} in range(", bound.used("bound"), ")", *filter, "])")

    # -- truth --

    def condition(self, depth):
        form = self.draw.randrange(9)
        if form < 2 and depth > 0:
            word = self.draw.choice([" and ", " or "])
            return Expr("bool", "(", self.condition(depth - 1).used("condition"), word, self.condition(depth - 1).used("condition"), ")")
        if form == 2 and depth > 0:
            return Expr("bool", "(not ", self.condition(depth - 1).used("condition"), ")")
        if form == 3:
            found = list(self.sources("bool"))
            if found:
                return self.draw.choice(found)()
        kind = self.draw.choice([*NUMBERS, "f32", "f32", "i32", "i32"])
        one = self.want(kind, depth - 1)
        operator = self.draw.choice(["<", "<=", ">", ">=", "==", "!="])
        other = self.literal(kind) if self.chance(0.3) else self.want(kind, depth - 1).used("operand", kind)
        parts = [one.used("operand", kind) if other.role == "operand" else one, f" {operator} ", other]
        if form == 4 and operator in ("<", "<=") and other.role == "operand":
            parts += [" < ", self.want(kind, 0).used("operand", kind)]
        return Expr("bool", "(", *parts, ")")

    def string(self, depth):
        form = self.draw.randrange(4)
        if form == 0:
            return Expr("str", "(", self.want("str", depth - 1).used("text operand", "str"), " + ", self.want("str", 0).used("text operand", "str"), ")")
        if form == 1:
            return Expr("str", 'f"', self.draw.choice(["", "x = "]), "{", self.hole(), "}", self.draw.choice(["", " units"]), '"')
        if form == 2:
            return Expr("str", self.leaf("str"), ".", Expr(None, self.draw.choice(["upper", "lower", "strip"])).used("member", "str"), "()")
        return self.leaf("str")

    def hole(self):
        """What stands in an f-string: no quotes, no braces."""
        var = self.pick(lambda var: var.type in ("i32", "f32", "i64", "f64", "bool"))
        return self.read(var) if var else Expr("i32", "3")

    # -- calls --

    def callable(self, function):
        """Whether it may be called here."""
        if function.kind in ("flat", "group") or function is self.function or function.name == "main":
            return False
        return function.kind == "plain" or not self.kernel

    def call_for(self, kind, depth):
        found = [function for function in self.world.functions if function.result == kind and self.callable(function) and not function.owner]
        found += [function for function in self.local_functions() if function.result == kind]
        if not found:
            return None
        return self.call(self.draw.choice(found), depth)

    def local_functions(self):
        return []

    def call(self, function, depth):
        arguments = self.arguments(function, depth)
        if arguments is None:
            return None
        function.called = True
        return Expr(function.result, Expr(None, function.name).used("callee", function), "(", *arguments, ")").used("call", function)

    def arguments(self, function, depth, names=()):
        """What is between the brackets of a call, or nothing where what it takes is not to be had here; `names` are taken."""
        parts, taken, named = [], Taken(), False
        taken.names.update(names)
        for var in function.params:
            if var.name in function.defaults and self.chance(0.5):
                named = True
                continue
            made = self.argument(var, function, depth, taken)
            if made is None:
                return None
            if not named and function.kind == "host" and self.chance(0.1):
                named = True
            parts += [", "] if parts else []
            parts += [f"{var.name}="] if named else []
            parts.append(made)
        return parts

    def argument(self, var, function, depth, taken):
        kind = var.type
        facts = (function, var)
        if var.name in function.static:
            return Expr(kind, str(self.draw.randint(1, 4))).used("static argument", facts)
        if isinstance(kind, str):
            made = self.want(kind, 0 if function.generic else depth - 1)
            return made and made.used("generic argument" if function.generic else "argument", facts)
        made = self.whole(kind, var.name in function.mut, taken)
        return made and made.used("argument", facts)

    def whole(self, kind, written=False, taken=None):
        """A tensor, record, list, … of the type; of tensors one that no other argument names."""
        taken = Taken() if taken is None else taken
        found = [var for var in self.vars.values() if taken.takes(var.type, kind) and var.name not in taken.names
                 and (var.writable or not written)]
        if found and self.chance(0.85):
            var = self.draw.choice(found)
            taken.names.add(var.name)
            taken.bind(var.type, kind)
            return self.read(var)
        if isinstance(kind, Tensor) and any(str(taken.extents.get(dim, "")).startswith("?") for dim in kind.dims):
            return None     # nobody here can name the extent
        return None if self.kernel else self.made(kind, taken)

    def made(self, kind, taken=None):
        """A new value of a type that host programs know."""
        if isinstance(kind, str):
            return self.want(kind, 0)
        if isinstance(kind, Tensor):
            return self.new_tensor(kind, taken)
        if isinstance(kind, ListOf):
            items = [self.made(kind.item).used("stored item", kind) for _ in range(self.draw.randint(1, 3))]
            return Expr(kind, "[", *self.separated(items), "]")
        if isinstance(kind, TupleOf):
            return Expr(kind, "(", *self.separated([self.want(item, 1) for item in kind.items]), ")")
        if isinstance(kind, DictOf):
            # All keys that are asked for: one that is missing is refused.
            keys = [Expr("str", text) for text in ('"a"', '"b"', '"key"')] if kind.key == "str" else [self.want(kind.key, 0)]
            return Expr(kind, "{", *self.separated([Expr(None, key, ": ", self.want(kind.value, 0)) for key in keys]), "}")
        return self.new_record(kind)

    @staticmethod
    def separated(items):
        return [part for number, item in enumerate(items) for part in ([", ", item] if number else [item])]

    def new_tensor(self, kind, taken=None):
        """Extents that are names here stay names; others become numbers, the same for all arguments of a call."""
        dims = []
        for dim in kind.dims:
            if taken is not None and isinstance(dim, str):
                dim = taken.extents.setdefault(dim, self.draw.randint(2, 9))
            elif isinstance(dim, str) and dim not in self.vars:
                dim = self.draw.randint(2, 9)
            dims.append(dim)
        extents = [Expr("index", str(dim)).used("extent", kind) for dim in dims]
        shape = ["(", *self.separated(extents), ",)" if len(extents) == 1 else ")"]
        made = Tensor(kind.elem, tuple(dims))
        return Expr(made, self.draw.choice(["zeros", "ones"]), "(", *shape, ", ", Expr(None, kind.elem).used("type"), ")").used("new tensor")

    def new_record(self, kind):
        entry = self.world.classes[kind.name]
        parts = []
        for name, type in entry.fields:
            made = self.want(type, 0) if isinstance(type, str) else self.made(type)
            parts.append(Expr(type, f"{name}=" if self.chance(0.3) or parts and str(parts[-1].parts[0]).endswith("=") else "", made.used("field", (entry, name, type))))
        return Expr(kind, Expr(None, kind.name).used("callee", entry), "(", *self.separated(parts), ")").used("call", entry)
