// What a database must do for TPC-C: hand out sessions that execute the five transactions, and say
// afterwards of a commit whose answer never came whether it happened.
//
// A backend belongs to one worker; nothing here is thread-safe. Failures are database::Error.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <variant>
#include <vector>

#include "coro/task.h"
#include "database/backend.h"
#include "workload/tpcc/input.h"
#include "workload/tpcc/schema.h"
#include "workload/tpcc/transaction.h"

namespace drover::tpcc {

// Its index is the TransactionType.
using Input =
    std::variant<NewOrderInput, PaymentInput, OrderStatusInput, DeliveryInput, StockLevelInput>;

// How one transaction ended in the database.
struct Outcome {
  bool committed = true;  // false: a New-Order that had to be rolled back (clause 2.4.1.4)
  std::int32_t districts_skipped = 0;  // of a Delivery: districts without an undelivered order
  // The order that a Delivery delivered in each district, 0 where there was none.
  std::array<std::int32_t, districts_per_warehouse> delivered{};

  std::int32_t orders_delivered() const noexcept {
    const auto none = std::count(delivered.begin(), delivered.end(), 0);
    return districts_per_warehouse - static_cast<std::int32_t>(none);
  }
};

// By what a transaction can be found in the data afterwards. Filled in while it is executed.
struct Trace {
  static constexpr std::uint32_t marks = 1'000'000;

  // Given by the caller, below `marks`: the microseconds of h_date and ol_delivery_d. These dates
  // need a resolution of a second (clause 1.3.1), so that the fraction is free to tell one Payment
  // or Delivery from another.
  std::uint32_t mark = 0;
  // The number that the database has given a New-Order; or the first order that a Delivery
  // delivers, from a backend that needs it to find the lines with its mark. 0: none.
  std::int32_t o_id = 0;
  // How many orders a Delivery takes, where that is known before the commit.
  std::int32_t orders = 0;
  // The commit has been sent. Whoever abandons the transaction from here on does not know whether
  // it happened.
  bool commit_sent = false;
};

class Session : public database::Session {
 public:
  // Executes the transaction once, from its beginning to its commit or rollback. On an error
  // nothing of it is in the database, save for ErrorClass::ambiguous_commit, where nobody knows.
  virtual coro::Task<Outcome> execute(const Input& input, Trace& trace) = 0;
};

using database::Resolution;
using database::SessionObserver;

// A transaction that was given up when its commit had been sent.
struct Doubt {
  Input input;
  Trace trace;
};

// What was found out of a doubt.
struct Finding {
  Finding(Resolution found = Resolution::unknown, std::int32_t orders = 0) noexcept
      : resolution(found), orders_delivered(orders) {}
  bool operator==(const Finding&) const = default;

  Resolution resolution;
  std::int32_t orders_delivered;  // by a Delivery that was committed
};

// Its sessions are tpcc::Session.
class Backend : public database::Backend {
 public:
  // Looks in the data whether these happened, once no session of ours can do any of them any more.
  // To be asked when all sessions have been given back. Throws nothing but Cancelled: what cannot
  // be found out is unknown.
  virtual coro::Task<std::vector<Finding>> resolve(std::vector<Doubt> doubts) {
    co_return std::vector<Finding>(doubts.size());
  }
};

// A session of such a backend, given back at the end.
class SessionLease : public database::SessionLease {
 public:
  using database::SessionLease::SessionLease;

  Session& operator*() const noexcept {
    return static_cast<Session&>(database::SessionLease::operator*());
  }
  Session* operator->() const noexcept { return &**this; }
};

// Makes the backend of the worker `index`, on that worker's thread.
using BackendFactory = std::function<std::unique_ptr<Backend>(std::size_t index)>;

}  // namespace drover::tpcc
