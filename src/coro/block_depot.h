// BlockDepot: memory for small objects that are made on one thread and destroyed on another.
//
// Lists of one thread each, like the FramePool's, would grow for ever at the destroying end. Here
// they are bounded: a thread's cache holds two magazines of 128 blocks at most, and full ones go
// through the depot, one lock for 128 blocks (Bonwick and Adams, "Magazines and Vmem", 2001). The
// memory stays at its high-water mark until the depot dies. Under the address sanitizer every block
// comes from the heap, so that it sees each use after free.
//
// Thread safety: a Cache belongs to one thread at a time; the depot is for all. A block may be
// released to another cache of the same depot than it came from. The depot outlives its caches, and
// its memory goes when it does: destroy the objects before.
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <mutex>
#include <vector>

namespace drover::coro {

class BlockDepot {
 public:
  static constexpr std::size_t block_bytes = 64;  // one cache line, and aligned to it
  static constexpr std::size_t magazine_blocks = 128;

  BlockDepot() = default;
  BlockDepot(const BlockDepot&) = delete;
  BlockDepot& operator=(const BlockDepot&) = delete;

  // How many blocks were ever made.
  std::size_t blocks() const;

 private:
  // A block that nobody uses.
  struct FreeBlock {
    FreeBlock* next;
    FreeBlock* next_magazine;  // of the first block of a magazine in the depot
  };

 public:
  class Cache {
   public:
    explicit Cache(BlockDepot& depot) noexcept : depot_(depot) {}
    Cache(const Cache&) = delete;
    Cache& operator=(const Cache&) = delete;

    // Throws std::bad_alloc.
    void* allocate();
    void release(void* block) noexcept;

   private:
    // Unused under the address sanitizer.
    [[maybe_unused]] BlockDepot& depot_;
    [[maybe_unused]] FreeBlock* loaded_ = nullptr;
    [[maybe_unused]] std::size_t loaded_count_ = 0;
    [[maybe_unused]] FreeBlock* spare_ = nullptr;  // a full magazine
  };

 private:
  struct alignas(block_bytes) Block {
    std::array<std::byte, block_bytes> bytes;
  };

  FreeBlock* take_magazine();
  void give_magazine(FreeBlock* magazine) noexcept;

  mutable std::mutex mutex_;
  FreeBlock* magazines_ = nullptr;
  std::vector<std::unique_ptr<Block[]>> slabs_;  // of a magazine each
};

}  // namespace drover::coro
