/* The binary interface between compiled Tessera programs and their runtime: plain C, the one file both sides include.
 *
 * Conventions
 *  - A function that gives a TsrTensor*, TsrString* or TsrList* gives a new reference; arguments are borrowed.
 *  - Scalars travel as `bits`: the storage representation in the low bytes of 8, the rest zero (signed integers may be
 *    sign-extended; readers look at the low bytes only). i4 and the 4 and 6 bit floats stand in the low bits.
 *  - `place` is where in the program the call stands, or NULL. A user's error ends in tsr_fail(place, message): one
 *    message on stderr and exit code 1, or the handler that was installed. No function returns after a failure.
 *  - Sizes are counted in elements, strides too. Packed types (i4, fp4: two to a byte; fp6: four to three bytes; the
 *    first element in the lowest bits) pad each row, the last axis, to whole packs, so that strides stay integers.
 *  - Host functions are called from one thread. */
#ifndef TSR_RUNTIME_ABI_H
#define TSR_RUNTIME_ABI_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define TSR_ABI_VERSION 1
#define TSR_MAX_RANK 16

/* ---- Element types: the numbers of the compiler's DType ---- */

typedef enum TsrDType {
    TSR_BOOL,
    TSR_I4,
    TSR_I8,
    TSR_I16,
    TSR_I32,
    TSR_I64,
    TSR_U8,
    TSR_U16,
    TSR_U32,
    TSR_U64,
    TSR_INDEX, /* stored as i64 */
    TSR_F64,
    TSR_F32,
    TSR_F16,
    TSR_BF16,
    TSR_FP8_E4M3,
    TSR_FP8_E5M2,
    TSR_FP6_E3M2,
    TSR_FP6_E2M3,
    TSR_FP4_E2M1,
    TSR_E8M0,
    TSR_C64,
    TSR_DTYPES
} TsrDType;

/* ---- Places and slots ---- */

typedef struct TsrPlace {
    const char* file;
    int32_t line, column; /* from 1; 0: unknown */
} TsrPlace;

struct TsrTensor;
struct TsrString;
struct TsrList;

/* Eight bytes that hold any value of a host program. */
typedef union TsrSlot {
    uint64_t bits;
    int64_t integer;
    double f64;
    float f32;
    struct TsrTensor* tensor;
    struct TsrString* string;
    struct TsrList* list;
} TsrSlot;

typedef enum TsrKind {
    TSR_KIND_TENSOR,
    TSR_KIND_SCALAR /* numbers and bool */,
    TSR_KIND_STRING,
    TSR_KIND_LIST /* any container */
} TsrKind;

/* ---- Tensors: DLPack's DLTensor, its layout and its numbers ---- */

typedef enum TsrDLDeviceType { TSR_DL_CPU = 1, TSR_DL_CUDA = 2 } TsrDLDeviceType;

/* DLPack's type codes, those that Debian's header 0.6 does not have yet included. */
typedef enum TsrDLTypeCode {
    TSR_DL_INT = 0,
    TSR_DL_UINT = 1,
    TSR_DL_FLOAT = 2,
    TSR_DL_BFLOAT = 4,
    TSR_DL_COMPLEX = 5,
    TSR_DL_BOOL = 6,
    TSR_DL_FLOAT8_E4M3FN = 10,
    TSR_DL_FLOAT8_E5M2 = 12,
    TSR_DL_FLOAT8_E8M0FNU = 14,
    TSR_DL_FLOAT6_E2M3FN = 15,
    TSR_DL_FLOAT6_E3M2FN = 16,
    TSR_DL_FLOAT4_E2M1FN = 17
} TsrDLTypeCode;

typedef struct TsrDLDevice {
    int32_t device_type, device_id;
} TsrDLDevice;

typedef struct TsrDLDataType {
    uint8_t code, bits;
    uint16_t lanes;
} TsrDLDataType;

typedef struct TsrDLTensor {
    void* data; /* of element [0, …, 0] */
    TsrDLDevice device;
    int32_t ndim;
    TsrDLDataType dtype;
    int64_t* shape;
    int64_t* strides;     /* in elements; never NULL here */
    uint64_t byte_offset; /* always 0 here */
} TsrDLTensor;

struct TsrStorage; /* owned by the runtime; shared by a tensor and its views */

/* Fields may be read by compiled code; only the runtime writes them. */
typedef struct TsrTensor {
    TsrDLTensor dl;
    int32_t refs;
    int32_t dtype; /* TsrDType */
    int32_t phase; /* packed views only: elements to skip in the first pack, 0 … 3 */
    int32_t reserved;
    struct TsrStorage* storage;
    int64_t shape[TSR_MAX_RANK];
    int64_t strides[TSR_MAX_RANK];
} TsrTensor;

static inline void* tsr_data(const TsrTensor* t) { return t->dl.data; }
static inline int32_t tsr_rank(const TsrTensor* t) { return t->dl.ndim; }

