// The five transactions of TPC-C: their input data (clauses 2.4.1, 2.5.1, 2.6.1, 2.7.1, 2.8.1),
// their mix (5.2.4.2), and keying and think times (5.2.5).
//
// With one warehouse, all remote choices fall back to the home warehouse. Thread safety: a Deck
// belongs to one thread; the rest are pure functions of the generator passed in.
#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <numeric>
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

// The mix: each terminal takes its next transaction from a shuffled deck. Dealing a shuffled deck
// is equal to drawing uniformly from the cards that are left, so a deck is five counts. Any number
// of terminals may share a deck: the counts of their transactions together are exact after each
// whole deck.

// The cards of a full deck, in the order of TransactionType.
inline constexpr std::array<uint8_t, transaction_type_count> deck_cards = {10, 10, 1, 1, 1};

inline constexpr int32_t deck_size = std::accumulate(deck_cards.begin(), deck_cards.end(), 0);

// Returns the share of a type among all transactions.
constexpr double deck_share(TransactionType type) {
  return static_cast<double>(deck_cards[index_of(type)]) / deck_size;
}

class Deck {
 public:
  // Takes a card. Shuffles an empty deck first.
  TransactionType draw(Rng& rng);

  // Returns the number of cards left, in [0..deck_size].
  [[nodiscard]] int32_t remaining() const;

 private:
  std::array<uint8_t, transaction_type_count> left_ = deck_cards;
};

static_assert(sizeof(Deck) == 5);

// Times. `pace` divides all of them: 1 is the pace of the specification, 10 ten times as fast. It
// must be above 0.

// Returns the mean time from one transaction of a terminal to its next if responses took no time:
// the mean of keying and think times over the deck.
std::chrono::nanoseconds mean_cycle(double pace = 1.0);

// Returns the most New-Orders per minute of a warehouse's ten terminals with this deck. They
// include those that must roll back, which tpmC does not count.
double tpmc_per_warehouse_max(double pace = 1.0);

// Returns a constant for each type (clause 5.2.5.2).
std::chrono::nanoseconds keying_time(TransactionType type, double pace = 1.0);

// Returns the mean of the think times of a type (clause 5.2.5.7).
std::chrono::nanoseconds think_time_mean(TransactionType type, double pace = 1.0);

// Returns a think time with a negative exponential distribution, cut at ten times its mean (clause
// 5.2.5.4).
std::chrono::nanoseconds think_time(Rng& rng, TransactionType type, double pace = 1.0);

// The state of a terminal when the run begins: keying in a transaction of `type`, or thinking after
// one. After thinking, it draws the next type from its deck.
struct InitialState {
  TransactionType type;
  bool keying;
  std::chrono::nanoseconds remaining;
};

// Returns a random point of a terminal's cycle: the probability of a phase is proportional to its
// length. Therefore all terminals can start at once, and the load is steady from the first second.
// Assumes response times that are short beside keying and thinking.
InitialState draw_initial_state(Rng& rng, double pace = 1.0);

}  // namespace drover::tpcc
