// The population of one table of one warehouse as rows for BulkUpsert, a batch at a time.
//
// Thread safety: pure functions.
#pragma once

#include <cstdint>

#include "workload/tpcc/population.h"
#include "workload/tpcc/schema.h"
#include "workload/tpcc/ydb/import/bulk_rows.h"

namespace drover::tpcc::ydb {

// How many batches a warehouse's part of the table has; the whole of Table::Item.
int32_t batch_count(Table table);

// A batch has 10,000 rows of stock, 100,000 of item, all of warehouse and district, and those of a
// district of the others.
// `w_id` is of no meaning to Table::Item. Requires: batch < batch_count(table).
BulkRows make_batch(Table table, int32_t w_id, int32_t batch, const PopulationSeed& seed);

}  // namespace drover::tpcc::ydb
