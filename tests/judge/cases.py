"""Functions that PyTorch has, too: how each is written in Tessera and with PyTorch, and what it takes.

A parameter is NAME: SHAPE, with the interval that its elements are drawn from where it is not (-2, 2). All are f64, and all
are differentiated.
"""

X = {"x": ((3, 4),)}
XY = {"x": ((3, 4),), "y": ((3, 4),)}
POSITIVE = {"x": ((3, 4), 0.3, 3.0)}
INSIDE = {"x": ((3, 4), -0.9, 0.9)}
SQUARE = {"a": ((4, 4), -1.0, 1.0)}
IMAGES = {"x": ((2, 4, 6, 5),)}

CASES = {}


def case(name, parameters, ours, theirs=None):
    CASES[name] = (parameters, ours, theirs or ours)


# ---- elements -----------------------------------------------------------------------------------------------------------
for name in ("exp", "exp2", "expm1", "sin", "cos", "tanh", "sinh", "cosh", "atan", "erf", "abs", "square", "sigmoid"):
    case(name, X, f"{name}(x)", f"torch.{name}(x)")
for name in ("log", "log2", "log10", "log1p", "sqrt", "rsqrt", "reciprocal"):
    case(name, POSITIVE, f"{name}(x)", f"torch.{name}(x)")
for name in ("asin", "acos", "tan"):
    case(name, INSIDE, f"{name}(x)", f"torch.{name}(x)")
for name in ("relu", "silu", "softplus", "elu", "leaky_relu"):
    case(name, X, f"{name}(x)", f"F.{name}(x)")
case("elu_of_half", X, "elu(x, alpha=0.5)", "F.elu(x, alpha=0.5)")
case("leaky_relu_of_fifth", X, "leaky_relu(x, slope=0.2)", "F.leaky_relu(x, 0.2)")
case("gelu", X, "gelu(x)", "F.gelu(x, approximate='tanh')")
case("gelu_by_erf", X, 'gelu(x, approximate="none")', "F.gelu(x)")
case("cbrt", POSITIVE, "math.cbrt(x)", "x ** (1 / 3)")
case("add", XY, "x + y")
case("subtract", XY, "x - y")
case("multiply", XY, "x * y")
case("divide", {"x": ((3, 4),), "y": ((3, 4), 0.5, 2.0)}, "x / y")
case("pow", {"x": ((3, 4), 0.3, 2.0), "y": ((3, 4),)}, "x ** y")
case("cube", X, "x ** 3")
case("atan2", XY, "atan2(x, y)", "torch.atan2(x, y)")
case("logaddexp", XY, "logaddexp(x, y)", "torch.logaddexp(x, y)")
case("maximum", XY, "maximum(x, y)", "torch.maximum(x, y)")
case("minimum", XY, "minimum(x, y)", "torch.minimum(x, y)")
case("where", XY, "where(x > y, x * y, x + y)", "torch.where(x > y, x * y, x + y)")
case("clip", X, "clip(x, -0.5, 0.7)", "torch.clamp(x, -0.5, 0.7)")
case("column_and_row", {"x": ((3, 1),), "y": ((4,),)}, "x * exp(y)", "x * torch.exp(y)")

# ---- along axes ---------------------------------------------------------------------------------------------------------
for axis in (0, 1, None):
    along, dim = ("", "") if axis is None else (f", axis={axis}", f", dim={axis}")
    end = "" if axis is None else f"_{axis}"
    case(f"sum{end}", X, f"sum(x{along})", f"torch.sum(x{dim})")
    case(f"mean{end}", X, f"mean(x{along})", f"torch.mean(x{dim})")
    case(f"prod{end}", X, f"prod(x{along})", f"torch.prod(x{dim})")
    case(f"max{end}", X, f"max(x{along})", "torch.max(x)" if axis is None else f"torch.max(x{dim}).values")
    case(f"min{end}", X, f"min(x{along})", "torch.min(x)" if axis is None else f"torch.min(x{dim}).values")
    if axis is not None:
        case(f"softmax{end}", X, f"softmax(x{along})", f"F.softmax(x{dim})")
        case(f"log_softmax{end}", X, f"log_softmax(x{along})", f"F.log_softmax(x{dim})")
        case(f"logsumexp{end}", X, f"logsumexp(x{along})", f"torch.logsumexp(x{dim})")
        case(f"cumsum{end}", X, f"cumsum(x{along})", f"torch.cumsum(x{dim})")
        case(f"cumprod{end}", X, f"cumprod(x{along})", f"torch.cumprod(x{dim})")
        case(f"sort{end}", X, f"sort(x{along})", f"torch.sort(x{dim}).values")
        case(f"norm{end}", X, f"norm(x{along})", f"torch.linalg.vector_norm(x{dim})")
        case(f"flip{end}", X, f"flip(x{along}) * x", f"torch.flip(x, ({axis},)) * x")
        case(f"roll{end}", X, f"roll(x, 1{along}) * x", f"torch.roll(x, 1, {axis}) * x")
