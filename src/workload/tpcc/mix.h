// The next transaction of a terminal and its time: the mix of transactions by a shuffled deck
// (clause 5.2.4.2), keying and think times (clause 5.2.5), and the point of its cycle at which a
// terminal starts.
//
// Dealing a shuffled deck is equal to drawing uniformly from the cards that are left, so a deck is
// five counts. Any number of terminals may share a deck: the counts of their transactions together
// are exact after each whole deck.
//
// `pace` divides all times: 1 is the pace of the specification, 10 ten times as fast. It must be
// above 0. Thread safety: a Deck belongs to one thread; the rest are pure functions of the
// generator passed in.
#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <numeric>

#include "workload/tpcc/input.h"
#include "workload/tpcc/random.h"

namespace drover::tpcc {

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
