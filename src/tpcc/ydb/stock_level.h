// Stock-Level (clause 2.8) on YDB: reads only, in one snapshot. One request batched, two single.
// See transactions.h.
#pragma once

#include <string>

#include "coro/task.h"
#include "tpcc/ydb/transactions.h"

namespace drover::tpcc::ydb {

class StockLevel {
 public:
  explicit StockLevel(const YdbDatabase& database);

  coro::Task<Outcome> batched(ServerSession& session, const StockLevelInput& input) const;
  coro::Task<Outcome> single(ServerSession& session, const StockLevelInput& input) const;

 private:
  std::string count_at_once_;
  std::string get_next_order_;
  std::string count_since_;
};

}  // namespace drover::tpcc::ydb
