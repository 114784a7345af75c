// Measures the parts of YCSB that need no database: writing and verifying a row's values, and
// drawing an operation.
#include <benchmark/benchmark.h>

#include <array>
#include <cstdint>
#include <string>

#include "random/distributions.h"
#include "workload/ycsb/clients/operations.h"
#include "workload/ycsb/keys.h"
#include "workload/ycsb/values.h"

namespace drover::ycsb {
namespace {

using Row = std::array<std::array<char, 100>, 10>;

void write_row(Row& row, std::uint64_t key) {
  for (std::uint32_t field = 0; field < row.size(); ++field) {
    write_value(row[field], {.key = key, .field = field}, {.version = 1, .stamp = key});
  }
}

void write_a_row(benchmark::State& state) {
  Row row;
  std::uint64_t key = 0;
  for (auto _ : state) {
    write_row(row, ++key);
    benchmark::DoNotOptimize(row);
  }
  state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(sizeof(Row)));
}
BENCHMARK(write_a_row);

void verify_a_row(benchmark::State& state) {
  Row row;
  write_row(row, 1);
  for (auto _ : state) {
    for (std::uint32_t field = 0; field < row.size(); ++field) {
      const std::string_view text(row[field].data(), row[field].size());
      if (verify_value(text, {.key = 1, .field = field})) state.SkipWithError("a mismatch");
    }
  }
  state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(sizeof(Row)));
}
BENCHMARK(verify_a_row);

void name_a_key(benchmark::State& state) {
  std::uint64_t number = 0;
  for (auto _ : state) {
    KeyName name(++number, InsertOrder::hashed, 1);
    benchmark::DoNotOptimize(name);
  }
}
BENCHMARK(name_a_key);

void draw_an_operation(benchmark::State& state, const std::string& workload) {
  PropertyReader reader;
  reader.add_workload(workload);
  reader.add_setting("recordcount=100000000");
  const Properties properties = reader.properties();
  InsertSequence sequence(static_cast<std::uint64_t>(properties.record_count));
  random::Sequential turn;
  Operations operations(properties, {}, sequence, turn);
  OperationSource source(operations, 1, 0);
  for (auto _ : state) {
    const Operation operation = source.next();
    if (operation.type == OperationType::insert) sequence.acknowledge(operation.key);
    benchmark::DoNotOptimize(operation);
  }
  state.SetItemsProcessed(state.iterations());
}
BENCHMARK_CAPTURE(draw_an_operation, a, std::string("a"));
BENCHMARK_CAPTURE(draw_an_operation, d, std::string("d"));
BENCHMARK_CAPTURE(draw_an_operation, e, std::string("e"));

}  // namespace
}  // namespace drover::ycsb

BENCHMARK_MAIN();
