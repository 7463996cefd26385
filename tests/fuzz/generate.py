"""Random programs that are well typed: what one engine computes, every other must compute to the bit."""

import random

FLOATS = ["f32", "f64"]
NARROW = ["f16", "bf16"]
INTEGERS = ["i8", "i32", "i64", "u8", "u32"]
TYPES = FLOATS + NARROW + INTEGERS
POLICIES = ["", "", " @round(rz)", " @stochastic_round"]  # of what is written
RANGE = {"i8": (-128, 127), "i32": (-2**31, 2**31 - 1), "i64": (-2**40, 2**40), "u8": (0, 255), "u32": (0, 2**32 - 1)}


class Body:
    """Statements of one kernel; each line knows how deep it stands."""

    def __init__(self, draw, inputs):
        self.draw = draw
        self.inputs = inputs        # name -> element type
        self.variables = {}         # name -> type
        self.lines = []
        self.depth = 2
        self.names = 0

    def line(self, text):
        self.lines.append("    " * self.depth + text)

    def fresh(self, prefix):
        self.names += 1
        return f"{prefix}{self.names}"

    # -- expressions, fully parenthesized so that text and meaning are one --

    def literal(self, kind):
        if kind in INTEGERS:
            low, high = RANGE[kind]
            value = self.draw.choice([0, 1, 2, 3, 7, high, low, self.draw.randint(low, high), self.draw.randint(0, 20)])
            return f"cast({value}, {kind})" if value >= 0 else f"cast(-({-value}), {kind})"
        return f"cast({self.draw.choice([0.0, 1.0, 0.5, -2.25, 3.0, 1e-3, -7.75, 100.0, self.draw.uniform(-9, 9)])!r}, {kind})"

    def leaf(self, kind):
        choices = [name for name, type in self.variables.items() if type == kind]
        choices += [f"{name}[i]" for name, type in self.inputs.items() if type == kind]
        if choices and self.draw.random() < 0.85:
            return self.draw.choice(choices)
        if kind in ("i32", "i64") and self.draw.random() < 0.5:
            return f"cast(i, {kind})"
        return self.literal(kind)

    def expression(self, kind, depth):
        if depth <= 0 or self.draw.random() < 0.1:
            return self.leaf(kind)
        make = self.draw.choice([self.float_expression if kind in FLOATS + NARROW else self.integer_expression] * 5 + [self.any_expression])
        return make(kind, depth - 1)

    def any_expression(self, kind, depth):
        form = self.draw.randrange(3)
        if form == 0:
            return f"({self.expression(kind, depth)} if {self.condition(depth)} else {self.expression(kind, depth)})"
        if form == 1:
            return f"where({self.condition(depth)}, {self.expression(kind, depth)}, {self.expression(kind, depth)})"
        return f"cast({self.expression(self.draw.choice(TYPES), depth)}, {kind})"

    def float_expression(self, kind, depth):
        a = self.expression(kind, depth)
        form = self.draw.randrange(14)
        if form < 7:
            return f"({a} {self.draw.choice('+-*/+-*')} {self.expression(kind, depth)})"
        if form == 7:
            return f"{self.draw.choice(['min', 'max'])}({a}, {self.expression(kind, depth)})"
        if form == 8:
            return f"({a} * {self.expression(kind, depth)} {self.draw.choice('+-')} {self.expression(kind, depth)})"
        if form == 9:
            return f"(-{a})"
        if form == 10:
            return f"abs({a})"
        if form == 11:
            return f"math.sqrt(abs({a}))"
        if form == 12:
            return f"math.{self.draw.choice(['floor', 'ceil', 'trunc'])}({a})"
        return f"math.{self.draw.choice(['exp', 'sin', 'cos', 'tanh', 'log'])}({a})"

    def integer_expression(self, kind, depth):
        a = self.expression(kind, depth)
        form = self.draw.randrange(10)
        if form < 5:
            return f"({a} {self.draw.choice(['+', '-', '*', '//', '%'])} {self.expression(kind, depth)})"
        if form < 7:
            return f"({a} {self.draw.choice('&|^')} {self.expression(kind, depth)})"
        if form == 7:
            return f"({a} {self.draw.choice(['<<', '>>'])} ({self.expression(kind, depth)} & cast(15, {kind})))"
        if form == 8:
            return f"{self.draw.choice(['min', 'max'])}({a}, {self.expression(kind, depth)})"
        return f"(~{a})"

    def condition(self, depth):
        form = self.draw.randrange(8)
        if form == 0 and depth > 0:
            return f"({self.condition(depth - 1)} {self.draw.choice(['and', 'or'])} {self.condition(depth - 1)})"
        if form == 1 and depth > 0:
            return f"(not {self.condition(depth - 1)})"
        kind = self.draw.choice(TYPES)
        operator = self.draw.choice(["<", "<=", ">", ">=", "==", "!="])
        return f"({self.expression(kind, depth - 1)} {operator} {self.expression(kind, depth - 1)})"

    # -- statements --

    def assign(self):
        kind = self.draw.choice(TYPES)
        known = [name for name, type in self.variables.items() if type == kind]
        if known and self.draw.random() < 0.5:
            name = self.draw.choice(known)
            if self.draw.random() < 0.4 and kind not in NARROW:
                self.line(f"{name} {self.draw.choice(['+=', '-=', '*='])} {self.expression(kind, 2)}")
            else:
                self.line(f"{name} = {self.expression(kind, 3)}")
            return
        name = self.fresh("v")
        self.line(f"{name} = {self.expression(kind, 3)}")
        self.variables[name] = kind

    def block(self, budget, leaves=False):
        """Statements one level deeper; what they define is not known behind them. A loop's may leave a round early."""
        before = dict(self.variables)
        self.depth += 1
        if leaves:
            self.assign()
            self.exit_early()
        for _ in range(self.draw.randint(1, 3)):
            self.statement(budget - 1)
        self.depth -= 1
        self.variables = before

    def statement(self, budget):
        form = self.draw.random()
        if budget <= 0 or form < 0.6:
            self.assign()
        elif form < 0.78:
            self.line(f"if {self.condition(2)}:")
            self.block(budget)
            if self.draw.random() < 0.5:
                self.line("else:")
                self.block(budget)
        else:
            self.loop(budget)

    def loop(self, budget):
        counter = self.fresh("k")
        if self.draw.random() < 0.6:
            bound = self.draw.choice([str(self.draw.randint(0, 5)), "cast(i, i32) % 4", "cast(i, i32) & 3"])
            self.line(f"for {counter} in range({bound}):")
            self.block(budget, leaves=True)
        else:
            self.line(f"{counter} = 0")
            self.line(f"while {counter} < {self.draw.randint(1, 5)} and {self.condition(1)}:")
            self.line(f"    {counter} += 1")
            self.block(budget, leaves=True)

    def exit_early(self):
        if self.draw.random() < 0.4:
            self.line(f"if {self.condition(1)}:")
            self.depth += 1
            self.line(self.draw.choice(["break", "continue"]))
            self.depth -= 1


