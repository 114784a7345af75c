#include "tpcc/ydb/stock_level.h"

namespace drover::tpcc::ydb {

using coro::Task;

namespace {

constexpr std::string_view declare_district = R"(
DECLARE $w_id AS Int32;
DECLARE $d_id AS Int32;)";
constexpr std::string_view declare_threshold = R"(
DECLARE $threshold AS Int32;)";
constexpr std::string_view declare_next = R"(
DECLARE $next AS Int32;)";

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

void add_district(Parameters& parameters, const StockLevelInput& input) {
  parameters.add("$w_id", Primitive::int32, input.w_id);
  parameters.add("$d_id", Primitive::int32, input.d_id);
}

}  // namespace

StockLevel::StockLevel(const YdbDatabase& database) {
  const auto text = [pragma = folder_pragma(database)](const auto&... parts) {
    return (pragma + ... + std::string(parts));
  };
  count_at_once_ =
      text(declare_district, declare_threshold, select_next, name_next, count_low_stock);
  get_next_order_ = text(declare_district, select_next);
  count_since_ = text(declare_district, declare_threshold, declare_next, count_low_stock);
}

Task<Outcome> StockLevel::batched(ServerSession& session, const StockLevelInput& input) const {
  Parameters reading;
  add_district(reading, input);
  reading.add("$threshold", Primitive::int32, input.threshold);
  const QueryResult read =
      co_await session.execute_and_commit(count_at_once_, std::move(reading), at_once);
  require_one_row(read.set(0), "district");
  require_one_row(read.set(1), "Stock-Level");
  co_return Outcome{};
}

Task<Outcome> StockLevel::single(ServerSession& session, const StockLevelInput& input) const {
  Parameters of_district;
  add_district(of_district, input);
  const QueryResult district = co_await session.execute(get_next_order_, std::move(of_district));
  require_one_row(district.set(0), "district");
  Parameters of_count;
  add_district(of_count, input);
  of_count.add("$threshold", Primitive::int32, input.threshold);
  of_count.add("$next", Primitive::int32, int32_at(district.set(0), 0, "d_next_o_id"));
  const QueryResult count = co_await session.execute_and_commit(count_since_, std::move(of_count));
  require_one_row(count.set(0), "Stock-Level");
  co_return Outcome{};
}

}  // namespace drover::tpcc::ydb
