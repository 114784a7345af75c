// Stock-Level (clause 2.8) on YDB: reads only, in one snapshot. One request batched, two single.
#include "workload/tpcc/ydb/transactions.h"

namespace drover::tpcc::ydb {

using coro::Task;

namespace {

constexpr std::string_view select_next = R"(
SELECT d_next_o_id FROM district WHERE d_w_id = $w_id AND d_id = $d_id;)";
constexpr std::string_view name_next = R"(
$next = (SELECT d_next_o_id FROM district WHERE d_w_id = $w_id AND d_id = $d_id);)";
// The items of the last twenty orders, each once, and then the stock of these few.
constexpr std::string_view count_low_stock = R"(
$items = (SELECT DISTINCT ol_i_id FROM order_line
          WHERE ol_w_id = $w_id AND ol_d_id = $d_id AND ol_o_id >= $next - 20 AND ol_o_id < $next);
SELECT COUNT(*) AS low_stock
FROM $items AS i
INNER JOIN stock AS s ON s.s_i_id = i.ol_i_id
WHERE s.s_w_id = $w_id AND s.s_quantity < $threshold;)";

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
  Statement count_at_once_ = text_(select_next, name_next, count_low_stock);
  Statement get_next_order_ = text_(select_next);
  Statement count_since_ = text_(count_low_stock);
};

}  // namespace

std::unique_ptr<Transaction> make_stock_level(const YdbDatabase& database, StatementStyle style) {
  return std::make_unique<StockLevel>(database, style);
}

}  // namespace drover::tpcc::ydb
