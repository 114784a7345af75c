#include "answer.h"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <utility>

namespace drover::bench {
namespace {

using Ydb::Query::ExecuteQueryRequest;

constexpr std::int32_t items = 100'000;
constexpr std::int32_t lines_per_order = 10;
constexpr std::int32_t customers_per_name = 3;
constexpr std::uint64_t units_per_cent = 10'000'000;  // of Decimal(22,9)
constexpr std::int64_t districts_per_warehouse = 10;
constexpr std::int64_t first_order = 3001;

std::int32_t next_order_id() {
  static std::atomic<std::int32_t> next{first_order};
  return next.fetch_add(1, std::memory_order_relaxed);
}

const Ydb::Value& parameter(const ExecuteQueryRequest& request, const char* name) {
  return request.parameters().at(name).value();
}

std::int32_t int32_parameter(const ExecuteQueryRequest& request, const char* name,
                             std::int32_t otherwise) {
  const auto found = request.parameters().find(name);
  return found == request.parameters().end() ? otherwise : found->second.value().int32_value();
}

// A set of rows that is being made. Columns are optional, as those that are in no key are.
class Set {
 public:
  explicit Set(Ydb::ResultSet& set) : set_(set) {}

  Set& column(const char* name, Ydb::Type::PrimitiveTypeId type) {
    begin(name).set_type_id(type);
    return *this;
  }
  Set& int32(const char* name) { return column(name, Ydb::Type::INT32); }
  Set& text(const char* name) { return column(name, Ydb::Type::UTF8); }
  Set& money(const char* name) {
    Ydb::DecimalType& type = *begin(name).mutable_decimal_type();
    type.set_precision(22);
    type.set_scale(9);
    return *this;
  }

  // The values of a row, in the order of the columns.
  Set& row() {
    row_ = set_.add_rows();
    return *this;
  }
  Set& add(std::int32_t value) {
    row_->add_items()->set_int32_value(value);
    return *this;
  }
  Set& add_long(std::int64_t value) {
    row_->add_items()->set_int64_value(value);
    return *this;
  }
  Set& add_time(std::uint64_t value) {
    row_->add_items()->set_uint64_value(value);
    return *this;
  }
  Set& add_cents(std::uint64_t cents) {
    Ydb::Value& value = *row_->add_items();
    value.set_low_128(cents * units_per_cent);
    value.set_high_128(0);
    return *this;
  }
  Set& add_text(std::size_t length) {
    row_->add_items()->set_text_value(std::string(length, 'x'));
    return *this;
  }
  Set& add_word(const char* word) {
    row_->add_items()->set_text_value(word);
    return *this;
  }

 private:
  Ydb::Type& begin(const char* name) {
    Ydb::Column& column = *set_.add_columns();
    column.set_name(name);
    return *column.mutable_type()->mutable_optional_type()->mutable_item();
  }

  Ydb::ResultSet& set_;
  Ydb::Value* row_ = nullptr;
};

struct Context {
  const ExecuteQueryRequest& request;
  std::int32_t warehouses;
  const Committed& committed;

