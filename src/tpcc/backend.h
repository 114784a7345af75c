// What a database must do for TPC-C: hand out sessions that execute the five transactions.
//
// A backend belongs to one worker; nothing here is thread-safe. Failures are database::Error.
#pragma once

#include <cstdint>
#include <utility>
#include <variant>

#include "coro/task.h"
#include "tpcc/input.h"
#include "tpcc/transaction.h"

namespace drover::tpcc {

// Its index is the TransactionType.
using Input =
    std::variant<NewOrderInput, PaymentInput, OrderStatusInput, DeliveryInput, StockLevelInput>;

// How one transaction ended in the database.
struct Outcome {
  bool committed = true;  // false: a New-Order that had to be rolled back (clause 2.4.1.4)
  std::int32_t districts_skipped = 0;  // of a Delivery: districts without an undelivered order
};

class Session {
 public:
  virtual ~Session() = default;

  // Executes the transaction once, from its beginning to its commit or rollback. On an error
  // nothing of it is in the database, save for ErrorClass::ambiguous_commit, where nobody knows.
  virtual coro::Task<Outcome> execute(const Input& input) = 0;
};

class Backend {
 public:
  virtual ~Backend() = default;

  // Makes it ready for acquire(): connections are up when it is done.
  virtual coro::Task<void> open() = 0;

  // A session for one transaction, when one is free; first come, first served.
  virtual coro::Task<Session*> acquire() = 0;
  virtual void release(Session& session) noexcept = 0;
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
