"""The text of headers of functions."""

from kinds import written
from tree import Expr


def header(function, lines=()):
    """`def name(params) -> result:`, each part known."""
    parts = ["".join(f"{line}\n" for line in lines), "def ", function.name, "("]
    if function.owner:
        parts += ["self: mut" if "self" in function.mut else "self"] + ([", "] if function.params else [])
    for number, var in enumerate(function.params):
        parts += [", "] * (number > 0) + parameter(function, var)
    parts.append(")")
    if function.result is not None and not function.generic:
        parts += [" -> ", Expr(None, written(function.result)).used("type")]
    return [*parts, ":"]


def parameter(function, var):
    parts = [var.name]
    if not function.generic:
        words = "mut " if var.name in function.mut else "static " if var.name in function.static else ""
        parts += [": ", words, Expr(None, written(var.type)).used("type")]
    elif var.name in function.mut:
        parts += [": mut"]
    if var.name in function.defaults:
        parts += [" = ", Expr(var.type, function.defaults[var.name]).used("default", var.type)]
    return parts
