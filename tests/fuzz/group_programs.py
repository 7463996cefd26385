"""Random kernels whose tiles part and meet: conditions that differ between tiles and such that do not, loops, early returns,
barriers, atomics, conditions with effects, shared buffers, collectives, loops over the tiles. Well typed and free of races.

Variables `u…` are uniform, `v…` are anything. Tiles touch elements of their own, or atomics whose order nobody sees; other
elements are written by the group, by loops over the tiles, or between two barriers."""

import random

SHAPES = [(8,), (32,), (33,), (40,), (64,), (70,), (100,), (8, 4), (5, 7), (4, 3, 6)]
NUMBERS = ["0", "1", "2", "3", "5", "7", "31", "100", "(-1)", "(-8)"]


class Function:
    """Text of a function of integers with an effect, as kernels inline it."""

    def __init__(self, draw, name):
        self.draw = draw
        self.lines = [f"def {name}(c: mut i32[cn], x: i32[n], a: i32, b: i32) -> i32:", "    z = b"]
        self.names = ["a", "b", "z"]
        self.count = 0
        self.block(1, 2, False)
        self.lines.append(f"    return {self.number(2)}")

    def number(self, depth):
        form = self.draw.random()
        if depth <= 0 or form < 0.3:
            return self.draw.choice(self.names)
        if form < 0.45:
            return f"x[{self.number(depth - 1)} % n]"
        if form < 0.6:
            return f"({self.number(depth - 1)} if {self.truth(1)} else {self.number(depth - 1)})"
        right = self.draw.choice(NUMBERS[1:5]) if self.draw.random() < 0.4 else self.number(depth - 1)
        return f"({self.number(depth - 1)} {self.draw.choice(['+', '-', '*', '//', '%', '&', '^'])} {right})"

    def truth(self, depth):
        form = self.draw.random()
        if depth > 0 and form < 0.3:
            return f"({self.truth(depth - 1)} {self.draw.choice(['and', 'or'])} {self.truth(depth - 1)})"
        return f"{self.number(1)} {self.draw.choice(['<', '>', '==', '!=', '<=', '>='])} {self.draw.choice([self.number(1), '2', '0'])}"

    def block(self, indent, depth, in_loop):
        for _ in range(self.draw.randint(1, 3)):
            self.statement("    " * indent, indent, depth, in_loop)

    def statement(self, space, indent, depth, in_loop):
        form = self.draw.random()
        if form < 0.3:
            self.lines.append(f"{space}atomic.add(c[{self.draw.randrange(8)}], {self.number(1)})")
        elif depth == 0 or form < 0.5:
            self.lines.append(f"{space}z = {self.number(2)}")
        elif form < 0.65:
            self.lines.append(f"{space}if {self.truth(1)}:")
            self.block(indent + 1, depth - 1, in_loop)
            if self.draw.random() < 0.4:
                self.lines.append(f"{space}else:")
                self.block(indent + 1, depth - 1, in_loop)
        elif form < 0.8:
            self.count += 1
            index = f"k{self.count}"
            self.lines.append(f"{space}for {index} in range({self.draw.choice(['3', 'a % 4', 'b % 3', 'z % 4'])}):")
            self.lines.append(f"{space}    {index}i: i32 = {index}")
            self.names.append(f"{index}i")
            self.block(indent + 1, depth - 1, True)
            self.names.pop()
        else:
            leave = self.draw.choice(["break", "continue"]) if in_loop and self.draw.random() < 0.6 else f"return {self.number(1)}"
            self.lines.append(f"{space}if {self.truth(1)}:")
            self.lines.append(f"{space}    {leave}")


FIXED = """
def bump(c: mut i32[cn], k: i32, d: i32) -> bool:
    atomic.add(c[k], d)
    return d % 2 == 0

def bumped(c: mut i32[cn], k: i32, d: i32) -> bool:
    atomic.add(c[k], d)
    return d % 3 != 0

def pick(a, b, flip: static bool = False):
    if flip:
        return b if a > b else a
    return a if a > b else b
"""


