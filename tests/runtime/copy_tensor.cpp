// copy_tensor FROM TO: loads a tensor, prints it, saves it; for the check against NumPy.
#include "helpers.h"

// The archive holds no program of its own here.
int main(int argc, char** argv) {
    if (argc != 3) return 2;
    using namespace tsr::runtime;
    TsrString* from = tsr_string(argv[1], static_cast<int64_t>(std::string_view(argv[1]).size()));
    TsrString* to = tsr_string(argv[2], static_cast<int64_t>(std::string_view(argv[2]).size()));
    TensorRef tensor(tsr_load(from, nullptr, nullptr));
    tsr_print(tsr_format_tensor(tensor.get(), nullptr, nullptr));
    const char* names[] = {"t"};
    const TsrTensor* tensors[] = {tensor.get()};
    tsr_save(to, names, tensors, 1, nullptr);
    return 0;
}
