#include "coro/frame_pool.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <mutex>
#include <new>
#include <utility>

namespace drover::coro {
namespace {

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define DROVER_FRAMES_FROM_HEAP 1
#endif
#endif

#ifndef DROVER_FRAMES_FROM_HEAP

// Sizes go up by what the heap aligns to, and are those that its blocks have room for: of each it
// keeps eight bytes to itself.
constexpr std::size_t granule = 16;
constexpr std::size_t smallest = 24;
constexpr std::size_t largest_pooled = 2048;

constexpr std::size_t size_class(std::size_t size) noexcept {
  return (size - std::min(size, smallest) + granule - 1) / granule;
}

constexpr std::size_t block_size(std::size_t size_class) noexcept {
  return smallest + size_class * granule;
}

constexpr std::size_t class_count = size_class(largest_pooled) + 1;

constexpr std::uint32_t magazine_blocks = 32;

// A block that nobody uses.
struct FreeBlock {
  FreeBlock* next;
  FreeBlock* next_magazine;  // of the first block of a magazine in the depot
};
static_assert(sizeof(FreeBlock) <= smallest);

void give_to_heap(FreeBlock* first) noexcept {
  while (first != nullptr) ::operator delete(std::exchange(first, first->next));
}

// The full magazines that no thread holds. Any thread.
class Depot {
 public:
  // Null if there is none.
  FreeBlock* take(std::size_t size_class) noexcept {
    const std::lock_guard lock(mutex_);
    FreeBlock* magazine = magazines_[size_class];
    if (magazine != nullptr) magazines_[size_class] = magazine->next_magazine;
    return magazine;
  }

  void give(std::size_t size_class, FreeBlock* magazine) noexcept {
    const std::lock_guard lock(mutex_);
    magazine->next_magazine = magazines_[size_class];
    magazines_[size_class] = magazine;
  }

  void clear() noexcept {
    std::array<FreeBlock*, class_count> all{};
    {
      const std::lock_guard lock(mutex_);
      std::swap(all, magazines_);
    }
    for (FreeBlock* magazine : all) {
      while (magazine != nullptr) {
        give_to_heap(std::exchange(magazine, magazine->next_magazine));
      }
    }
  }

 private:
  std::mutex mutex_;
  std::array<FreeBlock*, class_count> magazines_{};
};

constinit Depot depot;

struct FreeList {
  FreeBlock* loaded = nullptr;
  FreeBlock* spare = nullptr;  // a full magazine
  std::uint32_t loaded_count = 0;
};

// Of one thread.
struct FreeLists {
  std::array<FreeList, class_count> lists{};

  ~FreeLists() {
    for (FreeList& list : lists) {
      give_to_heap(std::exchange(list.loaded, nullptr));
      give_to_heap(std::exchange(list.spare, nullptr));
      list.loaded_count = 0;
    }
    depot.clear();
  }
};

thread_local FreeLists free_lists;

// Requires: `list` has no block loaded.
[[gnu::noinline]] void* allocate_from_elsewhere(FreeList& list, std::size_t size_class) {
  FreeBlock* magazine = list.spare != nullptr ? std::exchange(list.spare, nullptr)
                                              : depot.take(size_class);
  if (magazine == nullptr) return ::operator new(block_size(size_class));
  list.loaded = magazine->next;
  list.loaded_count = magazine_blocks - 1;
  return magazine;
}

// Requires: what `list` has loaded is a full magazine.
[[gnu::noinline]] void unload(FreeList& list, std::size_t size_class) noexcept {
  if (list.spare != nullptr) depot.give(size_class, list.spare);
  list.spare = std::exchange(list.loaded, nullptr);
  list.loaded_count = 0;
}

#endif

}  // namespace

void* FramePool::allocate(std::size_t size) {
#ifndef DROVER_FRAMES_FROM_HEAP
  if (size <= largest_pooled) {
    FreeList& list = free_lists.lists[size_class(size)];
    FreeBlock* block = list.loaded;
    if (block == nullptr) return allocate_from_elsewhere(list, size_class(size));
    list.loaded = block->next;
    --list.loaded_count;
    return block;
  }
#endif
  return ::operator new(size);
}

void FramePool::release(void* block, [[maybe_unused]] std::size_t size) noexcept {
#ifndef DROVER_FRAMES_FROM_HEAP
  if (size <= largest_pooled) {
    FreeList& list = free_lists.lists[size_class(size)];
    if (list.loaded_count == magazine_blocks) unload(list, size_class(size));
    auto* freed = new (block) FreeBlock;
    freed->next = list.loaded;
    list.loaded = freed;
    ++list.loaded_count;
    return;
  }
#endif
  ::operator delete(block);
}

}  // namespace drover::coro
