#include "workload/ycsb/load.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <utility>
#include <vector>

namespace drover::ycsb {
namespace {

using Ranges = std::vector<RowRange>;

TEST(LoadedRanges, WhatIsMissingLiesBetweenThem) {
  const Ranges loaded = {{10, 20}, {20, 30}, {40, 50}};
  EXPECT_EQ(missing_ranges({0, 60}, loaded), (Ranges{{0, 10}, {30, 40}, {50, 60}}));
  EXPECT_EQ(missing_ranges({15, 45}, loaded), (Ranges{{30, 40}}));
  EXPECT_EQ(missing_ranges({12, 28}, loaded), Ranges{});
  EXPECT_EQ(missing_ranges({30, 40}, loaded), (Ranges{{30, 40}}));
  EXPECT_EQ(missing_ranges({5, 5}, loaded), Ranges{});
  EXPECT_EQ(missing_ranges({3, 7}, {}), (Ranges{{3, 7}}));
}

TEST(LoadedRanges, RowsThatTwoHaveLoadedCountOnce) {
  LoadRecord record;
  EXPECT_EQ(record.rows_loaded(), 0U);
  record.loaded = {{0, 10}, {5, 10}, {8, 20}, {30, 40}, {35, 38}};
  EXPECT_EQ(record.rows_loaded(), 30U);
}

// Also checks the number of remaining pieces before each piece.
Ranges cut_in_pieces(Ranges ranges, std::uint64_t rows_of_piece) {
  Pieces pieces(std::move(ranges), rows_of_piece);
  Ranges all;
  std::uint64_t left = pieces.left();
  while (const auto piece = pieces.next()) {
    all.push_back(*piece);
    EXPECT_EQ(pieces.left(), --left);
  }
  EXPECT_EQ(left, 0U);
  return all;
}

TEST(LoadedRanges, PiecesEndAtTheSameRowsWhereverTheyBegin) {
  EXPECT_EQ(cut_in_pieces({{0, 25}, {37, 40}}, 10),
            (Ranges{{0, 10}, {10, 20}, {20, 25}, {37, 40}}));
  EXPECT_EQ(cut_in_pieces({{5, 31}}, 10), (Ranges{{5, 10}, {10, 20}, {20, 30}, {30, 31}}));
  EXPECT_EQ(cut_in_pieces({{10, 20}}, 10), (Ranges{{10, 20}}));
  EXPECT_EQ(cut_in_pieces({}, 10), Ranges{});
}

TEST(LoadedRanges, PiecesOfTheLargestTableTakeNoMemory) {
  constexpr auto rows = static_cast<std::uint64_t>(record_count_max);
  Pieces pieces({{1, rows}}, 1);
  EXPECT_EQ(pieces.left(), rows - 1);
  EXPECT_EQ(pieces.next(), (RowRange{1, 2}));
  EXPECT_EQ(pieces.left(), rows - 2);
}

}  // namespace
}  // namespace drover::ycsb
