"""Faults of arguments that are tensors or records, of who may write them, and of what is static."""

import re

from faults import fault, scope_of
from kinds import INTEGERS, NUMBERS, ListOf, Tensor


def names_in(stmt, name):
    return re.search(rf"\b{name}\b", stmt.text()) is not None


@fault
def writes_input(site):
    """A parameter without `mut`."""
    place = site.place(lambda scope: scope.function.name != "main" and any(readable(var) for var in scope.vars.values()))
    if place is None:
        return None
    var = site.variable(place.scope, readable)
    index = ", ".join(["0"] * len(var.type.dims))
    value = site.value(place.scope, var.type.elem)
    return site.insert(place, f"{var.name}[{index}] {site.draw.choice(['=', '+=']) if var.type.elem != 'bool' else '='} {value}")


def readable(var):
    return isinstance(var.type, Tensor) and var.origin == "parameter" and not var.writable


@fault
def alias_written(site):
    place = site.place(lambda scope: not scope.kernel and scope.function.name != "main" and any(readable(var) for var in scope.vars.values()))
    if place is None:
        return None
    var, name = site.variable(place.scope, readable), site.fresh()
    return site.insert(place, f"{name} = {var.name}", f"{name}[{', '.join(['0'] * len(var.type.dims))}] = {site.value(place.scope, var.type.elem)}")[1:]


@fault
def mut_missing(site):
    """The header without its `mut`: reported where the parameter is written or passed on."""
    found = site.statements(lambda stmt: stmt.tag == "def" and any(part in (": ", ) for part in stmt.parts) and "mut " in stmt.parts and not stmt.facts["function"].generic)
    if not found:
        return None
    stmt = site.draw.choice(found)
    at = site.draw.choice([number for number, part in enumerate(stmt.parts) if part == "mut "])
    name = stmt.parts[at - 2]
    written = [other for other in stmt.body.walk() if other.tag in ("store", "atomic", "spread store", "tile store") and other.text().split("[")[0].split("(")[-1] == name]
    if not written:
        return None
    site.rewrite(stmt, *stmt.parts[:at], *stmt.parts[at + 1:])
    return [stmt] + [other for other in stmt.body.walk() if names_in(other, name)]


@fault
def passed_to_mut(site):
    call = site.slot("argument", test=lambda expr: expr.want[1].name in expr.want[0].mut and any(
        readable(var) and var.type.elem == expr.want[1].type.elem and len(var.type.dims) == len(expr.want[1].type.dims) for var in scope_of(expr).vars.values())
        and scope_of(expr).function.name != "main")
    if call is None:
        return None
    wanted = call.want[1].type
    return site.replace(call, site.variable(scope_of(call), lambda var: readable(var) and var.type.elem == wanted.elem and len(var.type.dims) == len(wanted.dims)).name)


@fault
def mut_overlaps(site):
    """One tensor for a `mut` parameter and another one."""
    place = site.place(lambda scope: not scope.kernel)
    found = [f for f in site.world.functions if f.kind in ("host", "flat") and not f.owner and not f.generic
             and place is not None and f is not place.scope.function and len(pair_of(f)) == 2]
    if place is None or not found:
        return None
    function, name = site.draw.choice(found), site.fresh()
    one, other = pair_of(function)
    arguments = [name if var in (one, other) else plain_argument(site, place, var) for var in function.params]
    if None in arguments:
        return None
    extents = tuple(dim if isinstance(dim, int) else 4 for dim in one.type.dims)
    return site.insert(place, f"{name} = zeros({extents}, {one.type.elem})", f"{function.name}({', '.join(arguments)})")[1:]


def pair_of(function):
    """A `mut` tensor and another of its type."""
    for one in function.params:
        for other in function.params:
            if one is not other and one.name in function.mut and isinstance(one.type, Tensor) and one.type == other.type:
                return [one, other]
    return []


def plain_argument(site, place, var, extents=None):
    type = var.type
    if isinstance(type, Tensor):
        dims = tuple(dim if isinstance(dim, int) else (extents or {}).get(dim, 4) for dim in type.dims)
        return f"zeros({dims}, {type.elem})"
    return {"bool": "True", "str": '"a"'}.get(type, "1") if isinstance(type, str) else f"[{'1' if type.item != 'str' else chr(34) * 2}]" if isinstance(type, ListOf) else None


@fault
def extents_differ(site):
    """Two tensors that share a dimension, and are known to differ."""
    place = site.place(lambda scope: not scope.kernel)
    found = []
    for function in site.world.functions:
        if place is None or function is place.scope.function or function.owner or function.name == "main":
            continue
        tensors = [var for var in function.params if isinstance(var.type, Tensor)]
        for one in tensors:
            for other in tensors:
                if one is not other and "n" in one.type.dims and "n" in other.type.dims:
                    found.append((function, other))
    if not found:
        return None
    function, odd = site.draw.choice(found)
    arguments = [plain_argument(site, place, var, {"n": 5} if var is odd else None) for var in function.params]
    if None in arguments:
        return None
    grid = "[1]" if function.stmt.facts.get("grid") else ""
    return site.insert(place, f"{function.name}{grid}({', '.join(arguments)})")


@fault
def record_fields(site):
    place = site.place(lambda scope: not scope.kernel)
    classes = list(site.world.classes.values())
    if place is None or not classes:
        return None
    entry = site.draw.choice(classes)
    return site.insert(place, f"{site.fresh()} = {entry.name}({site.draw.choice(['nowhere=1', '', ', '.join(['1'] * (len(entry.fields) + 1))])})")


@fault
def self_not_mut(site):
    place = site.place(lambda scope: scope.function.owner and "self" not in scope.function.mut and "self" in scope.vars)
    if place is None:
        return None
    fields = [(name, type) for name, type in site.world.classes[place.scope.function.owner].fields if type in NUMBERS]
    if not fields:
        return None
    name, type = site.draw.choice(fields)
    return site.insert(place, f"self.{name} {site.draw.choice(['=', '+='])} 1")


@fault
def policies_differ(site):
    place = site.place(lambda scope: scope.function.kind == "host" and not scope.loops and not scope.function.owner)
    if place is None:
        return None
    first = site.world.module[[stmt.tag for stmt in site.world.module].index("import")]
    kind = site.draw.choice(["accum(f32)", "compute(f16)", "round(rz)"])
    other = {"accum(f32)": "accum(f64)", "compute(f16)": "compute(f32)", "round(rz)": "stochastic_round"}[kind]
    one, two = site.fresh(), site.fresh()
    return site.insert(first, f"def {site.fresh()}({one}: f16[n] @{kind}, {two}: f16[n] @{other}) -> f32:", f" return {one}[0] + {two}[0]")[1:]


@fault
def static_lacks(site):
    """What only the running program knows, for a `static` parameter."""
    call = site.slot("static argument", test=lambda expr: any(var.type == "i32" and var.origin == "parameter" for var in scope_of(expr).vars.values()))
    return call and site.replace(call, site.variable(scope_of(call), lambda var: var.type == "i32" and var.origin == "parameter").name)


@fault
def default_not_static(site):
    expr = site.slot("default")
    functions = [f for f in site.world.functions if f.result in INTEGERS and not f.params and not f.owner]
    return expr and site.replace(expr, f"{functions[0].name}()" if functions else "time()")
