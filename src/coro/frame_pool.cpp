#include "coro/frame_pool.h"

#include <algorithm>
#include <array>
#include <new>

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
constexpr std::size_t smallest = 8;
constexpr std::size_t largest_pooled = 2048;

constexpr std::size_t size_class(std::size_t size) noexcept {
  return (size - std::min(size, smallest) + granule - 1) / granule;
}

constexpr std::size_t block_size(std::size_t size_class) noexcept {
  return smallest + size_class * granule;
}

constexpr std::size_t class_count = size_class(largest_pooled) + 1;

struct FreeBlock {
  FreeBlock* next;
};

struct FreeLists {
  std::array<FreeBlock*, class_count> heads{};

  ~FreeLists() {
    for (FreeBlock*& head : heads) {
      while (head != nullptr) {
        FreeBlock* next = head->next;
        ::operator delete(head);
        head = next;
      }
    }
  }
};

thread_local FreeLists free_lists;

#endif

}  // namespace

void* FramePool::allocate(std::size_t size) {
#ifndef DROVER_FRAMES_FROM_HEAP
  if (size <= largest_pooled) {
    FreeBlock*& head = free_lists.heads[size_class(size)];
    if (head != nullptr) {
      FreeBlock* block = head;
      head = block->next;
      return block;
    }
    return ::operator new(block_size(size_class(size)));
  }
#endif
  return ::operator new(size);
}

void FramePool::release(void* block, [[maybe_unused]] std::size_t size) noexcept {
#ifndef DROVER_FRAMES_FROM_HEAP
  if (size <= largest_pooled) {
    FreeBlock*& head = free_lists.heads[size_class(size)];
    head = new (block) FreeBlock{head};
    return;
  }
#endif
  ::operator delete(block);
}

}  // namespace drover::coro
