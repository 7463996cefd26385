"""Faults of names and calls: unknown, unassigned, defined twice, too many, too few; and of syntax."""

from faults import fault, says_type
from kinds import NUMBERS, SCALARS, Tensor


@fault
def unknown_name(site):
    expr = site.slot("name", "operand", "stored", "assigned", "condition", "index", "bound", "argument", "iterated", "default", "extent", "indexed")
    site.loose = expr is not None and says_type(expr)
    return expr and site.replace(expr, "nowhere")


@fault
def unknown_name_in_default_or_text(site):
    place = site.place(lambda scope: not scope.kernel)
    if place is None:
        return None
    return site.insert(place, site.draw.choice(['print(f"{nowhere}")', "print([nowhere for q in range(3)])", "print([q for q in range(3) if q > nowhere])",
                                                "print(sorted([3, 1], key=lambda q: q + nowhere))", "assert nowhere > 1", "nowhere += 1", "nowhere(3)"]))


@fault
def unknown_function(site):
    expr = site.slot("callee")
    return expr and site.replace(expr, "nowhere")


@fault
def unknown_member(site):
    expr = site.slot("member")
    return expr and site.replace(expr, "nowhere")


@fault
def unknown_in_namespace(site):
    place = site.place()
    return place and site.insert(place, f"{site.fresh()} = {site.draw.choice(['math.sqroot(1.0)', 'tile.linear_idx()', 'math.nowhere', 'tessera.nowhere(1)'])}")


def run_time_number(var):
    return var.type in NUMBERS and var.origin != "static"


@fault
def unassigned(site):
    """Assigned on some paths only."""
    place = site.place(lambda scope: not scope.ended and any(map(run_time_number, scope.vars.values())))
    if place is None:
        return None
    var = site.variable(place.scope, run_time_number)
    name, other = site.fresh(), site.fresh()
    form = site.draw.randrange(5)
    if form == 0:
        return site.insert(place, f"if {var.name} > 3:", f" {name} = 1", f"{other} = {name}")[-1:]
    if form == 1:
        stop = var.name if var.type in ("i32", "index", "i64") else "cast(" + var.name + ", i32)"
        return site.insert(place, f"for {other} in range({stop}):", f" {name} = 1.0", f"{other} = {name} * 2.0")[-1:]
    if form == 2:
        return site.insert(place, f"while {var.name} > 3:", f" {name} = 1", " break", f"{other} = {name} + 1")[-1:]
    if form == 3:
        return site.insert(place, f"{name} = {name} + 1")
    return site.insert(place, f"{other} = 1", f"{name}, {other} = {other}, {name}")[-1:]


@fault
def read_before(site):
    place = site.place(lambda scope: not scope.ended)
    if place is None:
        return None
    name = site.fresh()
    return site.insert(place, f"{site.fresh()} = {name} + 1", f"{name} = 2")[:1]


@fault
def function_twice(site):
    found = site.statements(lambda stmt: stmt.tag == "def" and stmt.block is site.world.module and stmt.scope.function is None)
    if not found:
        return None
    stmt, name = site.draw.choice(found), site.draw.choice(found).facts["function"].name
    made = site.insert(stmt, f"def {name}():", " pass")[0]
    return [made, *[other for other in found if other.facts["function"].name == name]]


@fault
def parameter_twice(site):
    site.loose = True
    found = site.statements(lambda stmt: stmt.tag == "def" and stmt.facts["function"].params)
    if not found:
        return None
    stmt = site.draw.choice(found)
    function = stmt.facts["function"]
    name = site.draw.choice(function.params).name
    closing = max(number for number, part in enumerate(stmt.parts) if part == ")")
    extra = f", {name}" if function.generic else f", {name}: i32"
    if function.defaults:
        extra += " = 1"
    return site.rewrite(stmt, *stmt.parts[:closing], extra, *stmt.parts[closing:])


@fault
def field_twice(site):
    site.loose = True
    found = site.statements(lambda stmt: stmt.tag == "field declaration")
    if not found:
        return None
    stmt = site.draw.choice(found)
    name = stmt.parts[0]
    made = site.insert(stmt, f"{name}i32")
    return [*made, stmt]


def calls(site, test=lambda function: True):
    return site.slot("call", test=lambda expr: hasattr(expr.want, "params") and test(expr.want))


def arguments_of(call):
    """Where the arguments lie among the parts of a call."""
    opening = next(number for number, part in enumerate(call.parts) if isinstance(part, str) and part.endswith("("))
    return opening, len(call.parts) - 1


@fault
def argument_too_many(site):
    call = calls(site)
    if call is None:
        return None
    opening, closing = arguments_of(call)
    named = any(isinstance(part, str) and part.endswith("=") for part in call.parts[opening + 1:closing])
    if named or len([part for part in call.parts[opening + 1:closing] if not isinstance(part, str)]) < len(call.want.params):
        return None
    extra = ("" if closing == opening + 1 else ", ") + "1"
    return site.replace(call, *call.parts[:closing], extra, *call.parts[closing:])


@fault
def argument_lacks(site):
    call = calls(site, lambda function: any(var.name not in function.defaults for var in function.params))
    if call is None:
        return None
    opening, closing = arguments_of(call)
    return site.replace(call, *call.parts[:opening + 1], *call.parts[closing:])