class Exchange(Body):
    """A kernel of groups: tiles write shared memory, wait, and read each other's elements."""

    def rounds(self, group):
        for number in range(self.draw.randint(1, 3)):
            kind = self.draw.choice(TYPES)
            self.lines.insert(0, f"    s{number} = tshared.alloc[{kind}]({group})")
            self.line(f"s{number}[t] = {self.expression(kind, 2)}")
            self.line("tbarrier()")
            name = self.fresh("v")
            at = f"(t * {self.draw.choice([1, 3, 5, 7])} + {self.draw.randrange(group)}) % {group}"
            self.line(f"{name} = s{number}[{at}]")
            self.variables[name] = kind
            for _ in range(self.draw.randint(0, 2)):
                self.statement(1)
            self.collective(group)

    def collective(self, group):
        form = self.draw.randrange(4)
        name = self.fresh("v")
        if form == 0:
            kind = self.draw.choice(["f32", "f64", "i64"])
            self.line(f"{name} = tile.reduce_sum({self.expression(kind, 1)})")
            self.variables[name] = kind
        elif form == 1:
            kind = self.draw.choice(["f32", "i32", "i64"])
            self.line(f"{name} = tile.reduce_max({self.expression(kind, 1)})")
            self.variables[name] = kind


def arguments(draw):
    """Inputs by name with the host expression that makes them, of `n` elements."""
    makers = {
        "f32": "linspace(-3.0, 5.0, n, f32)", "f64": "linspace(-1000.0, 1000.0, n, f64)", "f16": "cast(linspace(-2.0, 9.0, n, f32), f16)",
        "bf16": "cast(linspace(-70.0, 3.0, n, f32), bf16)", "i8": "cast(arange(n, T=i32), i8)", "i32": "arange(n, T=i32)",
        "i64": "cast(arange(n, T=i32), i64)", "u8": "cast(arange(n, T=i32), u8)", "u32": "cast(arange(n, T=i32), u32)",
    }
    return {f"x{number}": (kind, makers[kind]) for number, kind in enumerate(draw.sample(TYPES, draw.randint(2, 4)))}


def program(seed):
    """The text of one program; equal seeds give equal texts."""
    draw = random.Random(seed)
    inputs = arguments(draw)
    kinds = {name: kind for name, (kind, _) in inputs.items()}
    group = draw.choice([32, 64, 128])
    flat = draw.random() < 0.6
    body = (Body if flat else Exchange)(draw, kinds)
    for name, kind in kinds.items():
        body.variables[f"{name}_"] = kind
    if flat:
        for _ in range(draw.randint(2, 6)):
            body.statement(2)
    else:
        body.depth = 1
        body.inputs = {}
        body.rounds(group)
        body.depth = 2
    results = {f"r{number}": draw.choice(TYPES) for number in range(draw.randint(1, 2))}
    policies = {name: draw.choice(POLICIES) for name in results}
    stores = [f"        {name}[i] = {body.expression(kind, 3)}" for name, kind in results.items()]
    header = ", ".join([f"{name}: {kind}[n]" for name, kind in kinds.items()] + [f"{name}: mut {kind}[n]{policies[name]}" for name, kind in results.items()])
    lines = ["@kernel" if flat else f"@kernel tile[({group},)]", f"def kernel_under_test({header}):"]
    if flat:
        lines += ["    i = tile.linear_id()", "    if i < n:"]
        lines += [f"        {name}_ = {name}[i]" for name in kinds] + body.lines + stores
    else:
        lines += ["    t = tile.local_id()", f"    i = tile.group_id() * {group} + t"]
        lines += [f"    {name}_ = {name}[i] if i < n else cast(1, {kind})" for name, kind in kinds.items()]
        lines += body.lines + ["    if i < n:"] + stores
    lines += ["", "def main(n: i32 = 333):"]
    lines += [f"    {name} = {maker}" for name, (_, maker) in inputs.items()]
    lines += [f"    {name} = zeros((n,), {kind})" for name, kind in results.items()]
    call = ", ".join([*kinds, *results])
    lines += [f"    kernel_under_test({call})" if flat else f"    kernel_under_test[(n + {group - 1}) // {group}]({call})"]
    lines += [f"    return {', '.join(results)}"]
    return "\n".join(lines) + "\n"
