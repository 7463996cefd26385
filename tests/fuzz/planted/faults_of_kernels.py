"""Faults of kernels: who comes where, what happens at once, what is static, what a copy needs."""

import re

from faults import fault
from kinds import NUMBERS, Tensor


def grouped(scope):
    return (scope.function.kind == "group" and "t" in scope.vars and not scope.varying and "spread" not in scope.loops
            and not scope.decided and not scope.ended)


@fault
def collective_under_varying(site):
    place = site.place(grouped)
    if place is None:
        return None
    name = site.fresh()
    over = site.draw.choice(["if t < 3:", "if t == 0 or t > 5:", "while t < 3:", f"for {name} in range(t):", "if t % 2 == 0 and t > 3:"])
    inner = site.draw.choice(["tbarrier()", f"{site.fresh()} = tile.reduce_sum(1.0)", f"{site.fresh()} = tile.any(t > 3)", f"{site.fresh()} = tile.shuffle(1.0, 3)",
                              f"{site.fresh()} = tile.scan(1.0)", f"{site.fresh()} = tile.zeros((4,), f32)"])
    return site.insert(place, over, " " + inner)[1:]


@fault
def collective_behind_varying_end(site):
    place = site.place(grouped)
    if place is None or place.scope.loops:
        return None
    name = site.fresh()
    made = site.insert(place, f"for {name} in range(4):", " if t > 5: break", " tbarrier()")
    return made[2:]


@fault
def tile_of_varying(site):
    place = site.place(grouped)
    if place is None:
        return None
    return site.insert(place, f"{site.fresh()} = tile.zeros((8,), f32) + cast(t, f32)")


@fault
def buffer_chosen_by_varying(site):
    place = site.place(grouped)
    if place is None:
        return None
    names = [site.fresh() for _ in range(4)]
    return site.insert(place, f"{names[0]} = [tshared.alloc[f32](8), tshared.alloc[f32](8)]", f"{names[1]} = {names[0]}[t % 2]", f"{names[1]}[t % 8] = 1.0")[1:]


@fault
def copy_start_varies(site):
    place = site.place(lambda scope: grouped(scope) and any(copied(var) for var in scope.vars.values()))
    if place is None:
        return None
    var, name = site.variable(place.scope, copied), site.fresh()
    return site.insert(place, f"{name} = tshared.alloc[{var.type.elem}](8)", f"tile.cp_async({name}, {var.name}[t:t+8])", "tbarrier()")[1:2]


def copied(var):
    return isinstance(var.type, Tensor) and len(var.type.dims) == 1 and not var.writable and var.type.elem in ("f32", "i32")


@fault
def copy_not_awaited(site):
    """The data of a copy, read without the barrier that ends it."""
    found = site.statements(lambda stmt: stmt.tag == "copy barrier")
    if not found:
        return None
    barrier = site.draw.choice(found)
    at = barrier.block.index(barrier)
    site.remove(barrier)
    return [barrier.block[at]]


@fault
def copy_not_committed(site):
    found = site.statements(lambda stmt: stmt.tag == "wait")
    if not found:
        return None
    wait = site.draw.choice(found)
    at = wait.block.index(wait)
    site.remove(wait)
    return wait.block[at:at + 2]


@fault
def copied_view(site):
    found = site.statements(lambda stmt: stmt.tag == "copy")
    if not found:
        return None
    stmt = site.draw.choice(found)
    view = next(expr for expr in stmt.expressions() if expr.role == "view")
    return site.replace(view, *view.parts[:-1], view.parts[-1].replace("]", " - 1]"))


def spread(scope):
    return scope.loops and scope.loops[-1] == "spread" and (scope.function.kind == "group")


@fault
def spread_loop_left(site):
    """`break` and `return` out of a loop whose rounds run at once."""
    place = site.place(spread)
    if place is None:
        return None
    leave = site.draw.choice(["break", "return"])
    var = site.variable(place.scope, lambda var: var.type in NUMBERS and var.origin in ("parameter", "dimension", "loop"))
    return var and site.insert(place, f"if {var.name} > 3:", f" {leave}")[1:]


@fault
def returned_from_inner(site):
    place = site.place(spread)
    return place and site.insert(place, f"for {site.fresh()} in range(3):", " return")[1:]


