"""Faults of types: values where others are wanted, in every place that an expression stands in."""

import re

from faults import fault, says_type, scope_of
from kinds import FLOATS, INTEGERS, NUMBERS, SCALARS, SIGNED, UNSIGNED, ListOf, Record, Tensor, Tile, fits, is_float, is_integer, join


@fault
def operand_without_join(site):
    expr = site.slot("operand", test=lambda expr: expr.want in [*SCALARS, "index"])
    if expr is None or beside_literal(expr):
        return None
    text = site.wrong(scope_of(expr), lambda kind: join(kind, expr.want) is None, not repeats(expr))
    return text and site.replace(expr, text)


def beside_literal(expr):
    """Whether the other operand is a literal, which takes any type that holds it."""
    over = next((whole for whole in expr.stmt.expressions() if expr in whole.parts), None)
    return over is not None and any(isinstance(part, str) and re.search(r"\d", part) for part in over.parts)


def repeats(expr):
    """Whether a string would be right there: `"text" * 3` repeats it, `"text" % x` is of the form of Python's formats."""
    over = next((whole for whole in expr.stmt.expressions() if expr in whole.parts), None)
    parts = over.parts if over is not None else expr.stmt.parts
    return any(isinstance(part, str) and ("*" in part or "%" in part) for part in parts)


@fault
def text_among_numbers(site):
    expr = site.slot("operand", "decides", "beside literal", test=lambda expr: not scope_of(expr).kernel and expr.want in NUMBERS
                     and not repeats(expr))
    site.loose = expr is not None and says_type(expr)
    return expr and site.replace(expr, '"text"')


@fault
def truth_among_numbers(site):
    expr = site.slot("operand", "decides", test=lambda expr: expr.want in NUMBERS)
    return expr and site.replace(expr, site.value(scope_of(expr), "bool"))


@fault
def stored_value(site):
    """Narrowing without a cast, and whatever else does not become the declared type."""
    expr = site.slot("stored", test=lambda expr: expr.want in SCALARS)
    text = expr and site.wrong(scope_of(expr), lambda kind: not fits(kind, expr.want))
    return text and site.replace(expr, text)


@fault
def stored_literal(site):
    """Literals that the declared type does not hold."""
    expr = site.slot("stored", test=lambda expr: expr.want in INTEGERS)
    if expr is None:
        return None
    size = int(expr.want[1:])
    low, high = (-2 ** (size - 1), 2 ** (size - 1) - 1) if expr.want in SIGNED else (0, 2 ** size - 1)
    texts = ["0.5"] + [str(high + 1)] * (size < 64) + [str(low - 1)] * (size < 64)
    return site.replace(expr, site.draw.choice(texts))


@fault
def argument_type(site):
    expr = site.slot("argument", test=lambda expr: expr.want[1].type in SCALARS)
    text = expr and site.wrong(scope_of(expr), lambda kind: not fits(kind, expr.want[1].type))
    return text and site.replace(expr, text)


@fault
def tensor_argument(site):
    """Of another element type or rank, or no tensor."""
    expr = site.slot("argument", test=lambda expr: isinstance(expr.want[1].type, Tensor))
    if expr is None:
        return None
    wanted = expr.want[1].type
    texts = [var.name for var in scope_of(expr).vars.values() if isinstance(var.type, Tensor)
             and (var.type.elem != wanted.elem or len(var.type.dims) != len(wanted.dims))]
    if not scope_of(expr).kernel:
        other = site.draw.choice([kind for kind in ("f32", "i32", "f64", "u8") if kind != wanted.elem])
        texts += [f"zeros({(2,) * len(wanted.dims)}, {other})", f"zeros({(2,) * (len(wanted.dims) + 1)}, {wanted.elem})", "3", '"text"']
    return site.replace(expr, site.draw.choice(texts)) if texts else None