case("var", X, "var(x, axis=1)", "torch.var(x, dim=1, unbiased=False)")
case("std", X, "std(x, axis=0)", "torch.std(x, dim=0, unbiased=False)")

# ---- normalizations and losses ------------------------------------------------------------------------------------------
NORMED = {"x": ((3, 8),), "w": ((8,),), "b": ((8,),)}
case("layernorm", NORMED, "layernorm(x, w, b)", "F.layer_norm(x, (8,), w, b)")
case("rmsnorm", {"x": ((3, 8),), "w": ((8,),)}, "rmsnorm(x, w)", "x * torch.rsqrt((x * x).mean(-1, keepdim=True) + 1e-6) * w")
case("groupnorm", {"x": ((2, 4, 3, 2),), "w": ((4,),), "b": ((4,),)}, "groupnorm(x, 2, w, b)", "F.group_norm(x, 2, w, b)")
case("mse", XY, "mse(x, y)", "F.mse_loss(x, y)")
case("l1", XY, "l1(x, y)", "F.l1_loss(x, y)")
case("huber", XY, "huber(x, y)", "F.huber_loss(x, y)")
case("bce_with_logits", {"x": ((3, 4),), "y": ((3, 4), 0.0, 1.0)}, "bce_with_logits(x, y)",
     "F.binary_cross_entropy_with_logits(x, y)")
LABELS = "from_list([1, 3, 0])", "torch.tensor([1, 3, 0])"
case("cross_entropy", X, f"cross_entropy(x, {LABELS[0]})", f"F.cross_entropy(x, {LABELS[1]})")
case("nll", X, f"nll(log_softmax(x), {LABELS[0]})", f"F.nll_loss(F.log_softmax(x, -1), {LABELS[1]})")

# ---- products -----------------------------------------------------------------------------------------------------------
case("matmul", {"a": ((3, 4),), "b": ((4, 5),)}, "a @ b")
case("matmul_of_turned", {"a": ((4, 3),), "b": ((5, 4),)}, "a.T @ b.T")
case("matrix_by_vector", {"a": ((3, 4),), "b": ((4,),)}, "a @ b")
case("bmm", {"a": ((2, 3, 4),), "b": ((2, 4, 5),)}, "bmm(a, b)", "torch.bmm(a, b)")
case("outer", {"a": ((3,),), "b": ((4,),)}, "outer(a, b)", "torch.outer(a, b)")
case("dot", {"a": ((5,),), "b": ((5,),)}, "dot(a, b)", "torch.dot(a, b)")
case("einsum", {"a": ((2, 3, 4),), "b": ((4, 5, 3),)}, 'einsum("bij,jki->bk", a, b)', 'torch.einsum("bij,jki->bk", a, b)')
case("attention", {"q": ((1, 2, 5, 8),), "k": ((1, 2, 7, 8),), "v": ((1, 2, 7, 8),)}, "flash_attention(q, k, v)",
     "torch.softmax(q @ k.transpose(-1, -2) / 8 ** 0.5, -1) @ v")
case("causal_attention", {"q": ((1, 2, 6, 8),), "k": ((1, 2, 6, 8),), "v": ((1, 2, 6, 8),)},
     "flash_attention(q, k, v, causal=True)",
     "torch.softmax((q @ k.transpose(-1, -2) / 8 ** 0.5).masked_fill(torch.ones(6, 6).triu(1).bool(), -float('inf')), -1) @ v")

