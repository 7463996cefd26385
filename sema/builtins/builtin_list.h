// Every name of the root namespace `tessera` but the element types: one row each.
//   X(identifier, "paths", where, feature, "parameters", "documentation")
// Paths: all spellings, separated by blanks, the usual one first. Where: K kernels, H host functions, G graphs.
// Feature: `none` is compiled; any other is parsed and refused by that feature's diagnostic.
// Parameters: `name` required, `name?` optional, `*name` any number, `name+` a shape: one tuple or integer, or extents
// one by one; what follows `|` is by keyword only; "-" is a value, not a function. `T` as a name takes a type.
#pragma once

// clang-format off

// Of one tile alone, in kernels.
#define TSR_BUILTINS_TILE(X) \
    X(linear_id, "tile.linear_id", K, none, "", "This tile's index: in the launch in a flat kernel, else in its group.") \
    X(context, "tile.context", K, none, "", "Record of tuning parameters and dimensions: `ctx.BLOCK_M`, `ctx.D`.") \
    X(tile_range, "tile.range", K, none, "start, stop?, step? | prefetch?", "A loop that says nothing about who runs its rounds.") \
    X(alloc_register, "tile.alloc_register", K, none, "T", "Declares a variable of a type without a value.") \
    X(load, "tile.load", K, none, "source | index?, fill?", "One element of a tensor or buffer, or a register tile from a view; outside is `fill`, else 0.") \
    X(store, "tile.store", K, none, "target | index?, value", "Writes one element, or a register tile to a view.") \
    X(load_vector, "load_vector tile.load_vector", K, none, "source | index?, width", "`width` consecutive elements of the last axis.") \
    X(store_vector, "store_vector tile.store_vector", K, none, "target, value | index?", "Writes consecutive elements of the last axis.") \
    X(atomic_add, "atomic.add tile.atomic.add", K, none, "target, value | index?", "Adds to an element, atomically; gives its old value. Of a view: each element, nothing is given.") \
    X(atomic_min, "atomic.min tile.atomic.min", K, none, "target, value | index?", "Lowers an element, atomically; gives its old value. Of a view: each element, nothing is given.") \
    X(atomic_max, "atomic.max tile.atomic.max", K, none, "target, value | index?", "Raises an element, atomically; gives its old value. Of a view: each element, nothing is given.") \
    X(atomic_bit_and, "atomic.bit_and atomic.and_ atomic.band tile.atomic.bit_and", K, none, "target, value | index?", "Bitwise and into an element, atomically; gives its old value.") \
    X(atomic_bit_or, "atomic.bit_or atomic.or_ atomic.bor tile.atomic.bit_or", K, none, "target, value | index?", "Bitwise or into an element, atomically; gives its old value.") \
    X(atomic_bit_xor, "atomic.bit_xor atomic.xor atomic.xor_ tile.atomic.bit_xor", K, none, "target, value | index?", "Bitwise exclusive or into an element, atomically; gives its old value.") \
    X(atomic_exchange, "atomic.exchange atomic.xchg atomic.exch tile.atomic.exchange", K, none, "target, value | index?", "Replaces an element, atomically; gives its old value.") \
    X(atomic_compare_exchange, "atomic.compare_exchange atomic.cas tile.atomic.compare_exchange", K, none, "target, expected, value | index?", "Replaces an element that has the expected value, atomically; gives its old value.") \
    X(tile_local, "tile.local", K, none, "shape, T", "An array of each tile's own, of a static shape; contents undefined at first.")

