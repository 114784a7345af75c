// The mix of transactions by a shuffled deck (clause 5.2.4.2).
//
// Dealing a shuffled deck is the same as drawing uniformly from the cards that are left, so a deck
// is five counts. Any number of terminals may share one: the counts of their transactions together
// are exact after each whole deck.
//
// Thread safety: a Deck belongs to one thread.
#pragma once

#include <array>
#include <chrono>
#include <cstdint>

#include "workload/tpcc/random.h"
#include "workload/tpcc/transaction.h"

namespace drover::tpcc {

// The cards of a full deck, in the order of TransactionType.
inline constexpr std::array<uint8_t, transaction_type_count> deck_cards = {10, 10, 1, 1, 1};

inline constexpr int32_t deck_size = [] {
  int32_t size = 0;
  for (const uint8_t cards : deck_cards) size += cards;
  return size;
}();

// The share of a type among all transactions.
constexpr double deck_share(TransactionType type) {
  return static_cast<double>(deck_cards[index_of(type)]) / deck_size;
}

class Deck {
 public:
  // Takes a card. A deck that was used up is shuffled anew first.
  TransactionType draw(Rng& rng);

  // The cards that are left, in [0..deck_size].
  [[nodiscard]] int32_t remaining() const;

 private:
  TransactionType take(Rng& rng);

  std::array<uint8_t, transaction_type_count> left_ = deck_cards;
};

static_assert(sizeof(Deck) == 5);

// The mean time from one transaction of a terminal to its next, were responses instantaneous: the
// mean of keying and think times over the deck. `pace` divides both.
std::chrono::nanoseconds mean_cycle(double pace = 1.0);

// New-Orders a minute that a warehouse's ten terminals reach at most with this deck: those to be
// rolled back included, which are no part of tpmC.
double tpmc_per_warehouse_max(double pace = 1.0);

}  // namespace drover::tpcc
