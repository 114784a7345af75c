#include "cli/lab_factors.h"

namespace drover::cli {

std::vector<std::size_t> doubling(std::size_t most) {
  std::vector<std::size_t> counts;
  for (std::size_t count = 1; count < most; count *= 2) counts.push_back(count);
  counts.push_back(most);
  return counts;
}

}  // namespace drover::cli
