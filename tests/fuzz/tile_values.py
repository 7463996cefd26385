"""Random expressions of register tiles."""

from dataclasses import replace

from tile_combining import Combining
from tile_types import FLOATS, INTEGERS, LIMIT, NARROWER, ROUNDOFF, STORED, WHOLE, Value, is_float, shape_text, span


class Expressions(Combining):
    """Values of a wanted type and shape, made of variables and inputs that are known where they stand."""

    def __init__(self, draw):
        self.draw = draw
        self.variables = {}   # name -> Value
        self.inputs = []      # tensors that are read
        self.buffers = []     # shared memory, whole
        self.starts = []      # texts of indices
        self.scalars = []     # Values

    # -- what is known of results --

    def settle(self, value):
        """The value with elements inside of its type's limit."""
        if value.kind == "bool" or not is_float(value.kind):
            most = 1.0 if value.kind == "bool" else span(value.kind)
            return replace(value, bound=min(value.bound, most))
        if value.bound > LIMIT[value.kind]:
            return self.clamp(value, 100.0)
        return value

    def clamp(self, value, most):
        if value.kind in STORED:
            return value
        most = max(1, int(most))
        point = ".0" if is_float(value.kind) else ""
        text = f"tile.minimum({value.text}, {most}{point})"
        if value.kind[0] != "u":
            text = f"tile.maximum({text}, -{most}{point})"
        return replace(value, text=text, bound=min(value.bound, float(most)))

    # -- leaves --

    def literal(self, kind):
        if kind == "bool":
            return Value(self.draw.choice(["True", "False"]), kind, (), 1.0)
        if is_float(kind):
            number = self.draw.choice([0.0, 1.0, 2.0, -3.0, 0.5, -1.25, 6.0])
            return Value(f"cast({number}, {kind})", kind, (), abs(number), number == int(number))
        number = self.draw.choice([0, 1, 2, 3, 7])
        return Value(f"cast({number}, {kind})", kind, (), float(number))

    def start(self, extent, size):
        """Where a view of `size` elements of an axis begins: inside, at an edge, or outside."""
        if self.starts and self.draw.random() < 0.45:
            index = self.draw.choice(self.starts)
            return self.draw.choice([index, index, f"{index} + {self.draw.randint(1, 5)}", f"{index} - {self.draw.randint(1, 3)}"])
        return self.draw.choice(["0", "0", str(self.draw.randint(0, max(0, extent - 1))), str(max(0, extent - size)),
                                 str(-self.draw.randint(1, 4)) if size > 1 else "0", str(extent + 1)])

    def view(self, tensor, shape, starts=None):
        """A view of the tensor with these extents; nothing where it has fewer axes."""
        if len(tensor.shape) < len(shape):
            return None
        kept = sorted(self.draw.sample(range(len(tensor.shape)), len(shape)))
        parts = []
        for axis, extent in enumerate(tensor.shape):
            size = shape[kept.index(axis)] if axis in kept else 1
            start = starts[axis] if starts and axis in starts else self.start(extent, size)
            simple = start.isdigit()
            stop = str(int(start) + size) if simple else f"{start} + {size}"
            parts.append(f"{start}:{stop}" if axis in kept else start)
        return f"{tensor.name}[{', '.join(parts)}]"

    def load(self, tensor, shape):
        view = self.view(tensor, shape)
        if view is None:
            return None
        value = Value(f"tile.load({view})", tensor.kind, shape, tensor.bound, tensor.whole)
        if self.draw.random() < 0.25 and tensor.kind in FLOATS + ["i32"]:
            fill = self.draw.choice([1, -2, 3])
            written = f"{fill}.0" if is_float(tensor.kind) else str(fill)
            value = replace(value, text=f"tile.load({view}, fill={written})", bound=max(3.0, tensor.bound))
        return value

    def leaf(self, kind, shape, exact):
        found = [value for value in self.variables.values()
                 if value.kind == kind and value.shape == shape and not (exact and value.error)]
        if shape == ():
            found += [value for value in self.scalars if value.kind == kind]
        if found and self.draw.random() < 0.75:
            return self.draw.choice(found)
        if shape == ():
            return self.literal(kind)
        if kind == "i32" and self.draw.random() < 0.4:
            axis = self.draw.randrange(len(shape))
            return Value(f"tile.iota({shape_text(shape)}, axis={axis})", kind, shape, float(shape[axis] - 1))
        loads = [tensor for tensor in self.inputs if tensor.kind == kind and len(tensor.shape) >= len(shape)]
        whole = [buffer for buffer in self.buffers if buffer.kind == kind and buffer.shape == shape]
        if whole and self.draw.random() < 0.5:
            buffer = self.draw.choice(whole)
            return Value(f"tile.load({buffer.name})", kind, shape, buffer.bound, buffer.whole)
        if loads and self.draw.random() < 0.85:
            return self.load(self.draw.choice(loads), shape)
        if kind == "bool":
            return Value(f"(tile.iota({shape_text(shape)}, axis=0) < {self.draw.randint(0, shape[0])})", kind, shape, 1.0)
        other = self.draw.choice([tensor.kind for tensor in self.inputs] or ["i32"])
        if other != kind and self.draw.random() < 0.6:
            return self.cast(self.leaf(other, shape, True), kind)
        value = self.literal(kind)
        if value.bound == 0.0:
            return replace(value, text=f"tile.zeros({shape_text(shape)}, {kind})", shape=shape)
        return replace(value, text=f"tile.full({shape_text(shape)}, {value.text}, {kind})", shape=shape)

    # -- expressions --

    def want(self, kind, shape, depth, exact=True):
        """An expression of this type and shape, its bits the same everywhere if it is to be exact."""
        if depth <= 0 or self.draw.random() < 0.12:
            return self.settle(self.leaf(kind, shape, exact))
        forms = [self.choose, self.convert]
        if shape:
            forms.append(self.layout)
        if kind == "bool":
            forms = [self.compare, self.compare, self.compare, self.logic, self.leaf_again]
        elif kind in STORED or kind == "i4":
            forms += [self.leaf_again]
        else:
            forms += [self.arithmetic] * 5 + [self.reduction] * 2
            forms += [self.rounding if is_float(kind) else self.integer]
            if shape:
                forms += [self.scan]
            if len(shape) == 2 and kind in ("f64", "f32", "i32"):
                forms += [self.product] * 3
        for _ in range(6):
            value = self.draw.choice(forms)(kind, shape, depth - 1, exact)
            if value is not None and not (exact and value.error):
                return self.settle(value)
        return self.settle(self.leaf(kind, shape, exact))

    def leaf_again(self, kind, shape, depth, exact):
        return self.leaf(kind, shape, exact)

    def operand(self, kind, shape, depth, exact):
        """Repeated to the shape where it is used."""
        form = self.draw.random()
        if not shape or form < 0.65:
            return self.want(kind, shape, depth, exact)
        if form < 0.8:
            return self.want(kind, (), depth, exact)
        kept = [axis for axis in range(len(shape)) if self.draw.random() < 0.5]
        if not kept:
            return self.want(kind, shape[-1:], depth, exact)
        value = self.want(kind, tuple(shape[axis] for axis in kept), depth, exact)
        if len(kept) == len(shape):
            return value
        items = ", ".join(":" if axis in kept else "None" for axis in range(len(shape)))
        repeated = tuple(shape[axis] if axis in kept else 1 for axis in range(len(shape)))
        value = replace(value, text=f"({value.text})[{items}]", shape=repeated)
        if kind == "bool" or kind in STORED or kind == "i4" or self.draw.random() < 0.7:
            return value
        # Along an axis of one element, or of all: what is known of the elements stays.
        text = f'tile.scan({value.text}, op="{self.draw.choice(["min", "max"])}", axis={self.draw.randrange(len(shape))})'
        return replace(value, text=text)

    def pair(self, kind, shape, depth, exact):
        """Two operands, one of which has the shape; one may be narrower than the type."""
        one = self.want(kind, shape, depth, exact)
        other_kind = self.draw.choice(NARROWER[kind] or [kind]) if self.draw.random() < 0.15 else kind
        other = self.operand(other_kind, shape, depth, exact)
        return (one, other) if self.draw.random() < 0.5 else (other, one)

    def arithmetic(self, kind, shape, depth, exact):
        a, b = self.pair(kind, shape, depth, exact)
        whole = a.whole and b.whole
        form = self.draw.randrange(9)
        if form < 4:
            op = self.draw.choice("+-")
            starts = op == "+" and any(value.text.startswith("tile.mma(") for value in (a, b))  # the accumulation, in any order
            if starts and is_float(kind) and not (whole and a.bound + b.bound <= WHOLE[kind]):
                return None
            return Value(f"({a.text} {op} {b.text})", kind, shape, a.bound + b.bound, whole, a.error + b.error)
        if form == 4:
            error = a.error * b.bound + b.error * a.bound + a.error * b.error
            return Value(f"({a.text} * {b.text})", kind, shape, a.bound * b.bound, whole, error)
        if form == 5 and is_float(kind):
            c = self.operand(kind, shape, depth, exact)
            error = a.error * b.bound + b.error * a.bound + a.error * b.error + c.error
            product = f"{a.text} * {b.text}"
            text = self.draw.choice([f"({product} + {c.text})", f"({c.text} - {product})", f"({product} - {c.text})"])
            return Value(text, kind, shape, a.bound * b.bound + c.bound, whole and c.whole, error)
        if form == 6:
            function = self.draw.choice(["minimum", "maximum"])
            return Value(f"tile.{function}({a.text}, {b.text})", kind, shape, max(a.bound, b.bound), whole, max(a.error, b.error))
        if form == 7 and a.kind == kind and a.shape == shape and kind[0] != "u":
            return replace(a, text=self.draw.choice([f"(-{a.text})", f"tile.abs({a.text})"]))
        literal = self.draw.choice([2, 3, 1])
        if kind == a.kind and a.shape == shape and not (exact and a.error):
            text = self.draw.choice([f"({a.text} * {literal})", f"({literal} * {a.text})"])
            return replace(a, text=text, bound=a.bound * literal, error=a.error * literal)
        return None

    def rounding(self, kind, shape, depth, exact):
        """Operations of floats that give other numbers than whole ones, or make them whole."""
        a = self.want(kind, shape, depth, exact)
        form = self.draw.randrange(6)
        if form == 0:
            return Value(f"({a.text} / {self.draw.choice(['2.0', '3.0', '-7.0'])})", kind, shape, a.bound / 2, False, a.error)
        if form == 1 and not a.error:
            b = self.operand(kind, shape, depth, True)
            return Value(f"({a.text} / (tile.abs({b.text}) + 1.0))", kind, shape, a.bound, False)
        if a.error:
            return None
        if form == 2:
            return Value(f"tile.sqrt(tile.abs({a.text}))", kind, shape, max(1.0, a.bound), False)
        if form == 3:
            name = self.draw.choice(["floor", "ceil", "round", "trunc"])
            return Value(f"math.{name}({a.text})", kind, shape, a.bound + 1, True)
        if exact:
            return None
        function, bound = self.draw.choice([("exp", 60.0), ("tanh", 1.0), ("sin", 1.0), ("cos", 1.0)])
        error = 64 * bound * ROUNDOFF[kind]
        return Value(f"tile.{function}({self.clamp(a, 4.0).text})", kind, shape, bound, False, error)

    def integer(self, kind, shape, depth, exact):
        a, b = self.pair(kind, shape, depth, exact)
        op = self.draw.choice(["//", "%", "&", "|", "^", "%", "<<", ">>"])
        if op in ("<<", ">>"):
            return Value(f"({a.text} {op} ({b.text} & 7))", kind, shape, span(kind))
        return Value(f"({a.text} {op} {b.text})", kind, shape, span(kind))

    def choose(self, kind, shape, depth, exact):
        if kind in NARROWER:
            a, b = self.pair(kind, shape, depth, exact)
        else:
            a, b = self.want(kind, shape, depth, exact), self.want(kind, shape, depth, exact)
        known = max(a.bound, b.bound), a.whole and b.whole, max(a.error, b.error)
        if not shape and self.draw.random() < 0.5 and a.kind == b.kind:
            return Value(f"({a.text} if {self.want('bool', (), depth).text} else {b.text})", kind, shape, *known)
        condition = self.operand("bool", shape, depth, True)
        if not condition.shape and shape:
            return None
        return Value(f"tile.where({condition.text}, {a.text}, {b.text})", kind, shape, *known)

    def cast(self, value, kind):
        if kind == "bool":
            return Value(f"({value.text} != 0)" if not is_float(value.kind) else f"({value.text} != 0.0)", kind, value.shape, 1.0)
        bound, whole = value.bound, value.whole
        if is_float(kind):
            bound, whole = min(bound, LIMIT[kind]), whole
            if value.bound > LIMIT[kind]:
                value = self.clamp(value, LIMIT[kind])
        else:
            bound, whole = min(bound, span(kind)) if bound <= span(kind) else span(kind), True
        error = value.error + (value.bound * ROUNDOFF.get(kind, 0.1) if value.error else 0.0)
        return Value(f"tile.cast({value.text}, {kind})", kind, value.shape, bound, whole, error)

    def convert(self, kind, shape, depth, exact):
        kinds = FLOATS + INTEGERS + ["bool"] + [tensor.kind for tensor in self.inputs]
        source = self.want(self.draw.choice(kinds), shape, depth, exact or not is_float(kind))
        return self.cast(source, kind)

    def compare(self, kind, shape, depth, exact):
        a, b = self.pair(self.draw.choice(FLOATS + INTEGERS), shape, depth, True)
        return Value(f"({a.text} {self.draw.choice(['<', '<=', '>', '>=', '==', '!='])} {b.text})", kind, shape, 1.0)

    def logic(self, kind, shape, depth, exact):
        a = self.want(kind, shape, depth)
        if not shape:
            return Value(f"({a.text} {self.draw.choice(['and', 'or'])} {self.want(kind, shape, depth).text})", kind, shape, 1.0)
        if self.draw.random() < 0.3:
            return Value(f"(~{a.text})", kind, shape, 1.0)
        return Value(f"({a.text} {self.draw.choice('&|^')} {self.operand(kind, shape, depth, True).text})", kind, shape, 1.0)

    def layout(self, kind, shape, depth, exact):
        if len(shape) < 2 or self.draw.random() < 0.25:
            value = self.want(kind, shape, depth, exact)
            return replace(value, text=f"tile.flip({value.text}, {self.draw.randrange(len(shape))})") if value.shape == shape else None
        if self.draw.random() < 0.2:  # a transpose of a transpose
            value = self.want(kind, shape, depth, exact)
            return replace(value, text=f"({value.text}).T.T")
        value = self.want(kind, (*shape[:-2], shape[-1], shape[-2]), depth, exact)
        if len(shape) == 2 and kind == "f32" and value.shape == shape and self.draw.random() < 0.3:
            masked = f"tile.causal_mask({value.text}, {self.draw.randint(-2, 9)}, {self.draw.randint(-2, 9)})"
            return self.clamp(Value(masked, kind, shape, float("inf"), value.whole, value.error), 50.0)
        return replace(value, text=f"({value.text}).T", shape=shape)