@fault
def assigned_again(site):
    """A variable has one type: the other assignment says which."""
    expr = site.slot("assigned", test=lambda expr: expr.want.type in SCALARS and expr.want.type != "bool" and len(expr.want.stmts) > 1)
    if expr is None:
        return None
    var = expr.want
    repeated = any(re.search(r"[*%]", stmt.text()) for stmt in var.stmts)
    site.loose = expr.stmt is var.stmts[0]     # what reads it may be wrong, too
    if expr.stmt is var.stmts[0] and (var.name.startswith("q") or only_itself(var)):
        return None     # its type passes to others, or is just another one
    if expr.stmt is var.stmts[0]:
        text = site.wrong(scope_of(expr), lambda kind: (kind == "bool") != (var.type == "bool"), not repeated)
    else:
        text = site.wrong(scope_of(expr), lambda kind: join(kind, var.type) is None and (kind == "bool") != (var.type == "bool"))
    if text is None:
        return None
    site.replace(expr, text)
    read = site.statements(lambda stmt: site.loose and re.search(rf"\b{var.name}\b", stmt.text()))
    return [*var.stmts, *read]


def only_itself(var):
    """Whether each other assignment reads nothing but the variable: then the first one says its type."""
    return all(not re.search(r"[a-z]\w*", re.sub(rf"\b{var.name}\b", "", stmt.text())) for stmt in var.stmts[1:])


@fault
def self_reference(site):
    """`t = t + y` of types without a join."""
    place = site.place(lambda scope: any(usable(var) for var in scope.vars.values()))
    if place is None:
        return None
    var = site.variable(place.scope, usable)
    text = site.wrong(place.scope, lambda kind: join(kind, var.type) is None)
    if text is None or var.name.startswith("q"):
        return None     # variables that pass their values round may all take the type
    site.loose = var.name[0] in "sw"    # a literal at first: what is added says the type
    form = site.draw.randrange(5)
    operator = site.draw.choice(["+", "-"])
    forms = [f"{var.name} = {var.name} {operator} {text}", f"{var.name} = {text} {operator} {var.name}", f"{var.name} {operator}= {text}"]
    if form < 3:
        return [*site.insert(place, forms[form]), *var.stmts]
    other = site.variable(place.scope, lambda other: usable(other) and other is not var and other.type == var.type)
    if form == 3 and other is not None:
        return site.insert(place, f"{var.name}, {other.name} = {other.name}, {var.name} {operator} {text}") + var.stmts + other.stmts
    return site.insert(place, f"for {site.fresh()} in range(3):", f" {forms[form % 3]}")[1:] + var.stmts


def usable(var):
    return var.origin in ("inferred", "annotated") and var.type in NUMBERS and var.stmts


@fault
def carried_round(site):
    """Variables that pass a value round, one of which breaks the type."""
    place = site.place(lambda scope: True)
    if place is None:
        return None
    kind = site.draw.choice(["f32", "i32", "f64", "i64", "u32"])
    text = site.wrong(place.scope, lambda other: join(other, kind) is None)
    one, other = site.fresh(), site.fresh()
    value = site.value(place.scope, kind)
    if text is None:
        return None
    loop = site.draw.choice([f"for {site.fresh()} in range(3):", f"while {one} < {other}:"])
    step = site.draw.choice([[f" {one}, {other} = {other}, {one} + {text}"], [f" {one} = {other}", f" {other} = {one} / {text}" if kind in FLOATS else f" {other} = {one} - {text}"],
                             [f" {one} = {other} + {one}", f" {other} = {text} - {one}"]])
    return site.insert(place, f"{one}, {other} = {value}, {value}", loop, *step)[-1:]


@fault
def float_literal_beside_integer(site):
    place = site.place(lambda scope: any(var.type in INTEGERS and var.origin != "static" for var in scope.vars.values()))
    if place is None:
        return None
    var = site.variable(place.scope, lambda var: var.type in INTEGERS and var.origin not in ("static", "counter"))
    return var and site.insert(place, f"{site.fresh()} = {var.name} * 2.5")


