"""Random loops that do nothing but add products, as blocks of matrices are multiplied."""

from dataclasses import replace

from tile_types import WHOLE, Value, count, is_float, shape_text
from tile_values import Expressions


class ProductLoops(Expressions):
    """`factors` are two inputs, rows by K and K by columns."""

    def __init__(self, draw):
        super().__init__(draw)
        self.factors = []

    def block(self, tensor, shape, starts):
        parts = ", ".join(f"{start}:{start}+{size}" for start, size in zip(starts, shape))
        return f"tile.load({tensor.name}[{parts}])"

    def near(self):
        """Where the rows or columns of a block begin."""
        return self.draw.choice(["0", "0", "3", "c"] + self.starts[-3:] * 2)

    def factor_texts(self, shape, step, index):
        """A block of each, its step along `index`; seldom not where the sum runs."""
        one, other = self.factors
        rows, columns = self.near(), self.near()
        form = self.draw.random()
        if form < 0.7:
            return self.block(one, (shape[0], step), (rows, index)), self.block(other, (step, shape[1]), (index, columns))
        if form < 0.8:  # a transpose of a transpose
            return f"{self.block(one, (shape[0], step), (rows, index))}.T.T", self.block(other, (step, shape[1]), (index, columns))
        if form < 0.87:  # steps over rows
            return self.block(one, (shape[0], step), (index, "0")), self.block(other, (step, shape[1]), ("0", columns))
        if form < 0.94:
            return self.block(one, (step, shape[0]), (index, rows)) + ".T", self.block(other, (step, shape[1]), (index, columns))
        return self.block(one, (shape[0], step), (rows, index)), self.block(other, (step, shape[1]), (columns, index))

    def bounds(self, step):
        """The text of the range, and the elements that it goes over at most."""
        extent = self.factors[0].shape[1]
        form = self.draw.random()
        if form < 0.6:
            return f"0, K, {step}", extent + step
        if form < 0.8:
            return f"0, {extent // step * step}, {step}", extent
        return f"{self.draw.choice([0, step, 3])}, {extent}, {step}", extent + step

    def product_loop(self):
        homes = [(name, view, shape) for name, (view, shape) in self.homes.items() if len(shape) == 2]
        shapes = [shape for _, _, shape in homes]
        shapes = shapes or [shape for shape in self.shapes if len(shape) == 2 and count(shape) < 1500] or [(8, 20)]
        kind = "i32" if not is_float(self.factors[0].kind) else "f64" if self.factors[0].kind == "f64" else "f32"
        step = self.draw.choice([4, 8, 16, 32, 10])
        sums, index = [], self.fresh("k")
        bounds, elements = self.bounds(step)
        one, other = self.factors
        known = self.combined(Value("", kind, (), one.bound * other.bound, one.whole and other.whole), elements * 2, "add", kind, True)
        if known is None:
            return
        for _ in range(self.draw.choice([1, 1, 1, 2])):
            shape = self.draw.choice(shapes)
            name = self.define("p", Value(f"tile.zeros({shape_text(shape)}, {kind})", kind, shape))
            if is_float(kind):
                self.variables[name] = replace(self.variables[name], bound=min(known[0], WHOLE[kind]), whole=True)
            sums.append((name, shape))
        early = f", prefetch={self.draw.randint(1, 3)}" if self.draw.random() < 0.3 else ""
        self.line(f"for {index} in {'tile.range' if early else self.draw.choice(['range', 'tile.range'])}({bounds}{early}):")
        for name, shape in sums:
            a, b = self.factor_texts(shape, step, index)
            if self.draw.random() < 0.1:  # one factor stays
                fixed = self.block(one, (shape[0], step), ("0", "0"))
                self.lines.insert(len(self.lines) - 1 - sums.index((name, shape)), "    " * self.depth + f"{name}q = {fixed}")
                a = f"{name}q"
            self.line(f"    {name} += tile.mma({a}, {b})")
        for name, shape in sums:
            for result, view, home in homes:
                tensor = next(tensor for tensor in self.results if tensor.name == result)
                value = self.fitted(self.cast(self.variables[name], tensor.kind), tensor.bound / 2, tensor.whole)
                if home == shape and value is not None and self.draw.random() < 0.7:
                    self.line(f"{view} = {value.text}")