@fault
def keyword_unknown(site):
    call = calls(site)
    if call is None:
        return None
    opening, closing = arguments_of(call)
    return site.replace(call, *call.parts[:closing], ("" if closing == opening + 1 else ", ") + "nowhere=1", *call.parts[closing:])


@fault
def keyword_twice(site):
    call = calls(site, lambda function: len(function.params) > 0)
    if call is None:
        return None
    opening, closing = arguments_of(call)
    if closing == opening + 1 or call.want.params[0].name in call.want.defaults:
        return None     # the call may have left it out
    return site.replace(call, *call.parts[:closing], f", {call.want.params[0].name}=1", *call.parts[closing:])


@fault
def builtin_arguments(site):
    place = site.place()
    if place is None:
        return None
    value = site.value(place.scope, "f32")
    return site.insert(place, f"{site.fresh()} = {site.draw.choice([f'math.sqrt({value}, {value})', 'math.sqrt()', f'math.sqrt({value}, base=2)', f'cast({value})', f'where(True, {value})'])}")


@fault
def called_number(site):
    place = site.place(lambda scope: any(var.type in SCALARS for var in scope.vars.values()))
    return place and site.insert(place, f"{site.variable(place.scope, lambda var: var.type in SCALARS).name}(1)")


@fault
def unpacked_count(site):
    place = site.place()
    if place is None:
        return None
    names = [site.fresh() for _ in range(3)]
    return site.insert(place, site.draw.choice([f"{', '.join(names)} = 1, 2", f"{', '.join(names[:2])} = 1, 2, 3", f"{', '.join(names)} = 5"]))


@fault
def index_count(site):
    """Another number of indices than the tensor has axes."""
    place = site.place(lambda scope: any(isinstance(var.type, Tensor) for var in scope.vars.values()))
    if place is None:
        return None
    var = site.variable(place.scope, lambda var: isinstance(var.type, Tensor))
    return site.insert(place, f"{site.fresh()} = {var.name}[{', '.join(['0'] * (len(var.type.dims) + 1))}]")


@fault
def index_of_number(site):
    place = site.place(lambda scope: any(var.type in NUMBERS for var in scope.vars.values()))
    return place and site.insert(place, f"{site.fresh()} = {site.variable(place.scope, lambda var: var.type in NUMBERS).name}[0]")


@fault
def out_of_loop(site):
    place = site.place(lambda scope: not scope.loops)
    return place and site.insert(place, site.draw.choice(["break", "continue"]))


@fault
def no_value(site):
    place = site.place()
    return place and site.insert(place, f"{site.fresh()} = {site.draw.choice(['tile', 'range(3)', 'math'])}")


@fault
def index_outside(site):
    place = site.place(lambda scope: any(small(var) for var in scope.vars.values()))
    if place is None:
        return None
    var = site.variable(place.scope, small)
    index = [str(dim) if isinstance(dim, int) else "0" for dim in var.type.dims]
    return site.insert(place, f"{site.fresh()} = {var.name}[{', '.join(index)}]")


def small(var):
    return isinstance(var.type, Tensor) and any(isinstance(dim, int) for dim in var.type.dims) and var.origin == "parameter"


@fault
def for_host_or_kernel(site):
    """What the other side knows."""
    place = site.place(lambda scope: scope.function.kind != "plain")
    if place is None:
        return None
    if not place.scope.kernel and place.scope.function.name != "main":
        return None
    if place.scope.kernel:
        return site.insert(place, site.draw.choice([f"{site.fresh()} = zeros((4,), f32)", f"{site.fresh()} = time()", f"{site.fresh()} = arange(3)"]))
    return site.insert(place, site.draw.choice(["tbarrier()", f"{site.fresh()} = tile.linear_id()", f"{site.fresh()} = tshared.alloc[f32](4)",
                                                f"{site.fresh()} = tile.zeros((4, 4), f32)", f"{site.fresh()} = tile.group_id()"]))


@fault
def syntax(site):
    found = site.statements(lambda stmt: stmt.body is not None and stmt.tag in ("if", "for", "while") and not stmt.text().count("\n"))
    if not found:
        return None
    stmt = site.draw.choice(found)
    text = stmt.text()
    return site.rewrite(stmt, site.draw.choice([text[:-1], text.replace(" ", " = ", 1), text[:-1] + ")" + ":", text[:-1] + " $:"]))


@fault
def missing_result(site):
    found = site.statements(lambda stmt: stmt.tag == "return" and stmt.scope.function.result is not None and stmt.scope.function.stmt is not None
                            and stmt.block.owner is stmt.scope.function.stmt and not stmt.scope.function.generic
                            and not stmt.scope.ended)
    if not found:
        return None
    stmt = site.draw.choice(found)
    site.rewrite(stmt, "pass")
    return [stmt.scope.function.stmt]


@fault
def unknown_module(site):
    first = site.world.module[[stmt.tag for stmt in site.world.module].index("import")]
    return site.insert(first, site.draw.choice(["import nowhere_at_all", "from math import nowhere_at_all", "from nowhere_at_all import x"]))


@fault
def unknown_decorator(site):
    found = site.statements(lambda stmt: stmt.tag == "def" and "@kernel" in stmt.text())
    stmt = site.draw.choice(found) if found else None
    return stmt and site.rewrite(stmt, stmt.parts[0].replace("@kernel", "@kernal"), *stmt.parts[1:])
