// Share: which part of a whole one of several hosts has, by weights: of warehouses, clients, rows, connections, of a
// rate. Values only.
#pragma once

#include <cstdint>

namespace drover::load {

struct Share {
  // Weights: the sum of those before this host's, its own, and the sum of all. A host alone has it all.
  std::uint64_t before = 0;
  std::uint64_t own = 1;
  std::uint64_t total = 1;
  // Which of how many hosts this is, from 0: for what is told apart and not divided.
  std::uint64_t rank = 0;
  std::uint64_t ranks = 1;

  bool operator==(const Share&) const = default;

  bool is_whole() const noexcept { return own == total; }

  // Things from begin() on, of `count`, end() not among them. The shares of all hosts leave none out and have none
  // twice. Requires: count * total fits into 128 bits, as it always does.
  std::uint64_t begin(std::uint64_t count) const noexcept { return cut(count, before); }
  std::uint64_t end(std::uint64_t count) const noexcept { return cut(count, before + own); }
  std::uint64_t of(std::uint64_t count) const noexcept { return end(count) - begin(count); }

  // The part of what is no number of things.
  double of_rate(double rate) const noexcept {
    return is_whole() ? rate : rate * static_cast<double>(own) / static_cast<double>(total);
  }

 private:
  __extension__ using Wide = unsigned __int128;

  std::uint64_t cut(std::uint64_t count, std::uint64_t weights) const noexcept {
    return static_cast<std::uint64_t>(static_cast<Wide>(count) * weights / total);
  }
};

}  // namespace drover::load
