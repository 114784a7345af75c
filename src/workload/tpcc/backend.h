// The interface of a run to a database: sessions that execute the five transactions, and the search
// for commits of unknown outcome afterwards.
//
// A backend belongs to one worker and is not thread-safe. Errors: database::Error.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "coro/clock.h"
#include "coro/sleep.h"
#include "coro/task.h"
#include "database/backend.h"
#include "workload/tpcc/input.h"
#include "workload/tpcc/schema.h"

namespace drover::tpcc {

// The result of a transaction.
struct Outcome {
  bool committed = true;  // false: a New-Order that had to be rolled back (clause 2.4.1.4)
  std::int32_t districts_skipped = 0;  // of a Delivery: districts without an undelivered order
  // The order that a Delivery delivered in each district; 0: none.
  std::array<std::int32_t, districts_per_warehouse> delivered{};

  std::int32_t orders_delivered() const noexcept {
    const auto none = std::count(delivered.begin(), delivered.end(), 0);
    return districts_per_warehouse - static_cast<std::int32_t>(none);
  }
};

// Identifies a transaction in the data afterwards. Filled in during its execution.
struct Trace {
  static constexpr std::uint32_t marks = 1'000'000;

  // Set by the caller, below `marks`: the microseconds of h_date and ol_delivery_d. TPC-C requires
  // of these dates only a resolution of a second (clause 1.3.1), so that the fraction can tell one
  // Payment or Delivery from another.
  std::uint32_t mark = 0;
  // The number of a New-Order's order, or the first order of a Delivery on backends that need it to
  // find the lines with its mark. 0: none.
  std::int32_t o_id = 0;
  // The number of orders of a Delivery, where it is known before the commit.
  std::int32_t orders = 0;
  // COMMIT was sent: from now on the outcome is unknown until the answer arrives.
  bool commit_sent = false;
};

class Session : public database::Session {
 public:
  // Executes the transaction once, up to its commit or rollback. After an error nothing of it is in
  // the database, except with ErrorClass::ambiguous_commit: then the outcome is unknown.
  virtual coro::Task<Outcome> execute(const Input& input, Trace& trace) = 0;
};

using database::Resolution;
using database::SessionObserver;

// A transaction whose COMMIT was sent and not answered.
struct UnknownCommit {
  Input input;
  Trace trace;
};

// The outcome of an unknown commit according to the data.
struct ResolvedCommit {
  ResolvedCommit(Resolution found = Resolution::unknown, std::int32_t orders = 0) noexcept
      : resolution(found), orders_delivered(orders) {}
  bool operator==(const ResolvedCommit&) const = default;

  Resolution resolution;
  std::int32_t orders_delivered;  // by a Delivery that was committed
};

// Its sessions are tpcc::Session.
class Backend : public database::Backend {
 public:
  // Returns whether each commit is in the data, after no session can execute any of them any more.
  // Requires that all sessions have been released. Throws only Cancelled: the resolution of what
  // cannot be found out is unknown.
  virtual coro::Task<std::vector<ResolvedCommit>> resolve(std::vector<UnknownCommit> commits) {
    co_return std::vector<ResolvedCommit>(commits.size());
  }
};

// Makes the backend of the worker `index`, on that worker's thread.
using BackendFactory = std::function<std::unique_ptr<Backend>(std::size_t index)>;

// A backend without a database: each transaction takes a fixed time, which shows the cost of the
// client. It has any number of sessions.
class SimulatedBackend final : public Backend, Session {
 public:
  explicit SimulatedBackend(coro::Duration transaction_time) noexcept
      : transaction_time_(transaction_time) {}

  coro::Task<void> open() override { co_return; }
  coro::Task<database::Session*> acquire() override {
    co_return static_cast<database::Session*>(this);
  }
  void release(database::Session&) noexcept override {}

 private:
  coro::Task<Outcome> execute(const Input& input, Trace&) override {
    co_await coro::sleep_for(transaction_time_);
    Outcome outcome;
    if (const auto* order = std::get_if<NewOrderInput>(&input))
      outcome.committed = !order->rollback;
    co_return outcome;
  }

  coro::Duration transaction_time_;
};

}  // namespace drover::tpcc
