"""Runs a group of tiles by the text: every statement is done by all tiles that reach it before the next one begins, once where
`Who` says that it is the group's. A program that lets tiles race is no program: it raises `Race`."""

import ast
import itertools

import group_text
from group_text import ATOMICS, COLLECTIVE, callee
from group_values import BITS, Memory, Race, Undefined, Vector, arithmetic, cast, compared, joined, stored
from group_who import Who


WORK = 400_000  # statements of all tiles, after which a program is left alone


class Frame:
    def __init__(self, path, tiles):
        self.path = path
        self.variables = {}     # name -> Vector with an item for each tile of the group, Memory, or a list of Memory
        self.returned = set()
        self.result = [None] * tiles
        self.kind = "literal"
        self.loops = []         # for each loop around: (tiles that broke, tiles that go on)


class Group:
    def __init__(self, kernel, who, number, arguments):
        self.kernel = kernel
        self.who = who
        self.number = number
        self.tiles = kernel.tiles
        self.memories = [value for value in arguments.values() if isinstance(value, Memory)]
        self.shared = {}        # allocations by the place in the text
        self.round = None       # of a tile loop: the round that is done
        self.dims = {}
        self.work = WORK
        self.frame = Frame((), self.tiles)
        for name, value in arguments.items():
            self.frame.variables[name] = value if isinstance(value, Memory) else Vector(value[0], [value[1]] * self.tiles)
        for argument in kernel.tree.args.args:
            value = arguments[argument.arg]
            if isinstance(value, Memory):
                for at, dim in enumerate(argument.annotation.slice.elts if isinstance(argument.annotation.slice, ast.Tuple)
                                         else [argument.annotation.slice]):
                    self.dims[dim.id] = value.shape[at]

    def run(self):
        self.block(self.kernel.tree.body, list(range(self.tiles)))

    # -- who is there --

    def key(self, node):
        return (self.frame.path, id(node))

    def staying(self, active):
        gone = set(self.frame.returned)
        for broke, goes_on in self.frame.loops:
            gone |= broke | goes_on
        return [tile for tile in active if tile not in gone]

    def once(self, node, active):
        """The tiles that do the statement: one for all where it is the group's."""
        if self.round is not None or not self.who.groups[self.key(node)]:
            return False
        if len(active) != self.tiles:
            raise AssertionError(f"{len(active)} tiles reach what is the group's: {ast.unparse(node)}")
        return True

    # -- statements --

    def block(self, statements, active):
        for statement in statements:
            active = self.staying(active)
            if not active:
                return
            self.statement(statement, active)

    def statement(self, node, active):
        self.work -= len(active)
        if self.work < 0:
            raise Undefined("it takes too long")
        match node:
            case ast.Assign(targets=[target]):
                self.assign(node, target, self.value(node.value, active, self.once(node, active)), active)
            case ast.AnnAssign():
                value = self.value(node.value, active, self.once(node, active))
                self.assign(node, node.target, self.converted(value, ast.unparse(node.annotation)), active)
            case ast.AugAssign():
                load = ast.BinOp(Who.as_load(node.target), node.op, node.value)
                self.assign(node, node.target, self.value(load, active, self.once(node, active)), active)
            case ast.Expr():
                self.value(node.value, active, self.once(node, active))
            case ast.If():
                truths = self.value(node.test, active, self.once(node, active)).items
                self.block(node.body, [tile for tile, truth in zip(active, truths) if truth])
                self.block(node.orelse, [tile for tile, truth in zip(active, truths) if not truth])
            case ast.For():
                self.count(node, active)
            case ast.While():
                self.repeat(node, active)
            case ast.Return():
                if node.value is not None:
                    value = self.value(node.value, active, self.once(node, active))
                    self.frame.kind = value.kind if value.kind != "literal" else self.frame.kind
                    for tile, item in zip(active, value.items):
                        self.frame.result[tile] = item
                self.frame.returned.update(active)
            case ast.Break():
                self.frame.loops[-1][0].update(active)
            case ast.Continue():
                self.frame.loops[-1][1].update(active)
            case ast.Pass():
                pass
            case _:
                raise NotImplementedError(ast.dump(node))

    def converted(self, value, kind):
        return Vector(kind, [stored(kind, item) for item in value.items]) if kind in BITS or kind == "f32" else value

    def assign(self, node, target, value, active):
        match target:
            case ast.Name(id=name):
                self.name(name, value, active)
            case ast.Tuple(elts=elements):
                for element, part in zip(elements, value):
                    self.name(element.id, part, active)
            case ast.Subscript():
                self.write(target, value, active, self.once(node, active))

    def name(self, name, value, active):
        variables = self.frame.variables
        if not isinstance(value, Vector):
            variables[name] = value
            return
        known = variables.get(name)
        kind = value.kind
        if kind == "literal":
            kind = known.kind if known else "f32" if isinstance(value.items[0], float) else "i32"
        items = list(known.items) if known else [None] * self.tiles
        for tile, item in zip(active, value.items):
            items[tile] = stored(kind, item)
        variables[name] = Vector(kind, items)

    def count(self, node, active):
        key = self.key(node)
        spread = self.who.roles.get(key, False)
        once = not spread and self.round is None and self.who.groups[key]
        assert not spread or len(active) == self.tiles
        if spread:
            return self.tile_loop(node, active)
        bounds = [self.value(bound, active, once) for bound in node.iter.args]
        ranges = {tile: iter(range(*[bound.items[at] for bound in bounds])) for at, tile in enumerate(active)}
        self.frame.loops.append((set(), set()))
        while True:
            self.frame.loops[-1][1].clear()
            going = [(tile, next(ranges[tile], None)) for tile in self.staying(active)]
            going = [(tile, index) for tile, index in going if index is not None]
            if not going:
                break
            here = [tile for tile, _ in going]
            self.name(node.target.id, Vector("index", [index for _, index in going]), here)
            self.block(node.body, here)
        self.frame.loops.pop()

    def tile_loop(self, node, active):
        """Each round by some tile, in any order: none may touch what another writes."""
        if isinstance(node.iter.args[0], ast.Tuple):
            axes = [range(self.value(extent, active, True).items[0]) for extent in node.iter.args[0].elts]
            names = [element.id for element in node.target.elts]
        else:
            axes = [range(*[self.value(bound, active, True).items[0] for bound in node.iter.args])]
            names = [node.target.id]
        outside = self.frame.variables
        own = [memory.touched for memory in self.memories]
        for memory in self.memories:
            memory.touched = {}
        for indices in itertools.product(*axes):
            self.frame.variables = dict(outside)
            self.round = indices
            for name, index in zip(names, indices):
                self.name(name, Vector("index", [index]), [0])
            self.frame.loops.append((set(), set()))
            self.block(node.body, [0])
            self.frame.loops.pop()
        self.round = None
        self.frame.variables = outside
        for memory, touched in zip(self.memories, own):
            memory.touched = touched

    def repeat(self, node, active):
        self.frame.loops.append((set(), set()))
        while True:
            self.frame.loops[-1][1].clear()
            active = self.staying(active)
            if not active:
                break
            truths = self.value(node.test, active, self.once(node, active)).items
            active = [tile for tile, truth in zip(active, truths) if truth]
            self.block(node.body, active)
        self.frame.loops.pop()

    # -- expressions --

    def value(self, node, active, once):
        """What each of the tiles computes; `once`: their one value, computed for the group."""
        match node:
            case ast.Constant(value=bool()):
                return Vector("bool", [node.value] * len(active))
            case ast.Constant():
                return Vector("literal", [node.value] * len(active))
            case ast.Name(id=name):
                return self.variable(name, active)
            case ast.Tuple(elts=elements) | ast.List(elts=elements):
                return [self.value(element, active, once) for element in elements]
            case ast.UnaryOp(op=ast.USub()):
                return arithmetic("Sub", Vector("literal", [0] * len(active)), self.value(node.operand, active, once))
            case ast.UnaryOp(op=ast.Not()):
                return Vector("bool", [not item for item in self.value(node.operand, active, once).items])
            case ast.BinOp():
                left = self.value(node.left, active, once)
                return arithmetic(type(node.op).__name__, left, self.value(node.right, active, once))
            case ast.BoolOp():
                return self.logical(node, active, once)
            case ast.Compare():
                return self.compare(node, active, once)
            case ast.IfExp():
                return self.choice(node, active, once)
            case ast.Subscript():
                return self.read(node, active, once)
            case ast.Call():
                return self.call(node, active, once)
        raise NotImplementedError(ast.dump(node))

    def variable(self, name, active):
        if name in self.dims:
            return Vector("index", [self.dims[name]] * len(active))
        found = self.frame.variables[name]
        if not isinstance(found, Vector):
            return found
        items = [found.items[tile] for tile in active]
        if None in items:
            raise Undefined(name)
        return Vector(found.kind, items)

    def part(self, node, active, which, once):
        """The value for the tiles of which it is asked, by tile."""
        here = [tile for tile, asked in zip(active, which) if asked]
        if not here:
            return None, {}
        value = self.value(node, here, once)
        return value.kind, dict(zip(here, value.items))

    def logical(self, node, active, once):
        decisive = isinstance(node.op, ast.Or)
        found = dict(zip(active, self.value(node.values[0], active, once).items))
        for operand in node.values[1:]:
            found.update(self.part(operand, active, [found[tile] != decisive for tile in active], once)[1])
        return Vector("bool", [found[tile] for tile in active])

    def compare(self, node, active, once):
        left = self.value(node.left, active, once)
        here, found = active, {}
        for op, operand in zip(node.ops, node.comparators):
            right = self.value(operand, here, once)
            truths = compared(type(op).__name__, left, right).items
            found.update(zip(here, truths))
            left = Vector(right.kind, [item for item, truth in zip(right.items, truths) if truth])
            here = [tile for tile, truth in zip(here, truths) if truth]
            if not here:
                break
        return Vector("bool", [found[tile] for tile in active])

    def choice(self, node, active, once):
        truths = self.value(node.test, active, once).items
        one, chosen = self.part(node.body, active, truths, once)
        two, others = self.part(node.orelse, active, [not truth for truth in truths], once)
        kind = joined(one or "literal", two or "literal")
        return Vector(kind, [chosen[tile] if truth else others[tile] for tile, truth in zip(active, truths)])

    # -- memory --

    def place(self, node, active, once):
        """The memory and the element of it for each tile."""
        memory = self.value(node.value, active, once)
        parts = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
        indices = [self.value(part, active, once).items for part in parts]
        if isinstance(memory, list):
            return memory[indices[0][0]], None
        return memory, [memory.flat(place) for place in zip(*indices)]

    def touch(self, memory, at, tile, how, once):
        if not once:
            memory.touch(at, ("round", self.round) if self.round is not None else tile, how)

    def read(self, node, active, once):
        memory, places = self.place(node, active, once)
        if places is None:
            return memory
        for at, tile in zip(places, active):
            self.touch(memory, at, tile, "read", once)
            if memory.data[at] is None:
                raise Undefined(ast.unparse(node))
        if once and len(set(places)) > 1:
            raise AssertionError(f"the group reads several elements: {ast.unparse(node)}")
        return Vector(memory.kind, [memory.data[at] for at in places])

    def write(self, node, value, active, once):
        memory, places = self.place(node, active, once)
        if once and len(set(zip(places, value.items))) > 1:
            raise AssertionError(f"the group writes several values: {ast.unparse(node)}")
        for at, item, tile in zip(places, value.items, active):
            self.touch(memory, at, tile, "write", once)
            memory.data[at] = stored(memory.kind, item)

    def atomic(self, name, node, active, once):
        memory, places = self.place(node.args[0], active, once)
        amounts = self.value(node.args[1], active, once).items
        apply = {"atomic.add": lambda a, b: a + b, "atomic.min": min, "atomic.max": max}[name]
        old = []
        for at, amount, tile in list(zip(places, amounts, active))[:1 if once else None]:
            self.touch(memory, at, tile, "atomic", once)
            old.append(memory.data[at])
            memory.data[at] = stored(memory.kind, apply(memory.data[at], amount))
        return Vector(memory.kind, old * len(active) if once else old)

    # -- calls --

    def call(self, node, active, once):
        name = callee(node)
        if name in self.kernel.functions:
            return self.inlined(self.kernel.functions[name], node, active, once)
        if name in ATOMICS:
            return self.atomic(name, node, active, once)
        if name.startswith(("tshared.alloc[", "tile.alloc_shared")):
            return self.allocation(node)
        if name == "cast":
            value, to = self.value(node.args[0], active, once), node.args[1].id
            return Vector(to, [cast(value.kind, to, item) for item in value.items])
        if name in ("tile.linear_id", "tile.local_id", "tile.lane_id", "tile.group_id", "grid_groups"):
            return self.identity(name, node, active)
        # What tiles bring to a collective operation each of them computes for itself.
        arguments = [self.value(argument, active, once and name not in COLLECTIVE) for argument in node.args]
        if name in ("min", "max"):
            kind = next((argument.kind for argument in arguments if argument.kind != "literal"), "literal")
            apply = min if name == "min" else max
            return Vector(kind, [stored(kind, apply(items)) for items in zip(*[argument.items for argument in arguments])])
        if name in COLLECTIVE:
            assert len(active) == self.tiles, f"not all tiles reach {name}"
            return self.collective(name, arguments)
        raise NotImplementedError(name)

    def allocation(self, node):
        key = (self.frame.path, id(node))
        if key not in self.shared:
            shape = tuple(ast.literal_eval(argument) for argument in node.args)
            size = 1
            for extent in shape:
                size *= extent
            self.shared[key] = Memory(node.func.slice.id, shape, [None] * size)
            self.memories.append(self.shared[key])
        return self.shared[key]

    def identity(self, name, node, active):
        if name == "tile.group_id":
            return Vector("index", [self.number] * len(active))
        if name == "tile.lane_id":
            return Vector("index", [tile % 32 for tile in active])
        if name == "tile.linear_id" or not node.args:
            return Vector("index", list(active))
        axis, below = node.args[0].value, 1
        for extent in self.kernel.shape[:axis]:
            below *= extent
        return Vector("index", [tile // below % self.kernel.shape[axis] for tile in active])

    def collective(self, name, arguments):
        if name in ("tbarrier", "tile.barrier"):
            for memory in self.memories:
                memory.touched = {}
            return Vector("bool", [])
        items = arguments[0].items
        over_group = {"tile.any": any, "tile.all": all, "tile.reduce_min": min, "tile.reduce_max": max, "tile.reduce_sum": sum}
        if name in over_group:
            found = over_group[name](items)
            kind = "bool" if name in ("tile.any", "tile.all") else "index" if name == "tile.reduce_sum" else arguments[0].kind
            return Vector(kind, [found] * self.tiles)
        warps = [items[begin:begin + 32] for begin in range(0, self.tiles, 32)]
        if name == "tile.ballot":
            bits = [sum(1 << lane for lane, truth in enumerate(warp) if truth) for warp in warps]
            return Vector("u32", [bits[tile // 32] for tile in range(self.tiles)])
        sources = arguments[1].items
        return Vector(arguments[0].kind, [warps[tile // 32][sources[tile]] for tile in range(self.tiles)])

    def inlined(self, function, node, active, once):
        frame = Frame(self.frame.path + (id(node),), self.tiles)
        types = {argument.arg: argument.annotation for argument in function.args.args}
        for name, expression in group_text.bound_arguments(function, node).items():
            # What varies each tile computes for itself, also where the function gives a uniform value.
            value = self.value(expression, active, once and self.who.arguments[self.key(expression)])
            if not isinstance(value, Vector):
                frame.variables[name] = value
                continue
            kind = ast.unparse(types[name]) if isinstance(types[name], ast.Name) else "i32" if value.kind == "literal" else value.kind
            items = [None] * self.tiles
            for tile, item in zip(active, value.items):
                items[tile] = stored(kind, item)
            frame.variables[name] = Vector(kind, items)
        outer, self.frame = self.frame, frame
        self.block(function.body, active)
        self.frame = outer
        declared = ast.unparse(function.returns) if function.returns else frame.kind
        return Vector("i32" if declared == "literal" else declared, [frame.result[tile] for tile in active])


def judged(text, groups, arguments):
    """Runs every group of the program's kernel on the arguments: Memory, or (type, number)."""
    kernel = group_text.kernel_of(text)
    who = Who(kernel)
    for number in range(groups):
        for value in arguments.values():
            if isinstance(value, Memory):
                value.touched = {}
        Group(kernel, who, number, arguments).run()


__all__ = ["judged", "Race", "Undefined"]
