// What a database must do for TPC-C: hand out sessions that execute the five transactions, keep
// them up, and say afterwards of a commit whose answer never came whether it happened.
//
// A backend belongs to one worker; nothing here is thread-safe. Failures are database::Error.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>
#include <variant>
#include <vector>

#include "coro/task.h"
#include "database/error.h"
#include "tpcc/input.h"
#include "tpcc/schema.h"
#include "tpcc/transaction.h"

namespace drover::tpcc {

// Its index is the TransactionType.
using Input =
    std::variant<NewOrderInput, PaymentInput, OrderStatusInput, DeliveryInput, StockLevelInput>;

// How one transaction ended in the database.
struct Outcome {
  bool committed = true;  // false: a New-Order that had to be rolled back (clause 2.4.1.4)
  std::int32_t districts_skipped = 0;  // of a Delivery: districts without an undelivered order
  // Of a Delivery: the order that was delivered in each district, 0 where there was none.
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
  // Of a New-Order: the number that the database has given it. Of a Delivery, from a backend that
  // needs it to find the lines with its mark: the first order that it delivers. 0: none.
  std::int32_t o_id = 0;
  // How many orders a Delivery takes, where that is known before the commit.
  std::int32_t orders = 0;
  // The commit has been sent. Whoever abandons the transaction from here on does not know whether
  // it happened.
  bool commit_sent = false;
};

class Session {
 public:
  virtual ~Session() = default;

  // Executes the transaction once, from its beginning to its commit or rollback. On an error
  // nothing of it is in the database, save for ErrorClass::ambiguous_commit, where nobody knows.
  virtual coro::Task<Outcome> execute(const Input& input, Trace& trace) = 0;
};

// Is told, on the backend's worker, what becomes of its sessions.
class SessionObserver {
 public:
  virtual ~SessionObserver() = default;
  virtual void on_session_lost() noexcept = 0;
  // An attempt to open a session has failed.
  virtual void on_session_refused(const database::Error& error) noexcept = 0;
  virtual void on_session_opened() noexcept = 0;
};

// A transaction that was given up when its commit had been sent.
struct Doubt {
  Input input;
  Trace trace;
};

enum class Resolution : std::uint8_t { committed, not_committed, unknown };

// What was found out of a doubt.
struct Finding {
  Finding(Resolution found = Resolution::unknown, std::int32_t orders = 0) noexcept
      : resolution(found), orders_delivered(orders) {}
  bool operator==(const Finding&) const = default;

  Resolution resolution;
  std::int32_t orders_delivered;  // by a Delivery that was committed
};

class Backend {
 public:
  virtual ~Backend() = default;

  // Makes it ready for acquire(): connections are up when it is done.
  virtual coro::Task<void> open() = 0;

  // Opens lost sessions anew for as long as it takes, until it is cancelled; runs beside the
  // transactions. Throws database::Error when there is no hope or the backend was told not to wait.
  virtual coro::Task<void> keep_open(SessionObserver&) { co_return; }

  // A session for one transaction, when one is free; first come, first served. Waits while the
  // database is away.
  virtual coro::Task<Session*> acquire() = 0;
  virtual void release(Session& session) noexcept = 0;

  // Looks in the data whether these happened, once no session of ours can do any of them any more.
  // To be asked when all sessions have been given back. Throws nothing but Cancelled: what cannot
  // be found out is unknown.
  virtual coro::Task<std::vector<Finding>> resolve(std::vector<Doubt> doubts) {
    co_return std::vector<Finding>(doubts.size());
  }
};

// Gives its session back when it is destroyed.
class SessionLease {
 public:
  SessionLease(Backend& backend, Session& session) noexcept
      : backend_(backend), session_(session) {}
  SessionLease(const SessionLease&) = delete;
  SessionLease& operator=(const SessionLease&) = delete;
  ~SessionLease() { backend_.release(session_); }

  Session& operator*() const noexcept { return session_; }
  Session* operator->() const noexcept { return &session_; }

 private:
  Backend& backend_;
  Session& session_;
};

}  // namespace drover::tpcc
