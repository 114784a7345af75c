// Delivery (clause 2.7) on YDB: the oldest undelivered order of each of the ten districts, in one
// transaction: four requests batched, 17 single. First everything is read, then everything written,
// so that the transaction conflicts with others for as short a time as can be. See transactions.h.
//
// Trace::o_id becomes the number of the first order that it delivers: by it and the mark of its
// dates the Delivery is found in the data afterwards (resolve.h). It stays 0 where there is nothing
// to deliver.
#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "coro/task.h"
#include "database/ydb/value_type.h"
#include "tpcc/ydb/transactions.h"

namespace drover::tpcc::ydb {

class Delivery {
 public:
  explicit Delivery(const YdbDatabase& database);

  coro::Task<Outcome> batched(ServerSession& session, const DeliveryInput& input,
                              Trace& trace) const;
  coro::Task<Outcome> single(ServerSession& session, const DeliveryInput& input,
                             Trace& trace) const;

 private:
  struct Work;

  void add_keys(Parameters& parameters, std::string_view name, const DeliveryInput& input,
                const Work& work, bool of_customers) const;
  void add_delivered(Parameters& parameters, const DeliveryInput& input, const Work& work) const;
  void add_carriers(Parameters& parameters, const DeliveryInput& input, const Work& work) const;
  void add_dates(Parameters& parameters, const DeliveryInput& input, const Work& work,
                 std::uint32_t mark) const;
  void add_customers(Parameters& parameters, const DeliveryInput& input, const Work& work) const;

  coro::Task<void> read_orders_batched(ServerSession& session, const DeliveryInput& input,
                                       Work& work) const;
  coro::Task<void> read_orders_single(ServerSession& session, const DeliveryInput& input,
                                      Work& work) const;
  coro::Task<void> read_customers(ServerSession& session, const DeliveryInput& input,
                                  Work& work) const;

  database::ydb::RowType key_;
  database::ydb::RowType delivered_row_;
  database::ydb::RowType carrier_row_;
  database::ydb::RowType date_row_;
  database::ydb::RowType customer_row_;

  std::string batched_oldest_;
  std::string batched_orders_;
  std::string batched_write_;
  std::string get_oldest_;
  std::string get_orders_;
  std::string get_lines_;
  std::string get_customers_;
  std::string delete_new_orders_;
  std::string set_carriers_;
  std::string set_dates_;
  std::string pay_customers_;
};

}  // namespace drover::tpcc::ydb
