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

// Sizes that the heap's blocks have room for: they are multiples of its alignment, less the eight
// bytes that the heap keeps of each block.
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

// Free block. Each block counts the list from itself on, so that taking a block updates no count.
struct FreeBlock {
  FreeBlock* next;           // in the last block: the end of the list
  std::size_t count;         // blocks from this one on
  FreeBlock* next_magazine;  // in the first block of a magazine in the depot
};
static_assert(sizeof(FreeBlock) <= smallest);

// Ends of lists: blocks that are never handed out, so that neither allocate() nor release() needs
// to test for an empty list. The list of a size that the thread has not used seems to be full, so
// that the first release() calls release_elsewhere(), which registers ThreadEnd.
constinit FreeBlock list_end{nullptr, 0, nullptr};
constinit FreeBlock unused_list{nullptr, magazine_blocks, nullptr};

void give_to_heap(FreeBlock* first) noexcept {
  while (first->next != nullptr) ::operator delete(std::exchange(first, first->next));
}

// Full magazines that no thread holds. Any thread.
class Depot {
 public:
  // Returns null if there is none.
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

// Lists of one thread. They have no destructor, because every call would check its registration.
struct FreeLists {
  std::array<FreeBlock*, class_count> loaded;
  std::array<FreeBlock*, class_count> spare;  // full magazines, or ends of lists

  static constexpr FreeLists unused() noexcept {
    FreeLists lists{};
    lists.loaded.fill(&unused_list);
    lists.spare.fill(&list_end);
    return lists;
  }
};

constinit thread_local FreeLists free_lists = FreeLists::unused();
constinit thread_local bool thread_has_ended = false;

// Returns a thread's blocks to the heap when the thread ends. Frames freed after that go to the
// heap.
struct ThreadEnd {
  ~ThreadEnd() {
    thread_has_ended = true;
    for (FreeBlock* list : free_lists.loaded) give_to_heap(list);
    for (FreeBlock* magazine : free_lists.spare) give_to_heap(magazine);
    free_lists = FreeLists::unused();
    depot.clear();
  }
  void expect() noexcept {}  // its call registers the destructor
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

// Requires: the loaded list is a full magazine, or was not used yet.
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