@fault
def quotient_of_integers(site):
    place = site.place(lambda scope: True)
    kind = site.draw.choice(INTEGERS)
    var = place and site.variable(place.scope, lambda var: var.type in INTEGERS and var.origin in ("parameter", "loop"))
    return var and site.insert(place, f"{site.fresh()} = {var.name} / {var.name}" if site.draw.random() < 0.5 else f"{site.fresh()} = {var.name} / cast(2, {kind})") \
        if var and join(var.type, kind) else None


@fault
def unsigned_beside_index(site):
    place = site.place(lambda scope: any(var.type == "index" for var in scope.vars.values()))
    if place is None:
        return None
    var = site.variable(place.scope, lambda var: var.type == "index")
    return site.insert(place, f"{site.fresh()} = {var.name} {site.draw.choice('+-*')} {site.value(place.scope, site.draw.choice(UNSIGNED))}")


@fault
def narrowing(site):
    place = site.place()
    if place is None:
        return None
    wide, narrow = site.draw.choice([("f32", "f16"), ("f64", "f32"), ("f32", "bf16"), ("i32", "i8"), ("i64", "i32"), ("f16", "bf16"), ("u8", "i8"), ("i32", "f32")])
    name = site.fresh()
    return site.insert(place, f"{name}: {narrow} = {site.value(place.scope, wide)}")


@fault
def index_type(site):
    expr = site.slot("index", "item index")
    text = expr and site.wrong(scope_of(expr), lambda kind: is_float(kind) or kind == "bool")
    return text and site.replace(expr, text)


@fault
def bound_type(site):
    expr = site.slot("bound")
    text = expr and site.wrong(scope_of(expr), lambda kind: is_float(kind))
    return text and site.replace(expr, text)


@fault
def extent_type(site):
    expr = site.slot("extent")
    return expr and site.replace(expr, site.draw.choice(["2.5", '"three"']))


@fault
def condition_of_tensor(site):
    # One of bools is a condition of `where`.
    no_truth = lambda var: isinstance(var.type, Tensor) and var.type.elem != "bool"
    expr = site.slot("condition", test=lambda expr: any(map(no_truth, scope_of(expr).vars.values())))
    return expr and site.replace(expr, site.variable(scope_of(expr), no_truth).name)


@fault
def item_type(site):
    expr = site.slot("stored item", test=lambda expr: isinstance(expr.want, ListOf) and expr.want.item in NUMBERS and expr.stmt.tag in ("append", "item"))
    text = expr and site.wrong(scope_of(expr), lambda kind: join(kind, expr.want.item) is None)
    return text and site.replace(expr, text)


@fault
def key_type(site):
    expr = site.slot("key")
    return expr and site.replace(expr, "0.5" if expr.want == "i32" else "3")


@fault
def default_type(site):
    expr = site.slot("default")
    if expr is None:
        return None
    site.loose = bool(expr.stmt.facts["function"].static)      # it is computed with, too
    return site.replace(expr, '"text"' if not expr.stmt.facts["function"].kind == "plain" else "0.5" if is_integer(expr.want) or expr.want == "bool" else "True")


@fault
def negated(site):
    expr = site.slot("negated", "float argument")
    return expr and site.replace(expr, "True" if scope_of(expr).kernel else site.draw.choice(["True", '"text"']))


@fault
def iterated(site):
    expr = site.slot("iterated")
    return expr and site.replace(expr, site.value(scope_of(expr), site.draw.choice(["f32", "i32", "bool"])))


@fault
def iterates_number(site):
    place = site.place()
    return place and site.insert(place, f"for {site.fresh()} in {site.value(place.scope, site.draw.choice(NUMBERS))}:", " pass")[:1]


@fault
def unknown_type(site):
    expr = site.slot("type")
    site.loose = expr is not None and expr.stmt.tag in ("def", "field declaration")
    return expr and site.replace(expr, site.draw.choice(["f33", "int23", "matrix"]))


