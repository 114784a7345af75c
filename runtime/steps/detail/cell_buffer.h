// CellBuffer: memory inside of a flow, for its steps and what belongs to them. It is cut into cells
// of 32 bytes, and a bit for each says whether it is free. A block is a run of cells, taken from
// the end of the buffer first, where the flow lies: so what a flow uses lies together.
//
// Costs a few instructions, and nothing to set up but its bits. Blocks do not move: a buffer with
// enough room in pieces may have none for a large block. Not thread-safe. Under the address
// sanitizer free cells are poisoned.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define DROVER_POISONS_CELLS 1
#include <sanitizer/asan_interface.h>
#endif
#endif
#include "coro/detail/pinned.h"

namespace drover::steps {

inline constexpr std::size_t cell_size = 32;

// What a block of `size` bytes takes of a buffer.
consteval std::size_t cell_cost(std::size_t size) {
  return (size + cell_size - 1) / cell_size * cell_size;
}

template <std::size_t size>
struct CellMemory {
  static constexpr std::size_t cell_count = (size + cell_size - 1) / cell_size;

  alignas(16) std::byte cells[cell_count * cell_size];     // NOLINT(*-member-init): nor is it read
  std::array<std::uint64_t, (cell_count + 63) / 64> free;  // before it is written
};

class CellBuffer : coro::Pinned {
 public:
  // A run of cells lies in one word of bits.
  static constexpr std::size_t block_size_max = 64 * cell_size;

  // `memory` must outlive it, and be there when it is made.
  template <std::size_t size>
  explicit CellBuffer(CellMemory<size>& memory) noexcept
      : cells_(memory.cells),
        free_(memory.free.data()),
        word_count_(memory.free.size()),
        size_(sizeof memory.cells) {
    memory.free.fill(~std::uint64_t{0});
    memory.free.back() = mask((CellMemory<size>::cell_count - 1) % 64 + 1);
    poison(cells_, size_);
  }
  ~CellBuffer() { unpoison(cells_, size_); }

  // Null if there is no room. Aligned to 16 bytes. Requires: size > 0.
  void* allocate(std::size_t size) noexcept {
    const std::size_t count = (size + cell_size - 1) / cell_size;
    if (count > 64) return nullptr;
    for (std::size_t word = word_count_; word-- > 0;) {
      const std::uint64_t starts = run_starts(free_[word], count);
      if (starts == 0) continue;
      const int first = 63 - std::countl_zero(starts);
      free_[word] &= ~(mask(count) << first);
      std::byte* block = cells_ + (word * 64 + static_cast<std::size_t>(first)) * cell_size;
      unpoison(block, size);
      return block;
    }
    return nullptr;
  }

  // False if the block is from elsewhere. Requires: the size that it was allocated with.
  bool release(void* block, std::size_t size) noexcept {
    const std::size_t offset =
        reinterpret_cast<std::uintptr_t>(block) - reinterpret_cast<std::uintptr_t>(cells_);
    if (offset >= size_) return false;
    const std::size_t count = (size + cell_size - 1) / cell_size;
    const std::size_t first = offset / cell_size;
    free_[first / 64] |= mask(count) << first % 64;
    poison(block, count * cell_size);
    return true;
  }

 private:
  // Requires: 0 < count <= 64.
  static constexpr std::uint64_t mask(std::size_t count) noexcept {
    return ~std::uint64_t{0} >> (64 - count);
  }

  // The bits at which a run of `count` set bits begins.
  static constexpr std::uint64_t run_starts(std::uint64_t bits, std::size_t count) noexcept {
    for (std::size_t have = 1; have < count;) {
      const std::size_t more = std::min(have, count - have);
      bits &= bits >> more;
      have += more;
    }
    return bits;
  }

  static void poison([[maybe_unused]] void* memory, [[maybe_unused]] std::size_t size) noexcept {
#ifdef DROVER_POISONS_CELLS
    ASAN_POISON_MEMORY_REGION(memory, size);
#endif
  }
  static void unpoison([[maybe_unused]] void* memory, [[maybe_unused]] std::size_t size) noexcept {
#ifdef DROVER_POISONS_CELLS
    ASAN_UNPOISON_MEMORY_REGION(memory, size);
#endif
  }

  std::byte* cells_;
  std::uint64_t* free_;  // a bit a cell, set if it is free
  std::size_t word_count_;
  std::size_t size_;  // bytes
};

}  // namespace drover::steps
