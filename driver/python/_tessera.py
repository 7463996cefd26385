"""Calls the functions of a compiled Tessera program.

Tensors cross without a copy: by DLPack where both sides speak it, else by the array interface. While a function runs,
other threads of Python run too. The library itself takes the calls that are common, see `_native`.
"""

import ctypes
import struct
import sys

_DTYPES = {  # name: (DLPack type code, bits, NumPy's name; of what NumPy has no type for, the type of its bits)
    "f64": (2, 64, "<f8"), "f32": (2, 32, "<f4"), "f16": (2, 16, "<f2"), "bf16": (4, 16, "<u2"), "c64": (5, 64, "<c8"),
    "i64": (0, 64, "<i8"), "i32": (0, 32, "<i4"), "i16": (0, 16, "<i2"), "i8": (0, 8, "|i1"), "index": (0, 64, "<i8"),
    "u64": (1, 64, "<u8"), "u32": (1, 32, "<u4"), "u16": (1, 16, "<u2"), "u8": (1, 8, "|u1"), "bool": (6, 8, "|b1"),
    "c64 in pairs": (2, 32, "<c8"),  # in `@jit` functions: to the library f32 with one more axis, of 2
}
_NAMES = {form: name for name, (_, _, form) in _DTYPES.items() if name not in ("bf16", "index", "c64 in pairs")}
_C_NUMBERS = {
    "f64": ctypes.c_double, "f32": ctypes.c_float, "i64": ctypes.c_int64, "i32": ctypes.c_int32, "i16": ctypes.c_int16,
    "i8": ctypes.c_int8, "u64": ctypes.c_uint64, "u32": ctypes.c_uint32, "u16": ctypes.c_uint16, "u8": ctypes.c_uint8,
    "bool": ctypes.c_bool, "index": ctypes.c_int64, "f16": ctypes.c_uint16, "bf16": ctypes.c_uint16,
}


class TesseraError(RuntimeError):
    """The program failed: an `assert` of it, or no memory. Tensors that it writes may be half written."""


class ArgumentError(TesseraError, TypeError, ValueError):
    """An argument is of another type, rank or shape than the function takes; nothing was done."""


class _DLTensor(ctypes.Structure):
    _fields_ = [("data", ctypes.c_void_p), ("device_type", ctypes.c_int32), ("device_id", ctypes.c_int32),
                ("ndim", ctypes.c_int32), ("code", ctypes.c_uint8), ("bits", ctypes.c_uint8), ("lanes", ctypes.c_uint16),
                ("shape", ctypes.POINTER(ctypes.c_int64)), ("strides", ctypes.POINTER(ctypes.c_int64)),
                ("byte_offset", ctypes.c_uint64)]


class _DLManagedTensor(ctypes.Structure):
    _fields_ = [("tensor", _DLTensor), ("manager", ctypes.c_void_p), ("deleter", ctypes.CFUNCTYPE(None, ctypes.c_void_p))]


_capsule_pointer = ctypes.pythonapi.PyCapsule_GetPointer
_capsule_pointer.restype = ctypes.c_void_p
_capsule_pointer.argtypes = [ctypes.py_object, ctypes.c_char_p]
_new_capsule = ctypes.pythonapi.PyCapsule_New
_new_capsule.restype = ctypes.py_object
_new_capsule.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
_release = ctypes.pythonapi.Py_DecRef
_release.restype = None
_release.argtypes = [ctypes.py_object]


