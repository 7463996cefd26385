// Which values wait in registers at each place of a kernel, before ptxas gives them any.
#pragma once

#include <cstdint>
#include <vector>

#include <llvm/ADT/BitVector.h>
#include <llvm/ADT/DenseMap.h>
#include <llvm/IR/BasicBlock.h>
#include <llvm/IR/DataLayout.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/Instruction.h>

namespace tsr::codegen {

class Liveness {
public:
    enum class Made : uint8_t { whole, half };

    // `half`: where few registers hold what is made of parameters, numbers of threads and groups by integer arithmetic,
    // that counts half. ptxas has registers of whole warps for some of it and makes some of it again.
    explicit Liveness(const llvm::Function& function, Made made = Made::whole);

    // Registers of 32 bits, at the place where most are held.
    int64_t most() const { return most_; }
    // What the value takes; 0: none of its own (constants, parameters, conditions).
    int64_t size_of(const llvm::Value* value) const;
    // Whether the value is held where the block begins.
    bool holds(const llvm::BasicBlock* block, const llvm::Value* value) const;

private:
    int64_t size_of(const llvm::Instruction& instruction) const;
    void set(const llvm::Value* value, llvm::BitVector& live) const;
    void pass(const llvm::BasicBlock& block, llvm::BitVector& live, bool counts);
    llvm::BitVector at_end(const llvm::BasicBlock& block);
    void follow(const llvm::Function& function);

    const llvm::DataLayout& layout_;
    llvm::DenseMap<const llvm::Value*, unsigned> numbers_;
    std::vector<int64_t> sizes_;
    std::vector<bool> made_;
    Made counts_made_;
    llvm::DenseMap<const llvm::BasicBlock*, llvm::BitVector> at_begin_;  // what is live there
    int64_t most_ = 0;
};

}  // namespace tsr::codegen