// Of the thread block: a kernel that is flat by its header has none (language reference, section 4, "Flat kernels").
#define TSR_BUILTINS_GROUP(X) \
    X(local_id, "tile.local_id", K, none, "axis?", "This tile's index in its group, along an axis of `tile[(X, Y)]`, axis 0 fastest.") \
    X(lane_id, "tile.lane_id", K, none, "", "This tile's index in its warp: 32 consecutive tiles.") \
    X(group_size, "tile.group_size group_tile_count tile.group_tile_count", K, none, "", "Tiles in the group.") \
    X(group_id, "tile.group_id group_linear_id tile.group_linear_id", K, none, "axis?", "This group's index.") \
    X(grid_groups, "grid_groups tile.grid_groups", K, none, "-", "The number of groups of the launch; also a dimension in a kernel's header.") \
    X(barrier, "tbarrier tile.barrier", K, none, "", "All tiles of the group wait for each other; what they wrote to shared memory is visible after it.") \
    X(alloc_shared, "tile.alloc_shared", K, none, "shape, T | layout?, swizzle?, alignment?", "A buffer in the group's shared memory; its contents are undefined at first.") \
    X(tshared_alloc, "tshared.alloc", K, none, "*shape | layout?, swizzle?, alignment?", "`tshared.alloc[f16](BM, BK)`: a buffer in the group's shared memory.") \
    X(cp_async, "cp_async.shared.global tile.cp_async", K, none, "dst, src", "Starts to copy a view of a tensor into a shared buffer; the data may be read after the next `tbarrier()`.") \
    X(cp_commit_group, "tile.cp_commit_group cp_async.commit_group", K, none, "", "Closes the group of copies started since the last one.") \
    X(cp_wait_group, "tile.cp_wait_group cp_async.wait_group", K, none, "n", "Waits until at most n groups of copies are under way.") \
    X(group_reduce_sum, "tile.reduce_sum", K, none, "value | out?", "The sum of a value over the group's tiles.") \
    X(group_reduce_max, "tile.reduce_max", K, none, "value | out?", "The largest of a value over the group's tiles.") \
    X(group_reduce_min, "tile.reduce_min", K, none, "value | out?", "The smallest of a value over the group's tiles.") \
    X(group_reduce_prod, "tile.reduce_prod", K, none, "value | out?", "The product of a value over the group's tiles.") \
    X(group_any, "tile.any", K, none, "condition", "Whether a condition holds in some tile of the group.") \
    X(group_all, "tile.all", K, none, "condition", "Whether a condition holds in every tile of the group.") \
    X(scan, "tile.scan", K, none, "value | op?, axis?", "Inclusive scan: of a value over the group's tiles by their linear index, or of a register tile along an axis; op is \"add\", \"mul\", \"min\" or \"max\".") \
    X(shuffle, "tile.shuffle", K, none, "value, lane", "The value of another lane of the warp.") \
    X(warp_broadcast, "tile.broadcast", K, none, "value, lane?", "The value of one lane of the warp in all of them.") \
    X(ballot, "tile.ballot", K, none, "condition", "A u32 with one bit per lane of the warp: whether the condition holds there.") \
    X(buffer_reduce_sum, "reduce_sum", K, none, "buffer | out?", "The sum of a shared buffer's elements.") \
    X(buffer_reduce_max, "reduce_max", K, none, "buffer | out?", "The largest of a shared buffer's elements.") \
    X(buffer_reduce_min, "reduce_min", K, none, "buffer | out?", "The smallest of a shared buffer's elements.") \
    X(buffer_reduce_prod, "reduce_prod", K, none, "buffer | out?", "The product of a shared buffer's elements.")

// Of register tiles, which are the thread block's, too. Each has a rule in builtin_calls/register_tile_calls.cpp and code
// in elaborate/tile_builtins.cpp.
#define TSR_BUILTINS_REGISTER_TILE(X) \
    X(tile_zeros, "tile.zeros", K, none, "shape, T", "A register tile of zeros.") \
    X(tile_full, "tile.full", K, none, "shape, value, T", "A register tile of one value.") \
    X(tile_iota, "tile.iota", K, none, "shape, axis?", "A register tile of indices along an axis, i32.") \
    X(tile_flip, "tile.flip", K, none, "x, axis?", "The elements of a register tile along an axis in reverse order.") \
    X(tile_row_max, "tile.row_max", K, none, "x | out?", "The largest of each row of a register tile.") \
    X(tile_row_sum, "tile.row_sum", K, none, "x | out?", "The sum of each row of a register tile.") \
    X(tile_reduce, "tile.reduce", K, none, "x, axis, op | out?", "A register tile combined along an axis; op is \"add\", \"mul\", \"min\", \"max\", \"any\" or \"all\".") \
    X(tile_causal_mask, "tile.causal_mask", K, none, "scores, q0, k0", "-inf where k0 + j > q0 + i.") \
    X(tile_mma, "tile.mma", K, none, "a, b | accum?, accumulator?", "The matrix product of two register tiles or shared buffers, in the accumulation type.")