TsrTensor* tsr_tensor_retain(TsrTensor* tensor); /* NULL passes through */
void tsr_tensor_release(TsrTensor* tensor);      /* NULL is allowed */

/* -- making -- negative sizes and sizes whose bytes pass 2^58 fail; out of memory fails with asked and free bytes. */
TsrTensor* tsr_empty(int32_t dtype, const int64_t* shape, int32_t rank, const TsrPlace* place); /* contents undefined */
TsrTensor* tsr_zeros(int32_t dtype, const int64_t* shape, int32_t rank, const TsrPlace* place);
TsrTensor* tsr_full(int32_t dtype, const int64_t* shape, int32_t rank, uint64_t bits, const TsrPlace* place);
TsrTensor* tsr_ones(int32_t dtype, const int64_t* shape, int32_t rank, const TsrPlace* place);
/* start, start + step, … below stop (above, for a negative step): ceil((stop - start) / step) elements; step 0 fails.
 */
TsrTensor* tsr_arange_i64(int32_t dtype, int64_t start, int64_t stop, int64_t step, const TsrPlace* place);
TsrTensor* tsr_arange_f64(int32_t dtype, double start, double stop, double step, const TsrPlace* place);
/* count points start + i * (stop - start) / (count - 1), computed in f64, the last one exactly stop. */
TsrTensor* tsr_linspace(int32_t dtype, double start, double stop, int64_t count, const TsrPlace* place);
/* Copies dense row-major elements in storage form; of packed types each has a byte of its own. */
TsrTensor* tsr_from_values(int32_t dtype, const int64_t* shape, int32_t rank, const void* values,
                           const TsrPlace* place);
/* From a list of scalars, or of lists of equal lengths and so on; list scalars are converted from the list's dtype. */
TsrTensor* tsr_from_list(int32_t dtype, const struct TsrList* list, const TsrPlace* place);

/* -- randomness (language reference, section 7) --
 * Philox4x32-10 with key = (low, high half of seed) and counter = (low, high half of block, count, site).
 * An element takes w words of the output, w = 2 for f64 and 1 otherwise: block = index * w / 4, first word index * w %
 * 4, index counted row-major in the whole tensor.
 * - rand: the top p bits of the word (f64: of word0 << 32 | word1) times 2^-p, p the significand bits of dtype with the
 *   hidden one: 0 <= x < 1, exact. For f64 f32 f16 bf16.
 * - randn: Box-Muller on the pair of elements (2k, 2k + 1), their words a and b (f64: word0 << 32 | word1 each):
 *   u = (a + 1) * 2^-32, v = b * 2^-32 (f64: u = ((a >> 11) + 1) * 2^-53, v = (b >> 11) * 2^-53), r = sqrt(-2 ln u);
 *   element 2k = r * cos(2 pi v), element 2k + 1 = r * sin(2 pi v); in f64, rounded once. For f64 f32 f16 bf16.
 * - bernoulli: word * 2^-32 < probability; gives bool.
 * - permutation: 0, 1, … count - 1, sorted by two words of each element (those of f64), equal ones by number.
 * - randint: low + (word * (high - low) >> 32); when high - low > 2^32, an element has two words as in f64, >> 64. */
typedef struct TsrRandomKey {
    uint64_t seed;
    uint32_t site;  /* the operation's place in the program: a number the compiler gives */
    uint32_t count; /* how often the program has run it before */
} TsrRandomKey;
void tsr_philox4x32_10(const uint32_t counter[4], const uint32_t key[2], uint32_t out[4]);
uint64_t tsr_seed(void);          /* of --seed; 0 without */
void tsr_set_seed(uint64_t seed); /* starts all counts again */
/* The key of the next run of `site`, counted by the runtime; `seed` NULL: the program's. */
void tsr_next_key(uint32_t site, const uint64_t* seed, TsrRandomKey* key);
uint64_t tsr_random_stream(int32_t site); /* of that key: the count, and above 32 bits the site */
double tsr_loss_scale(void);              /* of cotangents of values with `@loss_scale(dynamic)`; 2^16 at first */
/* That of the next step: half, and a line on stderr, where gradients were not finite; twice after 2,000 steps. */
double tsr_loss_scale_step(int64_t finite, const TsrPlace* place);
TsrTensor* tsr_rand(int32_t dtype, const int64_t* shape, int32_t rank, const TsrRandomKey* key, const TsrPlace* place);
TsrTensor* tsr_randn(int32_t dtype, const int64_t* shape, int32_t rank, const TsrRandomKey* key, const TsrPlace* place);
TsrTensor* tsr_randint(int32_t dtype, const int64_t* shape, int32_t rank, int64_t low, int64_t high,
                       const TsrRandomKey* key, const TsrPlace* place);