  bool by_name() const {
    return request.query_content().text().find("idx_customer_name") != std::string::npos;
  }
};

// --- New-Order

void customer_discount(Set set, const Context&) {
  set.money("c_discount").text("c_last").text("c_credit");
  set.row().add_cents(5).add_text(12).add_word("GC");
}

void warehouse_tax(Set set, const Context&) {
  set.money("w_tax");
  set.row().add_cents(10);
}

void district_tax(Set set, const Context&) {
  set.int32("d_next_o_id").money("d_tax");
  set.row().add(next_order_id()).add_cents(10);
}

void item_rows(Set set, const Context& context) {
  set.int32("i_id").money("i_price").text("i_name").text("i_data");
  for (const Ydb::Value& id : parameter(context.request, "$i_ids").items()) {
    // The one that no table has makes a New-Order that is to be rolled back.
    if (id.int32_value() > items) continue;
    set.row().add(id.int32_value()).add_cents(5'000).add_text(20).add_text(38);
  }
}

void stock_rows(Set set, const Context& context) {
  set.int32("s_w_id").int32("s_i_id").int32("s_quantity").column("s_ytd", Ydb::Type::INT64);
  set.int32("s_order_cnt").int32("s_remote_cnt").text("s_data").text("s_dist");
  for (const Ydb::Value& key : parameter(context.request, "$stock_keys").items()) {
    if (key.items(1).int32_value() > items) continue;
    set.row().add(key.items(0).int32_value()).add(key.items(1).int32_value()).add(50);
    set.add_long(1'000).add(100).add(1).add_text(38).add_text(24);
  }
}

// --- Payment

void place(Set set, const std::string& letter) {
  for (const char* name : {"name", "street_1", "street_2", "city", "state", "zip"}) {
    set.text((letter + "_" + name).c_str());
  }
  set.row().add_text(8).add_text(15).add_text(15).add_text(15).add_text(2).add_text(9);
}

void warehouse_place(Set set, const Context&) {
  place(set, "w");
}

void district_place(Set set, const Context&) {
  place(set, "d");
}

// One customer in ten has bad credit.
void customers_to_pay(Set set, const Context& context) {
  set.int32("c_id");
  for (const char* name : {"c_first", "c_middle", "c_last", "c_street_1", "c_street_2", "c_city",
                           "c_state", "c_zip", "c_phone"}) {
    set.text(name);
  }
  set.column("c_since", Ydb::Type::TIMESTAMP).text("c_credit").money("c_credit_lim");
  set.money("c_discount").money("c_balance").money("c_ytd_payment").int32("c_payment_cnt");
  set.text("c_data");
  const std::int32_t c_id = int32_parameter(context.request, "$c_id", next_order_id());
  const std::int32_t count = context.by_name() ? customers_per_name : 1;
  for (std::int32_t i = 0; i < count; ++i) {
    set.row().add(c_id + i).add_text(12).add_word("OE").add_text(11).add_text(15).add_text(15);
    set.add_text(15).add_text(2).add_text(9).add_text(16).add_time(1'700'000'000'000'000);
    set.add_word(c_id % 10 == 0 ? "BC" : "GC").add_cents(5'000'000).add_cents(10);
    set.add_cents(1'000).add_cents(1'000).add(1).add_text(400);
  }
}

void customer_ids(Set set, const Context&) {
  set.int32("c_id").text("c_first");
  for (std::int32_t i = 1; i <= customers_per_name; ++i) set.row().add(i).add_text(12);
}

// --- Order-Status

void customers_to_tell(Set set, const Context& context) {
  set.int32("c_id").text("c_first").text("c_middle").text("c_last").money("c_balance");
  const std::int32_t count = context.by_name() ? customers_per_name : 1;
  for (std::int32_t i = 1; i <= count; ++i) {
    set.row().add(i).add_text(12).add_word("OE").add_text(11).add_cents(1'000);
  }
}

void newest_order(Set set, const Context&) {
  set.int32("o_id").int32("o_carrier_id").column("o_entry_d", Ydb::Type::TIMESTAMP);
  set.row().add(first_order).add(1).add_time(1'700'000'000'000'000);
}

void lines_to_tell(Set set, const Context&) {
  set.int32("ol_i_id").int32("ol_supply_w_id").int32("ol_quantity").money("ol_amount");
  set.column("ol_delivery_d", Ydb::Type::TIMESTAMP);
  for (std::int32_t i = 0; i < lines_per_order; ++i) {
    set.row().add(i + 1).add(1).add(5).add_cents(25'000).add_time(1'700'000'000'000'000);
  }
}

// --- Delivery

void oldest_new_order(Set set, const Context&) {
  set.int32("no_o_id");
  set.row().add(next_order_id());
}

void orders_to_deliver(Set set, const Context& context) {
  set.int32("o_d_id").int32("o_id").int32("o_c_id");
  for (const Ydb::Value& key : parameter(context.request, "$orders").items()) {
    set.row().add(key.items(1).int32_value()).add(key.items(2).int32_value()).add(1);
  }
}

void lines_to_deliver(Set set, const Context& context) {
  set.int32("ol_d_id").int32("ol_number").money("ol_amount");
  for (const Ydb::Value& key : parameter(context.request, "$orders").items()) {
    for (std::int32_t number = 1; number <= lines_per_order; ++number) {
      set.row().add(key.items(1).int32_value()).add(number).add_cents(25'000);
    }
  }
}

void customers_to_bill(Set set, const Context& context) {
  set.int32("c_d_id").money("c_balance").int32("c_delivery_cnt");
  for (const Ydb::Value& key : parameter(context.request, "$customer_keys").items()) {
    set.row().add(key.items(1).int32_value()).add_cents(1'000).add(1);
  }
}

// --- Stock-Level

void next_order(Set set, const Context&) {
  set.int32("d_next_o_id");
  set.row().add(first_order);
}

void low_stock(Set set, const Context&) {
  set.column("low_stock", Ydb::Type::UINT64);
  set.row().add_time(20);
}

// --- What a run asks for besides

void loaded_warehouses(Set set, const Context& context) {
  set.int32("w_id");
  for (std::int32_t w_id = 1; w_id <= context.warehouses; ++w_id) set.row().add(w_id);
}

void sum_of_order_ids(Set set, const Context& context) {
  set.column("next_o_ids", Ydb::Type::INT64);
  set.row().add_long(context.warehouses * districts_per_warehouse * first_order +
                     context.committed.new_orders.load());
}

void sum_of_payments(Set set, const Context& context) {
  set.money("ytd");
  set.row().add_cents(static_cast<std::uint64_t>(context.committed.payment_cents.load()));
}

// How a statement begins whose rows these are. Those within another statement stand behind a
// bracket and not at the beginning of a line.
struct Statement {
  std::string_view begin;
  void (*make)(Set set, const Context& context);
};

constexpr std::array statements = {
    Statement{"\nSELECT c_discount, c_last", customer_discount},
    Statement{"\nSELECT w_tax", warehouse_tax},
    Statement{"\nSELECT d_next_o_id, d_tax", district_tax},
    Statement{"\nSELECT i_id, i_price", item_rows},
    Statement{"\nSELECT s_w_id, s_i_id", stock_rows},
    Statement{"\nRETURNING w_name", warehouse_place},
    Statement{"\nRETURNING d_name", district_place},
    Statement{"\nSELECT c_id, c_first, c_middle, c_last, c_street_1", customers_to_pay},
    Statement{"\nSELECT c_id, c_first FROM", customer_ids},
    Statement{"\nSELECT c_id, c_first, c_middle, c_last, c_balance", customers_to_tell},
    Statement{"\nSELECT o_id, o_carrier_id", newest_order},
    Statement{"\nSELECT ol_i_id, ol_supply_w_id", lines_to_tell},
    Statement{"\nSELECT no_o_id", oldest_new_order},
    Statement{"\nSELECT o_d_id, o_id, o_c_id", orders_to_deliver},
    Statement{"\nSELECT ol_d_id, ol_number", lines_to_deliver},
    Statement{"\nSELECT c_d_id, c_balance", customers_to_bill},
    Statement{"\nSELECT d_next_o_id FROM", next_order},
    Statement{"\nSELECT COUNT(*) AS low_stock", low_stock},
    Statement{"\nSELECT w_id FROM warehouse", loaded_warehouses},
    Statement{"\nSELECT SUM(d_next_o_id)", sum_of_order_ids},
    Statement{"\nSELECT SUM(w_ytd)", sum_of_payments},
};

// All that a text has, in the order in which they stand there.
std::vector<const Statement*> statements_of(std::string_view text) {
  std::vector<std::pair<std::size_t, const Statement*>> found;
  for (const Statement& one : statements) {
    for (std::size_t at = text.find(one.begin); at != std::string_view::npos;
         at = text.find(one.begin, at + 1)) {
      found.emplace_back(at, &one);
    }
  }
  std::sort(found.begin(), found.end());
  std::vector<const Statement*> in_order;
  in_order.reserve(found.size());
  for (const auto& [at, one] : found) in_order.push_back(one);
  return in_order;
}

void count_commit(const ExecuteQueryRequest& request, Committed& committed) {
  if (!request.tx_control().commit_tx()) return;
  const std::string& text = request.query_content().text();
  if (text.find("AS_TABLE($lines)") != std::string::npos) ++committed.new_orders;
  if (text.find("UPSERT INTO history") == std::string::npos) return;
  const std::uint64_t amount = parameter(request, "$amount").low_128();
  committed.payment_cents += static_cast<std::int64_t>(amount / units_per_cent);
}

}  // namespace

std::vector<Part> answer(const ExecuteQueryRequest& request, std::int32_t warehouses,
                         Committed& committed) {
  const Context context{request, warehouses, committed};
  std::vector<Part> parts;
  for (const Statement* statement : statements_of(request.query_content().text())) {
    Part& part = parts.emplace_back();
    part.set_status(Ydb::StatusIds::SUCCESS);
    part.set_result_set_index(static_cast<std::int64_t>(parts.size() - 1));
    statement->make(Set(*part.mutable_result_set()), context);
  }
  Part& last = parts.emplace_back();
  last.set_status(Ydb::StatusIds::SUCCESS);
  if (!request.tx_control().commit_tx()) last.mutable_tx_meta()->set_id("transaction");
  count_commit(request, committed);
  return parts;
}

}  // namespace drover::bench