@fault
def returned(site):
    found = site.statements(lambda stmt: stmt.tag == "return" and stmt.scope.function.result in NUMBERS and not stmt.scope.function.generic)
    if not found:
        return None
    stmt = site.draw.choice(found)
    wanted = stmt.scope.function.result
    text = site.draw.choice(["", site.wrong(stmt.scope, lambda kind: not fits(kind, wanted)), f"{site.value(stmt.scope, wanted)}, 1"])
    return site.rewrite(stmt, f"return {text}".strip()) if text is not None else None


@fault
def field_type(site):
    expr = site.slot("field", test=lambda expr: expr.want[2] in NUMBERS)
    text = expr and site.wrong(scope_of(expr), lambda kind: not fits(kind, expr.want[2]))
    return text and site.replace(expr, text)


@fault
def bits_of_float(site):
    place = site.place()
    if place is None:
        return None
    kind = site.draw.choice(list(FLOATS))
    value = site.value(place.scope, kind)
    return site.insert(place, f"{site.fresh()} = " + site.draw.choice([f"~{value}", f"{value} & {value}", f"{value} << 1", f"{value} | {value}"]))


@fault
def compared(site):
    """In the condition of a while."""
    place = site.place()
    if place is None:
        return None
    kind = site.draw.choice(NUMBERS)
    text = site.wrong(place.scope, lambda other: join(other, kind) is None)
    stmts = site.insert(place, site.draw.choice(["while ", "if "]) + f"{site.value(place.scope, kind)} < {text}:", " pass")
    return stmts[:1]


@fault
def record_operand(site):
    place = site.place(lambda scope: any(isinstance(var.type, Record) for var in scope.vars.values()))
    if place is None:
        return None
    var = site.variable(place.scope, lambda var: isinstance(var.type, Record))
    return site.insert(place, f"{site.fresh()} = {var.name} " + site.draw.choice(["+ 1", "< " + var.name, "* 2.0"]))


@fault
def tile_operand(site):
    """A register tile of another shape or type."""
    expr = site.slot("tile operand", test=lambda expr: isinstance(expr.want, Tile))
    if expr is None:
        return None
    elem, shape = expr.want
    other = {"i32": "f32"}.get(elem, "i32")
    wrong = tuple(extent + 8 if extent != 8 else 24 for extent in shape)
    return site.replace(expr, site.draw.choice([f"tile.zeros({shape}, {other})", f"tile.zeros({wrong}, {elem})"]))


@fault
def tile_stored(site):
    expr = site.slot("tile stored")
    if expr is None:
        return None
    elem, shape = expr.want
    wider = {"f32": "f64", "bf16": "f32", "f16": "f32", "i32": "f32"}[elem]
    wrong = (shape[0] + 8, shape[1])
    return site.replace(expr, site.draw.choice([f"tile.zeros({shape}, {wider})", f"tile.zeros({wrong}, {elem})"]))


@fault
def tile_assigned(site):
    expr = site.slot("tile assigned", test=lambda expr: len(expr.want.stmts) > 1)
    if expr is None:
        return None
    if expr.stmt is expr.want.stmts[0]:
        return None     # others that read the tile are wrong then, or all are right
    elem, shape = expr.want.type
    site.replace(expr, f"tile.zeros({tuple(extent + 8 for extent in shape)}, {elem})")
    return list(expr.want.stmts)


@fault
def factor_extent(site):
    expr = site.slot("factor")
    if expr is None:
        return None
    elem, shape = expr.type
    wrong = list(shape)
    wrong[expr.want] += 8
    return site.replace(expr, f"tile.zeros({tuple(wrong)}, {elem})")


@fault
def axis_outside(site):
    expr = site.slot("axis")
    return expr and site.replace(expr, site.draw.choice(["2", "7", "-3"]))
