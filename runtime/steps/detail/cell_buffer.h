// CellBuffer: memory inside a flow, for its steps and their parts. It consists of cells of 32
// bytes, with a bit for each that is set if the cell is free. A block is a run of cells, taken from
// the end of the buffer first, where the flow lies, so that the memory that a flow uses is
// contiguous.
//
// An allocation costs a few instructions. Blocks do not move, so a buffer whose free cells are
// scattered may have no room for a large block. Not thread-safe. Under the address sanitizer free
// cells are poisoned.
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

#include "coro/detail/intrusive.h"

namespace drover::steps {

inline constexpr std::size_t cell_size = 32;

// Returns the bytes of a buffer that a block of `size` bytes takes.
consteval std::size_t cell_cost(std::size_t size) {
  return (size + cell_size - 1) / cell_size * cell_size;
}

template <std::size_t size>
struct CellMemory {
  static constexpr std::size_t cell_count = (size + cell_size - 1) / cell_size;

  alignas(16) std::byte cells[cell_count * cell_size];     // NOLINT(*-member-init): written
  std::array<std::uint64_t, (cell_count + 63) / 64> free;  // before it is read
};

class CellBuffer : coro::Pinned {
 public:
  // A run of cells lies in one word of bits.
  static constexpr std::size_t block_size_max = 64 * cell_size;

  // `memory` must exist before the buffer, and outlive it.
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

  // Returns memory aligned to 16 bytes, or null if there is no room. Requires: size > 0.
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

  // Returns false if the block is not from this buffer. Requires: `size` is as in allocate().
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

  // Returns the bits at which a run of `count` set bits begins.
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
  std::uint64_t* free_;  // one bit per cell
  std::size_t word_count_;
  std::size_t size_;  // bytes
};

}  // namespace drover::steps
