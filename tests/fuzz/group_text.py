"""The text of kernels as Python syntax trees: what of a program's text the judge of kernels reads."""

import ast
import re
from dataclasses import dataclass

COLLECTIVE = {"tbarrier", "tile.barrier", "tile.reduce_sum", "tile.reduce_min", "tile.reduce_max", "tile.any", "tile.all",
              "tile.shuffle", "tile.broadcast", "tile.ballot"}
OVER_GROUP = {"tile.reduce_sum", "tile.reduce_min", "tile.reduce_max", "tile.any", "tile.all"}  # give one value for all tiles
TILE_IDS = {"tile.linear_id", "tile.local_id", "tile.lane_id"}
ATOMICS = {"atomic.add", "atomic.min", "atomic.max"}


@dataclass
class Kernel:
    name: str
    shape: tuple      # tiles of a group, axis 0 fastest
    tree: ast.FunctionDef
    functions: dict   # name -> ast.FunctionDef

    @property
    def tiles(self):
        product = 1
        for extent in self.shape:
            product *= extent
        return product


def kernel_of(text):
    """The one kernel of a program, which is not flat, and the functions that it may call."""
    clause = re.search(r"@kernel tile\[\(([^)]*)\)\]", text)
    shape = tuple(int(part) for part in clause[1].split(",") if part.strip()) if clause else (128,)
    python = text.replace(clause[0], "@kernel") if clause else text
    python = re.sub(r"\b(mut|static) (?=\w)", "", python)
    functions = {node.name: node for node in ast.parse(python).body if isinstance(node, ast.FunctionDef)}
    kernel = next(node for node in functions.values() if node.decorator_list)
    return Kernel(kernel.name, shape, kernel, functions)


def callee(node):
    """`tile.reduce_sum` for the call of it."""
    return ast.unparse(node.func)


def is_tile_range(statement):
    return isinstance(statement, ast.For) and isinstance(statement.iter, ast.Call) and callee(statement.iter) == "tile.range"


def assigned_names(statements):
    """Every variable that the statements assign, loop indices included."""
    found = set()
    for statement in statements:
        for node in ast.walk(statement):
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
                found.add(node.id)
    return found


def read_names(statements):
    return {node.id for statement in statements for node in ast.walk(statement)
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load)}


def calls_in(statements, functions):
    """The names of everything called below, also by functions that are called."""
    found = set()
    for statement in statements:
        for node in ast.walk(statement):
            if isinstance(node, ast.Call) and callee(node) not in found:
                found.add(callee(node))
                if callee(node) in functions:
                    found |= calls_in(functions[callee(node)].body, functions)
    return found


def bound_arguments(function, call):
    """The expression of each parameter of an inlined call; a default where the call has none."""
    names = [argument.arg for argument in function.args.args]
    found = dict(zip(names[len(names) - len(function.args.defaults):], function.args.defaults))
    found.update(zip(names, call.args))
    found.update({keyword.arg: keyword.value for keyword in call.keywords})
    return found
