#include "coro/detail/frame_pool.h"

#include <algorithm>
#include <array>
#include <cstddef>
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

constexpr std::size_t magazine_blocks = 32;

// A block that nobody uses. It knows how many lie in its list, so that there is no count to keep
// where a block is taken.
struct FreeBlock {
  FreeBlock* next;           // the last one's is the end of the list
  std::size_t count;         // with itself
  FreeBlock* next_magazine;  // of the first block of a magazine in the depot
};
static_assert(sizeof(FreeBlock) <= smallest);

// The end of a list is a block that is never handed out: so neither taking nor giving has to ask
// whether there is a list. Of a size that the thread has not used yet it seems to be full, so that
// the first block that comes does not pass unnoticed.
constinit FreeBlock list_end{nullptr, 0, nullptr};
constinit FreeBlock unused_list{nullptr, magazine_blocks, nullptr};

void give_to_heap(FreeBlock* first) noexcept {
  while (first->next != nullptr) ::operator delete(std::exchange(first, first->next));
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

// The lists of one thread. They have no destructor: its registration would be looked at in every
// call.
struct FreeLists {
  std::array<FreeBlock*, class_count> loaded;
  std::array<FreeBlock*, class_count> spare;  // a full magazine each, or the end of a list

  static constexpr FreeLists unused() noexcept {
    FreeLists lists{};
    lists.loaded.fill(&unused_list);
    lists.spare.fill(&list_end);
    return lists;
  }
};

constinit thread_local FreeLists free_lists = FreeLists::unused();
constinit thread_local bool thread_has_ended = false;

// Gives back what a thread holds as it ends. Frames that are freed after that go to the heap.
struct ThreadEnd {
  ~ThreadEnd() {
    thread_has_ended = true;
    for (FreeBlock* list : free_lists.loaded) give_to_heap(list);
    for (FreeBlock* magazine : free_lists.spare) give_to_heap(magazine);
    free_lists = FreeLists::unused();
    depot.clear();
  }
  void expect() noexcept {}
};

thread_local ThreadEnd thread_end;

// Requires: no block of the class is loaded.
[[gnu::noinline]] void* allocate_from_elsewhere(std::size_t size_class) {
  if (thread_has_ended) return ::operator new(block_size(size_class));
  thread_end.expect();
  FreeBlock*& spare = free_lists.spare[size_class];
  FreeBlock*& loaded = free_lists.loaded[size_class];
  FreeBlock* magazine = spare != &list_end ? std::exchange(spare, &list_end) : nullptr;
  if (magazine == nullptr) magazine = depot.take(size_class);
  loaded = magazine != nullptr ? magazine->next : &list_end;
  return magazine != nullptr ? magazine : ::operator new(block_size(size_class));
}

void put_first(FreeBlock*& list, void* block) noexcept {
  auto* freed = new (block) FreeBlock;
  freed->next = list;
  freed->count = list->count + 1;
  list = freed;
}

// Requires: what is loaded is a full magazine, or the list was not used yet.
[[gnu::noinline]] void release_elsewhere(void* block, std::size_t size_class) noexcept {
  if (thread_has_ended) return ::operator delete(block);
  thread_end.expect();
  FreeBlock*& spare = free_lists.spare[size_class];
  FreeBlock*& loaded = free_lists.loaded[size_class];
  FreeBlock* full = std::exchange(loaded, &list_end);
  if (full != &unused_list) {
    if (spare != &list_end) depot.give(size_class, spare);
    spare = full;
  }
  put_first(loaded, block);
}

#endif

}  // namespace

void* FramePool::allocate(std::size_t size) {
#ifndef DROVER_FRAMES_FROM_HEAP
  if (size <= largest_pooled) {
    FreeBlock*& list = free_lists.loaded[size_class(size)];
    FreeBlock* block = list;
    if (block->next == nullptr) return allocate_from_elsewhere(size_class(size));
    list = block->next;
    return block;
  }
#endif
  return ::operator new(size);
}

void FramePool::release(void* block, [[maybe_unused]] std::size_t size) noexcept {
#ifndef DROVER_FRAMES_FROM_HEAP
  if (size <= largest_pooled) {
    FreeBlock*& list = free_lists.loaded[size_class(size)];
    if (list->count == magazine_blocks) return release_elsewhere(block, size_class(size));
    put_first(list, block);
    return;
  }
#endif
  ::operator delete(block);
}

}  // namespace drover::coro