TsrTensor* tsr_bernoulli(const int64_t* shape, int32_t rank, double probability, const TsrRandomKey* key,
                         const TsrPlace* place);
TsrTensor* tsr_permutation(int32_t dtype, int64_t count, const TsrRandomKey* key, const TsrPlace* place);

/* -- copies and conversions -- */
TsrTensor* tsr_copy(const TsrTensor* tensor, const TsrPlace* place); /* dense, row-major, storage of its own */
int32_t tsr_is_dense(const TsrTensor* tensor);                       /* row-major without gaps */
TsrTensor* tsr_contiguous(TsrTensor* tensor, const TsrPlace* place); /* itself when dense, else a copy */
/* Dense, to be written where the caller holds one reference and reads the tensor no more: itself when nobody else holds
 * it or its storage, else a copy. */
TsrTensor* tsr_own(TsrTensor* tensor, const TsrPlace* place);
typedef enum TsrRounding { TSR_ROUND_NEAREST, TSR_ROUND_TO_ZERO, TSR_ROUND_STOCHASTIC } TsrRounding;
/* The laws of cast, for tensors and for one value:
 * - To a float: one rounding, nearest-even by default; f16 and bf16 overflow to infinity, types of 8 bits or fewer
 *   saturate at their largest finite value, infinities included. A NaN keeps its sign and the upper bits of its payload
 *   and is made quiet; of 8 bits or fewer it is the positive one of all ones, or the largest finite value.
 * - To e8m0: the nearest power of two, a tie goes to the even code; 0 gives 2^-127; negative values and NaN give NaN.
 * - To an integer: from a float toward zero, saturating, NaN gives 0; from an integer it wraps; from bool 0 or 1.
 * - To bool: != 0 (NaN is true).
 * - To c64 the imaginary part is 0; from c64 it is dropped, except to bool.
 * - Stochastic: with f the discarded fraction of the last kept bit cut to 32 bits, and w a Philox word (of `key`, by
 *   element index as for rand of f32), the magnitude is rounded up when f * 2^32 + w >= 2^32. */
TsrTensor* tsr_cast(const TsrTensor* tensor, int32_t dtype, int32_t rounding, const TsrRandomKey* key,
                    const TsrPlace* place);
TsrTensor* tsr_cast_cut(const TsrTensor* tensor, int32_t dtype, const TsrPlace* place); /* toward zero */
TsrTensor* tsr_cast_dither(const TsrTensor* tensor, int32_t dtype, const TsrRandomKey* key, const TsrPlace* place);
uint64_t tsr_convert_bits(uint64_t bits, int32_t from, int32_t to); /* nearest-even */
double tsr_bits_to_f64(uint64_t bits, int32_t dtype);               /* c64: the real part; i64 and u64 may round */
uint64_t tsr_f64_to_bits(double value, int32_t dtype);

/* -- views: share storage with their tensor, as NumPy's do -- */
typedef enum TsrIndexKind { TSR_INDEX_INTEGER, TSR_INDEX_SLICE, TSR_INDEX_NEWAXIS, TSR_INDEX_ELLIPSIS } TsrIndexKind;
typedef struct TsrIndexItem {
    int32_t kind;
    int32_t given; /* of a slice: 1 start given | 2 stop given | 4 step given */
    int64_t start; /* of an integer: the index; negative counts from the end */
    int64_t stop, step;
} TsrIndexItem;
/* Fails for too many items, two ellipses, an integer outside, a step of 0, a result of more than TSR_MAX_RANK axes. */
TsrTensor* tsr_view(const TsrTensor* tensor, const TsrIndexItem* items, int32_t count, const TsrPlace* place);
TsrTensor* tsr_transpose(const TsrTensor* tensor, const int32_t* axes, const TsrPlace* place); /* axes NULL: reversed */
TsrTensor* tsr_swap_last(const TsrTensor* tensor, const TsrPlace* place); /* .T; below rank 2 the tensor itself */
/* c64[…] as f32[…, 2], real and imaginary parts; and back, of a last axis of 2 whose elements are neighbours. */
TsrTensor* tsr_view_as_real(const TsrTensor* tensor, const TsrPlace* place);
TsrTensor* tsr_view_as_complex(const TsrTensor* tensor, const TsrPlace* place);
TsrTensor* tsr_reshape(const TsrTensor* tensor, const int64_t* shape, int32_t rank, const TsrPlace* place); /* one -1;
    a view when dense, else of a copy */
TsrTensor* tsr_broadcast_to(const TsrTensor* tensor, const int64_t* shape, int32_t rank, const TsrPlace* place);