class Body:
    """Statements of the kernel. `uniform`: all tiles of the group reach what is written here."""

    def __init__(self, draw, shape, functions):
        self.draw = draw
        self.shape = shape
        self.tiles = 1
        for extent in shape:
            self.tiles *= extent
        self.functions = functions
        self.lines = []
        self.depth = 1
        self.names = 0
        self.uniform = True
        self.loops = []         # of each loop around: tiles may leave it one by one
        self.indices = {True: [], False: []}  # of loops: by whether they are uniform
        self.ends = False       # the tiles' ways have parted for good: nothing collective follows

    def line(self, text):
        self.lines.append("    " * self.depth + text)

    def fresh(self, letter):
        self.names += 1
        return f"{letter}{self.names}"

    def chance(self, share):
        return self.draw.random() < share

    # -- expressions; uniform ones take nothing that varies --

    def integer_leaf(self, uniform):
        leaves = ["u0", "u1", "a0", "a1", "a2", "g0", "ui1", "ui2"] + self.indices[True]
        if uniform:
            return self.draw.choice(leaves)
        return self.draw.choice(leaves[:4] + ["t", "t", "ln", "vi1", "vi2", "vi3", "vi1", "vi2", "vi3"] + self.indices[True] + self.indices[False] * 2)

    def integer(self, uniform, depth):
        form = self.draw.random()
        if depth <= 0 or form < 0.2:
            return self.integer_leaf(uniform)
        sub = depth - 1
        if form < 0.5:
            op = self.draw.choice(["+", "-", "*", "//", "%", "&", "|", "^", "+", "-"])
            right = self.draw.choice(NUMBERS[1:]) if self.chance(0.3) else self.integer(uniform, sub)
            return f"({self.integer(uniform, sub)} {op} {right})"
        if form < 0.56:
            same = self.integer_leaf(uniform)  # what a simplifier makes a constant of
            return self.draw.choice([f"({same} - {same})", f"({same} ^ {same})", f"({same} * 0)", f"({same} % 1)", f"({same} & 0)"])
        if form < 0.62:
            return f"({self.integer(uniform, sub)} >> {self.draw.randint(0, 5)})"
        if form < 0.7:
            return f"({self.integer(uniform, sub)} if {self.truth(uniform, sub)} else {self.integer(uniform, sub)})"
        if form < 0.76:
            return f"{self.draw.choice(['min', 'max'])}({self.integer(uniform, sub)}, {self.integer(uniform, sub)})"
        if form < 0.8:
            return f"pick({self.integer(uniform, sub)}, {self.integer_leaf(uniform)}{self.draw.choice(['', ', flip=True'])})"
        if form < 0.86:
            return f"x[{self.integer(uniform, sub)} % n]"
        if form < 0.9:
            return f"cast({self.truth(uniform, sub)}, i32)"
        if form < 0.93:
            return f"cast({'ub1' if uniform else self.draw.choice(['vb1', 'ub1'])}, i32)"
        if form < 0.95:
            return f"cast({self.real(uniform, sub)}, i32)"
        return self.element(uniform, sub)

    def element(self, uniform, depth):
        """Of shared memory: one that others may write only with everybody in step, or the tile's own."""
        if not uniform and self.chance(0.4):
            return self.draw.choice(["m2[0, i]", "m2[1, i]", f"m2[{self.integer_leaf(True)} % 2, i]"])
        buffer = self.draw.choice(["s0", "s1", f"L[{self.integer_leaf(True)} % 2]", "L[1]"])
        return f"{buffer}[{self.integer(uniform, depth)} % {self.tiles}]"

    def call(self, uniform):
        name = self.draw.choice(self.functions)
        return f"{name}(c, x, {self.integer(uniform, 1)}, {self.integer(uniform, 1)})"

    def real(self, uniform, depth):
        form = self.draw.random()
        leaves = ["fa", "uf1"] if uniform else ["fa", "uf1", "vf1", "vf2", "vf1", "vf2"]
        if depth <= 0 or form < 0.4:
            return self.draw.choice(leaves)
        if form < 0.6:
            return f"({self.real(uniform, depth - 1)} {self.draw.choice('+-')} {self.real(uniform, depth - 1)})"
        if form < 0.7:
            return f"({self.real(uniform, depth - 1)} * 0.5)"
        if form < 0.8:
            return f"({self.real(uniform, depth - 1)} if {self.truth(uniform, depth - 1)} else {self.real(uniform, depth - 1)})"
        return f"cast({self.integer(uniform, depth - 1)} % 32, f32)"

    def truth(self, uniform, depth):
        form = self.draw.random()
        op = self.draw.choice(["<", "<=", ">", ">=", "==", "!="])
        if form < 0.15:
            return self.draw.choice(["up1"] if uniform else ["vp1", "vp2", "vp1", "vp2", "up1"])
        if depth <= 0 or form < 0.45:
            right = self.draw.choice(NUMBERS) if self.chance(0.3) else self.integer(uniform, depth - 1)
            return f"({self.integer(uniform, depth - 1)} {op} {right})"
        if form < 0.5:
            same = self.integer_leaf(uniform)
            return f"({same} {op} {same})"
        if form < 0.6:
            return f"({self.integer(uniform, 1)} {op} {self.integer(uniform, 0)} {self.draw.choice(['<', '!=', '>='])} {self.integer(uniform, 0)})"
        if form < 0.67:
            return f"({self.real(uniform, 1)} {op} {self.real(uniform, 1)})"
        if form < 0.75:
            return f"(not {self.truth(uniform, depth - 1)})"
        return f"({self.truth(uniform, depth - 1)} {self.draw.choice(['and', 'or'])} {self.truth(uniform, depth - 1)})"

    def condition(self, uniform):
        """As `if` and `while` ask it: now and then the question itself changes memory."""
        plain = self.truth(uniform, 2)
        if self.chance(0.7):
            return plain
        name = self.draw.choice(["bump", "bumped"])
        effect = f"{name}(c, {self.draw.randrange(8)}, {self.integer(uniform, 1)})"
        if self.chance(0.2):
            return effect
        return f"{plain} {self.draw.choice(['and', 'or'])} {effect}"

    # -- statements --

    def several(self, budget, most=4):
        for _ in range(self.draw.randint(1, most)):
            self.statement(budget)

    def nested(self, uniform, budget):
        """Statements one level deeper, where not all tiles may be."""
        before = self.uniform
        self.uniform = uniform and self.uniform
        self.depth += 1
        at = len(self.lines)
        self.several(budget - 1, 3)
        if len(self.lines) == at:
            self.line("pass")
        self.depth -= 1
        parted = self.ends
        self.uniform = before and not parted

    def statement(self, budget):
        form = self.draw.random()
        if budget > 0 and form < 0.2:
            self.branch(budget)
        elif budget > 0 and form < 0.36:
            self.loop(budget)
        elif self.uniform and form < 0.62:
            self.groups()
        elif form < 0.72:
            self.effect()
        elif form < 0.77:
            self.leave()
        else:
            self.assign()

    def branch(self, budget):
        uniform = self.uniform and self.chance(0.5)
        self.line(f"if {self.condition(uniform)}:")
        self.nested(uniform, budget)
        while self.chance(0.25):
            uniform = uniform and self.chance(0.7)
            self.line(f"elif {self.condition(uniform)}:")
            self.nested(uniform, budget)
        if self.chance(0.5):
            self.line("else:")
            self.nested(uniform, budget)

    def loop(self, budget):
        uniform = self.uniform and self.chance(0.6)
        if self.chance(0.6):
            index = self.fresh("k")
            bound = self.integer(uniform, 1)
            text = self.draw.choice([f"{bound} % 4", f"{bound} % 3, 3", f"{bound} % 5, (-1), -2", "3"])
            self.line(f"for {index}_ in range({text}):")
            first = f"{index}: i32 = {index}_"
        else:
            index = self.fresh("w")
            self.line(f"{index} = 0")
            rest = self.draw.choice(["", f" and {self.condition(uniform)}"])
            self.line(f"while {index} < {self.draw.randint(1, 4)}{rest}:")
            first = f"{index} = {index} + 1"
            if not rest:
                uniform = self.uniform
        self.depth += 1
        self.line(first)
        self.depth -= 1
        self.indices[uniform].append(index)
        self.loops.append(uniform)
        self.nested(uniform, budget)
        self.loops.pop()
        self.indices[uniform].pop()

    def leave(self):
        """`break`, `continue`, `return`. Where the tiles' ways part, they part inside of something whose end all reach, or
        for good."""
        uniform = self.uniform and self.chance(0.5)
        if self.loops and self.chance(0.7):
            if not uniform and self.loops[-1]:
                return
            self.line(f"if {self.condition(uniform)}:")
            self.line(f"    {self.draw.choice(['break', 'continue'])}")
        elif self.chance(0.3) and (uniform or not any(self.loops) or not self.loops):
            if not uniform and (self.loops or not self.depth == 1):
                return
            self.line(f"if {self.condition(uniform)}:")
            self.line("    return")
            if not uniform:
                self.uniform = False
                self.ends = True

    def assign(self):
        names = ["vi1", "vi2", "vi3"]
        form = self.draw.random()
        uniform = self.uniform and self.chance(0.4)
        if form < 0.45:
            self.line(f"{self.draw.choice(names)} = {self.integer(False, 3)}")
        elif form < 0.5:
            one, other = self.draw.sample(names, 2)
            self.line(f"{one}, {other} = {other}, {one}")
        elif form < 0.6:
            self.line(f"{self.draw.choice(['vp1', 'vp2'])} = {self.truth(uniform, 2)}")
        elif form < 0.68:
            self.line(f"{self.draw.choice(['vf1', 'vf2'])} = min(max({self.real(False, 2)}, -4096.0), 4096.0)")
        elif form < 0.74:
            self.line(f"vb1 = {self.draw.choice([f'cast({self.integer(False, 2)}, u8)', '(vb1 + 200)', '(vb1 * ub1)'])}")
        elif form < 0.84:
            self.line(f"{self.draw.choice(names)} = {self.call(uniform)}")
        elif form < 0.9:
            self.line(f"{self.draw.choice(names)} {self.draw.choice(['+=', '-=', '*=', '^='])} {self.integer(uniform, 2)}")
        else:
            self.line(f"{self.draw.choice(names)} = {self.draw.choice([self.integer(uniform, 2), self.integer(uniform, 2), self.draw.choice(NUMBERS)])}")

    def effect(self):
        """Of each tile that comes here, or of the group where nothing in it varies."""
        uniform = self.chance(0.4)
        form = self.draw.random()
        if form < 0.45:
            self.line(f"atomic.add(c[{self.draw.randrange(8)}], {self.integer(uniform, 2)})")
        elif form < 0.55:
            name, place = self.draw.choice([("min", 8), ("max", 9)])
            self.line(f"atomic.{name}(c[{place}], {self.integer(uniform, 2)})")
        elif form < 0.7:
            self.line(f"{self.draw.choice(['vi1', 'vi2'])} = atomic.add(q[me], {self.integer(uniform, 2)})")
        elif form < 0.85:
            self.line(f"m2[{self.integer(True, 0)} % 2, i] = {self.integer(False, 2)}")
        else:
            self.line(f"y[me * 8 + {self.draw.randrange(4)}] = {self.integer(False, 2)}")

    def groups(self):
        """What the whole group does."""
        form = self.draw.randrange(12)
        if form == 0:
            self.line("tbarrier()")
        elif form == 1:
            buffer = self.draw.choice(["s0", "s1", f"L[{self.integer_leaf(True)} % 2]"])
            self.line("tbarrier()")
            self.line(f"{buffer}[i] = {self.draw.choice([self.integer_leaf(False), f'({self.integer_leaf(False)} * 3 - t)'])}")
            self.line("tbarrier()")
        elif form == 2:
            self.line(f"{self.draw.choice(['ui1', 'ui2'])} = {self.integer(True, 3)}")
        elif form == 3:
            self.line(self.draw.choice([f"up1 = {self.truth(True, 2)}", f"ub1 = cast({self.integer(True, 2)}, u8)",
                                        f"uf1 = min(max({self.real(True, 2)}, -4096.0), 4096.0)"]))
        elif form == 4:
            self.line(f"{self.draw.choice(['ui1', 'ui2'])} = cast(tile.reduce_{self.draw.choice(['min', 'max', 'sum'])}({self.integer(False, 2)} % 1000), i32)")
        elif form == 5:
            self.line(f"up1 = tile.{self.draw.choice(['any', 'all'])}({self.truth(self.chance(0.2), 2)})")
        elif form == 6:
            value = self.draw.choice(["vi1", "t", "ui1", "(vi2 + t)"])
            self.line(f"vi3 = tile.shuffle({value}, (tile.lane_id() * {self.draw.choice([1, 3, 5])} + {self.draw.randint(0, 9)}) % min(32, {self.tiles} - i // 32 * 32))")
        elif form == 7:
            name = self.fresh("z")
            self.line(f"{name} = tile.ballot({self.truth(False, 1)})")
            self.line(f"vi2 = cast({name} % 1000, i32)")
        elif form == 8:
            self.line(f"{self.draw.choice(['ui1', 'vi1'])} = atomic.add(c[16 + g0], {self.integer(True, 1)})")
        elif form == 9:
            self.line(self.draw.choice(["s0, s1 = s1, s0", f"r[g0] = {self.integer(True, 2)}", "ui2 = r[g0]", "vi2 = r[g0]",
                                        f"s{self.draw.randrange(2)}[{self.draw.randrange(self.tiles)}] = {self.integer(True, 2)}",
                                        f"ui1 = {self.call(True)}", f"ui2 = s0[{self.integer(True, 1)} % {self.tiles}]"]))
        else:
            self.tile_loop()

    def tile_loop(self):
        index = self.fresh("j")
        two = self.chance(0.3)
        if two:
            self.line(f"for r{index}, {index} in tile.range((2, {self.tiles})):")
            element = f"m2[r{index}, {index}]"
        else:
            self.line(f"for {index} in tile.range({self.integer(True, 1)} % {self.tiles} + 1):" if self.chance(0.7) else f"for {index} in tile.range({self.tiles}):")
            element = f"{self.draw.choice(['s0', 's1', 'L[0]'])}[{index}]"
        self.depth += 1
        number = f"{index}i"
        self.line(f"{number}: i32 = {index}")
        if self.chance(0.3):
            self.line(f"if {number} % 3 == {self.draw.randrange(3)}:")
            self.line(f"    {self.draw.choice(['continue', f'atomic.add(c[{self.draw.randrange(8)}], {number})'])}")
        if self.chance(0.3):
            self.line(f"if {number} {self.draw.choice('<>')} {self.integer(True, 1)} or bump(c, 3, {number}):")
            self.line(f"    atomic.add(c[{self.draw.randrange(8)}], {self.integer(True, 1)})")
        if self.chance(0.7):
            self.line(f"{element} = {element} {self.draw.choice('+-*')} {self.draw.choice([number, self.integer(True, 1)])}")
        else:
            self.line(f"atomic.add(c[{self.draw.randrange(8)}], {element} + {number})")
        self.depth -= 1


