// The common part of the workloads' backends on PostgreSQL: the pool of a worker's connections
// (database/session_pool.h), and the session that looks up the outcome of unknown commits.
//
// Thread safety: none; both classes belong to one worker. Errors: database::Error.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "coro/task.h"
#include "database/backend.h"
#include "database/postgres/connection.h"
#include "database/postgres/session_setup.h"
#include "database/session_pool.h"

namespace drover::database::postgres {

// A session of a workload on its connection. Must not be used after close().
template <class WorkloadSession>
class PooledSession : public WorkloadSession {
 public:
  explicit PooledSession(OpenedSession opened) : connection_(std::move(opened.connection)) {
    if (opened.identity) identity_ = std::make_unique<SessionIdentity>(std::move(*opened.identity));
    this->host_ = connection_->host();
  }

  bool usable() const noexcept { return connection_ && !connection_->broken() && !is_given_up_; }
  bool in_transaction() const noexcept { return connection_->in_transaction(); }
  bool still_open() noexcept { return connection_->still_open(); }
  coro::Task<void> close() {
    connection_.reset();
    co_return;
  }

  // Returns null if the server has not identified the session.
  const SessionIdentity* identity() const noexcept { return identity_.get(); }

  // Moves the identity out, so that a session is remembered once.
  std::unique_ptr<SessionIdentity> take_identity() noexcept { return std::move(identity_); }

  // Returns true if the outcome of a commit of this session is unknown.
  bool has_unknown_commit() const noexcept { return has_unknown_commit_; }

  // Returns true if the server has refused a write of this session.
  bool met_read_only() const noexcept { return met_read_only_; }

 protected:
  Connection& connection() noexcept { return *connection_; }
  const Connection& connection() const noexcept { return *connection_; }

  // Must be called with each error. A server that has become unavailable may be a standby now, and
  // its address may lead to another server.
  void note_error(const Error& error) noexcept {
    if (error.error_class() == ErrorClass::ambiguous_commit) has_unknown_commit_ = true;
    if (error.error_class() == ErrorClass::unavailable) is_given_up_ = true;
    if (error.sqlstate() == "25006") met_read_only_ = true;
  }

  // Rolls back a failed transaction, unless the session ends anyway.
  coro::Task<void> end_transaction() {
    if (usable()) co_await roll_back(*connection_);
  }

 private:
  std::unique_ptr<Connection> connection_;
  std::unique_ptr<SessionIdentity> identity_;  // large and rarely used
  bool is_given_up_ = false;
  bool has_unknown_commit_ = false;
  bool met_read_only_ = false;
};

struct PoolSettings {
  std::size_t connections = 1;
  bool wait_for_server = true;  // while it is unavailable
  std::uint64_t seed = 0;       // of the pauses between attempts to connect
  SessionUpkeep upkeep = {};
};

template <class WorkloadBackend, class WorkloadSession>
class PooledBackend : public WorkloadBackend {
 public:
  using Pooled = PooledSession<WorkloadSession>;

  // Opens all connections, several at a time. Throws database::Error.
  coro::Task<void> open() override {
    co_await pool_.open();
    is_open_ = true;
  }
  coro::Task<void> keep_open(SessionObserver& observer) override {
    return pool_.keep_open(observer);
  }

  coro::Task<database::Session*> acquire() override { co_return co_await pool_.take(); }
  coro::Task<database::Session*> acquire_at(std::size_t host) override {
    co_return co_await pool_.take(host);
  }

  void release(database::Session& session) noexcept override {
    auto& returned = static_cast<Pooled&>(session);
    // A usable session may have a commit in progress on another node (Citus).
    const bool is_abandoned = returned.has_unknown_commit() || !pool_.is_sound(returned);
    if (is_abandoned && returned.identity() != nullptr) {
      abandoned_.push_back(std::move(*returned.take_identity()));
    }
    met_read_only_ = met_read_only_ || returned.met_read_only();
    pool_.release(returned);
  }

  void count_sessions(std::vector<std::size_t>& by_host) const override {
    for (std::size_t host = 0; host < by_host.size(); ++host) by_host[host] = pool_.open_at(host);
  }

 protected:
  explicit PooledBackend(PoolSettings settings)
      : pool_({.size = settings.connections,
               .open = [this](std::size_t number) { return connect(first_host_of(number)); },
               .is_hopeless = is_hopeless,
               .wait_for_server = settings.wait_for_server,
               // The warmest sessions would mostly be at one host.
               .next = settings.upkeep.hosts > 1 ? SessionPool<Pooled>::Next::in_turn
                                                 : SessionPool<Pooled>::Next::warmest,
               .seed = settings.seed,
               .max_age = settings.upkeep.max_age,
               .hosts = settings.upkeep.hosts}),
        upkeep_(settings.upkeep),
        resolve_pause_(settings.seed) {}

  // Returns how long to connect again while the server has another role. The pool waits when it is
  // opened, and not for later sessions, because it tries these again by itself.
  coro::Duration role_timeout() const noexcept {
    return is_open_ ? coro::Duration::zero() : std::chrono::seconds(10);
  }

  // Returns true if a server has refused a write of a session of this pool.
  bool met_read_only() const noexcept { return met_read_only_; }

  // Opens a session, first at this host (Access::first_host).
  virtual coro::Task<std::unique_ptr<Pooled>> connect(std::optional<std::size_t> first_host) = 0;

  // Calls ask_after_run() (session_setup.h) for the sessions that were left within a
  // statement. Closes the other sessions before, because the server may have no further slot.
  coro::Task<void> ask_after_run(const SessionSettings& settings, AskingTimeouts time,
                                 std::function<coro::Task<void>(Connection&)> body) {
    co_await pool_.close();
    co_await postgres::ask_after_run(settings, abandoned_, time, resolve_pause_, std::move(body));
  }

 private:
  std::optional<std::size_t> first_host_of(std::size_t number) const noexcept {
    if (upkeep_.hosts < 2) return std::nullopt;
    const std::vector<std::size_t>& chosen = upkeep_.first_hosts;
    if (!chosen.empty()) return chosen[number % chosen.size()];
    return (upkeep_.first_number + number * upkeep_.number_step) % upkeep_.hosts;
  }

  SessionPool<Pooled> pool_;
  SessionUpkeep upkeep_;
  std::vector<SessionIdentity> abandoned_;  // the server may continue their statements
  ReopenPause resolve_pause_;
  bool is_open_ = false;
  bool met_read_only_ = false;
};

}  // namespace drover::database::postgres