/* -- elements -- `index` has one number per axis, negative ones count from the end; outside fails. Reading waits. */
int64_t tsr_dim(const TsrTensor* tensor, int32_t axis, const TsrPlace* place); /* negative axis: from the end */
int64_t tsr_size(const TsrTensor* tensor);                                     /* number of elements */
uint64_t tsr_get(const TsrTensor* tensor, const int64_t* index, int32_t count, const TsrPlace* place);
double tsr_get_f64(const TsrTensor* tensor, const int64_t* index, int32_t count, const TsrPlace* place);
int64_t tsr_get_i64(const TsrTensor* tensor, const int64_t* index, int32_t count, const TsrPlace* place);
void tsr_set(TsrTensor* tensor, const int64_t* index, int32_t count, uint64_t bits, const TsrPlace* place);
void tsr_set_f64(TsrTensor* tensor, const int64_t* index, int32_t count, double value, const TsrPlace* place);
void tsr_set_i64(TsrTensor* tensor, const int64_t* index, int32_t count, int64_t value, const TsrPlace* place);
uint64_t tsr_item(const TsrTensor* tensor, const TsrPlace* place); /* of a tensor of exactly one element */
/* view[...] = value, with NumPy's broadcasting; dtypes must be equal; an overlapping value is copied first. */
void tsr_assign(TsrTensor* view, const TsrTensor* value, const TsrPlace* place);
void tsr_fill(TsrTensor* view, uint64_t bits, const TsrPlace* place);
int32_t tsr_equal(const TsrTensor* a, const TsrTensor* b); /* same shape and dtype, every element ==; NaN is unequal */
/* |a - b| <= atol + rtol * |b| for all elements (broadcast), NaN beside NaN equal when nan_equal. */
int32_t tsr_allclose(const TsrTensor* a, const TsrTensor* b, double rtol, double atol, int32_t nan_equal,
                     const TsrPlace* place);

/* ---- Strings: immutable UTF-8 ---- */

typedef struct TsrString {
    int32_t refs, reserved; /* refs < 0: a constant of the program, never freed */
    int64_t length;         /* bytes */
    const char* text;       /* a 0 follows the last byte */
} TsrString;

TsrString* tsr_string(const char* text, int64_t length);
TsrString* tsr_string_retain(TsrString* string);
void tsr_string_release(TsrString* string);
TsrString* tsr_concat(const TsrString* a, const TsrString* b);
TsrString* tsr_join(const TsrString* const* parts, int32_t count, const char* separator);
int32_t tsr_string_compare(const TsrString* a, const TsrString* b); /* < 0, 0, > 0 by bytes */
int64_t tsr_string_length(const TsrString* text);                   /* in code points */
/* As Python's methods of these names; positions count code points; ASCII letters have case. */
TsrString* tsr_string_repr(const TsrString* text); /* in quotes, as Python's repr() */
TsrString* tsr_string_get(const TsrString* text, int64_t index, const TsrPlace* place);
TsrString* tsr_string_slice(const TsrString* text, const TsrIndexItem* items, int32_t count, const TsrPlace* place);
TsrString* tsr_string_repeat(const TsrString* text, int64_t times, const TsrPlace* place);
TsrString* tsr_string_upper(const TsrString* text);
TsrString* tsr_string_lower(const TsrString* text);
TsrString* tsr_string_strip(const TsrString* text, const TsrString* set); /* an empty set: white space */
TsrString* tsr_string_lstrip(const TsrString* text, const TsrString* set);
TsrString* tsr_string_rstrip(const TsrString* text, const TsrString* set);
TsrString* tsr_string_replace(const TsrString* text, const TsrString* from, const TsrString* to);
TsrString* tsr_string_join(const TsrString* separator, const struct TsrList* strings);
struct TsrList* tsr_string_split(const TsrString* text, const TsrString* separator); /* empty: at white space */
struct TsrList* tsr_string_lines(const TsrString* text);
struct TsrList* tsr_string_characters(const TsrString* text);
int64_t tsr_string_find(const TsrString* text, const TsrString* part); /* -1: not there */
int64_t tsr_string_count(const TsrString* text, const TsrString* part);
int32_t tsr_string_starts(const TsrString* text, const TsrString* part);
int32_t tsr_string_ends(const TsrString* text, const TsrString* part);
int32_t tsr_string_has(const TsrString* text, const TsrString* part);
int32_t tsr_string_is_digits(const TsrString* text);
int64_t tsr_string_to_integer(const TsrString* text, const TsrPlace* place); /* as Python's int(text); else fails */
double tsr_string_to_real(const TsrString* text, const TsrPlace* place);     /* as Python's float(text) */
TsrString* tsr_string_of_code(int64_t code, const TsrPlace* place);          /* as Python's chr() */
int64_t tsr_code_of_string(const TsrString* text, const TsrPlace* place);    /* as Python's ord() */
/* One value by a Python format spec ([[fill]align][sign][#][0][width][,|_][.precision][type]; NULL or "": as str()).
 * A float without a precision has the fewest digits that give its value back in its own type. A bad spec fails. */