// Computed alike in kernels and on the host. Elementwise.
#define TSR_BUILTINS_MATH(X) \
    X(abs, "abs math.abs math.fabs tile.abs", KHG, none, "x", "Absolute value.") \
    X(sign, "sign math.sign", KHG, none, "x", "-1, 0 or 1; NaN stays.") \
    X(sqrt, "sqrt math.sqrt tile.sqrt", KHG, none, "x", "Square root, correctly rounded.") \
    X(rsqrt, "rsqrt math.rsqrt tile.rsqrt", KHG, none, "x", "1 / sqrt(x).") \
    X(exp, "exp math.exp tile.exp", KHG, none, "x", "e to the x.") \
    X(exp2, "exp2 math.exp2 tile.exp2", KHG, none, "x", "2 to the x.") \
    X(expm1, "expm1 math.expm1", KHG, none, "x", "exp(x) - 1, exact near 0.") \
    X(log, "log math.log tile.log", KHG, none, "x", "Natural logarithm.") \
    X(log2, "log2 math.log2", KHG, none, "x", "Logarithm to base 2.") \
    X(log10, "log10 math.log10", KHG, none, "x", "Logarithm to base 10.") \
    X(log1p, "log1p math.log1p", KHG, none, "x", "log(1 + x), exact near 0.") \
    X(sin, "sin math.sin tile.sin", KHG, none, "x", "Sine of an angle in radians.") \
    X(cos, "cos math.cos tile.cos", KHG, none, "x", "Cosine of an angle in radians.") \
    X(tan, "tan math.tan", KHG, none, "x", "Tangent of an angle in radians.") \
    X(asin, "asin math.asin", KHG, none, "x", "Inverse sine, in radians.") \
    X(acos, "acos math.acos", KHG, none, "x", "Inverse cosine, in radians.") \
    X(atan, "atan math.atan", KHG, none, "x", "Inverse tangent, in radians.") \
    X(atan2, "atan2 math.atan2", KHG, none, "y, x", "The angle of the point (x, y), in radians.") \
    X(sinh, "sinh math.sinh", KHG, none, "x", "Hyperbolic sine.") \
    X(cosh, "cosh math.cosh", KHG, none, "x", "Hyperbolic cosine.") \
    X(tanh, "tanh math.tanh tile.tanh", KHG, none, "x", "Hyperbolic tangent.") \
    X(erf, "erf math.erf", KHG, none, "x", "Error function.") \
    X(cbrt, "math.cbrt", KHG, none, "x", "Cube root, of negative numbers too.") \
    X(floor, "floor math.floor", KHG, none, "x", "Rounds down.") \
    X(ceil, "ceil math.ceil", KHG, none, "x", "Rounds up.") \
    X(round, "round math.round", KHG, none, "x", "Rounds to nearest, halves to even.") \
    X(trunc, "trunc math.trunc", KHG, none, "x", "Rounds toward zero.") \
    X(isnan, "isnan math.isnan", KHG, none, "x", "Whether x is NaN.") \
    X(isinf, "isinf math.isinf", KHG, none, "x", "Whether x is infinite.") \
    X(isfinite, "isfinite math.isfinite", KHG, none, "x", "Whether x is neither NaN nor infinite.") \
    X(pow, "pow math.pow", KHG, none, "x, y", "x to the y.") \
    X(fma, "fma math.fma", KHG, none, "a, b, c", "a*b + c, rounded once.") \
    X(minimum, "minimum tile.minimum", KHG, none, "a, b", "The smaller; NaN passes on.") \
    X(maximum, "maximum tile.maximum", KHG, none, "a, b", "The larger; NaN passes on.") \
    X(min, "min", KHG, none, "*values, axis?, keepdims? | out?", "The smallest of two or more values, or of a tensor's elements along axes; NaN passes on.") \
    X(max, "max", KHG, none, "*values, axis?, keepdims? | out?", "The largest of two or more values, or of a tensor's elements along axes; NaN passes on.") \
    X(clip, "clip", KHG, none, "x, lo, hi", "x limited to lo … hi.") \
    X(where, "where tile.where", KHG, none, "condition, then, otherwise", "One of two values; both are evaluated.") \
    X(cast, "cast tile.cast", KHG, none, "x, T", "Converts to another element type, rounding by the policy; also `x.astype(T)`.") \
    X(bitcast, "bitcast", KHG, none, "x, T", "The same bits as another type of the same size.") \
    X(int_, "int", KHG, none, "x?", "Converts to i32, toward zero.") \
    X(float_, "float", KHG, none, "x?", "Converts to f32; `float('inf')` and `float('nan')` are literals.") \
    X(len, "len", KHG, none, "x", "Number of elements of a list or tuple; extent of a tensor's first axis.") \
    X(range, "range", KHG, none, "start, stop?, step?", "Integers in order.") \
    X(print, "print", KHG, none, "*values | sep?, end?", "Writes a line; from kernels to stderr when the host next waits.") \
    X(pi, "math.pi pi", KHG, none, "-", "3.141592653589793") \
    X(e, "math.e", KHG, none, "-", "2.718281828459045") \
    X(tau, "math.tau", KHG, none, "-", "6.283185307179586") \
    X(inf, "math.inf inf", KHG, none, "-", "Positive infinity.") \
    X(nan, "math.nan nan", KHG, none, "-", "Not a number.")

