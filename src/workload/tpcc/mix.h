// What a terminal does next, and when: the mix of transactions by a shuffled deck (clause 5.2.4.2),
// keying and think times (clause 5.2.5), and the point of its cycle at which a terminal starts.
//
// Dealing a shuffled deck is the same as drawing uniformly from the cards that are left, so a deck
// is five counts. Any number of terminals may share one: the counts of their transactions together
// are exact after each whole deck.
//
// `pace` divides all times: 1 is the pace of the specification, 10 ten times as fast. It must be
// above 0. Thread safety: a Deck belongs to one thread; the rest are pure functions of the generator
// passed in.
#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <numeric>

#include "workload/tpcc/random.h"
#include "workload/tpcc/transaction.h"

namespace drover::tpcc {

// The cards of a full deck, in the order of TransactionType.
inline constexpr std::array<uint8_t, transaction_type_count> deck_cards = {10, 10, 1, 1, 1};

inline constexpr int32_t deck_size = std::accumulate(deck_cards.begin(), deck_cards.end(), 0);

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
  std::array<uint8_t, transaction_type_count> left_ = deck_cards;
};

static_assert(sizeof(Deck) == 5);

// The mean time from one transaction of a terminal to its next, were responses instantaneous: the
// mean of keying and think times over the deck. `pace` divides both.
std::chrono::nanoseconds mean_cycle(double pace = 1.0);

// New-Orders a minute that a warehouse's ten terminals reach at most with this deck: those to be
// rolled back included, which are no part of tpmC.
double tpmc_per_warehouse_max(double pace = 1.0);

// Constant for each type (clause 5.2.5.2).
std::chrono::nanoseconds keying_time(TransactionType type, double pace = 1.0);

// The mean of the think times of a type (clause 5.2.5.7).
std::chrono::nanoseconds think_time_mean(TransactionType type, double pace = 1.0);

// A think time: negative exponential, and where it is above ten times its mean, ten times its mean
// (clause 5.2.5.4).
std::chrono::nanoseconds think_time(Rng& rng, TransactionType type, double pace = 1.0);

// Where a terminal is when the run begins: keying in a transaction of `type`, which it will then
// execute, or thinking after one, and then it draws its next from its deck.
struct InitialState {
  TransactionType type;
  bool keying;
  std::chrono::nanoseconds remaining;
};

// A point of the terminal's own cycle as a stranger would find it who looks in at a random time: a
// phase is found with a probability proportional to its length. All terminals may start at once
// without a herd, and the load is steady from the first second. Response times are taken to be
// short beside keying and thinking.
InitialState draw_initial_state(Rng& rng, double pace = 1.0);

}  // namespace drover::tpcc
