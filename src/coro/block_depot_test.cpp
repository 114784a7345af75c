// Blocks: distinct, aligned, and used again when another thread frees them than made them.
#include "coro/block_depot.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <set>
#include <vector>

namespace drover::coro {
namespace {

constexpr std::size_t several_magazines = 5 * BlockDepot::magazine_blocks + 7;

std::vector<void*> allocate(BlockDepot::Cache& cache, std::size_t count) {
  std::vector<void*> blocks;
  for (std::size_t i = 0; i < count; ++i) {
    blocks.push_back(cache.allocate());
    std::memset(blocks.back(), static_cast<int>(i), BlockDepot::block_bytes);
  }
  return blocks;
}

TEST(BlockDepotTest, BlocksAreDistinctAndAligned) {
  BlockDepot depot;
  BlockDepot::Cache cache(depot);
  const std::vector<void*> blocks = allocate(cache, several_magazines);
  EXPECT_EQ(std::set<void*>(blocks.begin(), blocks.end()).size(), blocks.size());
  for (void* block : blocks) {
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(block) % BlockDepot::block_bytes, 0U);
    cache.release(block);
  }
}

TEST(BlockDepotTest, WhatOneCacheMakesAndAnotherFreesComesBack) {
  BlockDepot depot;
  BlockDepot::Cache maker(depot);
  BlockDepot::Cache destroyer(depot);
  for (void* block : allocate(maker, several_magazines)) destroyer.release(block);
  const std::size_t after_one_round = depot.blocks();
  for (int round = 0; round < 50; ++round) {
    for (void* block : allocate(maker, several_magazines)) destroyer.release(block);
  }
  // The destroyer may keep two magazines and the maker two.
  EXPECT_LE(depot.blocks(), after_one_round + 4 * BlockDepot::magazine_blocks);
}

}  // namespace
}  // namespace drover::coro
