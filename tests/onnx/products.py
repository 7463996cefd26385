"""ONNX operators of products and of quantized numbers in the language."""

from translate import Value, broadcast, literal, operator, tuple_text


@operator("MatMul")
def matmul(call):
    a, b = call.input(0), call.input(1)
    shape = None
    if a.shape is not None and b.shape is not None and a.rank > 1 and b.rank > 1:
        shape = broadcast(a.shape[:-2], b.shape[:-2]) + (a.shape[-2], b.shape[-1])
    return Value(f"({a.text} @ {b.text})", a.type, shape)


@operator("Gemm")
def gemm(call):
    a, b = call.input(0), call.input(1)
    left = a.text + (".T" if call.attribute("transA", 0) else "")
    right = b.text + (".T" if call.attribute("transB", 0) else "")
    alpha, beta = float(call.attribute("alpha", 1.0)), float(call.attribute("beta", 1.0))
    text = f"{left} @ {right}"
    text = text if alpha == 1 else f"{literal(alpha)} * ({text})"
    if call.has(2):
        text += f" + {call.input(2).text}" if beta == 1 else f" + {literal(beta)} * {call.input(2).text}"
    return Value(f"({text})", a.type, None)


@operator("Einsum")
def einsum(call):
    equation = call.attribute("equation").replace(" ", "")
    xs = call.inputs()
    return Value(f'einsum("{equation}", {", ".join(x.text for x in xs)})', xs[0].type, None)


@operator("Det")
def determinant(call):
    return Value(f"det({call.input().text})", call.input().type, call.input().extents[:-2])


@operator("MatMulInteger")
def matmul_integer(call):
    a, b = (wide(call, number, number + 2) for number in (0, 1))
    return Value(f"({a} @ {b})", "i32", None)


def wide(call, number, zero):
    """An operand of 8 bits without its zero point, as i32."""
    text = f"cast({call.input(number).text}, i32)"
    return f"({text} - cast({call.input(zero).text}, i32))" if call.has(zero) else text


@operator("QLinearMatMul")
def quantized_matmul(call):
    a, a_scale, a_zero, b, b_scale, b_zero, scale, zero = (call.input(number).text for number in range(8))
    product = f"cast((cast({a}, i32) - cast({a_zero}, i32)) @ (cast({b}, i32) - cast({b_zero}, i32)), f32)"
    text = f"round({product} * ({a_scale} * {b_scale} / {scale})) + cast({zero}, f32)"
    return Value(f"cast({text}, u8)", "u8", None)


def column(call, value, like, axis):
    """A scale or zero point of one axis, to be broadcast along it."""
    if value.rank == 0 or value.extents == (1,):
        return value.text
    return f"reshape({value.text}, {tuple_text([value.extents[0]] + [1] * (like.rank - 1 - axis % like.rank))})"


@operator("QuantizeLinear")
def quantize(call):
    x, axis = call.input(), call.attribute("axis", 1)
    scale = column(call, call.input(1), x, axis)
    zero = f" + cast({column(call, call.input(2), x, axis)}, f32)" if call.has(2) else ""
    to = call.input(2).type if call.has(2) else "u8"
    return Value(f"cast(round({x.text} / {scale}){zero}, {to})", to, x.shape)


@operator("DequantizeLinear")
def dequantize(call):
    x, axis = call.input(), call.attribute("axis", 1)
    scale = column(call, call.input(1), x, axis)
    zero = f" - cast({column(call, call.input(2), x, axis)}, f32)" if call.has(2) else ""
    return Value(f"(cast({x.text}, f32){zero}) * {scale}", "f32", x.shape)


@operator("DynamicQuantizeLinear")
def quantize_by_range(call):
    x = call.input()
    low = call.name(f"minimum(min({x.text}), 0.0)", "f32", ())
    scale = call.name(f"(maximum(max({x.text}), 0.0) - {low.text}) / 255.0", "f32", ())
    zero = call.name(f"clip(round(-{low.text} / {scale.text}), 0.0, 255.0)", "f32", ())
    return [Value(f"cast(round({x.text} / {scale.text}) + {zero.text}, u8)", "u8", x.shape), scale,
            Value(f"cast({zero.text}, u8)", "u8", ())]
