// The five transactions of TPC-C and their input data (clauses 2.4.1, 2.5.1, 2.6.1, 2.7.1, 2.8.1).
//
// With one warehouse, all remote choices fall back to the home warehouse. Thread safety: pure
// functions of the generator passed in.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <variant>

#include "workload/tpcc/random.h"
#include "workload/tpcc/schema.h"

namespace drover::tpcc {

enum class TransactionType : uint8_t { NewOrder, Payment, OrderStatus, Delivery, StockLevel };

inline constexpr size_t transaction_type_count = 5;

inline constexpr std::array<TransactionType, transaction_type_count> all_transaction_types = {
    TransactionType::NewOrder, TransactionType::Payment, TransactionType::OrderStatus,
    TransactionType::Delivery, TransactionType::StockLevel};

constexpr size_t index_of(TransactionType type) {
  return static_cast<size_t>(type);
}

constexpr std::string_view transaction_name(TransactionType type) {
  constexpr std::array<std::string_view, transaction_type_count> names = {
      "NewOrder", "Payment", "OrderStatus", "Delivery", "StockLevel"};
  return names[index_of(type)];
}

// Returns the limit of the 90th percentile of the response times (clause 5.2.5.3).
constexpr double latency_limit_s(TransactionType type) {
  return type == TransactionType::StockLevel ? 20 : 5;
}

// How transactions are divided into statements: as few statements as possible, or one statement for
// each row, as in the BenchBase family.
enum class StatementStyle : std::uint8_t { batched, single };

// The part of an input that is the same for all terminals of a run.
struct InputContext {
  int32_t warehouses = 1;
  NurandConstants constants;  // C-Run
};

// The item of a New-Order that must roll back: no item has this number (clause 2.4.1.5).
inline constexpr int32_t unused_item = items + 1;

struct NewOrderLine {
  int32_t i_id;
  int32_t supply_w_id;
  int32_t quantity;
};

struct NewOrderInput {
  int32_t w_id;
  int32_t d_id;
  int32_t c_id;
  int32_t ol_cnt;
  bool rollback;                                        // the last line asks for unused_item
  bool all_local;                                       // every line is supplied by w_id
  std::array<NewOrderLine, order_lines_max> lines_all;  // the first ol_cnt are valid

  [[nodiscard]] std::span<const NewOrderLine> lines() const {
    return {lines_all.data(), static_cast<size_t>(ol_cnt)};
  }
};

// A customer named by c_id or by last name.
struct CustomerChoice {
  int32_t c_w_id;
  int32_t c_d_id;
  bool by_name;
  int32_t c_id;    // valid if not by_name
  int32_t c_last;  // the number in [0..999] of the last name, valid if by_name

  [[nodiscard]] std::string_view c_last_text() const { return last_name(c_last); }
};

struct PaymentInput {
  int32_t w_id;
  int32_t d_id;
  CustomerChoice customer;
  int32_t amount_cents;
};

struct OrderStatusInput {
  CustomerChoice customer;  // at the home warehouse
};

struct DeliveryInput {
  int32_t w_id;
  int32_t carrier_id;
};

struct StockLevelInput {
  int32_t w_id;
  int32_t d_id;
  int32_t threshold;
};

// The index is the TransactionType.
using Input =
    std::variant<NewOrderInput, PaymentInput, OrderStatusInput, DeliveryInput, StockLevelInput>;

NewOrderInput make_new_order(Rng& rng, const InputContext& context, int32_t w_id);
PaymentInput make_payment(Rng& rng, const InputContext& context, int32_t w_id);
OrderStatusInput make_order_status(Rng& rng, const InputContext& context, int32_t w_id);
DeliveryInput make_delivery(Rng& rng, int32_t w_id);
// `d_id` is the terminal's own district, fixed for the whole run (clause 2.8.1.1).
StockLevelInput make_stock_level(Rng& rng, int32_t w_id, int32_t d_id);

}  // namespace drover::tpcc
