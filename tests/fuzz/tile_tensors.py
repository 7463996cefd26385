"""Tensors that random kernels of register tiles read and write, and the loop that is spread over groups."""

from tile_types import FLOATS, INTEGERS, LIMIT, PACKED, STORED, WHOLE, Tensor, is_float, shape_text

STORABLE = FLOATS + INTEGERS + ["fp8_e4m3", "fp8_e5m2"]


def random_input(draw, name):
    kind = draw.choice(FLOATS * 3 + ["f32", "bf16", "i8", "i32"] + STORED + INTEGERS + ["i4"])
    rank = draw.choice([1, 2, 2, 2, 3])
    shape = tuple(draw.choice([1, 3, 5, 16, 19, 32, 40, 70] if rank < 3 else [1, 2, 3, 5, 9]) for _ in range(rank))
    whole = not is_float(kind) or kind in STORED or draw.random() < 0.6
    bound = min(draw.choice([1, 3, 7]), WHOLE.get(kind, 7)) if whole else 8.0
    return Tensor(name, kind, shape, float(bound), whole)


def random_factors(draw, number):
    """Two inputs that are multiplied block by block; mostly they share the extent that is summed over."""
    one, other = draw.choice([("f32", "f32"), ("f64", "f64"), ("bf16", "bf16"), ("bf16", "bf16"), ("f16", "f16"), ("i8", "i8"),
                              ("u8", "i8"), ("fp8_e4m3", "fp8_e5m2"), ("f16", "f32")])
    rows, inner, columns = (draw.choice([5, 16, 20, 33, 50, 64, 70]) for _ in range(3))
    whole = not is_float(one) or one in STORED or draw.random() < 0.8
    names = f"x{number}", f"x{number + 1}"
    return [Tensor(names[0], one, (rows, inner), 3.0 if whole else 8.0, whole, dims=("M", "K")),
            Tensor(names[1], other, (inner, columns), 3.0 if whole else 8.0, whole, dims=("K", "N"))]


def maker(tensor):
    """The host expression that makes an input."""
    shape = shape_text(tensor.shape)
    low = 0 if tensor.kind[0] == "u" else -int(tensor.bound)
    if tensor.whole:
        return f"cast(randint({low}, {int(tensor.bound) + 1}, {shape}, i32), {tensor.kind})"
    return f"cast(randn({shape}, f32), {tensor.kind})"


def random_result(draw, name, shape, whole_bytes=False):
    """`whole_bytes`: what is written of a row at once may be elements that share bytes."""
    kind = draw.choice(STORABLE + ["f32", "f32", "f16", "i32"] + (PACKED if whole_bytes else []))
    whole = not is_float(kind) or kind not in STORED and draw.random() < 0.6
    bound = (WHOLE[kind] if whole else LIMIT[kind]) if is_float(kind) else 0.0
    return Tensor(name, kind, shape, bound, whole, left=bound / 2)


class Grid:
    """The loop that is spread over groups, and the view of each result that a group writes."""

    def __init__(self, draw, body):
        self.rank = draw.choice([1, 1, 2, 2, 3])
        self.extents = [draw.choice([1, 2, 5]) if axis + 3 <= self.rank else draw.choice([1, 7, 20, 33, 50]) for axis in range(self.rank)]
        self.steps = [1 if axis + 3 <= self.rank else draw.choice([1, 4, 8, 12, 16, 20]) for axis in range(self.rank)]
        for axis in range(self.rank):
            while self.extents[axis] / self.steps[axis] > 7:
                self.steps[axis] += 4
        self.indices = ["i", "j", "h"][:self.rank]
        self.groups = 1
        for extent, step in zip(self.extents, self.steps):
            self.groups *= -(-extent // step)
        for number in range(draw.randint(1, 3)):
            self.add_result(draw, body, f"r{number}", number == 0)

    def add_result(self, draw, body, name, first):
        axes = list(range(self.rank))
        fixed = draw.choice([0, 0, 1]) if self.rank > 1 else draw.choice([0, 1, 1])
        sizes = self.steps + [draw.choice([1, 5, 16, 24, 40])] * fixed
        axes += [self.rank] * fixed
        if not first:
            draw.shuffle(axes)
        extents = self.extents + [size + draw.choice([0, 3]) for size in sizes[self.rank:]]
        if not first and draw.random() < 0.3:
            extents = [extent + draw.choice([0, 3, -1]) if axis >= self.rank else extent for axis, extent in enumerate(extents)]
        whole_bytes = sizes[axes[-1]] % 4 == 0
        result = random_result(draw, name, tuple(max(1, extents[axis]) for axis in axes), whole_bytes)
        parts, shape = [], []
        for axis in axes:
            if axis == self.rank:
                parts.append(f"0:{sizes[axis]}")
            elif self.steps[axis] == 1 and (draw.random() < 0.5 or len(axes) > 3):
                parts.append(self.indices[axis])
                continue
            else:
                parts.append(f"{self.indices[axis]}:{self.indices[axis]}+{self.steps[axis]}")
            shape.append(sizes[axis])
        if not shape:
            parts[0] = f"{self.indices[axes[0]]}:{self.indices[axes[0]]}+1"
            shape = [1]
        body.results.append(result)
        body.homes[name] = (f"{name}[{', '.join(parts)}]", tuple(shape))
        body.shapes.append(tuple(shape))

    def head(self):
        bounds = [f"R0_{axis}" for axis in range(self.rank)]
        if self.rank == 1:
            return f"for i in tile.range(0, {bounds[0]}, {self.steps[0]}):"
        return f"for {', '.join(self.indices)} in tile.range(({', '.join(bounds)}), step=({', '.join(map(str, self.steps))})):"
