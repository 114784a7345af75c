// CellBuffer.
#include "steps/detail/cell_buffer.h"

#include <gtest/gtest.h>

#include <cstring>
#include <memory>
#include <random>
#include <vector>

namespace drover::steps {
namespace {

TEST(CellBuffer, BeginsAtItsEndAndRefusesWhatDoesNotFit) {
  CellMemory<128> memory;
  CellBuffer buffer(memory);
  void* last = buffer.allocate(1);
  EXPECT_EQ(last, memory.cells + 96);
  void* two = buffer.allocate(33);
  EXPECT_EQ(two, memory.cells + 32);
  EXPECT_EQ(buffer.allocate(64), nullptr);
  void* first = buffer.allocate(32);
  EXPECT_EQ(first, memory.cells);
  EXPECT_EQ(buffer.allocate(1), nullptr);
  EXPECT_TRUE(buffer.release(two, 33));
  EXPECT_EQ(buffer.allocate(64), two);
}

TEST(CellBuffer, KnowsItsOwnBlocks) {
  CellMemory<64> memory;
  CellMemory<64> other;
  CellBuffer buffer(memory);
  EXPECT_FALSE(buffer.release(other.cells, 32));
  EXPECT_FALSE(buffer.release(&other, 32));
  EXPECT_EQ(buffer.allocate(64), memory.cells);
}

TEST(CellBuffer, ABlockHasUpTo64Cells) {
  auto memory = std::make_unique<CellMemory<3 * 2048 + 32>>();
  CellBuffer buffer(*memory);
  EXPECT_EQ(buffer.allocate(CellBuffer::block_size_max + 1), nullptr);
  EXPECT_EQ(buffer.allocate(100'000), nullptr);
  for (int i = 0; i < 3; ++i) EXPECT_NE(buffer.allocate(CellBuffer::block_size_max), nullptr);
  EXPECT_EQ(buffer.allocate(33), nullptr);
  EXPECT_NE(buffer.allocate(32), nullptr);
}

// Fills each block with its own value, to detect overlaps.
TEST(CellBuffer, BlocksNeverOverlap) {
  struct Block {
    unsigned char* bytes;
    std::size_t size;
    unsigned char value;
  };
  auto memory = std::make_unique<CellMemory<5000>>();
  CellBuffer buffer(*memory);
  std::mt19937 random(1);  // NOLINT(*-msc51-cpp): the same each time
  std::vector<Block> blocks;
  unsigned char value = 0;
  int refused = 0;
  for (int i = 0; i < 20'000; ++i) {
    if (random() % 5 < 3) {
      const std::size_t size = 1 + random() % (random() % 10 == 0 ? 600 : 100);
      auto* bytes = static_cast<unsigned char*>(buffer.allocate(size));
      if (bytes == nullptr) {
        ++refused;
        continue;
      }
      std::memset(bytes, ++value, size);
      blocks.push_back({bytes, size, value});
    } else if (!blocks.empty()) {
      std::swap(blocks[random() % blocks.size()], blocks.back());
      const Block block = blocks.back();
      blocks.pop_back();
      for (std::size_t j = 0; j < block.size; ++j) ASSERT_EQ(block.bytes[j], block.value);
      ASSERT_TRUE(buffer.release(block.bytes, block.size));
    }
  }
  EXPECT_GT(refused, 100);
  for (const Block& block : blocks) buffer.release(block.bytes, block.size);
  // All cells are free again, in full words of bits and in the last one.
  EXPECT_NE(buffer.allocate(2048), nullptr);
  EXPECT_NE(buffer.allocate(2048), nullptr);
  EXPECT_NE(buffer.allocate((157 - 128) * 32), nullptr);
  EXPECT_EQ(buffer.allocate(1), nullptr);
}

}  // namespace
}  // namespace drover::steps
