// Payment (clause 2.5) on YDB: two requests batched, five single, and one more by name. See
// transactions.h.
#pragma once

#include <cstdint>
#include <string>

#include "coro/task.h"
#include "tpcc/ydb/history_keys.h"
#include "tpcc/ydb/transactions.h"

namespace drover::tpcc::ydb {

class Payment {
 public:
  explicit Payment(const YdbDatabase& database);

  coro::Task<Outcome> batched(ServerSession& session, const PaymentInput& input, Trace& trace);
  coro::Task<Outcome> single(ServerSession& session, const PaymentInput& input, Trace& trace);

 private:
  struct Customer;
  struct Places;

  coro::Task<Places> update_places_single(ServerSession& session, const PaymentInput& input) const;
  coro::Task<Customer> read_customer_single(ServerSession& session,
                                            const PaymentInput& input) const;
  void add_history(Parameters& parameters, const PaymentInput& input, std::int32_t c_id,
                   const Places& places, std::uint32_t mark);

  HistoryKeys history_keys_;

  std::string batched_read_by_id_;
  std::string batched_read_by_name_;
  std::string batched_write_good_;
  std::string batched_write_bad_;  // of a customer with bad credit: c_data, too
  std::string update_warehouse_;
  std::string update_district_;
  std::string find_by_name_;
  std::string get_customer_;
  std::string update_good_;
  std::string update_bad_;
  std::string insert_history_;
};

}  // namespace drover::tpcc::ydb
