"""Headers of kernels, and the loops that their work stands in."""

from functions import Functions
from kernels import ELEMENTS, Flat, Group, Spread
from kinds import Tensor
from scope import Function, Var
from tiles import EXTENTS, Tiles

SCALARS = ["f32", "i32", "f64", "i64", "bool", "u32", "f16"]


class Kernels(Functions):

    def kernel_params(self, elements, ranks, scalars=SCALARS):
        """Tensors that are read, tensors that are written, numbers."""
        draw = self.draw
        tensors = [Var(self.world.fresh("x"), Tensor(draw.choice(elements), ranks()), "parameter") for _ in range(draw.randint(1, 3))]
        results = [Var(self.world.fresh("y"), Tensor(draw.choice(elements), ranks()), "parameter") for _ in range(draw.randint(1, 2))]
        numbers = [Var(self.world.fresh("num"), draw.choice(scalars), "parameter") for _ in range(draw.randint(0, 2))]
        return tensors + results + numbers, frozenset(var.name for var in results)

    def flat(self):
        draw = self.draw
        params, mut = self.kernel_params(ELEMENTS, lambda: draw.choice([("n",), ("n",), ("n", "m"), ("n", 4)]))
        function = Function(self.world.fresh("kernel"), params, kind="flat", mut=mut)
        frame = Flat(draw, self.world, function)

        def write():
            name = self.world.fresh("id")
            frame.put(f"{name} = tile.linear_id()", tag="id")
            frame.guard(name, "n")
        self.body(function, frame, "def", ["@kernel"], write)
        return function

    def spread(self):
        """A grid loop over elements."""
        draw = self.draw
        dims = draw.choice([("n",), ("n", "m")])
        params, mut = self.kernel_params(ELEMENTS, lambda: dims)
        function = Function(self.world.fresh("kernel"), params, kind="group", mut=mut)
        frame = Spread(draw, self.world, function)

        def write():
            names = [self.world.fresh("id") for _ in dims]
            if len(dims) == 1:
                stmt = frame.put(f"for {names[0]} in tile.range(n):", tag="grid loop", spread=True)
            else:
                stmt = frame.put(f"for {', '.join(names)} in tile.range((n, m)):", tag="grid loop", spread=True)
            frame.start(names)

            def body():
                frame.statements(3, 5)
                for var in params:
                    if var.name in mut:
                        value = frame.want(var.type.elem, 3)
                        frame.put(frame.element(var).used("target", var), " = ", value.used("stored", var.type.elem), tag="spread store", var=var)
            frame.under(stmt, body, True, "spread", [Var(name, "index", "loop", varying=True, stmts=[stmt]) for name in names])
        self.body(function, frame, "def", ["@kernel"], write)
        return function

    def group(self):
        draw = self.draw
        params, mut = self.kernel_params(ELEMENTS, lambda: draw.choice([("n",), ("n",), ("n", "m")]))
        function = Function(self.world.fresh("kernel"), params, kind="group", mut=mut)
        frame = Group(draw, self.world, function)
        frame.group = draw.choice([32, 64, 128])
        self.world.commits = draw.random() < 0.3

        def write():
            name = self.world.fresh("id")
            stmt = frame.put("t = tile.local_id()", tag="id")
            frame.define("t", "index", stmt, origin="loop", varying=True)
            stmt = frame.put(f"{name} = tile.group_id() * {frame.group} + t", tag="id")
            frame.define(name, "index", stmt, origin="loop", varying=True)
            frame.statements(3, 6)
            frame.exchange()
            frame.reduction()
            stmt = frame.put(f"if {name} < n:", tag="guard")
            frame.under(stmt, lambda: frame.own_store(name), True)
        clause = draw.choice([f"tile[({frame.group},)]", f"tile[({frame.group},)] shared(64_KiB)"])
        self.body(function, frame, "def", [f"@kernel {clause}"], write, grid="asked")
        return function

    def tiles(self):
        draw = self.draw
        floats = ["f32", "f32", "bf16", "f16", "i32"]
        params, mut = self.kernel_params(floats, lambda: ("M", "N"), ["f32", "i32", "bool"])
        function = Function(self.world.fresh("kernel"), params, kind="group", mut=mut)
        frame = Tiles(draw, self.world, function)
        rows, columns = draw.choice(EXTENTS), draw.choice(EXTENTS)
        frame.shapes = [(rows, columns), (rows, columns), (columns, rows), (rows,)]

        def write():
            names = [self.world.fresh("id"), self.world.fresh("j")]
            stmt = frame.put(f"for {names[0]}, {names[1]} in tile.range((M, N), step=({rows}, {columns})):", tag="grid loop", spread=True)

            frame.starts, frame.steps = names, (rows, columns)

            def body():
                frame.several(2, 5)
                for var in params:
                    if var.name in mut:
                        view = frame.view(var, (rows, columns), names)
                        frame.put(view.used("target", var), " = ", frame.tile(var.type.elem, (rows, columns), 2)
                                  .used("tile stored", (var.type.elem, (rows, columns))), tag="tile store")
            frame.under(stmt, body, False, "spread", [Var(name, "index", "loop", stmts=[stmt]) for name in names])
        self.body(function, frame, "def", ["@kernel"], write)
        return function
