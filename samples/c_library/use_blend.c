// Calls the functions of blend.tsr from C.
#include <stdio.h>

#include "blend.h"

static DLTensor matrix(float* data, int64_t* shape, int ndim) {
    DLTensor tensor = {0};
    tensor.data = data;
    tensor.device.device_type = kDLCPU;
    tensor.ndim = ndim;
    tensor.dtype.code = kDLFloat;
    tensor.dtype.bits = 32;
    tensor.dtype.lanes = 1;
    tensor.shape = shape;  // no strides: row-major without gaps
    return tensor;
}

int main(void) {
    float a[4] = {1, 2, 3, 4}, b[4] = {10, 20, 30, 40}, out[4] = {0};
    int64_t four[1] = {4}, three[1] = {3}, square[2] = {2, 2};
    DLTensor ta = matrix(a, four, 1), tb = matrix(b, four, 1), to = matrix(out, four, 1),
             shorter = matrix(out, three, 1);

    int status = blend_blend(&ta, &tb, 0.25f, &to);
    printf("blend: status %d: %g %g %g %g\n", status, out[0], out[1], out[2], out[3]);

    // What does not fit is refused before anything happens.
    status = blend_blend(&ta, &tb, 0.25f, &shorter);
    printf("blend: status %d: %s\n", status, blend_last_error());

    DLTensor ma = matrix(a, square, 2), mb = matrix(b, square, 2);
    DLManagedTensor* c = NULL;
    double trace = 0;
    status = blend_product(&ma, &mb, &c, &trace);
    if (status == 0) {
        const float* at = c->dl_tensor.data;
        printf("product: status %d: %g %g %g %g, trace %g\n", status, at[0], at[1], at[2], at[3], trace);
        c->deleter(c);
    }

    a[0] = -1000;
    status = blend_product(&ma, &mb, &c, &trace);
    printf("product: status %d: %s\n", status, blend_last_error());
    return 0;
}
