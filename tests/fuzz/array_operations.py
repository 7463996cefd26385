"""Operations on whole tensors for arrays.py: the text in Tessera, and what NumPy computes for the same operands.

An operation is a method of `Operations` that begins with `op_`; it adds statements and values to the program, or does
nothing where no value of the program fits.
"""

import math

import numpy as np

SMALL = 4000    # elements of a value
LARGE = 1e4     # a float that is larger is not used any more: errors grow with it
DTYPES = {"float32": "f32", "int32": "i32", "int64": "i64", "bool": "bool"}

UNARY = [
    ("abs({0})", np.abs),
    ("square({0})", np.square),
    ("{0} ** 2", np.square),
    ("sign({0})", np.sign),
    ("-{0}", np.negative),
    ("floor({0})", np.floor),
    ("ceil({0})", np.ceil),
    ("round({0})", np.round),
    ("trunc({0})", np.trunc),
    ("tanh({0})", np.tanh),
    ("exp(clip({0}, -5.0, 5.0))", lambda x: np.exp(np.clip(x, -5, 5))),
    ("clip({0}, -0.5, 0.7)", lambda x: np.clip(x, -0.5, 0.7)),
    ("relu({0})", lambda x: np.maximum(x, 0)),
    ("sigmoid(clip({0}, -20.0, 20.0))", lambda x: 1 / (1 + np.exp(-np.clip(x, -20, 20).astype(np.float64)))),
    ("softplus({0})", lambda x: np.logaddexp(x.astype(np.float64), 0)),
    ("gelu({0}, approximate=\"none\")", lambda x: x * 0.5 * (1 + np.vectorize(math.erf, otypes=[float])(x / np.sqrt(2)))),
]


def is_float(a):
    return a.dtype == np.float32


def is_integer(a):
    return a.dtype in (np.int32, np.int64)


def is_bool(a):
    return a.dtype == np.bool_


def is_number(a):
    return not is_bool(a)


def has_elements(a):
    return a.ndim > 0 and a.size > 0


def wide(a):
    """The type in which sums of its elements are computed."""
    return np.float64 if a.dtype.kind == "f" else np.int64


def shape_text(shape):
    return f"({', '.join(map(str, shape))}{',' if len(shape) == 1 else ''})"


