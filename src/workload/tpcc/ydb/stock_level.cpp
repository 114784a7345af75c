// Stock-Level (clause 2.8) on YDB: reads only, in one snapshot. One request batched, two single.
#include "workload/tpcc/ydb/transactions.h"

namespace drover::tpcc::ydb {

using coro::Task;

namespace {

class StockLevel final : public StyledTransaction<StockLevelInput> {
 public:
  StockLevel(const YdbDatabase& database, StatementStyle style)
      : StyledTransaction(style), text_(database) {}

 private:
  static Values values_of(const StockLevelInput& input) {
    return {{"$w_id", input.w_id}, {"$d_id", input.d_id}, {"$threshold", input.threshold}};
  }

  Task<Outcome> batched(ServerSession& session, const StockLevelInput& input, Trace&) override {
    Parameters reading = values_of(input).of(count_at_once_);
    const QueryResult read =
        co_await session.execute_and_commit(count_at_once_.text, std::move(reading), at_once);
    require_one_row(read.set(0), "district");
    require_one_row(read.set(1), "Stock-Level");
    co_return Outcome{};
  }

  Task<Outcome> single(ServerSession& session, const StockLevelInput& input, Trace&) override {
    Values values = values_of(input);
    const QueryResult district = co_await send(session, get_next_order_, values);
    require_one_row(district.set(0), "district");
    values.set({{"$next", district.set(0).at(0, "d_next_o_id").int32()}});
    const QueryResult count = co_await send_and_commit(session, count_since_, values);
    require_one_row(count.set(0), "Stock-Level");
    co_return Outcome{};
  }

  StatementTexts text_;
  Statement count_at_once_ = text_.of({"sl_next_order", "sl_name_next", "sl_count"});
  Statement get_next_order_ = text_.of({"sl_next_order"});
  Statement count_since_ = text_.of({"sl_count"});
};

}  // namespace

std::unique_ptr<YdbTransaction> make_stock_level(const YdbDatabase& database,
                                                 StatementStyle style) {
  return std::make_unique<StockLevel>(database, style);
}

}  // namespace drover::tpcc::ydb