# ---- images -------------------------------------------------------------------------------------------------------------
WEIGHTS = {**IMAGES, "w": ((3, 4, 3, 3),), "b": ((3,),)}
case("conv2d", WEIGHTS, "conv2d(x, w, b)", "F.conv2d(x, w, b)")
case("conv2d_padded", WEIGHTS, "conv2d(x, w, b, stride=2, padding=1)", "F.conv2d(x, w, b, stride=2, padding=1)")
case("conv2d_dilated", WEIGHTS, "conv2d(x, w, b, dilation=2)", "F.conv2d(x, w, b, dilation=2)")
case("conv2d_grouped", {**IMAGES, "w": ((6, 2, 3, 2),)}, "conv2d(x, w, groups=2)", "F.conv2d(x, w, groups=2)")
case("conv2d_of_channels", {**IMAGES, "w": ((4, 1, 3, 3),)}, "conv2d(x, w, padding=1, groups=4)",
     "F.conv2d(x, w, padding=1, groups=4)")
case("conv1d", {"x": ((2, 3, 9),), "w": ((4, 3, 3),)}, "conv1d(x, w, padding=1)", "F.conv1d(x, w, padding=1)")
case("conv_transpose2d", {"x": ((2, 3, 4, 3),), "w": ((3, 2, 3, 3),)}, "conv_transpose2d(x, w, stride=2, padding=1)",
     "F.conv_transpose2d(x, w, stride=2, padding=1)")
case("avg_pool2d", IMAGES, "avg_pool2d(x, 2)", "F.avg_pool2d(x, 2)")
case("max_pool2d", IMAGES, "max_pool2d(x, 2)", "F.max_pool2d(x, 2)")
case("interpolate", IMAGES, "interpolate(x, 2)", "F.interpolate(x, scale_factor=2)")

# ---- matrices -----------------------------------------------------------------------------------------------------------
APART = "a + 4.0 * eye(4, dtype=f64)", "a + 4.0 * torch.eye(4, dtype=a.dtype)"
case("solve", {**SQUARE, "b": ((4, 2),)}, f"solve({APART[0]}, b)", f"torch.linalg.solve({APART[1]}, b)")
case("inv", SQUARE, f"inv({APART[0]})", f"torch.linalg.inv({APART[1]})")
case("det", SQUARE, f"det({APART[0]})", f"torch.linalg.det({APART[1]})")
case("cholesky", SQUARE, "cholesky(a @ a.T + eye(4, dtype=f64))", "torch.linalg.cholesky(a @ a.T + torch.eye(4, dtype=a.dtype))")
case("trace", SQUARE, "trace(a @ a)", "torch.trace(a @ a)")
case("tril", SQUARE, "tril(a @ a, -1)", "torch.tril(a @ a, -1)")
case("triu", SQUARE, "triu(a @ a)", "torch.triu(a @ a)")
case("diag", {"x": ((4,),)}, "diag(x * x)", "torch.diag(x * x)")

# ---- places -------------------------------------------------------------------------------------------------------------
case("turned", X, "x.T * 2.0")
case("slices", X, "x[1:, ::2] * x[:2, 1::2]")
case("concat", XY, "concat([x, y * y], axis=1)", "torch.cat([x, y * y], dim=1)")
case("stack", XY, "stack([x, y * x])", "torch.stack([x, y * x])")
case("pad", X, "pad(x * x, ((1, 0), (0, 2)))", "F.pad(x * x, (0, 2, 1, 0))")
case("gather", X, "gather(x * x, from_list([[0, 2], [1, 1], [3, 0]]), axis=1)",
     "torch.gather(x * x, 1, torch.tensor([[0, 2], [1, 1], [3, 0]]))")
case("rows", X, "(x * x)[from_list([2, 0, 2])]", "(x * x)[torch.tensor([2, 0, 2])]")
case("embedding", {"x": ((5, 3),)}, "embedding(x * x, from_list([[1, 4], [1, 0]]))",
     "F.embedding(torch.tensor([[1, 4], [1, 0]]), x * x)")
case("repeat", X, "repeat(x * x, 2, axis=0)", "torch.repeat_interleave(x * x, 2, dim=0)")
