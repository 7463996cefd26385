"""What is known where a statement stands: variables, functions, loops around it, and whether all tiles come there."""

from dataclasses import dataclass, field

from kinds import Tensor
from tree import Block, Stmt


@dataclass(eq=False)
class Var:
    name: str
    type: object
    origin: str = "inferred"        # or parameter, annotated, loop, constant
    writable: bool = False          # a tensor or record that may be written
    varying: bool = False           # differs between tiles
    stmts: list = field(default_factory=list)   # that assign it


@dataclass(eq=False)
class Function:
    name: str
    params: list                    # of Var; `default` in `defaults` by name
    result: object = None           # a type, or nothing
    defaults: dict = field(default_factory=dict)
    mut: frozenset = frozenset()    # names of parameters that are written
    static: frozenset = frozenset()
    kind: str = "host"              # or plain (also for kernels), flat, group
    generic: bool = False
    owner: str = ""                 # the class of a method
    called: bool = False
    outer: object = None            # the function around it
    stmt: object = None             # its header


@dataclass
class Scope:
    vars: dict
    function: Function
    depth: int = 0
    varying: bool = False           # tiles of a group may not come here together
    loops: tuple = ()               # "range", "while", "spread" from the outermost on
    decided: bool = False           # under a condition or bound that the compiler may know: it may leave this out
    ended: str = ""                 # a statement before may have ended the "loop"'s iteration or the "function"

    @property
    def kernel(self):
        return self.function is not None and self.function.kind != "host"


class Frame:
    """The block that is being written, and what is known in it."""

    def __init__(self, draw, world, function):
        self.draw = draw
        self.world = world
        self.function = function
        self.block = Block()
        self.vars = {}
        self.varying = False
        self.loops = ()
        self.decided = False
        self.ended = ""
        self.owed = []              # statements that must follow: variables whose type they decide

    @property
    def kernel(self):
        return self.function is not None and self.function.kind != "host"

    def fresh(self, prefix):
        return self.world.fresh(prefix)

    def scope(self):
        return Scope(dict(self.vars), self.function, 0, self.varying, self.loops, self.decided, self.ended)

    def put(self, *parts, **facts):
        """One statement behind the others."""
        stmt = Stmt(*parts, **facts)
        stmt.scope = self.scope()
        stmt.block = self.block
        for part in stmt.expressions():
            part.stmt = stmt
        self.block.append(stmt)
        return stmt

    def under(self, stmt, write, varying=False, loop=None, names=(), decided=False):
        """The statement with a block that `write` fills; what is defined there is not known behind it."""
        outer, known, was, loops = self.block, dict(self.vars), self.varying, self.loops
        was_decided, was_ended = self.decided, self.ended
        self.decided = was_decided or decided
        stmt.body = self.block = Block(stmt)
        self.varying = was or varying
        self.loops = loops + ((loop,) if loop else ())
        for var in names:
            self.vars[var.name] = var
        write()
        if not self.block:
            self.put("pass")
        self.block, self.vars, self.varying, self.loops = outer, known, was, loops
        self.decided = was_decided
        if loop and self.ended == "loop":
            self.ended = was_ended

    def define(self, name, type, stmt=None, **facts):
        var = Var(name, type, **facts)
        if stmt is not None:
            var.stmts.append(stmt)
        self.vars[name] = var
        return var

    def pick(self, test):
        """A variable for which that holds, or nothing."""
        found = [var for var in self.vars.values() if test(var)]
        return self.draw.choice(found) if found else None

    def tensors(self, elem=None, writable=False, rank=None):
        return [var for var in self.vars.values() if isinstance(var.type, Tensor)
                and (elem is None or var.type.elem == elem) and (var.writable or not writable)
                and (rank is None or len(var.type.dims) == rank)]
