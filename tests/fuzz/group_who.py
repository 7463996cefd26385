"""Who does a statement: language reference, section 4, on the text of a kernel. A statement is the group's when its control
flow and all its values are uniform, else every tile does it that reaches it.

Each variable has a truth at each place: whether the value that it holds there varies. Loops are gone through until nothing
changes. Calls are judged as inlined: a statement of a function has an answer for every chain of calls to it."""

import ast

import group_text
from group_text import ATOMICS, COLLECTIVE, OVER_GROUP, TILE_IDS, callee


class Divergent(Exception):
    """A collective operation that not all tiles reach: no valid program."""


class Frame:
    """A function that is inlined: the calls that lead to it, and how far tiles have left it."""

    def __init__(self, path, statics):
        self.path = path
        self.statics = statics      # parameters that are the same text everywhere: True or False
        self.returned = False       # some tiles have returned, others have not
        self.result = False         # what it returns varies
        self.loops = []             # for each loop around: [some tiles broke, some tiles go on with the next round]


class Who:
    """`groups[(path, statement)]`: the group does it. `arguments[(path, value)]`: it computes what a function is called with. `roles[…]` of a loop over tile.range: spread over tiles."""

    def __init__(self, kernel):
        self.kernel = kernel
        self.groups = {}
        self.roles = {}
        self.arguments = {}
        self.frame = Frame((), {})
        state = {argument.arg: False for argument in kernel.tree.args.args}
        self.block(kernel.tree.body, state, False)

    def key(self, node):
        return (self.frame.path, id(node))

    def left(self):
        """Some tiles are gone that were here when the function or the loop began."""
        return self.frame.returned or any(any(flags) for flags in self.frame.loops)

    # -- statements --

    def block(self, statements, state, divergent):
        for statement in statements:
            self.statement(statement, state, divergent or self.left())

    def statement(self, node, state, divergent):
        match node:
            case ast.Assign(targets=[target]):
                self.assign(node, target, node.value, state, divergent)
            case ast.AnnAssign():
                self.assign(node, node.target, node.value, state, divergent)
            case ast.AugAssign():
                self.assign(node, node.target, ast.BinOp(self.as_load(node.target), node.op, node.value), state, divergent)
            case ast.Expr():
                self.judge(node, self.value(node.value, state, divergent), divergent)
            case ast.If():
                self.branch(node, state, divergent)
            case ast.For():
                self.count(node, state, divergent)
            case ast.While():
                self.repeat(node, state, divergent)
            case ast.Return():
                varies = node.value is not None and self.value(node.value, state, divergent)
                self.judge(node, varies, divergent)
                self.frame.result |= varies or divergent
                self.frame.returned |= divergent
            case ast.Break():
                self.frame.loops[-1][0] |= divergent
            case ast.Continue():
                self.frame.loops[-1][1] |= divergent
            case ast.Pass():
                pass
            case _:
                raise NotImplementedError(ast.dump(node))

    @staticmethod
    def as_load(target):
        return ast.parse(ast.unparse(target), mode="eval").body

    def judge(self, node, varies, divergent):
        self.groups[self.key(node)] = not varies and not divergent

    def assign(self, node, target, value, state, divergent):
        varies = self.value(value, state, divergent)
        match target:
            case ast.Name(id=name):
                state[name] = varies or divergent
            case ast.Tuple(elts=elements):
                parts = value.elts if isinstance(value, ast.Tuple) else [value] * len(elements)
                bits = [self.value(part, state, divergent) for part in parts]
                for element, bit in zip(elements, bits):
                    state[element.id] = bit or divergent
            case ast.Subscript():
                varies |= self.value(target.slice, state, divergent) | self.value(target.value, state, divergent)
        self.judge(node, varies, divergent)

    def branch(self, node, state, divergent):
        varies = self.value(node.test, state, divergent)
        self.judge(node, varies, divergent)
        known = self.static(node.test)
        then, other = dict(state), dict(state)
        if known is not False:
            self.block(node.body, then, divergent or varies)
        if known is not True:
            self.block(node.orelse, other, divergent or varies)
        self.join(state, then, other)

    @staticmethod
    def join(state, one, other):
        for name in set(one) | set(other):
            state[name] = one.get(name, False) or other.get(name, False)

    def rounds(self, node, state, divergent, head, body):
        """Until nothing changes: `head` answers whether the number of rounds varies, `body` goes through one round."""
        self.frame.loops.append([False, False])
        flags = self.frame.loops[-1]
        changes = group_text.assigned_names(node.body)
        while True:
            before = dict(state), flags[0], self.frame.returned
            vary = head() or flags[0] or self.frame.returned
            for name in changes if vary else ():
                state[name] = True
            flags[1] = False
            inner = dict(state)
            body(inner, divergent or vary)
            flags[1] = False
            self.join(state, dict(state), inner)
            if before == (state, flags[0], self.frame.returned):
                break
        self.frame.loops.pop()

    def count(self, node, state, divergent):
        bounds = self.value(node.iter, state, divergent) if isinstance(node.iter, ast.Call) else True
        if group_text.is_tile_range(node) and self.is_tile_loop(node, state, divergent, bounds):
            self.roles[self.key(node)] = True
            inner = dict(state)
            for name in group_text.assigned_names([node.target]):
                inner[name] = True
            self.frame.loops.append([False, False])
            self.block(node.body, inner, True)
            self.frame.loops.pop()
            return
        self.roles[self.key(node)] = False
        self.judge(node, bounds, divergent)

        def body(inner, here):
            for name in group_text.assigned_names([node.target]):
                inner[name] = bounds
            self.block(node.body, inner, here)

        self.rounds(node, state, divergent, lambda: bounds, body)

    def is_tile_loop(self, node, state, divergent, bounds):
        """Programs here carry no variable in such a loop: what its body assigns, it assigns first, and nobody reads it later."""
        if divergent or bounds or group_text.calls_in(node.body, self.kernel.functions) & COLLECTIVE:
            return False
        made = group_text.assigned_names([node])
        return not any(state.get(name, False) for name in group_text.read_names(node.body) - made)

    def repeat(self, node, state, divergent):
        def head():
            vary = self.value(node.test, dict(state), divergent)
            # Behind the first round the condition is asked by those that are still there.
            self.value(node.test, dict(state), divergent or vary or self.frame.loops[-1][0])
            self.judge(node, vary, divergent or self.frame.loops[-1][0])
            return vary

        self.rounds(node, state, divergent, head, lambda inner, here: self.block(node.body, inner, here))

    # -- expressions: whether the value varies --

    def static(self, node):
        match node:
            case ast.Constant(value=bool()):
                return node.value
            case ast.Name(id=name):
                return self.frame.statics.get(name)
        return None

    def value(self, node, state, divergent):
        match node:
            case ast.Constant():
                return False
            case ast.Name(id=name):
                return state.get(name, False)
            case ast.BoolOp(values=values):
                varies = False
                for operand in values:
                    varies |= self.value(operand, state, divergent or varies)
                return varies
            case ast.IfExp():
                test = self.value(node.test, state, divergent)
                one = self.value(node.body, state, divergent or test)
                return test | one | self.value(node.orelse, state, divergent or test)
            case ast.Compare():
                varies = self.value(node.left, state, divergent)
                for number, operand in enumerate(node.comparators):
                    varies |= self.value(operand, state, divergent or (number > 0 and varies))
                return varies
            case ast.Call():
                return self.call(node, state, divergent)
            case ast.Attribute():
                return False
        return any([self.value(child, state, divergent) for child in ast.iter_child_nodes(node) if isinstance(child, ast.expr)])

    def call(self, node, state, divergent):
        name = callee(node)
        if name in self.kernel.functions:
            return self.inlined(self.kernel.functions[name], node, state, divergent)
        arguments = [self.value(argument, state, divergent) for argument in node.args]
        if name in COLLECTIVE and divergent:
            raise Divergent(ast.unparse(node))
        if name in TILE_IDS:
            return True
        if name in OVER_GROUP:
            return False
        if name in COLLECTIVE:
            return True
        return any(arguments) or (name in ATOMICS and divergent)

    def inlined(self, function, node, state, divergent):
        given = group_text.bound_arguments(function, node)
        inner = {name: self.value(value, state, divergent) for name, value in given.items()}
        for name, value in given.items():
            self.arguments[(self.frame.path, id(value))] = not inner[name] and not divergent
        outer = self.frame
        self.frame = Frame(outer.path + (id(node),), {name: self.static(value) for name, value in given.items()})
        self.block(function.body, inner, divergent)
        result = self.frame.result
        self.frame = outer
        return result