class Operations:
    def __init__(self, random):
        self.random = random
        self.lines = []
        self.values = []  # (name, array)
        self.count = 0
        self.all = [getattr(self, name) for name in dir(self) if name.startswith("op_")]

    # ---- the program ----
    def name(self):
        self.count += 1
        return f"v{self.count - 1}"

    def give(self, text, value):
        name = self.name()
        self.lines.append(f"{name} = {text}")
        self.hold(name, value)
        return name

    def hold(self, name, value):
        value = np.asarray(value)
        if value.dtype == np.float64:
            value = value.astype(np.float32)
        self.values.append((name, value))

    def pick(self, *fits):
        found = [value for value in self.values if all(fit(value[1]) for fit in fits)]
        return self.random.choice(found) if found else (None, None)

    def axis(self, a, negative=True):
        return self.random.randrange(-a.ndim if negative else 0, a.ndim)

    def number(self, a):
        return "1.5" if is_float(a) else "3"

    # ---- elements ----
    def op_unary(self):
        x, a = self.pick(is_float)
        if x:
            text, function = self.random.choice(UNARY)
            self.give(text.format(x), function(a))

    def meeting(self, *fits):
        """Two values whose shapes meet."""
        x, a = self.pick(*fits)
        if not x:
            return None

        def meets(b):
            try:
                shape = np.broadcast_shapes(a.shape, b.shape)
            except ValueError:
                return False
            return b.dtype == a.dtype and math.prod(shape) < SMALL and len(shape) <= 4

        return x, a, *self.pick(meets)

    def op_arithmetic(self):
        pair = self.meeting(is_number)
        if not pair:
            return
        x, a, y, b = pair
        sign, function = self.random.choice([("+", np.add), ("-", np.subtract), ("*", np.multiply)])
        value = function(a, b)
        if np.abs(value.astype(np.float64)).max(initial=0) < LARGE:
            self.give(f"{x} {sign} {y}", value)

    op_arithmetic_again = op_arithmetic

    def op_number(self):
        x, a = self.pick(is_float)
        if x:
            c = round(self.random.uniform(-2, 2), 2)
            text, value = self.random.choice([(f"{x} + {c}", a + np.float32(c)), (f"{x} * {c}", a * np.float32(c)),
                                              (f"{c} - {x}", np.float32(c) - a)])
            self.give(text, value)

    def op_integer(self):
        x, a = self.pick(is_integer)
        if x:
            d = a.dtype.type(self.random.choice([2, 3, -2, 5]))
            sign, value = self.random.choice([("//", a // d), ("%", a % d), ("&", a & d), ("|", a | d), ("^", a ^ d)])
            self.give(f"{x} {sign} ({d})", value)

    def op_extreme(self):
        pair = self.meeting(is_number)
        if pair:
            x, a, y, b = pair
            name, function = self.random.choice([("maximum", np.maximum), ("minimum", np.minimum)])
            self.give(f"{name}({x}, {y})", function(a, b))

    def op_compare(self):
        pair = self.meeting(is_number, lambda a: a.ndim > 0)
        if pair:
            x, a, y, b = pair
            sign, function = self.random.choice([("<", np.less), ("<=", np.less_equal), (">", np.greater),
                                                 ("==", np.equal), ("!=", np.not_equal)])
            self.give(f"{x} {sign} {y}", function(a, b))

    def op_bools(self):
        x, a = self.pick(is_bool)
        if x:
            y, b = self.pick(is_bool, lambda b: b.shape == a.shape)
            sign, value = self.random.choice([("&", a & b), ("|", a | b), ("^", a ^ b)])
            self.give(f"{x} {sign} {y}", value)

    def op_where(self):
        x, a = self.pick(is_bool)
        y, b = self.pick(is_number, lambda b: b.shape == a.shape) if x else (None, None)
        if y:
            self.give(f"where({x}, {y}, {self.number(b)})", np.where(a, b, b.dtype.type(float(self.number(b)))))

    def op_cast(self):
        x, a = self.pick(lambda a: not is_float(a))
        if x:
            self.give(f"cast({x}, f32)", a.astype(np.float32))
        x, a = self.pick(is_float, lambda a: np.abs(a).max(initial=0) < 1e6)
        if x:
            self.give(f"cast({x} * 3.0, i32)", np.trunc(a * np.float32(3)).astype(np.int32))

    # ---- along axes ----
    def op_reduce(self):
        x, a = self.pick(has_elements)
        if not x:
            return
        axis = self.random.choice([None, *range(-a.ndim, a.ndim)] + ([(0, a.ndim - 1)] if a.ndim > 1 else []))
        keeps = self.random.random() < 0.3

        def total(b, **where):
            return np.sum(b, dtype=wide(b), **where)

        if is_bool(a):
            choices = [("any", np.any), ("all", np.all), ("sum", total), ("count_nonzero", total)]
        elif is_float(a):
            choices = [("sum", total), ("mean", np.mean), ("max", np.max), ("min", np.min), ("var", np.var), ("std", np.std),
                       ("prod", np.prod), ("argmax", np.argmax), ("argmin", np.argmin), ("logsumexp", np.logaddexp.reduce)]
        else:
            choices = [("sum", total), ("max", np.max), ("min", np.min), ("argmax", np.argmax)]
        name, function = self.random.choice(choices)
        if isinstance(axis, tuple) and name in ("argmax", "argmin", "logsumexp"):
            return
        if name == "logsumexp" and axis is None:
            axis = -1
        exact = a.astype(np.float64) if is_float(a) and name not in ("max", "min", "argmax", "argmin") else a
        value = np.asarray(function(exact, axis=axis, keepdims=keeps))
        if value.ndim > 0 and not np.abs(value.astype(np.float64)).max(initial=0) > LARGE:
            options = ([f"axis={axis}"] if axis is not None else []) + (["keepdims=True"] if keeps else [])
            self.give(f"{name}({', '.join([x, *options])})", value)

    op_reduce_again = op_reduce

    def op_norm(self):
        x, a = self.pick(is_float, has_elements)
        if x:
            axis = self.axis(a)
            self.give(f"norm({x}, axis={axis})", np.linalg.norm(a.astype(np.float64), axis=axis))

    def op_scan(self):
        x, a = self.pick(is_number, has_elements)
        if x:
            axis = self.axis(a)
            self.random.choice([
                lambda: self.give(f"cumsum({x}, axis={axis})", np.cumsum(a, axis, dtype=wide(a))),
                lambda: self.give(f"cumsum({x}, axis={axis}, reverse=True)", np.flip(np.cumsum(np.flip(a, axis), axis, dtype=wide(a)), axis)),
                lambda: self.give(f"cummax({x}, axis={axis})", np.maximum.accumulate(a, axis)),
            ])()

    def op_sort(self):
        x, a = self.pick(is_number, has_elements)
        if not x:
            return
        axis, down = self.axis(a), self.random.random() < 0.4
        more = ", descending=True" if down else ""
        order = np.argsort(-a if down else a, axis, kind="stable")
        self.random.choice([lambda: self.give(f"sort({x}, axis={axis}{more})", np.take_along_axis(a, order, axis)),
                            lambda: self.give(f"argsort({x}, axis={axis}{more})", order)])()

    def op_topk(self):
        x, a = self.pick(is_number, has_elements)
        if x:
            k = self.random.randint(1, a.shape[-1])
            order = np.argsort(-a, -1, kind="stable")[..., :k]
            best, at = self.name(), self.name()
            self.lines.append(f"{best}, {at} = topk({x}, {k})")
            self.hold(best, np.take_along_axis(a, order, -1))
            self.hold(at, order)

    def op_rows(self):
        x, a = self.pick(is_float, has_elements)
        if not x:
            return
        a = a.astype(np.float64)
        if self.random.random() < 0.5:
            e = np.exp(a - a.max(-1, keepdims=True))
            self.give(f"softmax({x})", e / e.sum(-1, keepdims=True))
        else:
            self.give(f"layernorm({x})", (a - a.mean(-1, keepdims=True)) / np.sqrt(a.var(-1, keepdims=True) + 1e-5))

    # ---- other places ----
    def op_slice(self):
        x, a = self.pick(has_elements)
        if not x:
            return
        index, text = [], []
        for extent in a.shape[:self.random.randint(1, a.ndim)]:
            begin = self.random.randrange(extent)
            end = self.random.randrange(begin, extent) + 1
            step = self.random.choice([2, 3])
            place = self.random.randrange(-extent, extent)
            back = max(1, extent // 2)
            part, written = self.random.choice([
                (place, str(place)), (slice(begin, end), f"{begin}:{end}"), (slice(None, None, step), f"::{step}"),
                (slice(None), ":"), (slice(-back, None), f"{-back}:")])
            index.append(part)
            text.append(written)
        if self.random.random() < 0.2:
            at = self.random.choice([0, len(index)])
            index.insert(at, None)
            text.insert(at, "None")
        value = a[tuple(index)]
        if 0 < np.ndim(value) <= 4:
            self.give(f"{x}[{', '.join(text)}]", value)

    op_slice_again = op_slice

    def op_reshape(self):
        x, a = self.pick(has_elements)
        if x:
            d = self.random.choice([d for d in range(1, a.size + 1) if a.size % d == 0])
            shape = self.random.choice([(a.size,), (d, a.size // d), (-1, d), (d, 1, a.size // d)])
            self.give(f"{x}.reshape({shape_text(shape)})", a.reshape(shape))

    def op_axes(self):
        x, a = self.pick(has_elements, lambda a: a.ndim > 1)
        if not x:
            return
        order = self.random.sample(range(a.ndim), a.ndim)
        p, q = self.axis(a), self.axis(a)
        self.random.choice([
            lambda: self.give(f"{x}.T", np.swapaxes(a, -1, -2)),
            lambda: self.give(f"transpose({x}, {', '.join(map(str, order))})", np.transpose(a, order)),
            lambda: self.give(f"swapaxes({x}, {p}, {q})", np.swapaxes(a, p, q)),
            lambda: self.give(f"moveaxis({x}, {p}, {q})", np.moveaxis(a, p, q)),
        ])()

    def op_unit_axis(self):
        x, a = self.pick(has_elements, lambda a: a.ndim < 4)
        if x:
            axis = self.random.randrange(-a.ndim - 1, a.ndim + 1)
            self.give(f"expand_dims({x}, {axis})", np.expand_dims(a, axis))
        x, a = self.pick(has_elements, lambda a: a.ndim > 1 and 1 in a.shape)
        if x:
            axis = a.shape.index(1)
            self.give(f"squeeze({x}, axis={axis})", np.squeeze(a, axis))

    def op_join(self):
        x, a = self.pick(has_elements)
        if not x:
            return
        axis = self.axis(a, negative=False)

        def fits(b):
            return b.dtype == a.dtype and b.ndim == a.ndim and all(
                b.shape[i] == a.shape[i] for i in range(a.ndim) if i != axis)

        y, b = self.pick(fits)
        self.give(f"concat([{x}, {y}], axis={axis})", np.concatenate([a, b], axis))
        y, b = self.pick(lambda b: b.dtype == a.dtype and b.shape == a.shape)
        if a.ndim < 4:
            axis = self.random.randrange(-a.ndim - 1, a.ndim + 1)
            self.give(f"stack([{x}, {y}], axis={axis})", np.stack([a, b], axis))

    def op_split(self):
        x, a = self.pick(lambda a: a.ndim > 0 and a.shape[0] > 1)
        if x:
            cut = self.random.randrange(1, a.shape[0])
            first, second = self.name(), self.name()
            self.lines.append(f"{first}, {second} = split({x}, ({cut}, {a.shape[0] - cut}))")
            self.hold(first, a[:cut])
            self.hold(second, a[cut:])

    def op_move(self):
        x, a = self.pick(has_elements, lambda a: a.size < SMALL // 4)
        if x:
            axis, shift, times = self.axis(a), self.random.randrange(-4, 5), self.random.randint(1, 3)
            self.random.choice([
                lambda: self.give(f"flip({x}, axis={axis})", np.flip(a, axis)),
                lambda: self.give(f"roll({x}, {shift}, axis={axis})", np.roll(a, shift, axis)),
                lambda: self.give(f"repeat({x}, {times}, axis={axis})", np.repeat(a, times, axis)),
                lambda: a.ndim < 4 and self.give(f"broadcast_to({x}, {shape_text((times, *a.shape))})",
                                                 np.broadcast_to(a, (times, *a.shape))),
            ])()

    def op_pad(self):
        x, a = self.pick(is_number, has_elements, lambda a: a.ndim < 3 and min(a.shape) > 1)
        if x:
            widths = [(self.random.randrange(2), self.random.randrange(2)) for _ in a.shape]
            mode = self.random.choice(["constant", "edge", "reflect"])
            self.give(f"pad({x}, {shape_text(widths)}, mode=\"{mode}\")", np.pad(a, widths, mode=mode))

    def op_triangle(self):
        x, a = self.pick(is_number, has_elements, lambda a: a.ndim > 1)
        if x:
            k, name = self.random.randrange(-2, 3), self.random.choice(["tril", "triu"])
            self.give(f"{name}({x}, {k})", getattr(np, name)(a, k))

    # ---- by number ----
    def ids(self, a, axis):
        """Ids along an axis, one for each place of the other axes: the text and the array."""
        shape = list(a.shape)
        shape[axis] = self.random.randint(1, 3)
        ids = np.array([self.random.randrange(a.shape[axis]) for _ in range(math.prod(shape))], np.int64).reshape(shape)
        return f"from_list({ids.ravel().tolist()}).reshape({shape_text(shape)})", ids

    def op_take(self):
        x, a = self.pick(has_elements)
        if x:
            axis = self.axis(a)
            ids = [self.random.randrange(a.shape[axis]) for _ in range(self.random.randint(1, 4))]
            self.give(f"take({x}, from_list({ids}), axis={axis})", np.take(a, ids, axis))

    def op_gather(self):
        x, a = self.pick(has_elements)
        if x:
            axis = self.axis(a)
            text, ids = self.ids(a, axis)
            self.give(f"gather({x}, {text}, axis={axis})", np.take_along_axis(a, ids, axis))

    def op_scatter(self):
        x, a = self.pick(is_number, has_elements)
        if not x:
            return
        axis = self.axis(a, negative=False)
        text, ids = self.ids(a, axis)
        y, b = self.pick(lambda b: b.dtype == a.dtype and b.shape == ids.shape)
        if y:
            name, function = self.random.choice([("add", np.add), ("max", np.maximum), ("min", np.minimum)])
            value = a.copy()
            places = list(np.indices(ids.shape))
            places[axis] = ids
            function.at(value, tuple(places), b)
            self.give(f"scatter({x}, {text}, {y}, axis={axis}, op=\"{name}\")", value)

    def op_one_hot(self):
        x, a = self.pick(is_integer, has_elements, lambda a: a.ndim < 4 and a.min() >= 0 and a.max() < 8)
        if x:
            self.give(f"one_hot({x}, 8)", np.eye(8, dtype=np.float32)[a])

    # ---- products ----
    def op_matmul(self):
        def moderate(a):
            return is_float(a) and np.abs(a).max(initial=0) < 50

        x, a = self.pick(moderate, lambda a: a.ndim > 1)
        y, b = self.pick(moderate, lambda b: b.ndim > 1 and b.shape[-2] == a.shape[-1] and (
            b.ndim == 2 or b.shape[:-2] == a.shape[:-2])) if x else (None, None)
        if y:
            self.give(f"{x} @ {y}", a.astype(np.float64) @ b.astype(np.float64))
        x, a = self.pick(moderate, lambda a: a.ndim == 2)
        y, b = self.pick(moderate, lambda b: b.ndim == 2 and b.shape[0] == a.shape[0]) if x else (None, None)
        if y:
            self.give(f"einsum(\"ij,ik->jk\", {x}, {y})", a.T.astype(np.float64) @ b.astype(np.float64))
        x, a = self.pick(moderate, lambda a: a.ndim == 1)
        if x:
            y, b = self.pick(moderate, lambda b: b.ndim == 1)
            self.give(f"outer({x}, {y})", np.outer(a, b))

    # ---- assignments ----
    def op_assign_row(self):
        x, a = self.pick(is_number, has_elements)
        if x:
            place = self.random.randrange(-a.shape[0], a.shape[0])
            value = a.copy()
            value[place] = float(self.number(a))
            y = self.name()
            self.lines += [f"{y} = {x}.copy()", f"{y}[{place}] = {self.number(a)}"]
            self.hold(y, value)

    def op_assign_slice(self):
        x, a = self.pick(is_number, has_elements)
        if not x:
            return
        axis = self.axis(a, negative=False)
        begin = self.random.randrange(a.shape[axis])
        end, step = self.random.randrange(begin, a.shape[axis]) + 1, self.random.choice([1, 1, 2])
        part = (slice(None),) * axis + (slice(begin, end, step),)
        text = ", ".join([":"] * axis + [f"{begin}:{end}" + (f":{step}" if step > 1 else "")])
        value = a.copy()
        z, b = self.pick(lambda b: b.dtype == a.dtype and b.shape == a[part].shape)
        if z and self.random.random() < 0.5:
            statement, value[part] = f"= {z}", b
        else:
            statement, value[part] = f"+= {self.number(a)}", a[part] + a.dtype.type(float(self.number(a)))
        y = self.name()
        self.lines += [f"{y} = {x}.copy()", f"{y}[{text}] {statement}"]
        self.hold(y, value)

    # ---- loops and lists ----
    def op_loop_over_rows(self):
        x, a = self.pick(is_float, lambda a: a.ndim > 1 and a.size > 0)
        if x:
            value = np.zeros(a.shape[1:], np.float32)
            for row in a:
                value = np.float32(0.5) * value + row
            y = self.name()
            self.lines += [f"{y} = zeros_like({x}[0])", f"for row{y} in {x}:", f"    {y} = 0.5 * {y} + row{y}"]
            self.hold(y, value)

    def op_growing_list(self):
        x, a = self.pick(is_float, lambda a: 0 < a.ndim < 4 and 0 < a.size < SMALL // 8)
        if x:
            times, y = self.random.randint(1, 4), self.name()
            self.lines += [f"items{y} = [{x}]", f"for k{y} in range({times}):",
                           f"    items{y}.append(items{y}[-1] * 0.5 + 1.0)", f"{y} = stack(items{y})"]
            rows = [a]
            for _ in range(times):
                rows.append(rows[-1] * np.float32(0.5) + np.float32(1))
            self.hold(y, np.stack(rows))