TsrString* tsr_format(uint64_t bits, int32_t dtype, const char* spec, const TsrPlace* place);
TsrString* tsr_format_string(const TsrString* string, const char* spec, const TsrPlace* place);
/* As NumPy prints: precision 8, lines of 75, more than 1000 elements summarized. A spec formats each element. */
TsrString* tsr_format_tensor(const TsrTensor* tensor, const char* spec, const TsrPlace* place);
TsrString* tsr_format_list(const struct TsrList* list, const TsrPlace* place); /* any container, as Python prints it */
/* The same with a spec that the program makes. */
TsrString* tsr_format_with(uint64_t bits, int32_t dtype, const TsrString* spec, const TsrPlace* place);
TsrString* tsr_format_string_with(const TsrString* string, const TsrString* spec, const TsrPlace* place);
TsrString* tsr_format_tensor_with(const TsrTensor* tensor, const TsrString* spec, const TsrPlace* place);

/* ---- Containers: lists, dictionaries, and the tuples and records that stand in them ----
 * One structure; its type says what its items are. Types are text in prefix order, a letter per node:
 *   T  a tensor            S  a string          a, b, …  a scalar: 'a' + its TsrDType
 *   L item  a list         D key value  a dictionary: its entries in the order of their first assignment
 *   ( items )  a tuple     { name ; (field ; type) … }  a record
 * The text lives as long as the program. A function that gives a slot gives a new reference; slots taken are borrowed.
 * Items are equal, ordered and hashed by value; a NaN is equal to nothing, 0.0 and -0.0 are one; tensors by identity.
 */

struct TsrIndex; /* of a dictionary: where its keys stand */

typedef struct TsrList {
    int32_t refs;
    int32_t reserved;
    const char* type;
    int64_t length, capacity; /* items; of a dictionary entries */
    TsrSlot* items;           /* handles are owned; of a dictionary keys and values in turn */
    struct TsrIndex* index;
} TsrList;

TsrList* tsr_list(const char* type, int64_t capacity); /* empty */
TsrList* tsr_list_of(const char* type, const TsrSlot* items, int32_t count);
TsrList* tsr_list_retain(TsrList* list);
void tsr_list_release(TsrList* list);
int64_t tsr_list_length(const TsrList* list);
/* -- lists and tuples -- negative positions count from the end; one outside fails */
TsrSlot tsr_list_get(const TsrList* list, int64_t index, const TsrPlace* place);
void tsr_list_set(TsrList* list, int64_t index, TsrSlot item, const TsrPlace* place);
void tsr_list_append(TsrList* list, TsrSlot item);
void tsr_list_insert(TsrList* list, int64_t index, TsrSlot item); /* as Python: any position */
TsrSlot tsr_list_pop(TsrList* list, int64_t index, const TsrPlace* place);
void tsr_list_remove(TsrList* list, TsrSlot item, const TsrPlace* place); /* the first equal one; none fails */
void tsr_list_clear(TsrList* list);                                       /* of a dictionary too */
void tsr_list_reverse(TsrList* list);
void tsr_list_sort(TsrList* list, int64_t descending); /* stable; `descending` keeps the order of equal items */
void tsr_list_sort_by(TsrList* list, TsrList* keys, int64_t descending); /* sorts both by the keys */
void tsr_list_extend(TsrList* list, const TsrList* other);
TsrList* tsr_list_concat(const TsrList* a, const TsrList* b);
TsrList* tsr_list_repeat(const TsrList* list, int64_t times, const TsrPlace* place);
TsrList* tsr_list_slice(const TsrList* list, const TsrIndexItem* items, int32_t count, const TsrPlace* place);
/* A slice with a step other than 1 is replaced by as many items as it has; another length fails. */
void tsr_list_set_slice(TsrList* list, const TsrList* other, const TsrIndexItem* items, int32_t count,
                        const TsrPlace* place);
int64_t tsr_list_find(const TsrList* list, TsrSlot item);                         /* the first equal one, -1: none */
int64_t tsr_list_index(const TsrList* list, TsrSlot item, const TsrPlace* place); /* none fails */
int64_t tsr_list_count(const TsrList* list, TsrSlot item);
int32_t tsr_list_equal(const TsrList* a, const TsrList* b);   /* of one type; dictionaries in any order */
int32_t tsr_list_compare(const TsrList* a, const TsrList* b); /* < 0, 0, > 0, item by item */
/* -- dictionaries -- */
TsrSlot tsr_dict_get(const TsrList* dict, TsrSlot key, const TsrPlace* place); /* a missing key fails */
TsrSlot tsr_dict_get_or(const TsrList* dict, TsrSlot key, TsrSlot otherwise);
TsrSlot tsr_dict_set_default(TsrList* dict, TsrSlot key,
                             TsrSlot value); /* the value there, `value` if there was none */
