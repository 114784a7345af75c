// RowRange: the rows [begin, end) of a table, by number. A plain value; may be used on any thread.
#pragma once

#include <cstdint>

namespace drover::ycsb {

struct RowRange {
  std::uint64_t begin = 0;
  std::uint64_t end = 0;

  std::uint64_t rows() const noexcept { return end - begin; }
  friend bool operator==(const RowRange&, const RowRange&) = default;
};

}  // namespace drover::ycsb