def begin(body):
    """The ids, memory and variables that statements use."""
    tiles = body.tiles
    ids = ["i = tile.linear_id()", "t: i32 = i", "g0: i32 = tile.group_id()", "ln: i32 = tile.lane_id()", f"me = tile.group_id() * {tiles} + i"]
    memory = [f"s0 = tshared.alloc[i32]({tiles})", f"s1 = tshared.alloc[i32]({tiles})", f"L = [tshared.alloc[i32]({tiles}), tshared.alloc[i32]({tiles})]",
              f"m2 = tshared.alloc[i32](2, {tiles})", "s0[i] = t + 11", "s1[i] = t * 5 - 13", "L[0][i] = t * 2", "L[1][i] = 30 - t",
              "m2[0, i] = t - 5", "m2[1, i] = 5 - t", "tbarrier()"]
    draw = body.draw
    values = {"ui1": "x[1 % n] + u0", "ui2": "x[2 % n] - 2", "vi1": "x[t % n]", "vi2": "x[5 % n] * 5", "vi3": "t * 7 - u1",
              "ub1: u8": "cast(x[4 % n] + 4, u8)", "vb1: u8": "cast(t * 9, u8)", "uf1": "fa + 3.5", "vf1": "cast(t % 32, f32) - fa", "vf2": "fa * 0.5",
              "up1": "u0 < u1", "vp1": draw.choice(["t < u1", "u0 < u1 - 12"]), "vp2": draw.choice(["vi1 > 3", "u0 > 3"])}
    for line in ids + memory + [f"{name} = {value}" for name, value in values.items()]:
        body.line(line)