# ---- tensors into a call ------------------------------------------------------------------------------------------------
def _described(interface, dtype, name, held):
    """A DLTensor over what has NumPy's array interface."""
    form, shape = interface["typestr"], interface["shape"]
    code, bits, wanted = _DTYPES[dtype]
    if form != wanted:
        raise ArgumentError(f"argument `{name}` must be of type {dtype.split()[0]}; it is of {_NAMES.get(form, form)}")
    size = bits // 8
    steps = interface.get("strides")
    if dtype == "c64 in pairs":
        shape = (*shape, 2)
        steps = (*steps, size) if steps is not None else None
    rank = len(shape)
    extents = (ctypes.c_int64 * max(rank, 1))(*shape)
    strides = None
    if steps is not None:
        if any(step % size for step in steps):
            raise ArgumentError(f"argument `{name}` does not lie at whole elements")
        strides = (ctypes.c_int64 * max(rank, 1))(*(step // size for step in steps))
    tensor = _DLTensor(interface["data"][0], 1, 0, rank, code, bits, 1, extents, strides, 0)
    held.append((tensor, extents, strides))
    return ctypes.addressof(tensor)


def _address(value, dtype, writes, name, held):
    """The address of a DLTensor of the value, which `held` keeps alive."""
    try:
        if dtype != "c64 in pairs" and (dtype != "bf16" or not hasattr(value, "__array_interface__")):  # NumPy has its bits
            capsule = value.__dlpack__()
            held.append(capsule)
            return _capsule_pointer(capsule, b"dltensor")
    except (AttributeError, TypeError, BufferError, RuntimeError, ValueError):
        pass
    if getattr(value, "requires_grad", False):
        if writes:
            raise ArgumentError(f"argument `{name}` is written, and has a gradient of PyTorch's")
        return _address(value.detach(), dtype, writes, name, held)
    interface = getattr(value, "__array_interface__", None)
    if interface is None and hasattr(value, "numpy"):
        value = value.numpy()  # PyTorch's types that DLPack has no name for, and complex numbers
        interface = value.__array_interface__
    if interface is None:
        if writes:
            raise ArgumentError(f"argument `{name}` is written: it must be an array, not {type(value).__name__}")
        import numpy
        try:
            value = numpy.ascontiguousarray(value, dtype=_DTYPES[dtype][2]).reshape(numpy.shape(value))
        except (TypeError, ValueError) as error:
            raise ArgumentError(f"argument `{name}` must be a tensor of {dtype.split()[0]}: {error}") from None
        interface = value.__array_interface__
    if writes and interface["data"][1]:
        raise ArgumentError(f"argument `{name}` is written, and the array is read-only")
    held.append(value)
    return _described(interface, dtype, name, held)


# ---- tensors out of one -------------------------------------------------------------------------------------------------
class _Given:
    """A tensor that a call gave, until its last array is gone."""

    __slots__ = ("_address", "_deleter", "__array_interface__")

    def __init__(self, address, dtype):
        managed = _DLManagedTensor.from_address(address)
        tensor = managed.tensor
        self._address = address
        self._deleter = managed.deleter
        size = tensor.bits // 8
        rank = tensor.ndim - (dtype == "c64 in pairs")
        self.__array_interface__ = {"version": 3, "typestr": _DTYPES[dtype][2], "data": (tensor.data or 0, False),
                                    "shape": tuple(tensor.shape[:rank]),
                                    "strides": tuple([step * size for step in tensor.strides[:rank]])}

    def __del__(self):
        self._deleter(self._address)


def _array(address, dtype):
    import numpy
    return numpy.asarray(_Given(address, dtype))


def _torch_tensor(address, dtype):
    if dtype in ("bool", "c64 in pairs"):
        import torch
        return torch.from_numpy(_array(address, dtype))
    from torch.utils.dlpack import from_dlpack
    return from_dlpack(_new_capsule(address, b"dltensor", None))


def _maker(leaves):
    """What makes arrays of the results: those of the library that the first tensor argument comes from."""
    for leaf in leaves:
        module = type(leaf).__module__
        if module == "numpy":
            return _array
        if module == "torch" or module.startswith("torch."):
            return _torch_tensor
    return _array


# ---- numbers ------------------------------------------------------------------------------------------------------------
def _bits_of(value, dtype):
    if dtype == "f16":
        return struct.unpack("<H", struct.pack("<e", value))[0]
    word = struct.unpack("<I", struct.pack("<f", value))[0]
    return (word + 0x7FFF + (word >> 16 & 1)) >> 16 if value == value else 0x7FC0


def _number_of(bits, dtype):
    return struct.unpack("<e", struct.pack("<H", bits))[0] if dtype == "f16" else \
        struct.unpack("<f", struct.pack("<I", bits << 16))[0]


_LIMITS = {name: ((-(1 << bits - 1), (1 << bits - 1) - 1) if code == 0 else (0, (1 << bits) - 1))
           for name, (code, bits, _) in _DTYPES.items() if code in (0, 1)}


def _number(value, dtype, name):
    if dtype in _LIMITS:
        try:
            number = value.__index__()
        except AttributeError:
            raise ArgumentError(f"argument `{name}` must be an {dtype}, not {type(value).__name__}") from None
        low, high = _LIMITS[dtype]
        if not low <= number <= high:
            raise ArgumentError(f"argument `{name}` is {number}, which is no {dtype}")
        return number
    if dtype == "bool":
        return bool(value)
    try:
        number = float(value)
    except (TypeError, ValueError):
        raise ArgumentError(f"argument `{name}` must be a number of {dtype}, not {type(value).__name__}") from None
    try:
        return _bits_of(number, dtype) if dtype in ("f16", "bf16") else number
    except OverflowError:
        raise ArgumentError(f"argument `{name}` is {number}, which is no {dtype}") from None


def _text(value, name):
    if not isinstance(value, str):
        raise ArgumentError(f"argument `{name}` must be a str, not {type(value).__name__}")
    if "\0" in value:
        raise ArgumentError(f"argument `{name}` has a character of code 0")
    return value.encode()


# ---- trees --------------------------------------------------------------------------------------------------------------
# A tree is ("tensor", dtype, writes), ("number", dtype), ("str",), ("none",), ("tuple", trees), ("list", trees),
# ("dict", keys, trees) or ("record", class, fields, trees).
def _flatten(tree, value, name, leaves):
    kind = tree[0]
    if kind in ("tuple", "list"):
        if not isinstance(value, (tuple, list)) or len(value) != len(tree[1]):
            got = f"{len(value)}" if isinstance(value, (tuple, list)) else type(value).__name__
            raise ArgumentError(f"argument `{name}` must be a {kind} of {len(tree[1])}, not {got}")
        for i, part in enumerate(tree[1]):
            _flatten(part, value[i], f"{name}.{i}", leaves)
    elif kind in ("dict", "record"):
        keys, trees = tree[-2:]
        if isinstance(value, dict):
            if set(value) != set(keys):
                raise ArgumentError(f"argument `{name}` must have the keys {', '.join(keys)}; it has {', '.join(map(str, value))}")
            parts = [value[key] for key in keys]
        elif isinstance(value, (tuple, list)) and len(value) == len(keys):
            parts = value
        else:
            missing = [key for key in keys if not hasattr(value, key)]
            if missing:
                raise ArgumentError(f"argument `{name}` has no `{missing[0]}`")
            parts = [getattr(value, key) for key in keys]
        for key, part, one in zip(keys, trees, parts):
            _flatten(part, one, f"{name}.{key}", leaves)
    else:
        leaves.append((tree, value, name))


def _build(tree, leaves):
    kind = tree[0]
    if kind == "none":
        return None
    if kind == "tuple":
        return tuple(_build(part, leaves) for part in tree[1])
    if kind == "list":
        return [_build(part, leaves) for part in tree[1]]
    if kind == "dict":
        return {key: _build(part, leaves) for key, part in zip(tree[1], tree[2])}
    if kind == "record":
        return tree[1](*(_build(part, leaves) for part in tree[3]))
    return next(leaves)


def _leaves(tree):
    if tree[0] in ("tensor", "number", "str"):
        return [tree]
    return [] if tree[0] == "none" else [leaf for part in tree[-1] for leaf in _leaves(part)]


_IS_LEAF = ("tensor", "number", "str")


# ---- calls --------------------------------------------------------------------------------------------------------------
def _native(library, symbol, parameters, result, call, fail):
    """The function as the library itself offers it to CPython: without `ctypes`, where the arguments are dense arrays of
    NumPy, numbers, strings and containers of these. It gives all others to `call`. Where this interpreter
    is none that the library knows, `call` itself.
    """
    if sys.implementation.name != "cpython" or "t" in sys.abiflags:  # without the GIL objects have another layout
        return call
    leaves = [leaf for _, tree in parameters for leaf in _leaves(tree)] + _leaves(result)
    takes_tensors = any(leaf[0] == "tensor" for _, tree in parameters for leaf in _leaves(tree))

    def types():  # NumPy's table of functions, and its types of the elements; None: there are no arrays of it yet
        if takes_tensors and "numpy" not in sys.modules:
            return None
        import numpy
        try:
            from numpy._core import _multiarray_umath as core
        except ImportError:
            from numpy.core import _multiarray_umath as core  # before version 2
        return core._ARRAY_API, tuple(numpy.dtype(_DTYPES[leaf[1]][2]) if leaf[0] == "tensor" else None for leaf in leaves)

    make = ctypes.PyDLL(None, handle=library._handle)[symbol + ".python"]
    make.restype = ctypes.c_void_p
    make.argtypes = [ctypes.py_object]
    address = make((tuple(tree for _, tree in parameters), result, call, fail, types))
    if address is None:
        return call
    made = ctypes.cast(address, ctypes.py_object).value
    _release(made)  # the reference that the library gave
    return made


def caller(library, symbol, last_error, parameters, result):
    """A function of the library. `parameters` are names and trees in order, `result` is a tree."""
    function = getattr(library, symbol)
    of_last_error = getattr(library, last_error)
    of_last_error.restype = ctypes.c_char_p
    taken = [leaf for _, tree in parameters for leaf in _leaves(tree)]
    given = _leaves(result)
    types = {"tensor": lambda leaf: ctypes.c_void_p, "str": lambda leaf: ctypes.c_char_p,
             "number": lambda leaf: _C_NUMBERS[leaf[1]]}
    function.argtypes = [types[leaf[0]](leaf) for leaf in taken] + [ctypes.c_void_p] * len(given)
    function.restype = ctypes.c_int32

    def fail(status):
        message = of_last_error().decode(errors="replace")
        raise ArgumentError(message) if status == 1 else TesseraError(message)

    # The code of a function for just these leaves: a loop over them would take longer than a small function does.
    names = {"function": function, "fail": fail, "byref": ctypes.byref, "_maker": _maker, "_array": _array,
             "_address": _address, "_number": _number, "_text": _text, "_number_of": _number_of}
    lines = ["held = []"]
    passed, tensors = [], []
    for i, leaf in enumerate(taken):
        if leaf[0] == "tensor":
            lines.append(f"p{i} = _address(a{i}, {leaf[1]!r}, {leaf[2]}, n{i}, held)")
            tensors.append(f"a{i}")
        else:
            lines.append(f"p{i} = _number(a{i}, {leaf[1]!r}, n{i})" if leaf[0] == "number" else f"p{i} = _text(a{i}, n{i})")
        passed.append(f"p{i}")
    for i, leaf in enumerate(given):
        names[f"t{i}"] = types[leaf[0]](leaf)
        lines.append(f"o{i} = t{i}()")
        passed.append(f"byref(o{i})")
    lines += [f"status = function({', '.join(passed)})", "if status: fail(status)"]
    if any(leaf[0] == "tensor" for leaf in given):
        lines.append(f"make = _maker(({''.join(one + ', ' for one in tensors)}))" if tensors else "make = _array")
    made = [f"make(o{i}.value, {leaf[1]!r})" if leaf[0] == "tensor" else
            f"_number_of(o{i}.value, {leaf[1]!r})" if leaf[1] in ("f16", "bf16") else f"o{i}.value"
            for i, leaf in enumerate(given)]
    single = result[0] in _IS_LEAF
    lines.append(f"return {made[0]}" if single else f"return ({''.join(one + ', ' for one in made)})")

    def compiled(leaf_names):
        names.update({f"n{i}": name for i, name in enumerate(leaf_names)})
        arguments = ", ".join(f"a{i}" for i in range(len(taken)))
        exec(f"def call({arguments}):\n    " + "\n    ".join(lines), names)
        return names["call"]

    if single and all(tree[0] in _IS_LEAF for _, tree in parameters):
        return _native(library, symbol, parameters, result, compiled([name for name, _ in parameters]), fail)
    shaped = []
    for name, tree in parameters:
        _flatten(tree, _example(tree), name, shaped)
    flat = compiled([name for _, _, name in shaped])

    def call(*arguments):
        leaves = []
        for (name, tree), value in zip(parameters, arguments):
            _flatten(tree, value, name, leaves)
        made = flat(*[value for _, value, _ in leaves])
        return made if single else _build(result, iter(made))

    return _native(library, symbol, parameters, result, call, fail)


def _example(tree):
    """A value of the tree's form."""
    return None if tree[0] in ("none", *_IS_LEAF) else tuple(_example(part) for part in tree[-1])


# ---- gradients by PyTorch -----------------------------------------------------------------------------------------------
def torch_function(call, pullback, parameters, result, differentiated):
    """The function for PyTorch's autograd: gradients reach the tensors among `differentiated`, names of parameters."""
    numbers = [i for i, (name, _) in enumerate(parameters) if name in differentiated]

    def tensors_of(arguments):
        leaves = []
        for i in numbers:
            _flatten(parameters[i][1], arguments[i], parameters[i][0], leaves)
        return [value for tree, value, _ in leaves]

    def run(*arguments):
        import torch
        state = {}

        def flat_result(value):
            leaves = []
            _flatten(result, value, "result", leaves)
            return [one for _, one, _ in leaves]

        class Function(torch.autograd.Function):
            @staticmethod
            def forward(ctx, *_):
                value = call(*arguments)
                state["value"] = value
                return tuple(one if isinstance(one, torch.Tensor) else torch.tensor(one) for one in flat_result(value))

            @staticmethod
            @torch.autograd.function.once_differentiable
            def backward(ctx, *cotangents):
                kinds = _leaves(result)
                given = iter([g.contiguous() if kind[0] == "tensor" else g.item() for kind, g in zip(kinds, cotangents)])
                gradients = pullback(_build(result, given), *arguments)
                if len(numbers) == 1:
                    gradients = (gradients,)
                leaves = []
                for i, gradient in zip(numbers, gradients):
                    _flatten(parameters[i][1], gradient, parameters[i][0], leaves)
                return tuple(g if isinstance(g, torch.Tensor) else None for _, g, _ in leaves)

        given = tensors_of(arguments)
        outcome = Function.apply(*given)
        return _build(result, iter(outcome))

    return run
