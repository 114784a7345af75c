#include "database/ydb/partitions.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace drover::database::ydb {

std::string partition_settings(std::size_t partitions, const std::vector<std::string>& keys) {
  std::string with = fmt::format(
      " WITH (AUTO_PARTITIONING_BY_LOAD = DISABLED, AUTO_PARTITIONING_PARTITION_SIZE_MB = {}, "
      "AUTO_PARTITIONING_MIN_PARTITIONS_COUNT = {}, AUTO_PARTITIONING_MAX_PARTITIONS_COUNT = {}",
      partition_megabytes, partitions, 2 * std::max(partitions, partitions_least));
  if (!keys.empty()) with += fmt::format(", PARTITION_AT_KEYS = ({})", fmt::join(keys, ", "));
  return with + ")";
}

std::vector<std::string> keys_of_ranges(std::int64_t last) {
  constexpr auto ranges = static_cast<std::int64_t>(partitions_least);
  const std::int64_t step = (last + ranges - 1) / ranges;
  std::vector<std::string> keys;
  for (std::int64_t key = 1 + step; key <= last; key += step) keys.push_back(std::to_string(key));
  return keys;
}

}  // namespace drover::database::ydb