#define TSR_BUILTINS_HOST(X) \
    X(zeros, "zeros", HG, none, "shape+, T?", "A tensor of zeros; f32 if no type is given.") \
    X(ones, "ones", HG, none, "shape+, T?", "A tensor of ones; f32 if no type is given.") \
    X(empty, "empty", HG, none, "shape+, T?", "A tensor of zeros; its contents are meant to be overwritten.") \
    X(full, "full", HG, none, "shape+, value, T?", "A tensor of one value.") \
    X(zeros_like, "zeros_like", HG, none, "x, T?", "A tensor of zeros with the shape of another.") \
    X(ones_like, "ones_like", HG, none, "x, T?", "A tensor of ones with the shape of another.") \
    X(full_like, "full_like", HG, none, "x, value, T?", "A tensor of one value with the shape of another.") \
    X(arange, "arange", HG, none, "start, stop?, step?, T?", "start, start + step, … before stop.") \
    X(linspace, "linspace", HG, none, "start, stop, count, T?", "`count` values from start to stop, both included.") \
    X(from_list, "from_list", HG, none, "values, T?", "A tensor of the elements of a list, or of a list of lists.") \
    X(load_file, "load", H, none, "path, T?", "Reads a tensor: `load(\"x.npy\", f32[n])`, or `x: f32[n] = load(\"x.npy\")`.") \
    X(load_csv, "load_csv", H, none, "path, T?", "Reads rows of numbers from a text: `load_csv(\"x.csv\", f32[n, 3])`.") \
    X(read_text, "read_text", H, none, "path", "The text of a file, as a string.") \
    X(write_text, "write_text", H, none, "path, text", "Writes a string to a file.") \
    X(read_bytes, "read_bytes", H, none, "path", "The bytes of a file, a tensor of u8.") \
    X(save, "save", H, none, "path, value", "Writes a tensor to .npy.") \
    X(copy, "copy", HG, none, "x", "A tensor of its own with the same elements; also `x.copy()`.") \
    X(view_as_real, "view_as_real", KHG, none, "x", "Complex numbers as pairs of f32, a last axis of two: the same memory. Of one number the tuple of its parts.") \
    X(view_as_complex, "view_as_complex", KHG, none, "x", "Pairs of f32 as complex numbers: the same memory. Of a tuple of two numbers one complex number.") \
    X(prod, "prod", HG, none, "x, axis?, keepdims? | out?", "The product of a tensor's elements along axes.") \
    X(mean, "mean", HG, none, "x, axis?, keepdims? | out?", "The mean of a tensor's elements along axes.") \
    X(var, "var", HG, none, "x, axis?, keepdims? | correction?, out?", "The variance of a tensor's elements along axes.") \
    X(std_, "std", HG, none, "x, axis?, keepdims? | correction?, out?", "The standard deviation of a tensor's elements along axes.") \
    X(count_nonzero, "count_nonzero", HG, none, "x, axis?, keepdims? | out?", "How many of a tensor's elements along axes are not zero.") \
    X(reshape, "reshape", HG, none, "x, *shape", "A tensor of another shape with the same elements in the same order; one extent may be -1. A view where that is possible, as in NumPy.") \
    X(item, "item", H, none, "x", "The element of a tensor that has one; `x.item()`.") \
    X(on_gpu, "on_gpu", HG, none, "x", "Whether a kernel that takes this tensor runs on a GPU.") \
    X(time, "time", H, none, "", "Seconds since a fixed point, as f64.") \
    X(loss_scale, "loss_scale", H, none, "finite?", "The scale of cotangents of values with `@loss_scale(dynamic)`, as f64; 0 in a program without such values. After a step that says whether its gradients were finite: the next scale.") \
    X(args, "args", H, none, "-", "The program's command line, a list of strings.") \
    X(progress, "progress", H, none, "iterable, label?, loss?", "Iterates and shows how far it is.") \
    X(chr, "chr", H, none, "code", "The character with a number, as a string.") \
    X(ord, "ord", H, none, "character", "The number of a character: of a string of one.") \
    X(str_, "str", H, none, "x", "The text of a value, as `print` writes it.") \
    X(enumerate, "enumerate", KHG, none, "iterable, start?", "Pairs of a number, from `start` or 0 on, and an item.") \
    X(zip, "zip", KHG, none, "*iterables", "Tuples of the items that stand at one place; as many as the shortest has.") \
    X(map_, "map", H, none, "function, *iterables", "A list of what a function gives for the items; of several iterables it takes one of each.") \
    X(reversed, "reversed", KHG, none, "iterable", "The items from the last to the first.") \
    X(sorted, "sorted", H, none, "iterable | key?, reverse?", "A list of the items in order; equal ones keep theirs.") \
    X(list_, "list", H, none, "iterable", "A list of the items.") \
    X(sum, "sum", KHG, none, "x, axis?, keepdims? | out?", "The sum of the items of a list, or of a tensor's elements along axes.") \
    X(any, "any", KHG, none, "x, axis?, keepdims?", "Whether one of the items of a list holds, or of a tensor's elements along axes.") \
    X(all, "all", KHG, none, "x, axis?, keepdims?", "Whether all of the items of a list hold, or of a tensor's elements along axes.") \
    X(sort_list, ".sort", H, none, "list | key?, reverse?", "`xs.sort()`: sorts the list itself.") \
    X(version, "__version__", H, none, "-", "The compiler's version.") \
    X(randn, "randn", HG, none, "shape+?, T? | seed?", "Normally distributed numbers.") \
    X(rand, "rand", HG, none, "shape+?, T? | seed?", "Uniform numbers in [0, 1).") \
    X(randint, "randint", HG, none, "lo, hi, shape+?, T? | seed?", "Uniform integers in [lo, hi).") \
    X(bernoulli, "bernoulli", HG, none, "p, shape+? | seed?", "True with probability p.") \
    X(permutation, "permutation", HG, none, "n, T? | seed?", "0 … n-1 in random order.")

