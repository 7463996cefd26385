#include "codegen/nvptx/blocks.h"

#include <algorithm>
#include <ranges>
#include <utility>
#include <vector>

#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/IR/CFG.h>
#include <llvm/IR/Dominators.h>

namespace tsr::codegen {

namespace {

using llvm::BasicBlock;

class BlockOrder {
public:
    explicit BlockOrder(llvm::Function& function) : tree_(function), loops_(tree_) {
        measure(tree_.getRootNode());
        visit(function.getEntryBlock());
        std::ranges::reverse(order_);
        for (const llvm::Loop* loop : loops_.getLoopsInPreorder()) close_up(*loop);
    }

    const std::vector<BasicBlock*>& order() const { return order_; }

private:
    // How many blocks are reached through this one alone.
    void measure(const llvm::DomTreeNode* root) {
        std::vector<const llvm::DomTreeNode*> nodes{root};
        for (size_t i = 0; i < nodes.size(); ++i) {
            const llvm::DomTreeNode* node = nodes[i];  // the list grows
            nodes.insert(nodes.end(), node->begin(), node->end());
        }
        for (const llvm::DomTreeNode* node : std::views::reverse(nodes)) {
            const int64_t size = ++behind_[node->getBlock()];
            if (const llvm::DomTreeNode* above = node->getIDom()) behind_[above->getBlock()] += size;
        }
    }

    // Those first that stand last: out of the most loops, then with the fewest blocks behind them.
    std::vector<BasicBlock*> successors(BasicBlock& block) const {
        std::vector<BasicBlock*> next(llvm::succ_begin(&block), llvm::succ_end(&block));
        std::ranges::stable_sort(
            next, {}, [&](BasicBlock* to) { return std::pair(loops_.getLoopDepth(to), behind_.lookup(to)); });
        return next;
    }

    // Depth first; a block follows in `order_` when all that it leads to are there.
    void visit(BasicBlock& entry) {
        struct Step {
            BasicBlock* block;
            std::vector<BasicBlock*> next;
            size_t done = 0;
        };
        llvm::SmallPtrSet<const BasicBlock*, 32> seen{&entry};
        std::vector<Step> path{{&entry, successors(entry)}};
        while (!path.empty()) {
            Step& step = path.back();
            if (step.done == step.next.size()) {
                order_.push_back(step.block);
                path.pop_back();
                continue;
            }
            BasicBlock* next = step.next[step.done++];
            if (seen.insert(next).second) path.push_back({next, successors(*next)});
        }
    }

    // What stands between blocks of a loop and is none of it follows them.
    void close_up(const llvm::Loop& loop) {
        const auto inside = [&](BasicBlock* block) { return loop.contains(block); };
        const auto first = std::ranges::find_if(order_, inside);
        const auto last = std::ranges::find_if(std::views::reverse(order_), inside).base();
        std::stable_partition(first, last, inside);
    }

    llvm::DominatorTree tree_;
    llvm::LoopInfo loops_;
    llvm::DenseMap<const BasicBlock*, int64_t> behind_;
    std::vector<BasicBlock*> order_;
};

}  // namespace

void order_blocks(llvm::Function& function) {
    const BlockOrder blocks(function);
    BasicBlock* before = nullptr;
    for (BasicBlock* block : blocks.order()) {
        if (before != nullptr) block->moveAfter(before);
        before = block;
    }
}

}  // namespace tsr::codegen
