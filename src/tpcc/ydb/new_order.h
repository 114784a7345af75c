// New-Order (clause 2.4) on YDB: two requests batched, ten single. See transactions.h.
#pragma once

#include <string>

#include "coro/task.h"
#include "database/ydb/value_type.h"
#include "tpcc/ydb/transactions.h"

namespace drover::tpcc::ydb {

class NewOrder {
 public:
  explicit NewOrder(const YdbDatabase& database);

  coro::Task<Outcome> batched(ServerSession& session, const NewOrderInput& input,
                              Trace& trace) const;
  coro::Task<Outcome> single(ServerSession& session, const NewOrderInput& input,
                             Trace& trace) const;

 private:
  struct Work;

  coro::Task<void> read_district_single(ServerSession& session, const NewOrderInput& input,
                                        Work& work) const;
  coro::Task<void> write_order_single(ServerSession& session, const NewOrderInput& input,
                                      const Work& work) const;
  coro::Task<void> read_lines_single(ServerSession& session, const NewOrderInput& input,
                                     Work& work) const;
  coro::Task<Outcome> finish(ServerSession& session, std::string_view last_text,
                             Parameters parameters, const NewOrderInput& input, Trace& trace) const;

  void add_item_ids(Parameters& parameters, const Work& work) const;
  void add_stock_keys(Parameters& parameters, const Work& work) const;
  void add_stock(Parameters& parameters, const Work& work) const;
  void add_lines(Parameters& parameters, const NewOrderInput& input, const Work& work) const;

  database::ydb::RowType stock_key_;
  database::ydb::RowType stock_row_;
  database::ydb::RowType line_row_;

  std::string batched_read_;
  std::string batched_write_;
  std::string get_customer_;
  std::string get_warehouse_;
  std::string get_district_;
  std::string set_next_order_;
  std::string insert_new_order_;
  std::string insert_order_;
  std::string get_items_;
  std::string get_stock_;
  std::string update_stock_;
  std::string insert_lines_;
};

}  // namespace drover::tpcc::ydb