// Elements of whole tensors by their number along an axis, and scans.
#define TSR_BUILTINS_INDEXED(X) \
    X(argmax, "argmax", HG, none, "x, axis?, keepdims?", "The number of the greatest element along an axis, or of all in row-major order: the first of equal ones; NaN is the greatest.") \
    X(argmin, "argmin", HG, none, "x, axis?, keepdims?", "The number of the least element along an axis, or of all in row-major order: the first of equal ones; NaN is the least.") \
    X(cumsum, "cumsum", HG, none, "x, axis?, reverse? | out?", "Sums of the elements along an axis up to each of them.") \
    X(cumprod, "cumprod", HG, none, "x, axis?, reverse? | out?", "Products of the elements along an axis up to each of them.") \
    X(cummax, "cummax", HG, none, "x, axis?, reverse?", "The greatest element along an axis up to each of them; NaN passes on.") \
    X(sort, "sort", HG, none, "x, axis? | descending?", "A copy with the elements along an axis in order, the last axis where none is named; equal ones keep theirs, NaNs stand last.") \
    X(argsort, "argsort", HG, none, "x, axis? | descending?, first?", "The numbers of the elements along an axis in the order of `sort`; of the `first` ones alone.") \
    X(take, "take", HG, none, "x, ids, axis? | mode?", "Rows of a tensor by their numbers along an axis; of the first axis also `x[ids]`.") \
    X(gather, "gather", HG, none, "x, ids, axis? | mode?", "Elements by their numbers along an axis, an id for each place.") \
    X(scatter, "scatter", HG, none, "x, ids, src, axis? | op?, mode?", "A copy of x with elements of src put where the ids say, or joined to what is there.") \
    X(embedding, "embedding", HG, none, "table, ids | mode?", "Rows of a table by their numbers.")

