#include "coro/frame_pool.h"

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

constexpr std::size_t granule = 16;  // what the heap aligns to anyway
constexpr std::size_t largest_pooled = 2048;
constexpr std::size_t class_count = largest_pooled / granule + 1;

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

constexpr std::size_t size_class(std::size_t size) noexcept {
  return (size + granule - 1) / granule;
}

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
    return ::operator new(size_class(size) * granule);
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
