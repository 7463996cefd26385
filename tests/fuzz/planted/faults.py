"""What a fault is: a change of the program's tree, where it must be reported, and how the tree becomes whole again."""

import re

from kinds import SCALARS
from tree import Block, Stmt

TABLE = {}      # name -> function of a `Site`


def fault(make):
    """Puts a kind of fault on the list. It gives the statements at whose lines it must be reported, or nothing where this
    program has no place for it."""
    TABLE[make.__name__] = make
    return make


class Site:
    """A program in which a fault is planted; `undo` takes it out again."""

    def __init__(self, world, draw):
        self.world = world
        self.draw = draw
        self.changes = []
        self.loose = False      # the fault changes a header: calls of the function may be wrong, too

    def undo(self):
        for change in reversed(self.changes):
            change()
        self.changes = []

    # -- changes --

    def replace(self, expr, *parts):
        """Other text where an expression stands."""
        old = expr.parts
        expr.parts = list(parts)
        self.changes.append(lambda: setattr(expr, "parts", old))
        return [expr.stmt]

    def rewrite(self, stmt, *parts):
        old = stmt.parts
        stmt.parts = list(parts)
        self.changes.append(lambda: setattr(stmt, "parts", old))
        return [stmt]

    def remove(self, stmt):
        block, at = stmt.block, stmt.block.index(stmt)
        del block[at]
        self.changes.append(lambda: block.insert(at, stmt))

    def insert(self, place, *texts):
        """Statements before one; a text that begins with a space stands in the block under the one before. Gives them."""
        made, block, at = [], place.block, place.block.index(place)
        for text in texts:
            stmt = Stmt(text.strip())
            if text.startswith(" "):
                over = next(stmt for stmt in reversed(made) if stmt.parts[0].endswith(":"))
                over.body = Block(over) if over.body is None else over.body
                over.body.append(stmt)
            else:
                block.insert(at, stmt)
                self.changes.append(lambda stmt=stmt: block.remove(stmt))
                at += 1
            made.append(stmt)
        return made

    # -- places --

    def statements(self, test=lambda stmt: True):
        return [stmt for stmt in self.world.module.walk() if test(stmt)]

    def place(self, test=lambda scope: True):
        """A statement in a function before which others may stand."""
        found = self.statements(lambda stmt: stmt.scope is not None and stmt.scope.function is not None and stmt.tag not in ("elif", "else", "def", "")
                                and not stmt.tag.startswith("copy ") and self.inside(stmt) and test(stmt.scope))
        return self.draw.choice(found) if found else None

    def inside(self, stmt):
        """Functions that nobody calls are checked where everything has a type."""
        function = stmt.scope.function
        function = function.outer or function
        settled = all(name in function.defaults for name in function.static)
        if function.static and stmt.scope.decided:
            return False        # of what a static value decides, one side is checked
        return (not function.generic and settled) or (function.called and self.is_named(function))

    def is_named(self, function):
        """Whether a call stands in the program: an expression that calls may have been drawn and not used."""
        return re.search(rf"(?<!def )\b{function.name}\(", self.world.text()) is not None

    def slots(self, *roles):
        found = [expr for stmt in self.world.module.walk() if stmt.scope is None or stmt.scope.function is None or self.inside(stmt)
                 for expr in stmt.expressions() if expr.role in roles and expr.stmt is not None]
        return found

    def slot(self, *roles, test=lambda expr: True):
        found = [expr for expr in self.slots(*roles) if test(expr)]
        return self.draw.choice(found) if found else None

    def fresh(self):
        return self.world.fresh("z")

    # -- values of a type, as text --

    def value(self, scope, kind):
        """A typed value."""
        found = [var.name for var in scope.vars.values() if var.type == kind and var.origin != "static"] if scope is not None else []
        if found and self.draw.random() < 0.8:
            return self.draw.choice(found)
        if kind == "bool":
            return self.draw.choice(["True", "False"])
        if kind == "str":
            return '"text"'
        if kind == "index":
            return None
        return f"cast(1, {kind})"

    def wrong(self, scope, test, strings=True):
        """A value of a scalar type for which the test holds; strings are for host programs."""
        kinds = [kind for kind in [*SCALARS, "index"] if test(kind)]
        if strings and scope is not None and not scope.kernel:
            kinds.append("str")
        self.draw.shuffle(kinds)
        return next((text for text in (self.value(scope, kind) for kind in kinds) if text is not None), None)

    def variable(self, scope, test):
        found = [var for var in scope.vars.values() if test(var)]
        return self.draw.choice(found) if found else None


def scope_of(expr):
    return expr.stmt.scope


def says_type(expr):
    """Whether the type of a variable may come from this expression alone: without it others that read the variable are wrong."""
    return expr.role in ("decides", "assigned") or any(whole.role == "assigned" for whole in expr.stmt.expressions())
