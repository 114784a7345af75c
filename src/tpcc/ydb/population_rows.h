// The population of one table of one warehouse as rows for BulkUpsert, a batch at a time.
//
// They are the rows of tpcc/population.h, so the same as on PostgreSQL for the same seed and load
// time. history has a key here: h_c_nano_ts is the load time in nanoseconds, and the customer's
// place within the warehouse on top of it, which stays below 30 microseconds.
//
// Thread safety: pure functions.
#pragma once

#include <cstdint>

#include "tpcc/population.h"
#include "tpcc/schema.h"
#include "tpcc/ydb/bulk_rows.h"

namespace drover::tpcc::ydb {

// How many batches a warehouse's part of the table has; the whole of Table::Item.
int32_t batch_count(Table table);

// Of stock 10,000 rows, of item 100,000, of warehouse and district all; of the others a district's.
// `w_id` is of no meaning to Table::Item. Requires: batch < batch_count(table).
BulkRows make_batch(Table table, int32_t w_id, int32_t batch, const PopulationSeed& seed);

}  // namespace drover::tpcc::ydb