void tsr_dict_set(TsrList* dict, TsrSlot key, TsrSlot value);
int32_t tsr_dict_has(const TsrList* dict, TsrSlot key);
TsrSlot tsr_dict_pop(TsrList* dict, TsrSlot key, const TsrPlace* place);
TsrSlot tsr_dict_pop_or(TsrList* dict, TsrSlot key, TsrSlot otherwise);
void tsr_dict_update(TsrList* dict, const TsrList* other);
TsrList* tsr_record_copy(const TsrList* record); /* another one of the same fields */
TsrList* tsr_dict_copy(const TsrList* dict);
/* Lists, of the given type. */
TsrList* tsr_dict_keys(const TsrList* dict, const char* type);
TsrList* tsr_dict_values(const TsrList* dict, const char* type);
TsrList* tsr_dict_items(const TsrList* dict, const char* type); /* of (key, value) */

/* ---- Input, output, time, ends ---- */

void tsr_print(const TsrString* text); /* text and a line end, on stdout */
void tsr_write(const TsrString* text); /* the text alone */
/* By extension: .npy, .npz and .safetensors with `key`, needed when the file holds several. NULL or "": a path of the
 * form "path:key" is split. Any element type and rank. */
TsrTensor* tsr_load(const TsrString* path, const TsrString* key, const TsrPlace* place);
/* `dtype` and `rank` are what is expected, -1: any. .npy knows no names for bf16 (stored as '<V2') and the 8-bit floats
 * and e8m0 ('|V1'): they are read as `dtype` says, V2 without one as bf16. */
TsrTensor* tsr_load_as(const TsrString* path, const TsrString* key, int32_t dtype, int32_t rank, const TsrPlace* place);
/* Written beside its place and renamed: never half there. .npz and .safetensors take several tensors; .npy takes one,
 * .png a u8[H, W] (grey), u8[H, W, 3] or u8[H, W, 4]. */
void tsr_save(const TsrString* path, const char* const* names, const TsrTensor* const* tensors, int32_t count,
              const TsrPlace* place);
/* To a .safetensors file, and from one into the tensors, numbers of rank 0: all of them, or none where one is missing
 * or of another type or shape. Other names in the file do not matter. */
void tsr_save_checkpoint(const TsrString* path, const char* const* names, const TsrTensor* const* tensors,
                         int32_t count, const TsrPlace* place);
void tsr_load_checkpoint(const TsrString* path, const char* const* names, const TsrTensor* const* tensors,
                         int32_t count, const TsrPlace* place);
TsrString* tsr_read_text(const TsrString* path, const TsrPlace* place); /* fails where it is not UTF-8 */
void tsr_write_text(const TsrString* path, const TsrString* text, const TsrPlace* place); /* whole or not at all */
TsrTensor* tsr_read_bytes(const TsrString* path, const TsrPlace* place);                  /* u8[n] */
/* Rows of numbers between commas, of rank 2; of rank 1 one number in each row. A first row without a number is the
 * heading. */
TsrTensor* tsr_load_csv(const TsrString* path, int32_t dtype, int32_t rank, const TsrPlace* place);
double tsr_time(void);   /* seconds, monotonic */
TsrList* tsr_args(void); /* strings: the words after `--` on the command line */
void tsr_wait(void);     /* until all launches are over; their lines and failed assertions come out here */
void* tsr_allocate(int64_t bytes, const TsrPlace* place); /* aligned to 64 */
void tsr_free(void* memory);
typedef struct TsrProgress TsrProgress; /* a line on stderr when that is a terminal or TESSERA_PROGRESS=1 */
TsrProgress* tsr_progress_begin(const TsrString* label, int64_t total); /* < 0: unknown */
void tsr_progress_loss(TsrProgress* progress, double loss);             /* shown from the next line on */
void tsr_progress_step(TsrProgress* progress);
void tsr_progress_end(TsrProgress* progress);

/* Prints "file:line:column: error: message" and exits with 1, or calls the handler. The handler may throw a C++
 * exception or jump; when it returns the program ends. */
#if defined(__GNUC__)
__attribute__((noreturn))
#endif
void tsr_fail(const TsrPlace* place, const char* message);
/* "assertion failed" with the message, if any. */
#if defined(__GNUC__)
__attribute__((noreturn))
#endif
void tsr_assert_failed(const TsrString* message, const TsrPlace* place);
/* A call of the function would have more bytes at once than `@jit(memory=...)` allows. */
#if defined(__GNUC__)
__attribute__((noreturn))
#endif
void tsr_memory_exceeded(const char* function, int64_t needed, int64_t allowed, const TsrPlace* place);
typedef void (*TsrFailureHandler)(void* context, const TsrPlace* place, const char* message);
void tsr_set_failure_handler(TsrFailureHandler handler, void* context);

/* ---- Signatures: parameters, their shapes, checks on entry ---- */

