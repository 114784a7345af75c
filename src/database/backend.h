// The interface of the engine to a database: the sessions of one worker, which are opened, kept
// open, and handed out for one transaction each. The backends and sessions of the workloads derive
// from Backend and Session and add the transactions.
//
// Thread safety: none; a backend belongs to one worker. Errors: database::Error.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "coro/clock.h"
#include "coro/task.h"
#include "database/error.h"

namespace drover::database {

// Observes the sessions of a worker, on that worker.
class SessionObserver {
 public:
  virtual ~SessionObserver() = default;
  virtual void on_session_lost() noexcept = 0;
  // Called before on_session_lost() if the session was ended while it was idle, so that no
  // transaction failed.
  virtual void on_session_ended_idle() noexcept {}
  // An attempt to open a session has failed.
  virtual void on_session_refused(const Error& error) noexcept = 0;
  virtual void on_session_opened() noexcept = 0;
  // A session was replaced because of its age.
  virtual void on_session_renewed() noexcept {}
};

class Session {
 public:
  virtual ~Session() = default;
  // The number of the session's server host in the connection string.
  std::size_t host() const noexcept { return host_; }

 protected:
  std::size_t host_ = 0;
};

// How a worker renews its sessions and distributes them over server hosts.
struct SessionUpkeep {
  coro::Duration max_age{};  // a session that is older is replaced; 0: no limit
  std::size_t hosts = 1;
  // The worker's sessions have the numbers first, first + step, … among the sessions of all
  // workers. A session connects first to the host of its number modulo `hosts`.
  std::size_t first_number = 0;
  std::size_t number_step = 1;
  // The host to which each session connects first, assigned round-robin. Empty: the session's
  // number selects it.
  std::vector<std::size_t> first_hosts = {};
};

class Backend {
 public:
  virtual ~Backend() = default;

  // Opens all sessions.
  virtual coro::Task<void> open() = 0;

  // Reopens lost sessions until it is cancelled. Runs beside the transactions. Throws Error if no
  // attempt can succeed, or if the backend was told not to wait for the server.
  virtual coro::Task<void> keep_open(SessionObserver&) { co_return; }

  // Waits for a session for one transaction, first come, first served, also while the database is
  // unavailable.
  virtual coro::Task<Session*> acquire() = 0;
  // Waits for a session at this host, or for any session while there is none at the host.
  virtual coro::Task<Session*> acquire_at(std::size_t /*host*/) { return acquire(); }
  virtual void release(Session& session) noexcept = 0;

  // Sets the number of open sessions of each host. Requires: the backend has several hosts.
  virtual void count_sessions(std::vector<std::size_t>& /*by_host*/) const {}
};

// Releases its session when it is destroyed.
class SessionLease {
 public:
  SessionLease(Backend& backend, Session& session) noexcept
      : backend_(backend), session_(session) {}
  SessionLease(const SessionLease&) = delete;
  SessionLease& operator=(const SessionLease&) = delete;
  ~SessionLease() { backend_.release(session_); }

  Session& operator*() const noexcept { return session_; }

 private:
  Backend& backend_;
  Session& session_;
};

// The outcome of an unknown commit.
enum class Resolution : std::uint8_t { committed, not_committed, unknown };

}  // namespace drover::database
