"""Kernels of elements: flat ones, and groups with shared memory, barriers, copies, reductions, atomics."""

from bodies import Bodies
from kinds import Buffer, Tensor, Vector
from scope import Var
from tree import Expr

ELEMENTS = ["f32", "f32", "f32", "f64", "i32", "i32", "i64", "u32", "f16", "bf16", "i8", "u8", "bool"]
ATOMIC = ["i32", "u32", "i64", "f32", "f64"]


class Flat(Bodies):
    """A kernel whose tiles are those of the launch."""

    def statement(self, budget):
        form = self.draw.random()
        if form < 0.08:
            return self.atomic()
        if form < 0.14:
            return self.vector()
        super().statement(budget)

    def may_return(self):
        return False

    def atomic(self):
        found = [var for var in self.tensors(writable=True) if var.type.elem in ATOMIC]
        if not found:
            return self.assign_new()
        var = self.draw.choice(found)
        kind = var.type.elem
        value = self.want(kind, 1) if self.chance(0.8) else self.literal(kind)
        self.put(f"atomic.{self.draw.choice(['add', 'add', 'max', 'min'])}(", self.element(var).used("target", var), ", ",
                 value.used("stored" if value.role != "literal" else "literal", kind), ")", tag="atomic")

    def vector(self):
        found = [var for var in self.tensors(rank=1) if var.type.elem in ("f32", "f16", "i32", "bf16") and isinstance(var.type.dims[0], str)]
        if not found:
            return self.store()
        var = self.draw.choice(found)
        width = self.draw.choice([2, 4])
        name = self.fresh("v")
        stmt = self.put(f"{name} = load_vector(", self.read(var).used("memory", var), ", index=", self.position(var), f", width={width})", tag="vector")
        self.define(name, Vector(var.type.elem, width), stmt, varying=True, origin="vector")

    def guard(self, name, extent):
        """Writes the rest under `name < extent`."""
        index = self.define(name, "index", origin="loop", varying=True)
        if self.chance(0.3):
            stmt = self.put("if ", self.read(index), f" >= {extent}:", tag="guard")
            self.under(stmt, lambda: self.put("return", tag="return"), True)
            self.varying = True
            self.statements(3, 5)
            self.own_store(name)
        else:
            stmt = self.put("if ", self.read(index), f" < {extent}:", tag="guard")

            def write():
                self.statements(3, 5)
                self.own_store(name)
            self.under(stmt, write, True)

    def own_store(self, name):
        """Every kernel writes something."""
        var = self.draw.choice(self.tensors(writable=True))
        index = [self.read(self.vars[name]).used("index", var.type)] + [self.position(var) for _ in var.type.dims[1:]]
        target = Expr(var.type.elem, self.read(var).used("indexed", var), "[", *self.separated(index), "]").used("element", var)
        self.put(target.used("target", var), " = ", self.want(var.type.elem, 3).used("stored", var.type.elem), tag="store")


class Spread(Flat):
    """A loop over elements whose rounds run at once: a round writes its own element, and no variable is carried."""

    def start(self, names):
        self.outside = set(self.vars)
        self.own = names

    def target(self, test=lambda var: True):
        return super().target(lambda var: var.name not in self.outside and test(var))

    def storable(self):
        return [var for var in self.tensors(writable=True) if len(var.type.dims) == len(self.own)]

    def element(self, var):
        if not var.writable or not isinstance(var.type, Tensor):
            return super().element(var)
        parts = [self.read(self.vars[name]) for name in self.own]
        for part in parts:
            part.used("own index", var.type)
        return Expr(var.type.elem, self.read(var).used("indexed", var), "[", *self.separated(parts), "]").used("element", var)

    def atomic(self):
        return self.assign_new()

    def vector(self):
        return self.assign_new()

    def leave(self):
        if self.loops and self.loops[-1] in ("range", "while"):
            self.put(self.draw.choice(["break", "continue"]), tag="leave")
            self.ended = self.ended or "loop"
        elif self.loops and self.loops[-1] == "spread":
            self.put("continue", tag="leave")
            self.ended = "function"


