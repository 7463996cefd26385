"""Programs as trees of text: a fault takes the place of one part, and its line is known when the text is made."""


class Expr:
    """Text of a type. What it is used for says what else could not stand in its place: `role` is one of

    operand    beside a value of type `want`      stored     becomes a value of the declared type `want`
    assigned   gives `want`, the variable, its type         condition  a truth value
    index      of a tensor; `want` is its type     bound      of a loop
    argument   of a declared parameter of type `want`       extent     of a tensor that a host program makes
    static     a number known when the program is compiled  callee, member, … as faults need them"""

    __slots__ = ("parts", "type", "role", "want", "stmt", "varying")

    def __init__(self, type, *parts, varying=False):
        self.parts = list(parts)
        self.type = type
        self.role = ""
        self.want = None
        self.stmt = None
        self.varying = varying or any(part.varying for part in parts if isinstance(part, Expr))

    def used(self, role, want=None):
        self.role, self.want = role, want
        return self

    def text(self):
        return "".join(part if isinstance(part, str) else part.text() for part in self.parts)

    def walk(self):
        yield self
        for part in self.parts:
            if isinstance(part, Expr):
                yield from part.walk()


class Stmt:
    """A line, with the block under it if it has one; `scope` is what is known before it."""

    __slots__ = ("parts", "body", "scope", "block", "tag", "line", "facts")

    def __init__(self, *parts, tag="", body=None, **facts):
        self.parts = list(parts)
        self.body = body
        self.tag = tag
        self.facts = facts      # of this kind of statement, for faults that look for it
        self.scope = None
        self.block = None
        self.line = 0

    def expressions(self):
        for part in self.parts:
            if isinstance(part, Expr):
                yield from part.walk()

    def text(self):
        return "".join(part if isinstance(part, str) else part.text() for part in self.parts)


class Block(list):
    """Statements; those that leave stand last."""

    __slots__ = ("owner",)

    def __init__(self, owner=None):
        super().__init__()
        self.owner = owner

    def walk(self):
        for stmt in self:
            yield stmt
            if stmt.body is not None:
                yield from stmt.body.walk()


def render(block, lines, depth=0):
    """Appends the text of the statements, and says each where it stands."""
    for stmt in block:
        text = stmt.text()
        if depth == 0 and stmt.body is not None and lines and not lines[-1].startswith("@"):
            lines.append("")
        stmt.line = len(lines) + 1
        lines.extend("    " * depth + line for line in text.split("\n"))
        if stmt.body is not None:
            render(stmt.body, lines, depth + 1)


def text_of(module):
    lines = []
    render(module, lines)
    return "\n".join(lines) + "\n"
