// Keying and think times (clause 5.2.5), and the point of its cycle at which a terminal starts.
//
// `pace` divides all times: 1 is the pace of the specification, 10 ten times as fast. It must be
// above 0. Thread safety: pure functions of the generator passed in.
#pragma once

#include <chrono>

#include "workload/tpcc/mix.h"
#include "workload/tpcc/random.h"
#include "workload/tpcc/transaction.h"

namespace drover::tpcc {

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
