"""Random kernels of register tiles that are well typed: loads at edges, loops, conditions, stores in every order, products.

Whole numbers are summed where all orders give the same; what is not the same everywhere goes to results `a0`, `a1`, …,
and a comment in the program says how near they are."""

import random
from dataclasses import replace

from tile_loops import ProductLoops
from tile_tensors import Grid, maker, random_factors, random_input, random_result
from tile_types import EXTENTS, FLOATS, INTEGERS, PACKED, STORED, WHOLE, Tensor, Value, count, is_float, shape_text

ATOMIC = ["i32", "u32", "i64", "f32", "f64"]
MOST = 2500  # elements of a named tile


class Body(ProductLoops):
    """Statements of a kernel; each line knows how deep it stands."""

    def __init__(self, draw):
        super().__init__(draw)
        self.lines = []
        self.depth = 1
        self.names = 0
        self.rounds = 1        # how often a statement here happens
        self.results = []      # tensors that are written
        self.homes = {}        # result -> its view of this group
        self.shapes = []

    def line(self, text):
        self.lines.append("    " * self.depth + text)

    def fresh(self, prefix):
        self.names += 1
        return f"{prefix}{self.names}"

    def shape(self):
        if self.shapes and self.draw.random() < 0.7:
            return self.draw.choice(self.shapes)
        rank = self.draw.choice([1, 2, 2, 2, 3])
        while True:
            made = tuple(self.draw.choice(EXTENTS) for _ in range(rank))
            if count(made) <= MOST:
                self.shapes.append(made)
                return made

    def kind(self):
        return self.draw.choice([tensor.kind for tensor in self.inputs] + FLOATS + ["f32", "f32", "f16", "i32"] + INTEGERS)

    # -- what is kept of variables and memory --

    def fitted(self, value, bound, whole):
        """The value where a variable or memory promises this; nothing where it does not fit."""
        if is_float(value.kind):
            if value.bound > bound:
                value = self.clamp(value, min(bound, 50.0))
            if value.bound > bound or value.error:
                return None
        if whole and not value.whole:
            if value.kind in STORED:
                return None
            value = replace(value, text=f"math.round({value.text})", whole=True)
        return value

    def define(self, prefix, value):
        name = self.fresh(prefix)
        self.line(f"{name} = {value.text}")
        bound = max(value.bound, 50.0) if is_float(value.kind) and value.kind not in STORED else value.bound
        self.variables[name] = replace(value, text=name, bound=bound)
        return name

    def assign(self):
        if self.variables and self.draw.random() < 0.4:
            return self.reassign()
        kind = self.draw.choice([self.kind(), "bool", self.kind(), self.kind(), self.kind()])
        shape = self.shape() if self.draw.random() < 0.9 else ()
        self.define("v", self.want(kind, shape, self.draw.randint(1, 3), exact=self.draw.random() < 0.8))

    def share(self):
        """One value that a scan, a transpose of a transpose and sums want, each of them in several places."""
        kind = self.draw.choice(FLOATS + ["i32", "i64"])
        shape = self.shape()
        name = self.define("v", self.want(kind, shape, 2))
        known = self.variables[name]
        for _ in range(self.draw.randint(1, 3)):
            form = self.draw.randrange(3)
            if form == 0:
                text = f'tile.scan({name}, op="{self.draw.choice(["min", "max"])}", axis={self.draw.randrange(len(shape))})'
                self.define("v", replace(known, text=text))
            elif form == 1 and len(shape) > 1:
                self.define("v", replace(known, text=f"{name}.T.T"))
            else:
                other = self.draw.choice([other for other, value in self.variables.items() if value.kind == kind and value.shape == shape])
                bound = known.bound + self.variables[other].bound
                whole = known.whole and self.variables[other].whole
                if not self.variables[other].error:
                    self.define("v", self.settle(Value(f"({name} + {other})", kind, shape, bound, whole)))

    def reassign(self):
        name = self.draw.choice(list(self.variables))
        known = self.variables[name]
        form = self.draw.random()
        alike = [other for other, value in self.variables.items() if other != name and replace(value, text="") == replace(known, text="")]
        if alike and form < 0.2:
            other = self.draw.choice(alike)
            self.line(f"{name}, {other} = {other}, {name}")
            return
        value = self.want(known.kind, known.shape, 2)
        if form > 0.8 and known.kind in INTEGERS:
            self.line(f"{name} {self.draw.choice(['+=', '-=', '*=', '|='])} {value.text}")
            return
        if known.error:
            return
        value = self.fitted(value, known.bound, known.whole)
        if value is not None:
            self.line(f"{name} = {value.text}")

    # -- control flow --

    def scope(self, write):
        """Statements one level deeper; what they define is not known behind them."""
        before = dict(self.variables), list(self.starts), list(self.scalars), list(self.buffers)
        self.depth += 1
        at = len(self.lines)
        write()
        if self.draw.random() < 0.3:
            self.use([name for name in self.variables if name not in before[0]])
        if len(self.lines) == at:
            self.line("pass")
        self.depth -= 1
        self.variables, self.starts, self.scalars, self.buffers = before

    def several(self, budget, most=3):
        for _ in range(self.draw.randint(1, most)):
            self.statement(budget)

    def use(self, names):
        """Sums of variables, as whole numbers, that the kernel shows; a sum of integers is the same in every order."""
        for name in self.draw.sample(names, min(len(names), 2)):
            value = self.variables[name]
            if value.error or value.kind == "i4" or value.kind in STORED and value.shape == ():
                continue
            text = f"tile.cast({name}, i64)"
            for _ in value.shape:
                text = f"tile.row_sum({text})"
            self.line(f"atomic.add(u0[{self.draw.randrange(8)}], {text})")

    def spread(self):
        """A loop over the tiles of the group, each of which computes with what the group knows."""
        index = self.fresh("t")
        known = [name for name, value in self.variables.items() if value.shape == () and value.kind != "bool" and not value.error]
        if not known or self.draw.random() < 0.5:
            known = [self.define("v", self.want(self.draw.choice(["f32", "i32", "i64", "f64"]), (), 2))]
        term = f"cast({self.draw.choice(known)}, f64)"
        self.line(f"for {index} in tile.range({self.draw.choice([5, 24])}):")
        self.line(f"    w0[{index}] = w0[{index}] {self.draw.choice('+-')} cast({index}, f64) * {term}")

    def condition(self):
        form = self.draw.randrange(4)
        if form == 0:
            return self.test(1).text
        if form == 1 and self.starts:
            return f"{self.draw.choice(self.starts)} {self.draw.choice(['<', '>=', '==', '!='])} {self.draw.randint(0, 12)}"
        return self.want("bool", (), 2).text

    def branch(self, budget):
        self.line(f"if {self.condition()}:")
        self.scope(lambda: self.several(budget - 1))
        while self.draw.random() < 0.2:
            self.line(f"elif {self.condition()}:")
            self.scope(lambda: self.several(budget - 1))
        if self.draw.random() < 0.5:
            self.line("else:")
            self.scope(lambda: self.several(budget - 1))

    def head(self):
        """The head of a loop in order: its text, its index, the most rounds that it has."""
        index = self.fresh("k")
        rounds, step = self.draw.randint(0, 4), self.draw.choice([1, 1, 2, 8, 16])
        early = f", prefetch={self.draw.randint(1, 3)}" if self.draw.random() < 0.3 else ""
        form = self.draw.randrange(4)
        if form == 0:
            return f"for {index} in range({rounds * step}, -1, -{step}):", index, rounds + 1
        if form == 1:
            return f"for {index} in range({self.draw.choice(['c', 'c % 4', 'c - 1'])}):", index, 5
        low = self.draw.choice([0, 0, 1, 3])
        name = self.draw.choice(["range", "tile.range"])
        return f"for {index} in {name}({low}, {low + rounds * step}, {step}{early if name == 'tile.range' else ''}):", index, max(1, rounds)

    def loop(self, budget):
        text, index, rounds = self.head()
        sums = []
        for _ in range(self.draw.choice([0, 1, 1, 2])):
            kind = self.draw.choice(["f32", "f32", "f64", "i32", "i64", "f16"])
            shape = self.shape()
            zeros = Value(f"tile.zeros({shape_text(shape)}, {kind})", kind, shape)
            name = self.define("s", self.want(kind, shape, 1) if self.draw.random() < 0.3 else zeros)
            sums.append((name, self.variables[name]))
        for name, known in sums:
            share = min(WHOLE[known.kind] - known.bound, 2e5) if is_float(known.kind) else 0.0
            self.variables[name] = replace(known, bound=known.bound + share, whole=known.whole and (share > 0 or not is_float(known.kind)))

        def rounds_of_it():
            self.starts += [index]
            self.scalars += [Value(f"cast({index}, i32)", "i32", (), 2.0**31)]
            self.rounds *= rounds
            for name, known in sums:
                self.add(name, self.variables[name], rounds, known.bound)
            self.several(budget - 1)
            for name, known in sums:
                if self.draw.random() < 0.4:
                    self.add(name, self.variables[name], rounds, known.bound)
            if self.draw.random() < 0.15:
                self.line(f"if {self.condition()}:")
                self.line(f"    {self.draw.choice(['break', 'continue'])}")
            self.rounds //= rounds
            if "tile.range" in text:  # the loop is the group's, whatever is used of it
                self.line("atomic.add(u0[6:7], tile.full((1,), 1, i64))")

        self.line(text)
        self.scope(rounds_of_it)

    def add(self, name, known, rounds, before):
        """`name += …`, at most twice in each round of the loop around it."""
        kind, shape = known.kind, known.shape
        term = self.product(kind, shape, 2, True) if len(shape) == 2 and kind in ("f32", "f64", "i32") else None
        term = term or self.want(kind, shape, 2)
        if is_float(kind):
            most = (known.bound - before) / (2 * rounds * max(1, self.rounds // rounds))
            if most < 1:
                return
            if term.bound > most or not term.whole:
                term = self.fitted(term, most, True)
            if term is None:
                return
        self.line(f"{name} += {term.text}")

    # -- memory --

    def store(self):
        result = self.draw.choice(self.results)
        home = self.homes.get(result.name)
        if home:
            view, shape = home
        else:
            shape = tuple(min(extent, self.draw.choice(EXTENTS)) for extent in result.shape)
            if len(shape) > 1 and self.draw.random() < 0.3:
                shape = shape[1:]
            view = self.view(result, shape)
        form = self.draw.random()
        times = self.rounds * (3 if form > 0.85 else 1)
        exact = self.want(result.kind, self.draw.choice([shape, shape, shape, shape[-1:]]), 2)
        if form < 0.7:
            value = self.fitted(exact, result.bound / 2, result.whole)
            if value is not None:
                self.line(f"{view} = {value.text}")
            return
        if form > 0.85 and result.kind not in ATOMIC or not is_float(result.kind) and result.kind not in INTEGERS or result.kind in STORED:
            return
        value = self.fitted(exact, max(1.0, result.left / times), True)
        if value is None or is_float(result.kind) and (value.bound * times > result.left or not result.whole):
            return
        result.left -= value.bound * times
        if form <= 0.85:
            self.line(f"{view} += {value.text}")
        elif value.shape == shape:
            self.line(f"atomic.add({view}, {value.text})")

    def reload(self):
        """What a group reads of what it writes."""
        result = self.draw.choice(self.results)
        view, shape = self.homes.get(result.name) or (f"{result.name}[{', '.join(f'0:{extent}' for extent in result.shape)}]", result.shape)
        self.define("m", Value(f"tile.load({view})", result.kind, shape, result.bound, result.whole))
        if not self.homes and self.draw.random() < 0.5:
            value = self.fitted(self.want(result.kind, shape, 2), result.bound / 2, result.whole)
            if value is not None:
                self.line(f"{view} = {value.text}")

    def buffer(self):
        """Shared memory that is filled by a store, a copy, or by the tiles of the group."""
        shape = tuple(self.draw.choice([3, 8, 16, 20, 32, 33]) for _ in range(self.draw.choice([1, 2, 2])))
        tensors = [tensor for tensor in self.inputs if tensor.kind not in PACKED]
        name, form = self.fresh("b"), self.draw.randrange(3)
        tensor = self.draw.choice(tensors) if tensors else None
        if form == 0 and tensor and len(tensor.shape) >= len(shape):
            self.line(f"{name} = tile.alloc_shared({shape_text(shape)}, {tensor.kind})")
            self.line(f"cp_async.shared.global({name}, {self.view(tensor, shape)})")
            self.line("tbarrier()")
            self.buffers.append(Tensor(name, tensor.kind, shape, tensor.bound, tensor.whole))
            return
        value = self.want(self.draw.choice(["f32", "f16", "bf16", "i8", "f64"]), shape, 2)
        self.line(f"{name} = tile.alloc_shared({shape_text(shape)}, {value.kind})")
        if form == 1 and self.rounds == 1 and self.depth == 1:
            indices = [self.fresh("t") for _ in shape]
            head = f"tile.range({shape[0]})" if len(shape) == 1 else f"tile.range({shape_text(shape)})"
            self.line(f"for {', '.join(indices)} in {head}:")
            self.line(f"    {name}[{', '.join(indices)}] = cast(cast({' + 3 * '.join(indices)}, i32) % 7 - 3, {value.kind})")
            value = replace(value, bound=8.0, whole=True)
        else:
            self.line(f"{name}[{', '.join(f'0:{extent}' for extent in shape)}] = {value.text}")
        self.buffers.append(Tensor(name, value.kind, shape, value.bound, value.whole))

    def statement(self, budget):
        form = self.draw.random()
        if budget > 0 and form < 0.14:
            self.branch(budget)
        elif budget > 0 and form < 0.26:
            self.loop(budget)
        elif form < 0.34 and len(self.factors) == 2:
            self.product_loop()
        elif form < 0.48 and self.results:
            self.store()
        elif form < 0.52:
            self.buffer()
        elif form < 0.54 and self.results:
            self.reload()
        elif form < 0.58 and not self.homes:
            self.spread()
        elif form < 0.63:
            self.share()
        else:
            self.assign()


def finish(draw, body):
    """Some results are written by what the kernel has computed. A count stands behind the last loop."""
    if not body.homes:
        body.line("atomic.add(u0[7], cast(1, i64))")
    for result in body.results:
        if draw.random() < 0.5:
            continue
        view, shape = body.homes.get(result.name, (None, None))
        view = view or f"{result.name}[{', '.join(f'0:{extent}' for extent in result.shape)}]"
        shape = shape or result.shape
        value = body.want(result.kind, shape, 2)
        value = body.fitted(value, result.bound / 2, result.whole)
        if value is not None:
            body.line(f"{view} = {value.text}")


def approximate(draw, body, grid):
    """A result that is near on every engine."""
    home = body.homes.get("r0")
    shape = home[1] if home else body.results[0].shape
    kind = draw.choice(["f32", "f32", "f64", "f16", "bf16"])
    value = body.want(kind, shape, 3, exact=False)
    extents = body.results[0].shape
    view = home[0].replace("r0", "a0") if home else f"a0[{', '.join(f'0:{extent}' for extent in shape)}]"
    body.line(f"{view} = {value.text}")
    return Tensor("a0", kind, extents, value.error, False)


def program(seed):
    """The text of one program; equal seeds give equal texts."""
    draw = random.Random(f"tiles {seed}")
    body = Body(draw)
    body.inputs = [random_input(draw, f"x{number}") for number in range(draw.randint(2, 4))]
    if draw.random() < 0.6:
        body.factors = random_factors(draw, len(body.inputs))
        body.inputs += body.factors
    body.scalars = [Value("c", "i32", (), 4.0), Value("f", "f32", (), 3.0)]
    body.starts = ["c"]
    grid = Grid(draw, body) if draw.random() < 0.6 else None
    if grid:
        if draw.random() < 0.3:
            body.assign()
        body.line(grid.head())
        body.depth += 1
        body.starts += grid.indices
        body.rounds = grid.groups
    else:
        for number in range(draw.randint(1, 3)):
            shape = tuple(draw.choice([3, 8, 17, 24, 40]) for _ in range(draw.choice([1, 2, 2])))
            if draw.random() < 0.3:
                shape = (shape[0], shape[0])
            body.results.append(random_result(draw, f"r{number}", shape))
            body.shapes.append(shape)
        body.inputs += [result for result in body.results if draw.random() < 0.5]
    for _ in range(draw.randint(2, 7)):
        body.statement(2)
    body.use(list(body.variables))
    if len(body.factors) == 2 and draw.random() < 0.5:
        body.product_loop()
    finish(draw, body)
    near = [approximate(draw, body, grid)] if draw.random() < 0.5 else []
    return text_of(draw, body, near)


def header_type(tensor, mut, policy=""):
    extents = ", ".join(tensor.dim(axis) for axis in range(len(tensor.shape)))
    return f"{tensor.name}: {'mut ' if mut else ''}{tensor.kind}[{extents}]{policy}"


def text_of(draw, body, near):
    read = [tensor for tensor in body.inputs if tensor not in body.results]
    written = body.results + near + [Tensor("u0", "i64", (8,), 0.0, True), Tensor("w0", "f64", (24,), 0.0, False)]
    names = [tensor.name for tensor in read + written]
    lines = [f"# {tensor.name} within {tensor.bound!r}" for tensor in near]
    policy = draw.choice(["", "", " @round(rz)", " @stochastic_round"])
    parameters = [header_type(tensor, False) for tensor in read]
    parameters += [header_type(tensor, True, policy if tensor in body.results else "") for tensor in written]
    lines += ["@kernel", f"def kernel_under_test({', '.join(parameters)}, c: i32, f: f32):", *body.lines, "", "def main():"]
    lines += [f"    {tensor.name} = {maker(tensor)}" for tensor in read]
    lines += [f"    {tensor.name} = zeros({shape_text(tensor.shape)}, {tensor.kind})" for tensor in written]
    lines += [f"    kernel_under_test({', '.join(names)}, {draw.randint(0, 4)}, {draw.choice(['2.0', '-3.0', '1.0'])})"]
    # What shares bytes has no form in a file of arrays.
    packed = [tensor for tensor in written if tensor.kind in PACKED]
    lines += [f"    {tensor.name}_wide = cast({tensor.name}, f32)" for tensor in packed]
    lines += [f"    return {', '.join(tensor.name + '_wide' * (tensor in packed) for tensor in written)}"]
    return "\n".join(lines) + "\n"
