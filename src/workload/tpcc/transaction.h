// The five transactions of TPC-C (clauses 2.4 to 2.8). Thread safety: constants only.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

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

// What the 90th percentile of its response times must not exceed (clause 5.2.5.3).
constexpr double latency_limit_s(TransactionType type) {
  return type == TransactionType::StockLevel ? 20 : 5;
}

// How the transactions are put into statements: what can go together goes together, or a statement
// a row, as the BenchBase family does.
enum class StatementStyle : std::uint8_t { batched, single };

}  // namespace drover::tpcc
