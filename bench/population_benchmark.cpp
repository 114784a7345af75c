// Measures the client's share of an import: generating the rows as binary COPY, table by table and
// for ten warehouses together. The target is 1.2 seconds of CPU for the latter.
#include <benchmark/benchmark.h>

#include <string>

#include "workload/tpcc/postgres/import/copy_binary.h"

namespace {

namespace tpcc = drover::tpcc;
using tpcc::postgres::CopyBuffer;
using tpcc::postgres::TableCopy;

constexpr size_t piece_bytes = 256 * 1024;
constexpr tpcc::PopulationSeed seed = {42, 1'700'000'000'000'000};

struct Made {
  int64_t rows = 0;
  int64_t bytes = 0;
};

void make_part(tpcc::Table table, int32_t w_id, CopyBuffer& buffer, Made& made) {
  TableCopy copy(table, w_id, seed);
  bool more = true;
  while (more) {
    buffer.clear();
    more = copy.fill(buffer, piece_bytes);
    benchmark::DoNotOptimize(buffer.data());
    benchmark::ClobberMemory();
    made.bytes += static_cast<int64_t>(buffer.size());
  }
  made.rows += copy.rows_written();
}

void report(benchmark::State& state, const Made& made) {
  state.SetItemsProcessed(made.rows);
  state.SetBytesProcessed(made.bytes);
}

void population_of_table(benchmark::State& state) {
  const auto table = static_cast<tpcc::Table>(state.range(0));
  state.SetLabel(std::string(tpcc::table_name(table)));
  CopyBuffer buffer(2 * piece_bytes);
  Made made;
  for ([[maybe_unused]] auto iteration : state) make_part(table, 1, buffer, made);
  report(state, made);
}

void population_of_ten_warehouses(benchmark::State& state) {
  CopyBuffer buffer(2 * piece_bytes);
  Made made;
  for ([[maybe_unused]] auto iteration : state) {
    for (const tpcc::Table table : tpcc::all_tables) {
      const int32_t parts = table == tpcc::Table::Item ? 1 : 10;
      for (int32_t w_id = 1; w_id <= parts; ++w_id) make_part(table, w_id, buffer, made);
    }
  }
  report(state, made);
}

BENCHMARK(population_of_table)->DenseRange(0, 8)->Unit(benchmark::kMillisecond);
BENCHMARK(population_of_ten_warehouses)->Unit(benchmark::kMillisecond);

}  // namespace

BENCHMARK_MAIN();
