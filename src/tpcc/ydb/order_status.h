// Order-Status (clause 2.6) on YDB: reads only, in one snapshot. One request batched, two by name;
// three single. See transactions.h.
#pragma once

#include <cstdint>
#include <string>

#include "coro/task.h"
#include "tpcc/ydb/transactions.h"

namespace drover::tpcc::ydb {

class OrderStatus {
 public:
  explicit OrderStatus(const YdbDatabase& database);

  coro::Task<Outcome> batched(ServerSession& session, const OrderStatusInput& input) const;
  coro::Task<Outcome> single(ServerSession& session, const OrderStatusInput& input) const;

 private:
  coro::Task<std::int32_t> find_by_name(ServerSession& session, const CustomerChoice& choice) const;

  std::string batched_by_id_;
  std::string batched_orders_;
  std::string find_by_name_;
  std::string get_customer_;
  std::string get_newest_order_;
  std::string get_lines_;
};

}  // namespace drover::tpcc::ydb
