#include "workload/tpcc/ydb/import/population_batch.h"

#include <cassert>
#include <utility>

namespace drover::tpcc::ydb {

int32_t batch_count(Table table) {
  const bool small = table == Table::Warehouse || table == Table::District || table == Table::Item;
  return small ? 1 : districts_per_warehouse;
}

BulkRows make_batch(Table table, int32_t w_id, int32_t batch, const PopulationSeed& seed) {
  assert(batch < batch_count(table));
  PopulationBulkRows rows(columns(table));
  PopulationRows population(table, w_id, seed);
  const int32_t size = PopulationRows::size(table) / batch_count(table);
  for (int32_t index = batch * size; index < (batch + 1) * size; ++index) {
    population.write(rows, index);
  }
  return BulkRows(std::move(rows));
}

}  // namespace drover::tpcc::ydb