/* A dimension as written, and the same in postfix order: `n` is {symbol}, `K/tp` is {symbol, symbol, exact_div}. */
typedef enum TsrDimOp {
    TSR_DIM_CONSTANT,
    TSR_DIM_SYMBOL, /* value: the number; the symbol's index in the signature */
    TSR_DIM_ADD,
    TSR_DIM_SUB,
    TSR_DIM_MUL,
    TSR_DIM_EXACT_DIV,
    TSR_DIM_FLOOR_DIV,
    TSR_DIM_MAXIMUM
} TsrDimOp;
typedef struct TsrDimStep {
    int32_t op;
    int64_t value;
} TsrDimStep;
typedef struct TsrDimension {
    const char* text;
    const TsrDimStep* steps;
    int32_t nsteps;
} TsrDimension;

typedef struct TsrParameter {
    const char* name;
    int32_t kind; /* TsrKind: tensor, scalar (bool: dtype TSR_BOOL) or string */
    int32_t dtype;
    int32_t rank;
    int32_t mut;
    const TsrDimension* dims; /* rank of them */
    int32_t symbol;           /* an integer parameter that is a dimension: its index, else -1 */
    int32_t has_default;
    const char* default_text;   /* as written, for --help */
    uint64_t default_bits;      /* of a scalar */
    const char* default_string; /* of a string */
} TsrParameter;

typedef struct TsrSignature {
    const char* function;
    int32_t nsymbols;
    const char* const* symbols; /* names of the dimensions */
    int32_t nparameters;
    const TsrParameter* parameters;
} TsrSignature;

/* Checks dtype, rank and shapes of tensor arguments, binds the symbols into `dims` (nsymbols of them; -1 where nothing
 * binds one), checks integer parameters that are dimensions, and that no mut tensor overlaps another argument. An error
 * names the function, both arguments, both dimensions, both values. */
void tsr_check_arguments(const TsrSignature* signature, const TsrSlot* arguments, int64_t* dims, const TsrPlace* place);
/* One failed comparison, for checks that compiled code makes itself; without `argument` of a value against the type
 * that is declared for it. */
#if defined(__GNUC__)
__attribute__((noreturn))
#endif
void tsr_shape_failed(const char* function, const char* argument, const char* dimension, int64_t value,
                      const char* other_argument, const char* other_dimension, int64_t other_value,
                      const TsrPlace* place);
/* An exact quotient in a dimension that is no whole number; without `argument` in a declared type, without `symbol`
 * nobody's value is named. */
#if defined(__GNUC__)
__attribute__((noreturn))
#endif
void tsr_quotient_failed(const char* function, const char* argument, const char* dimension, const char* other_argument,
                         const char* symbol, int64_t value, const TsrPlace* place);
/* Fails when the memory of a (mut) and b overlaps; views that interleave without sharing an element are let pass. */
void tsr_check_overlap(const char* function, const TsrTensor* a, const char* name_a, const TsrTensor* b,
                       const char* name_b, const TsrPlace* place);
/* The same for the tensors in a container, and one or those in another. */
void tsr_check_overlap_held(const char* function, const char* written, const char* other, const TsrList* a,
                            const TsrTensor* b, const TsrPlace* place);
void tsr_check_overlap_both(const char* function, const char* written, const char* other, const TsrList* a,
                            const TsrList* b, const TsrPlace* place);
/* A kernel's tensor argument: itself (retained) when dense; else a dense copy, or for `mut` a failure. */
TsrTensor* tsr_kernel_argument(TsrTensor* tensor, int32_t mut, const char* function, const char* name,
                               const TsrPlace* place);

/* ---- Kernels: their tables, launches ---- */

#include "runtime/abi/kernels.h"
#include "runtime/abi/python.h"
#include "runtime/abi/replayed_calls.h"

/* ---- Programs ---- */

typedef struct TsrResult {
    const char* name; /* the variable returned, or NULL: its number */
    int32_t kind;     /* tensor, scalar, string */
    int32_t dtype;
} TsrResult;

typedef struct TsrProgram {
    int32_t abi; /* TSR_ABI_VERSION */
    int32_t nresults;
    const char* name;
    const char* docstring;  /* or NULL */
    TsrSignature signature; /* of main */
    const TsrResult* results;
    void (*initialize)(void* context);                           /* module-level statements; may be NULL */
    void (*run)(void* context, const TsrSlot* in, TsrSlot* out); /* main: `in` borrowed, `out` new references */
    void* context;                                               /* NULL in executables */
} TsrProgram;

/* Reads the command line (language reference, section 1), runs, writes results. Gives the exit code: 0, 1 or 2. */
int tsr_main(const TsrProgram* program, int argc, char** argv);
/* Defined by the compiled program; the runtime's main() starts it. */
extern const TsrProgram tsr_program;

/* ---- Libraries: functions of a program that C calls ---- */

/* DLPack's DLManagedTensor. */
typedef struct TsrDLManagedTensor {
    TsrDLTensor dl_tensor;
    void* manager_ctx;
    void (*deleter)(struct TsrDLManagedTensor* self);
} TsrDLManagedTensor;