@fault
def race(site):
    """Iterations that run at once touch one element."""
    found = site.statements(lambda stmt: stmt.tag == "spread store" and not stmt.scope.decided and not stmt.scope.ended)
    if not found:
        return None
    stmt = site.draw.choice(found)
    target = stmt.text().split(" = ")[0]
    name, index = target.split("[")[0], target.split("[")[1].rstrip("]").split(", ")
    value = stmt.parts[-1]
    others = [other for other in stmt.scope.function.stmt.body.walk() if other.parts and re.match(rf"{name}\[[^=]*=", other.text())]
    form = site.draw.randrange(4)
    if form == 0:
        return site.rewrite(stmt, f"{name}[{', '.join(['0', *index[1:]])}] = ", value)
    if form == 1:
        return [*others, *site.insert(stmt, f"{site.fresh()} = {name}[{', '.join([index[0] + ' + 1', *index[1:]])}]")]
    if form == 2:
        return [*others, *site.insert(stmt, f"{name}[{', '.join([*index[:-1], index[-1] + ' + 1'])}] = {site.value(stmt.scope, value.type)}")] if value.want in (value.type,) else None
    return site.rewrite(stmt, f"{name}[{', '.join(['3'] * len(index))}] = ", value)


@fault
def extent_not_static(site):
    place = site.place(lambda scope: scope.function.kind == "group" and any(unknown(var) for var in scope.vars.values()) and "spread" not in scope.loops and not scope.varying)
    if place is None:
        return None
    name = site.variable(place.scope, unknown).name
    return site.insert(place, f"{site.fresh()} = " + site.draw.choice([f"tshared.alloc[f32]({name})", f"tile.zeros(({name}, 4), f32)", f"tile.alloc_shared((4, {name}), f32)",
                                                                      f"tile.full((8, {name}), 1.0, f32)", f"[1.0 for q in range({name})]"]))


def unknown(var):
    return var.type in ("i32", "index") and var.origin in ("parameter", "dimension")


@fault
def memory_limit(site):
    place = site.place(lambda scope: grouped(scope) and "shared(" in scope.function.stmt.text())
    return place and site.insert(place, f"{site.fresh()} = tshared.alloc[f32](32768)")


@fault
def calls_kernel(site):
    place = site.place(lambda scope: scope.kernel and scope.function.kind != "plain")
    found = [f for f in site.world.functions if f.kind in ("flat", "group") and place is not None]
    if place is None or not found:
        return None
    return site.insert(place, f"{site.draw.choice(found).name}()")


@fault
def host_thing_in_kernel(site):
    place = site.place(lambda scope: scope.kernel and scope.function.kind in ("flat", "group"))
    return place and site.insert(place, f"{site.fresh()} = " + site.draw.choice(['{"a": 1}', "load(\"a.npy\")", "randn((3,))"]))


@fault
def launch_groups(site):
    found = site.statements(lambda stmt: stmt.tag == "launch" and site.inside(stmt))
    if not found:
        return None
    stmt = site.draw.choice(found)
    arguments = stmt.parts[stmt.parts.index("("):]
    return site.rewrite(stmt, stmt.parts[0], site.draw.choice(["[0.5]", "[1, 2, 3, 4]", '["a"]']), *arguments)


@fault
def group_size(site):
    found = site.statements(lambda stmt: stmt.tag == "def" and "tile[(" in stmt.text())
    if not found:
        return None
    stmt = site.draw.choice(found)
    head = re.sub(r"tile\[\(\d+,\)\]", site.draw.choice(["tile[(2048,)]", "threads(128)", "tile[(0,)]"]), stmt.parts[0])
    return site.rewrite(stmt, head, *stmt.parts[1:])


@fault
def atomic_target(site):
    place = site.place(lambda scope: scope.kernel and scope.function.kind in ("flat", "group") and any(
        isinstance(var.type, Tensor) and not var.writable for var in scope.vars.values()))
    if place is None:
        return None
    var = site.variable(place.scope, lambda var: isinstance(var.type, Tensor) and not var.writable)
    return site.insert(place, f"atomic.add({var.name}[{', '.join(['0'] * len(var.type.dims))}], 1)")


@fault
def vector_index(site):
    place = site.place(lambda scope: scope.kernel and any(hasattr(var.type, "width") for var in scope.vars.values()))
    if place is None:
        return None
    var = site.variable(place.scope, lambda var: hasattr(var.type, "width"))
    return site.insert(place, f"{site.fresh()} = {var.name}[{var.type.width}]")


@fault
def variable_of_module(site):
    """A name that a module assigns twice is no constant for kernels."""
    place = site.place(lambda scope: scope.kernel and scope.function.kind in ("flat", "group"))
    if place is None:
        return None
    first = site.world.module[[stmt.tag for stmt in site.world.module].index("import")]
    name = site.fresh()
    site.insert(first, f"{name} = 1", f"{name} = {name} + 1")
    return site.insert(place, f"{site.fresh()} = {name}")