// Elements of one tensor in other places.
#define TSR_BUILTINS_AXES(X) \
    X(transpose, "transpose", HG, none, "x, *axes", "The axes in another order, reversed where none is given; also `x.transpose(1, 0)`.") \
    X(swapaxes, "swapaxes", HG, none, "x, axis1, axis2", "Two axes swapped.") \
    X(moveaxis, "moveaxis", HG, none, "x, source, destination", "One axis or several at other places, the others in their order.") \
    X(expand_dims, "expand_dims", HG, none, "x, axis", "New axes of one element, at these places of the result.") \
    X(squeeze, "squeeze", HG, none, "x, axis?", "Without axes of one element: those named, or all whose type says so.") \
    X(flatten, "flatten", HG, none, "x", "All elements along one axis, the last axis fastest.") \
    X(broadcast_to, "broadcast_to", HG, none, "x, shape", "Repeated to a shape, as operators repeat their operands.") \
    X(flip, "flip", HG, none, "x, axis?", "The elements along axes, or all of them, in reverse order.") \
    X(roll, "roll", HG, none, "x, shift, axis?", "Each element `shift` places further along an axis; what leaves the end comes in at the beginning.") \
    X(repeat, "repeat", HG, none, "x, repeats, axis?", "Each element, or each slice along an axis, several times in a row.")

// Tensors made of several, or of parts.
#define TSR_BUILTINS_JOINING(X) \
    X(concat, "concat", HG, none, "tensors, axis?", "Tensors one behind the other along an axis.") \
    X(stack, "stack", HG, none, "tensors, axis?", "Tensors of one shape along a new axis.") \
    X(split, "split", HG, none, "x, parts, axis?", "Equal parts along an axis, or parts of the sizes in a tuple; a tuple of tensors.") \
    X(pad, "pad", HG, none, "x, widths, value?, mode?", "A tensor with so many elements before and behind it along each axis.") \
    X(einsum, "einsum", HG, none, "text, *tensors | tile_shape?", "Sums of products of tensors whose axes are letters: `einsum(\"ij,jk->ik\", a, b)`; letters that the result lacks are summed.")

