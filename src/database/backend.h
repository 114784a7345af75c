// The sessions of one worker on some database: opened, kept up, and handed out for a transaction each. What a
// transaction is, the workload knows: its backends and sessions derive from these.
//
// Belongs to one worker; nothing here is thread-safe. Failures are database::Error.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "coro/clock.h"
#include "coro/task.h"
#include "database/error.h"

namespace drover::database {

// Is told what becomes of sessions, on the worker that they belong to.
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
  // One that had reached its age was closed, and another one is open in its place.
  virtual void on_session_renewed() noexcept {}
};

class Session {
 public:
  virtual ~Session() = default;
  // The number of the host at whose server it is, where there are several.
  std::size_t host() const noexcept { return host_; }

 protected:
  std::size_t host_ = 0;
};

// How the sessions of one worker are kept, and over which hosts they are spread.
struct SessionUpkeep {
  coro::Duration max_age{};  // after which a session is renewed; 0: never
  std::size_t hosts = 1;
  // The numbers that its sessions have among those of all workers: first, first + step, … Each begins with the host of
  // its number modulo `hosts`.
  std::size_t first_number = 0;
  std::size_t number_step = 1;
  // The host to which each session connects first, assigned round-robin. Empty: the session's
  // number selects it.
  std::vector<std::size_t> first_hosts = {};
};

class Backend {
 public:
  virtual ~Backend() = default;

  // Makes it ready for acquire(): connections are up when it is done.
  virtual coro::Task<void> open() = 0;

  // Opens lost sessions anew for as long as it takes, until it is cancelled; runs beside the
  // transactions. Throws Error when there is no hope or the backend was told not to wait.
  virtual coro::Task<void> keep_open(SessionObserver&) { co_return; }

  // A session for one transaction, when one is free; first come, first served. Waits while the
  // database is away.
  virtual coro::Task<Session*> acquire() = 0;
  // The same of one host, as long as there are sessions at it; else of any.
  virtual coro::Task<Session*> acquire_at(std::size_t /*host*/) { return acquire(); }
  virtual void release(Session& session) noexcept = 0;

  // Says of each host how many sessions are open at it; of a backend that has hosts.
  virtual void count_sessions(std::vector<std::size_t>& /*by_host*/) const {}
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

 private:
  Backend& backend_;
  Session& session_;
};

// What became of a transaction that was given up when its commit had been sent.
enum class Resolution : std::uint8_t { committed, not_committed, unknown };

}  // namespace drover::database
