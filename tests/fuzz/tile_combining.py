"""Random reductions and scans of register tiles along an axis, and products of two."""

from dataclasses import replace

from tile_types import EXTENTS, ROUNDOFF, STORED, WHOLE, Value, count, is_float, span, sum_type


class Combining:
    """What makes few elements of many; `want` gives operands."""

    def sources(self, kind, sums):
        """Element types whose reduction has the type."""
        if not sums:
            return [kind] + (STORED if kind == "f32" else [])
        return {"f32": ["f32", "f32", "f32"] + STORED, "i32": ["i8", "u8", "i4"], "i64": ["i16", "i32", "i64", "u16", "u32"],
                "i8": [], "i16": [], "u8": [], "u16": [], "u32": []}.get(kind, [kind])

    def combined(self, source, extent, op, kind, exact):
        """Bound and error of `extent` elements combined; nothing where they would leave the type."""
        if op in ("min", "max"):
            return source.bound, source.whole, source.error
        if not is_float(kind):
            return span(kind), True, 0.0
        if op == "mul":
            return source.bound, source.whole, 0.0
        bound = source.bound * extent
        if source.whole and not source.error and bound <= WHOLE[sum_type(kind)]:
            return bound, True, 0.0
        if exact:
            return None
        roundoff = ROUNDOFF[sum_type(kind)]
        return bound, False, (source.error + extent * roundoff * source.bound) * extent * 1.1 + bound * ROUNDOFF[kind] * 2

    def along(self, kind, shape, depth, exact, axis, extent, full):
        op = self.draw.choice(["add", "add", "add", "sum", "min", "max", "mul", "prod"])
        op = {"sum": "add", "prod": "mul"}.get(op, op)
        kinds = self.sources(kind, op in ("add", "mul"))
        if not kinds or count(full) > 6000:
            return None
        source = self.want(self.draw.choice(kinds), full, depth, exact)
        if op == "mul" and is_float(kind):
            if source.error or source.kind in STORED:
                return None
            source = self.clamp(replace(source, text=f"math.round({source.text})", whole=True), 1.0)
        known = self.combined(source, extent, op, kind, exact)
        return None if known is None else (op, source, known)

    def reduction(self, kind, shape, depth, exact):
        if kind == "bool" or len(shape) > 2:
            return None
        axis = self.draw.randint(0, len(shape))
        extent = self.draw.choice(EXTENTS)
        full = (*shape[:axis], extent, *shape[axis:])
        found = self.along(kind, shape, depth, exact, axis, extent, full)
        if found is None:
            return None
        op, source, known = found
        if axis == len(shape) and op in ("add", "max") and self.draw.random() < 0.6:
            return Value(f"tile.row_{'sum' if op == 'add' else 'max'}({source.text})", kind, shape, *known)
        named = self.draw.choice({"add": ["add", "sum"], "mul": ["mul", "prod"]}.get(op, [op]))
        written = axis - len(full) if self.draw.random() < 0.3 else axis
        return Value(f'tile.reduce({source.text}, {written}, "{named}")', kind, shape, *known)

    def scan(self, kind, shape, depth, exact):
        axis = self.draw.randrange(len(shape))
        found = self.along(kind, shape, depth, exact, axis, shape[axis], shape)
        if found is None:
            return None
        op, source, known = found
        return Value(f'tile.scan({source.text}, op="{op}", axis={axis})', kind, shape, *known)

    def test(self, depth):
        """A truth of a whole tile."""
        shape = (self.draw.choice(EXTENTS),)
        return Value(f'tile.reduce({self.want("bool", shape, depth).text}, 0, "{self.draw.choice(["any", "all"])}")', "bool", (), 1.0)

    def factor(self, kind, shape, depth, exact):
        """An operand of a product: a tile, or a buffer, either of them perhaps transposed."""
        turned = self.draw.random() < 0.3
        held = shape[::-1] if turned else shape
        buffers = [buffer for buffer in self.buffers if buffer.kind == kind and buffer.shape == held]
        if buffers and self.draw.random() < 0.7:
            buffer = self.draw.choice(buffers)
            value = Value(buffer.name, kind, held, buffer.bound, buffer.whole)
        else:
            value = self.want(kind, held, min(depth, 1), exact)
        if not turned:
            return value
        return replace(value, text=f"{value.text}.T" if value.text.isidentifier() else f"({value.text}).T", shape=shape)

    def factor_kinds(self, kind):
        if kind == "f64":
            return self.draw.choice([("f64", "f64"), ("f64", "f32")])
        if kind == "i32":
            return self.draw.choice([("i8", "i8"), ("i8", "u8"), ("u8", "u8"), ("u8", "i8"), ("i4", "i8"), ("i4", "i4")])
        return self.draw.choice([("f32", "f32"), ("f16", "f16"), ("bf16", "bf16"), ("bf16", "f32"), ("f32", "f16"),
                                 ("fp8_e4m3", "fp8_e4m3"), ("fp8_e5m2", "fp8_e4m3"), ("fp6_e3m2", "fp4_e2m1"), ("fp8_e4m3", "f16"), ("bf16", "bf16")])

    def product_of(self, a, b, kind, shape, exact):
        inner = a.shape[1]
        if not is_float(kind):
            return Value(f"tile.mma({a.text}, {b.text})", kind, shape, span(kind))
        one = Value("", kind, (), a.bound * b.bound, a.whole and b.whole, a.error * b.bound + b.error * a.bound)
        known = self.combined(one, inner, "add", kind, exact)
        if known is None:
            return None
        return Value(f"tile.mma({a.text}, {b.text}{self.draw.choice(['', f', accum={kind}'])})", kind, shape, *known)

    def product(self, kind, shape, depth, exact):
        inner = self.draw.choice(EXTENTS + [32, 64])
        one, other = self.factor_kinds(kind)
        a = self.factor(one, (shape[0], inner), depth, exact)
        b = self.factor(other, (inner, shape[1]), depth, exact)
        value = self.product_of(a, b, kind, shape, exact)
        if value is None or self.draw.random() < 0.6:
            return value
        before = self.want(kind, shape, depth, exact)
        text = self.draw.choice([f"({before.text} + {value.text})", f"({value.text} + {before.text})"])
        bound = before.bound + value.bound
        if exact and is_float(kind) and not (before.whole and bound <= WHOLE[kind]):
            return None
        error = 0.0 if exact or not is_float(kind) else value.error + before.error + bound * inner * ROUNDOFF[kind]
        return Value(text, kind, shape, bound, value.whole and before.whole, error)