// Decorators and type constructors.
#define TSR_BUILTINS_FORM(X) \
    X(kernel, "kernel", KHG, none, "-", "Marks a function as the program of one tile group.") \
    X(kernel_autotune, "kernel.autotune", KHG, none, "| space", "A kernel whose parameters are chosen from a space.") \
    X(tensor, "Tensor", KHG, none, "-", "`Tensor[\"M\", \"K\", bf16]` is `bf16[M, K]`.") \
    X(tree_type, "Tree", HG, none, "-", "The type of a parameter or field that takes any value: each record has its own.") \
    X(region, "Region", KHG, none, "-", "`Region[read]`: how a tensor parameter is used.") \
    X(dict_, "dict", KHG, none, "*entries", "A dictionary from keyword arguments.") \
    X(accum, "accum", KHG, none, "T", "Policy: the type that sums and products accumulate in.") \
    X(compute, "compute", KHG, none, "T", "Policy: the type that arithmetic works in.") \
    X(round_policy, "round_policy", KHG, none, "mode", "Policy: how a value is rounded where it is stored.") \
    X(jit, "jit", KHG, none, "-", "Compiles a function of whole tensors as an operator graph.") \
    X(graph_module, "graph.module", KHG, none, "name", "Compiles a function as a named operator graph.") \
    X(precision_policy, "precision_policy", KHG, none, "-", "Marks a class that says how tensors are quantized and read.") \
    X(mxfp8, "mxfp8", KHG, none, "-", "The block format MXFP8: 32 elements of fp8_e4m3 share a power of two.") \
    X(mxfp8_e5m2, "mxfp8_e5m2", KHG, none, "-", "The block format MXFP8: 32 elements of fp8_e5m2 share a power of two.") \
    X(mxfp6, "mxfp6", KHG, none, "-", "The block format MXFP6: 32 elements of fp6_e3m2 share a power of two.") \
    X(mxfp6_e2m3, "mxfp6_e2m3", KHG, none, "-", "The block format MXFP6: 32 elements of fp6_e2m3 share a power of two.") \
    X(mxfp4, "mxfp4", KHG, none, "-", "The block format MXFP4: 32 elements of fp4_e2m1 share a power of two.") \
    X(nvfp4, "nvfp4", KHG, none, "-", "The block format NVFP4: 16 elements of fp4_e2m1 share a scale of fp8_e4m3, all of them one of f32.") \
    X(autodiff, "autodiff", KHG, none, "-", "Checks at the definition that a function is differentiable.") \
    X(custom_vjp, "custom_vjp", KHG, none, "-", "Marks a function that has its own reverse derivative: `f.defvjp(fwd, bwd)`.") \
    X(custom_jvp, "custom_jvp", KHG, none, "-", "Marks a function that has its own forward derivative: `f.defjvp(rule)`.")

// Functions of functions: each makes a function of the program (sema/builtin_calls/derivative_calls.cpp).
#define TSR_BUILTINS_DERIVATIVES(X) \
    X(grad, "grad", HG, none, "f | wrt?, has_aux?, out?", "The function that gives the gradient of f, whose result is one float, in the parameters `wrt` (a name or a tuple of names; else all that are floats).") \
    X(value_and_grad, "value_and_grad", HG, none, "f | wrt?, has_aux?, out?", "The function that gives what f gives, and its gradient.") \
    X(jacfwd, "jacfwd", HG, none, "f | wrt?", "The function that gives the Jacobian of f, computed forwards: a column for each element of a parameter.") \
    X(jacrev, "jacrev", HG, none, "f | wrt?", "The function that gives the Jacobian of f, computed in reverse: a row for each element of a result.") \
    X(hessian, "hessian", HG, none, "f | wrt?", "The function that gives the second derivatives of f, whose result is one float.") \
    X(vmap, "vmap", HG, none, "f, in_axes?, out_axes?", "The function that gives what f gives for each example along an axis of its arguments.") \
    X(checkpoint, "checkpoint", HG, none, "f", "The same function, whose inside is computed again where a derivative needs it.")

