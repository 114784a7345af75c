// Plan: a run of YCSB, validated and with every "auto" resolved. Values only.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "load/plan.h"
#include "workload/ycsb/clients/operations.h"
#include "workload/ycsb/properties/properties.h"

namespace drover::ycsb {

// What is shown of a run: the types are the operations whose proportion is above 0, in the order of OperationType.
load::WorkloadInfo workload_info(const Properties& properties);

// The place of each operation among these types; 0 of those that are none.
std::array<std::size_t, operation_type_count> places_of_types(const Properties& properties);

struct Plan : load::Plan {
  Properties properties;
  // Rows of the part that are not there: ascending, and within it.
  std::vector<RowRange> missing_rows;
  // The first row to insert; the next is as many rows on as there are hosts, each of which inserts rows of its own.
  std::uint64_t next_row = 0;
  // The stamp of the first attempt; none: random, since two runs must be told apart. A simulation is to be repeated.
  std::optional<std::uint64_t> first_stamp = {};

  // Says in `workload` what the rest comes to: for when no more of it changes, since nothing else keeps it up.
  void complete() { workload = workload_info(properties); }
};

}  // namespace drover::ycsb