typedef enum TsrStatus {
    TSR_OK,
    TSR_INVALID_ARGUMENT, /* of another type, rank, shape or device than the function takes; nothing was done */
    TSR_FAILED            /* an error of the program; `mut` tensors may be half written */
} TsrStatus;

typedef struct TsrLibraryFunction {
    int32_t abi; /* TSR_ABI_VERSION */
    int32_t nresults;
    TsrSignature signature;
    const TsrResult* results;
    void (*initialize)(void* context); /* module-level statements, run before the first call; may be NULL */
    void (*run)(void* context, const TsrSlot* in, TsrSlot* out);
} TsrLibraryFunction;

/* Calls `function`. Of `arguments` a tensor is its DLTensor* (on the CPU; strides may be NULL), a string its const
 * char*, a scalar its bits; tensors are borrowed for the call. results[i] takes a tensor as a new DLManagedTensor*, a
 * scalar in its storage. Calls wait for each other. Gives a TsrStatus; of a failure tsr_last_error() tells. */
int32_t tsr_call(const TsrLibraryFunction* function, const TsrSlot* arguments, void* const* results);
/* What the last failed call on this thread said, with its place; "" when there was none. */
const char* tsr_last_error(void);

/* ---- The same functions as a table, for engines that do not link them by name ---- */

/* clang-format off */
#define TSR_HOST_FUNCTIONS(X) \
    X(tensor_retain) X(tensor_release) X(empty) X(zeros) X(full) X(ones) X(arange_i64) X(arange_f64) X(linspace) X(from_values) X(from_list) X(philox4x32_10) X(seed) X(random_stream) X(loss_scale) X(loss_scale_step) \
    X(set_seed) X(next_key) X(rand) X(randn) X(randint) X(bernoulli) X(permutation) X(copy) X(is_dense) X(contiguous) X(own) X(cast) X(cast_cut) X(cast_dither) X(convert_bits) X(bits_to_f64) \
    X(f64_to_bits) X(view) X(transpose) X(swap_last) X(view_as_real) X(view_as_complex) X(reshape) X(broadcast_to) X(dim) X(size) X(get) X(get_f64) X(get_i64) X(set) X(set_f64) X(set_i64) X(item) X(assign) X(fill) \
    X(equal) X(allclose) X(string) X(string_retain) X(string_release) X(concat) X(join) X(string_compare) X(string_length) X(string_get) X(string_repr) X(string_slice) \
    X(string_repeat) X(string_upper) X(string_lower) X(string_strip) X(string_lstrip) X(string_rstrip) X(string_replace) X(string_join) X(string_split) \
    X(string_lines) X(string_characters) X(string_find) X(string_count) X(string_starts) X(string_ends) X(string_has) X(string_is_digits) X(string_to_integer) \
    X(string_to_real) X(string_of_code) X(code_of_string) X(format_with) X(format_string_with) X(format_tensor_with) X(format) X(format_string) X(format_tensor) X(format_list) X(list) X(list_of) X(list_retain) X(list_release) X(list_length) X(list_get) \
    X(list_set) X(list_append) X(list_insert) X(list_pop) X(list_remove) X(list_clear) X(list_reverse) X(list_sort) X(list_sort_by) X(list_extend) \
    X(list_concat) X(list_repeat) X(list_slice) X(list_set_slice) X(list_find) X(list_index) X(list_count) X(list_equal) X(list_compare) X(dict_get) X(dict_get_or) \
    X(dict_set_default) X(dict_set) X(dict_has) X(dict_pop) X(dict_pop_or) X(dict_update) X(dict_copy) X(record_copy) X(dict_keys) X(dict_values) X(dict_items) X(print) X(write) \
    X(load) X(load_as) X(save) X(save_checkpoint) X(load_checkpoint) X(read_text) X(write_text) X(read_bytes) X(load_csv) X(time) X(args) X(on_gpu) X(wait) X(allocate) X(free) X(progress_begin) X(progress_loss) X(progress_step) X(progress_end) X(fail) X(assert_failed) X(memory_exceeded) \
    X(set_failure_handler) X(check_arguments) X(shape_failed) X(quotient_failed) X(check_overlap) X(check_overlap_held) X(check_overlap_both) X(kernel_argument) X(task_print) X(task_assert_failed) X(launch) \
    X(capture_begin) X(capture_tensor) X(capture_number) X(capture_end) X(cpu_features) X(workers) X(main)
/* clang-format on */

typedef struct TsrHostApi {
#define TSR_HOST_ENTRY(name) __typeof__(&tsr_##name) name;
    TSR_HOST_FUNCTIONS(TSR_HOST_ENTRY)
#undef TSR_HOST_ENTRY
} TsrHostApi;

const TsrHostApi* tsr_host_api(void);

#ifdef __cplusplus
}
#endif

#endif