// Derivatives of functions for arguments that are given at once (sema/calls/transform_calls.cpp), and trees of tensors
// (sema/builtin_calls/tree_calls.cpp).
#define TSR_BUILTINS_TRANSFORMS(X) \
    X(vjp, "vjp", HG, none, "f, *args", "What f gives for the arguments, and the function that gives the product of a cotangent with the Jacobian there.") \
    X(jvp, "jvp", HG, none, "f, args, tangents", "What f gives for the arguments, and the product of the Jacobian there with the tangents.") \
    X(hvp, "hvp", HG, none, "f, args, tangents", "The product of the Hessian of f with the tangents.") \
    X(stop_gradient, "stop_gradient", HG, none, "x", "The value, through which no derivative passes.") \
    X(tree_map, "tree.map", HG, none, "f, tree, *trees", "The tree of what a function gives for the leaves of a tree: of the tensors and numbers in its tuples and records.") \
    X(tree_update, "tree.update", H, none, "f, tree, *trees", "Gives each leaf of a tree what a function gives for it: tensors are written, numbers are fields of records.") \
    X(tree_leaves, "tree.leaves", HG, none, "tree", "The leaves of a tree in order, as a tuple.") \
    X(tree_paths, "tree.paths", H, none, "tree", "How each leaf of a tree is reached from it, in order, as a tuple of strings.") \
    X(save_checkpoint, "save_checkpoint", H, none, "path, *trees", "Writes the leaves of trees, each given by a keyword, to a .safetensors file.") \
    X(load_checkpoint, "load_checkpoint", H, none, "path, *trees", "Reads what `save_checkpoint` wrote into the tensors and fields of trees: all of it, or nothing.")

#define TSR_BUILTINS_LATER(X) \
    X(mesh, "dist.mesh dist.Mesh Mesh", H, distribution, "| axes?, devices?, shape?", "Devices along named axes.") \
    X(dist_tensor, "dist.tensor", H, distribution, "| shape, layout?, mesh?, dtype?", "A tensor spread over a mesh.") \
    X(shard_spec, "dist.ShardSpec ShardSpec", H, distribution, "| partition, mesh_axes", "How a tensor is split.") \
    X(dist_block, "dist.Block", H, distribution, "| mesh_axes", "Distribution by blocks.") \
    X(dist_cyclic, "dist.Cyclic", H, distribution, "| mesh_axes, block?", "Distribution in turn.") \
    X(dist_pipeline, "dist.pipeline", H, distribution, "stages | axis, microbatches, schedule?", "A pipeline of stages.") \
    X(domain_rect, "domain.Rect", H, distribution, "shape", "A rectangular index space.") \
    X(from_domain, "array.from_domain", H, distribution, "domain | dtype, distribution", "A tensor over a domain.") \
    X(index_launch, "index_launch", H, distribution, "| axis", "Launches a kernel on the parts of tensors.") \
    X(all_gather, "all_gather", HG, distribution, "x | axis", "Sharded to replicated.") \
    X(all_reduce, "all_reduce allreduce", HG, distribution, "x | axis, op?", "Partial to replicated.") \
    X(reduce_scatter, "reduce_scatter", HG, distribution, "x | axis", "Partial to sharded.") \
    X(all_to_all, "all_to_all", HG, distribution, "x | axis", "Sharded to sharded otherwise.") \
    X(send, "send", HG, distribution, "x, to", "Sends to another rank.") \
    X(recv, "recv", HG, distribution, "source", "Receives from another rank.")
// clang-format on

// Operators of the standard library that only graphs compute; their parameters are of no use before they are compiled.
#define TSR_OPERATOR_NAMES "slice"
