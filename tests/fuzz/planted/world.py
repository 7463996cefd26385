"""One random program that is well typed, as a tree."""

import random

from kernel_functions import Kernels
from scope import Frame
from tree import Block, Expr, text_of


class World:

    def __init__(self, seed):
        self.draw = random.Random(seed)
        self.module = Block()
        self.functions = []
        self.classes = {}
        self.constants = {"i": [], "f": []}
        self.quiet = False
        self.commits = False
        self.count = 0
        self.write()

    def fresh(self, prefix):
        self.count += 1
        return f"{prefix}{self.count}"

    def write(self):
        draw, make = self.draw, Kernels(self.draw, self)
        frame = Frame(draw, self, None)
        frame.block = self.module
        if draw.random() < 0.3:
            frame.put('"""A program."""', tag="docstring")
        frame.put("import math", tag="import")
        if draw.random() < 0.2:
            frame.put("import tessera as ts", tag="import")
        for _ in range(draw.randint(0, 2)):
            self.constant(frame)
        work = [make.plain] * draw.randint(0, 2) + [make.host] * draw.randint(1, 3)
        if draw.random() < 0.6:
            work.insert(0, make.record)
        work += [draw.choice([make.flat, make.spread, make.group, make.group, make.tiles]) for _ in range(draw.randint(0, 2))]
        draw.shuffle(work)
        for each in work:
            each()
        make.main()
        if draw.random() < 0.3:
            self.reorder()

    def constant(self, frame):
        name = self.fresh("CONST")
        kind = self.draw.choice("if")
        frame.put(f"{name} = ", Expr(None, self.draw.choice(["3", "5"] if kind == "i" else ["0.25", "1.5"])).used("constant"), tag="constant", name=name)
        self.constants[kind].append(name)

    def reorder(self):
        """Functions stand in any order."""
        functions = [stmt for stmt in self.module if stmt.tag == "def"]
        self.draw.shuffle(functions)
        rest = [stmt for stmt in self.module if stmt.tag != "def"]
        self.module[:] = rest + functions

    def text(self):
        return text_of(self.module)


if __name__ == "__main__":
    import sys
    print(World(int(sys.argv[1])).text())
