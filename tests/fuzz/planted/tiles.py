"""Kernels of register tiles: loads, arithmetic, reductions, products, stores."""

from bodies import Bodies
from kinds import Tile, is_float
from scope import Var
from tree import Expr

EXTENTS = [8, 16, 32, 64]


class Tiles(Bodies):
    starts = steps = None  # of the grid loop: the names of its rounds, and how far they are apart

    def tile_var(self, elem, shape):
        return self.pick(lambda var: var.type == Tile(elem, shape))

    def number_of(self, elem):
        """A scalar that is the same for all tiles."""
        var = self.pick(lambda var: var.type == elem and var.origin == "parameter")
        return self.read(var).used("tile number", elem) if var and self.chance(0.5) else self.literal(elem)

    def view(self, var, shape, starts=None):
        """The part of a tensor of this shape that the group's rounds choose; `starts` are names of theirs."""
        parts = []
        for axis, extent in enumerate(shape):
            start = self.vars[starts[axis]] if starts else self.draw.choice([other for other in self.vars.values() if other.type == "index"])
            parts.append(Expr(None, self.read(start), ":", start.name, f"+{extent}"))
        return Expr(Tile(var.type.elem, shape), self.read(var), "[", *self.separated(parts), "]")

    def tile(self, elem, shape, depth):
        """A register tile of the type; `shape` has one or two axes."""
        form = self.draw.random()
        if depth <= 0 or form < 0.2:
            return self.tile_leaf(elem, shape)
        if form < 0.32 and len(shape) == 2 and is_float(elem) and elem != "f64":
            made = self.product(elem, shape, depth - 1)
            if made is not None:
                return made
        if form < 0.42 and is_float(elem):
            function = self.draw.choice(["tile.exp", "tile.sqrt", "tile.tanh", "tile.abs", "math.exp"])
            return Expr(Tile(elem, shape), function, "(", self.tile(elem, shape, depth - 1).used("tile argument", shape), ")")
        if form < 0.5:
            other = self.draw.choice([other for other in ("f32", "bf16", "f16", "i32") if other != elem])
            return Expr(Tile(elem, shape), "tile.cast(", self.tile(other, shape, depth - 1), f", {elem})")
        if form < 0.6:
            condition = Expr(Tile("bool", shape), self.tile(elem, shape, depth - 1), " > ", self.literal(elem))
            return Expr(Tile(elem, shape), "where(", condition, ", ", self.tile(elem, shape, depth - 1).used("tile operand", Tile(elem, shape)), ", ",
                        self.tile(elem, shape, depth - 1).used("tile operand", Tile(elem, shape)), ")")
        if form < 0.68 and len(shape) == 2:
            row = self.tile(elem, (shape[0],), depth - 1)
            row.used("row", shape)
            return Expr(Tile(elem, shape), "(", self.tile(elem, shape, depth - 1), self.draw.choice([" + ", " - "]), row, "[:, None])")
        if form < 0.74 and len(shape) == 2:
            return Expr(Tile(elem, shape), self.tile(elem, (shape[1], shape[0]), depth - 1), ".T")
        if form < 0.82 and len(shape) == 1 and elem in ("f32", "f64"):
            columns = self.draw.choice(EXTENTS)
            source = self.tile(elem, (shape[0], columns), depth - 1)
            if self.chance(0.5):
                return Expr(Tile(elem, shape), self.draw.choice(["tile.row_sum", "tile.row_max"]), "(", source, ")")
            return Expr(Tile(elem, shape), "tile.reduce(", source, ", ", Expr("i32", "1").used("axis", 2), ', "max")')
        operator = self.draw.choice([" + ", " - ", " * "] + [" / "] * is_float(elem))
        one = self.tile(elem, shape, depth - 1)
        other = self.number_of(elem) if self.chance(0.25) else self.tile(elem, shape, depth - 1).used("tile operand", Tile(elem, shape))
        if other.role == "tile operand":
            one.used("tile operand", Tile(elem, shape))
        return Expr(Tile(elem, shape), "(", one, operator, other, ")")

    def tile_leaf(self, elem, shape):
        var = self.tile_var(elem, shape)
        if var is not None and self.chance(0.6):
            return self.read(var)
        found = self.tensors(elem, rank=len(shape))
        if found and self.chance(0.8):
            return Expr(Tile(elem, shape), "tile.load(", self.view(self.draw.choice(found), shape).used("loaded", shape), ")")
        extents = "(" + ", ".join(map(str, shape)) + ("," if len(shape) == 1 else "") + ")"
        if elem == "bool" or self.chance(0.5):
            return Expr(Tile(elem, shape), f"tile.zeros({extents}, ", Expr(None, elem).used("type"), ")")
        return Expr(Tile(elem, shape), f"tile.full({extents}, ", self.number_of(elem), f", {elem})")

    def product(self, elem, shape, depth):
        """A product is in f32, a cast makes it what is wanted."""
        inner = self.draw.choice([8, 16, 32])
        factor = self.draw.choice(["f32", "bf16", "f16"])
        a, b = self.tile(factor, (shape[0], inner), depth), self.tile(factor, (inner, shape[1]), depth)
        made = Expr(Tile("f32", shape), "tile.mma(", a.used("factor", 1), ", ", b.used("factor", 0), self.draw.choice([")", ", accum=f32)"]))
        return made if elem == "f32" else Expr(Tile(elem, shape), "tile.cast(", made, f", {elem})")

    # -- statements --

    def tile_statement(self, budget):
        forms = [self.new_tile, self.new_tile, self.tile_again, self.tile_again, self.tile_store]
        if budget > 0:
            forms += [lambda: self.tile_loop(budget - 1), lambda: self.tile_condition(budget - 1)]
        self.draw.choice(forms)()

    def several(self, budget, most=3):
        for _ in range(self.draw.randint(1, most)):
            self.tile_statement(budget)

    def shape(self):
        return self.draw.choice(self.shapes)

    def new_tile(self):
        elem, shape = self.draw.choice(["f32", "f32", "bf16", "f16", "i32"]), self.shape()
        value, name = self.tile(elem, shape, 2), self.fresh("v")
        stmt = self.put(f"{name} = ", value, tag="tile assign")
        var = self.define(name, Tile(elem, shape), stmt, origin="tile")
        value.used("tile assigned", var)

    def tile_again(self):
        var = self.pick(lambda var: isinstance(var.type, Tile))
        if var is None:
            return self.new_tile()
        elem, shape = var.type
        value = self.tile(elem, shape, 2)
        form = self.draw.randrange(3)
        if form == 0 and elem not in ("bf16", "f16"):
            stmt = self.put(f"{var.name} {self.draw.choice(['+=', '*='])} ", value.used("tile operand", var.type), tag="tile augment", self_referring=True)
        elif form == 1:
            sum = Expr(var.type, self.read(var).used("tile operand", var.type), " * ", value.used("tile operand", var.type))
            stmt = self.put(f"{var.name} = ", sum.used("tile assigned", var), tag="tile assign", self_referring=True)
        else:
            stmt = self.put(f"{var.name} = ", value.used("tile assigned", var), tag="tile assign")
        var.stmts.append(stmt)

    def tile_store(self):
        found = [var for var in self.tensors(writable=True) if len(var.type.dims) == 2]
        if not found:
            return self.new_tile()
        var = self.draw.choice(found)
        shape = self.steps or self.shape()
        while len(shape) != 2:
            shape = self.shape()
        view = self.view(var, shape, self.starts)  # a part of its own for each round
        if self.chance(0.15):
            self.put(view.used("target", var), " = ", self.number_of(var.type.elem), tag="tile store")
            return
        self.put(view.used("target", var), " = ", self.tile(var.type.elem, shape, 2).used("tile stored", (var.type.elem, shape)), tag="tile store")

    def tile_loop(self, budget):
        name = self.fresh("k")
        bound = self.draw.choice([Expr("i32", str(self.draw.randint(2, 5))), self.read(self.draw.choice([v for v in self.vars.values() if v.origin == "dimension"]))])
        step = self.draw.choice(["", "tile"])
        text = "range(" if not step else "range(0, "
        stmt = self.put(f"for {name} in {text}", bound.used("bound"), ", 16):" if step else "):", tag="for")
        self.under(stmt, lambda: self.several(budget), loop="range", names=[Var(name, "index", "loop", stmts=[stmt])])

    def tile_condition(self, budget):
        var = self.pick(lambda var: var.origin in ("parameter", "dimension") and isinstance(var.type, str))
        truth = Expr("bool", self.read(var).used("beside literal", var.type), " > ", self.literal(var.type)) if var.type != "bool" else self.read(var)
        stmt = self.put("if ", truth.used("condition"), ":", tag="if")
        self.under(stmt, lambda: self.several(budget))
        if self.chance(0.3):
            self.under(self.put("else:", tag="else"), lambda: self.several(budget))
