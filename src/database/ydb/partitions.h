// How tables of YDB are cut: a partition changes rows on one core of one node, and the server splits by size alone. Pure
// functions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace drover::database::ydb {

// Where the server splits a partition.
inline constexpr int partition_megabytes = 2000;

// With so many there are several for each node.
inline constexpr std::size_t partitions_least = 50;

// " WITH (…)", to stand behind the columns of a CREATE TABLE. The server merges none below `partitions`; `keys`, as YQL
// has them, are where all partitions but the first begin.
std::string partition_settings(std::size_t partitions, const std::vector<std::string>& keys);

// Keys that cut the numbers 1 to `last` in partitions_least ranges of about the same size; fewer where there are fewer
// numbers. Requires: last >= 1.
std::vector<std::string> keys_of_ranges(std::int64_t last);

}  // namespace drover::database::ydb
