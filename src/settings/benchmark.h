// The benchmarks, and what of a run is shown for each. Who reads a result asks here, and not for a name. Constants; any
// thread.
#pragma once

#include <string_view>

namespace drover::settings {

struct Benchmark {
  std::string_view key;    // RunSettings::benchmark
  std::string_view title;  // of reports; empty: nothing is known of it but its key
  // Warehouses, terminals with keying and think times, tpmC, inputs, the ledger, and the rules of a specification.
  bool is_tpcc = false;
  std::string_view client = "client";  // who transacts
};

inline constexpr Benchmark known_benchmarks[] = {
    {"tpcc", "TPC-C", true, "terminal"}, {"ycsb", "YCSB"}, {"sql", "SQL scripts"}};

// One that no version so far has made is shown as any workload.
inline constexpr Benchmark other_benchmark = {};

constexpr const Benchmark& benchmark_named(std::string_view key) {
  for (const Benchmark& one : known_benchmarks) {
    if (one.key == key) return one;
  }
  return other_benchmark;
}

}  // namespace drover::settings
