"""The same works by PyTorch, and so by cuBLAS, cuDNN and its own kernels, timed by the device's events."""

try:
    import torch
except ImportError:
    torch = None


def number(large, name):
    return int(large[large.index("--" + name) + 1])


def copy(large):
    x = torch.ones(number(large, "n"), device="cuda")
    y = torch.empty_like(x)
    return lambda: y.copy_(x)


def saxpy(large):
    x = torch.ones(number(large, "n"), device="cuda")
    y = torch.ones_like(x)
    return lambda: y.add_(x, alpha=0.5)


def transpose(large):
    x = torch.ones(number(large, "m"), number(large, "n"), device="cuda")
    y = torch.empty(number(large, "n"), number(large, "m"), device="cuda")
    return lambda: y.copy_(x.t())


def softmax(large):
    x = torch.randn(number(large, "m"), 4096, device="cuda")
    return lambda: torch.softmax(x, 1)


def layernorm(large):
    x = torch.randn(number(large, "m"), 4096, device="cuda")
    weight, bias = torch.ones(4096, device="cuda"), torch.zeros(4096, device="cuda")
    return lambda: torch.nn.functional.layer_norm(x, (4096,), weight, bias)


def gemm_bf16(large):
    m, n, k = (number(large, name) for name in "mnk")
    a = torch.randint(-4, 5, (m, k), device="cuda").to(torch.bfloat16)
    b = torch.randint(-4, 5, (k, n), device="cuda").to(torch.bfloat16)
    return lambda: a @ b


def gemm_fp8(large):
    m, n, k = (number(large, name) for name in "mnk")
    a = torch.randint(-4, 5, (m, k), device="cuda").to(torch.float8_e4m3fn)
    b = torch.randint(-4, 5, (n, k), device="cuda").to(torch.float8_e4m3fn).t()
    one = torch.ones((), device="cuda")
    return lambda: torch._scaled_mm(a, b, one, one, out_dtype=torch.bfloat16)


def attention_bf16(large):
    shape = (1, number(large, "h"), number(large, "s"), 128)
    q, k, v = (torch.randn(shape, device="cuda", dtype=torch.bfloat16) for _ in range(3))
    return lambda: torch.nn.functional.scaled_dot_product_attention(q, k, v)


def seconds(work, large, repeats=20):
    """The best of some runs; None where PyTorch, a GPU for it or the operation is missing."""
    if torch is None or not torch.cuda.is_available():
        return None
    try:
        step = globals()[work](large)
        best = float("inf")
        for _ in range(repeats):
            begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
            begin.record()
            step()
            end.record()
            torch.cuda.synchronize()
            best = min(best, begin.elapsed_time(end) * 1e-3)
        return best
    except (RuntimeError, AttributeError) as error:
        print(f"PyTorch's {work}: {str(error).splitlines()[0]}")
        return None
    finally:
        torch.cuda.empty_cache()