def program(seed):
    """The text."""
    draw = random.Random(seed)
    shape = draw.choice(SHAPES)
    groups = draw.choice([1, 1, 2, 3])
    functions = [f"h{number}" for number in range(draw.randint(1, 3))]
    texts = ["\n".join(Function(draw, name).lines) + "\n" for name in functions]
    body = Body(draw, shape, functions)
    begin(body)
    body.several(3, 9)
    # Results below are each tile's own, whoever of them is still there.
    body.line("y[me * 8 + 4] = vi1 + s0[i] * 3 + s1[i]" if not body.ends else "y[me * 8 + 4] = vi1")
    body.line("y[me * 8 + 5] = vi2 ^ vi3")
    body.line("y[me * 8 + 6] = cast(vb1, i32) + cast(vf1 * 4.0, i32) + cast(vp1, i32) * 1000 + cast(vp2, i32) * 2000")
    body.line("y[me * 8 + 7] = ui1 * 3 - ui2 + cast(uf1 * 2.0, i32) + m2[0, i] * 5 + m2[1, i]")
    scalars = "u0: i32, u1: i32, fa: f32, a0: i32, a1: i32, a2: i32"
    head = [f"@kernel tile[({', '.join(map(str, shape))}{',' if len(shape) == 1 else ''})]",
            f"def k(x: i32[n], y: mut i32[m8], q: mut i32[qn], c: mut i32[cn], r: mut i32[rn], {scalars}):"]
    total = body.tiles * groups
    tail = ["", f"def main(x: i32[n], {scalars}):", f"    y = zeros(({total * 8},), i32)", f"    q = zeros(({total},), i32)", "    c = zeros((32,), i32)",
            f"    r = zeros(({groups},), i32)", f"    k[{groups}](x, y, q, c, r, u0, u1, fa, a0, a1, a2)", "    return y, q, c, r", ""]
    return "\n".join(texts) + FIXED + "\n" + "\n".join(head + body.lines + tail)
