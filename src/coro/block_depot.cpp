#include "coro/block_depot.h"

#include <new>
#include <utility>

namespace drover::coro {
namespace {

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define DROVER_BLOCKS_FROM_HEAP 1
#endif
#endif

}  // namespace

#ifdef DROVER_BLOCKS_FROM_HEAP

void* BlockDepot::Cache::allocate() {
  return ::operator new(block_bytes, std::align_val_t{block_bytes});
}

void BlockDepot::Cache::release(void* block) noexcept {
  ::operator delete(block, std::align_val_t{block_bytes});
}

#else

void* BlockDepot::Cache::allocate() {
  if (loaded_ == nullptr) {
    loaded_ = spare_ != nullptr ? std::exchange(spare_, nullptr) : depot_.take_magazine();
    loaded_count_ = magazine_blocks;
  }
  FreeBlock* block = loaded_;
  loaded_ = block->next;
  --loaded_count_;
  return block;
}

void BlockDepot::Cache::release(void* block) noexcept {
  if (loaded_count_ == magazine_blocks) {
    if (spare_ != nullptr) depot_.give_magazine(spare_);
    spare_ = std::exchange(loaded_, nullptr);
    loaded_count_ = 0;
  }
  loaded_ = new (block) FreeBlock{loaded_, nullptr};
  ++loaded_count_;
}

#endif

std::size_t BlockDepot::blocks() const {
  const std::lock_guard lock(mutex_);
  return slabs_.size() * magazine_blocks;
}

BlockDepot::FreeBlock* BlockDepot::take_magazine() {
  const std::lock_guard lock(mutex_);
  if (magazines_ != nullptr) {
    return std::exchange(magazines_, magazines_->next_magazine);
  }
  slabs_.reserve(slabs_.size() + 1);
  auto slab = std::make_unique<Block[]>(magazine_blocks);
  FreeBlock* first = nullptr;
  for (std::size_t i = magazine_blocks; i > 0; --i) {
    first = new (&slab[i - 1]) FreeBlock{first, nullptr};
  }
  slabs_.push_back(std::move(slab));
  return first;
}

void BlockDepot::give_magazine(FreeBlock* magazine) noexcept {
  const std::lock_guard lock(mutex_);
  magazine->next_magazine = magazines_;
  magazines_ = magazine;
}

}  // namespace drover::coro