class Group(Flat):
    """A kernel of groups: what all tiles of a group do together stands where they come together."""

    group = 128

    def __init__(self, *arguments):
        super().__init__(*arguments)
        self.together = True
        self.buffers = []

    def under(self, stmt, write, varying=False, loop=None, names=(), together=False, decided=False):
        was, self.together = self.together, together and self.together
        super().under(stmt, write, varying, loop, names, decided)
        self.together = was

    def may_read_buffer(self, var):
        return True

    def may_return(self):
        return False

    def leave(self):
        if self.loops and not self.together and self.loops[-1] != "uniform":
            self.put(self.draw.choice(["break", "continue"]), tag="leave")
            self.ended = self.ended or "loop"

    def statement(self, budget):
        if self.together and self.chance(0.55):
            forms = [self.exchange, self.barrier, self.reduction, self.copy, self.shuffle]
            if budget > 0:
                forms += [self.uniform_condition, self.uniform_loop, self.tile_loop]
            return self.draw.choice(forms)()
        super().statement(budget)

    def barrier(self):
        self.put(self.draw.choice(["tbarrier()", "tile.barrier()"]), tag="barrier")

    def new_buffer(self, kind):
        name = self.fresh("s")
        text = f"tshared.alloc[{kind}]({self.group})" if self.chance(0.6) else f"tile.alloc_shared(({self.group},), {kind})"
        stmt = self.put(f"{name} = ", Expr(Buffer(kind, (self.group,)), text), tag="buffer")
        return Var(name, Buffer(kind, (self.group,)), "buffer", stmts=[stmt])

    def exchange(self):
        """Each tile writes an element, and reads another's behind a barrier."""
        kind = self.draw.choice(["f32", "i32", "f64", "u8"])
        var = self.new_buffer(kind)
        value = self.want(kind, 2)
        self.put(f"{var.name}[t] = ", value.used("stored", kind), tag="exchange write", var=var)
        self.put("tbarrier()", tag="exchange barrier")
        self.vars[var.name] = var
        name = self.fresh("v")
        stmt = self.put(f"{name} = {var.name}[(t + {self.draw.randint(1, 64)}) % {self.group}]", tag="exchange read")
        self.define(name, kind, stmt, varying=True)

    def copy(self):
        """A copy of part of a tensor into shared memory, and the barrier that ends it."""
        found = [var for var in self.tensors() if not var.writable and var.type.elem in ("f32", "i32", "f16", "bf16") and isinstance(var.type.dims[-1], str)]
        if not found:
            return self.barrier()
        source = self.draw.choice(found)
        var = self.new_buffer(source.type.elem)
        start = self.uniform_number()
        row = [self.uniform_number(), ", "] if len(source.type.dims) == 2 else []
        call = self.draw.choice(["tile.cp_async", "cp_async.shared.global"])
        view = Expr(None, self.read(source), "[", *row, start, ":", start.text(), f"+{self.group}]")
        copy = self.put(f"{call}({var.name}, ", view.used("view", (source, var)), ")", tag="copy", var=var)
        committed = self.world.commits
        if committed:
            self.put("tile.cp_commit_group()", tag="commit")
        if self.chance(0.4):
            self.assign_new()
        if committed:
            self.put("tile.cp_wait_group(", Expr("i32", "0").used("static"), ")", tag="wait")
        self.put("tbarrier()", tag="copy barrier", copy=copy)
        self.vars[var.name] = var
        name = self.fresh("v")
        stmt = self.put(f"{name} = {var.name}[t]", tag="copy read", copy=copy)
        self.define(name, var.type.elem, stmt, varying=True)

    def uniform_number(self):
        """An integer that is the same for all tiles."""
        found = [var for var in self.vars.values() if var.type in ("index", "i32") and var.origin in ("parameter", "dimension", "uniform")]
        return self.read(self.draw.choice(found)) if found and self.chance(0.8) else Expr("i32", "0")

    def uniform_truth(self):
        found = [var for var in self.vars.values() if var.origin in ("parameter", "dimension", "uniform") and isinstance(var.type, str)]
        if not found:
            return Expr("bool", "(tile.group_id() > 3)")
        var = self.draw.choice(found)
        if var.type == "bool":
            return self.read(var)
        return Expr("bool", self.read(var).used("beside literal", var.type), self.draw.choice([" > ", " < ", " == "]), self.literal(var.type))

    def reduction(self):
        kind = self.draw.choice(["f32", "f64", "i64", "i32"])
        form = self.draw.randrange(3)
        name = self.fresh("r")
        if form == 0:
            stmt = self.put(f"{name} = tile.any(", self.condition(1).used("condition"), ")", tag="collective")
            kind = "bool"
        else:
            operation = "max" if kind == "i32" else self.draw.choice(["sum", "max", "min"])
            stmt = self.put(f"{name} = tile.reduce_{operation}(", self.want(kind, 1).used("reduced"), ")", tag="collective")
        self.define(name, kind, stmt, origin="uniform")

    def shuffle(self):
        kind = self.draw.choice(["f32", "i32"])
        name = self.fresh("v")
        if self.chance(0.5):
            stmt = self.put(f"{name} = tile.shuffle(", self.want(kind, 1).used("reduced"), ", ", Expr("i32", "3"), ")", tag="collective")
        else:
            stmt = self.put(f"{name} = tile.scan(", self.want("f32", 1).used("reduced"), ")", tag="collective")
            kind = "f32"
        self.define(name, kind, stmt, varying=True)

    def uniform_condition(self):
        stmt = self.put("if ", self.uniform_truth().used("condition"), ":", tag="if")
        self.under(stmt, lambda: self.statements(1, 3), together=True)

    def uniform_loop(self):
        name = self.fresh("k")
        stmt = self.put(f"for {name} in range(", self.uniform_number().used("bound"), "):", tag="for")
        index = Var(name, "index", "uniform", stmts=[stmt])
        self.under(stmt, lambda: self.statements(1, 3), loop="uniform", names=[index], together=True)

    def tile_loop(self):
        """A loop spread over the tiles of the group."""
        name = self.fresh("e")
        kind = self.draw.choice(["f32", "i32"])
        var = self.new_buffer(kind)
        stmt = self.put(f"for {name} in tile.range({self.group}):", tag="tile loop", spread=True, buffer=var)
        inner = Spread(self.draw, self.world, self.function)
        # It uses no value that differs between tiles from outside.
        names = {key: known for key, known in self.vars.items() if known.origin in ("parameter", "dimension") and not known.writable}
        inner.vars = names

        def write():
            inner.block = self.block
            inner.varying, inner.loops = True, self.loops
            inner.define(name, "index", stmt, origin="loop", varying=True)
            inner.start([name])
            inner.statements(1, 2)
            inner.put(f"{var.name}[{name}] = ", inner.want(kind, 2).used("stored", kind), tag="spread store", buffer=var, index=name)
        self.under(stmt, write, True, "spread")
        self.put("tbarrier()", tag="barrier")
        self.vars[var.name] = var
