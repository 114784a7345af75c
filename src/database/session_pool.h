// SessionPool: a fixed number of sessions of one worker, of whatever database. A session is handed
// out for one transaction, first come, first served.
//
//   SessionPool<Session> pool({.size = 100, .open = …});
//   co_await pool.open();
//   scope.start(pool.keep_open(observer));            // beside the work, until cancelled
//   const auto session = co_await pool.acquire();
//   co_await session->execute(…);                     // given back at the end of the block
//
// A session that is not usable any more is taken out, and keep_open() opens another one beside the
// transactions. While the database refuses, one session of the worker alone tries, with growing
// random pauses; when it gets through, the others follow, several at a time.
//
// `Session` has usable(), in_transaction(), and, where close() is called, a task close().
//
// Belongs to one worker; not thread-safe. It must outlive its leases and whoever waits for one. To
// destroy it ends all sessions; close() does so in order.
#pragma once

#include <algorithm>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <random>
#include <utility>
#include <vector>

#include "coro/awaiter.h"
#include "coro/clock.h"
#include "coro/event.h"
#include "coro/scope.h"
#include "coro/semaphore.h"
#include "coro/sleep.h"
#include "coro/task.h"
#include "database/backend.h"
#include "database/error.h"

namespace drover::database {

// How long to wait before the next attempt to open a session: up to twice as long each time, and
// 500 ms at most. Full jitter, so that the workers of many clients do not come all at once.
class ReopenPause {
 public:
  // Seeds of workers follow each other, and the engine's first numbers of such seeds are alike.
  explicit ReopenPause(std::uint64_t seed) {
    std::seed_seq mixed{seed & 0xffffffffU, seed >> 32};
    random_.seed(mixed);
  }

  // After that many attempts and one.
  coro::Duration operator()(int attempt) {
    constexpr coro::Duration first = std::chrono::milliseconds(50);
    constexpr coro::Duration longest = std::chrono::milliseconds(500);
    const auto most = std::min<coro::Duration>(first * (1 << std::min(attempt, 8)), longest);
    return coro::Duration(std::uniform_int_distribution<std::int64_t>(0, most.count())(random_));
  }

 private:
  std::minstd_rand random_;
};

template <class Session>
class SessionPool {
 public:
  enum class Next : std::uint8_t {
    in_turn,  // the one that has been idle for longest
    warmest,  // the one that has been idle for shortest; those just opened come last
  };

  struct Options {
    std::size_t size = 1;
    // Throws database::Error.
    std::function<coro::Task<std::unique_ptr<Session>>()> open;
    // Whether each attempt will end as this one has.
    bool (*is_hopeless)(const Error& error) noexcept = [](const Error& error) noexcept {
      return error.error_class() == ErrorClass::denied;
    };
    // What keep_open() does when the database refuses: try again, or throw.
    bool wait_for_server = true;
    Next next = Next::in_turn;
    std::uint64_t seed = 0;  // of the pauses between attempts
  };

  // Gives its session back when it is destroyed.
  class [[nodiscard]] Lease {
   public:
    Lease(SessionPool& pool, Session& session) noexcept : pool_(&pool), session_(&session) {}
    Lease(Lease&& other) noexcept
        : pool_(other.pool_), session_(std::exchange(other.session_, nullptr)) {}
    Lease& operator=(Lease&&) = delete;
    ~Lease() {
      if (session_ != nullptr) pool_->release(*session_);
    }

    Session& operator*() const noexcept { return *session_; }
    Session* operator->() const noexcept { return session_; }

   private:
    SessionPool* pool_;
    Session* session_;
  };

  explicit SessionPool(Options options) : options_(std::move(options)), pause_(options_.seed) {}
  SessionPool(const SessionPool&) = delete;
  SessionPool& operator=(const SessionPool&) = delete;
  ~SessionPool() {
    assert(waiters_.empty() && "somebody still waits for a session");
    assert(idle_.size() == sessions_.size() && "a session is still handed out");
  }

  // Opens all sessions, several at a time. Throws what Options::open throws.
  coro::Task<void> open() {
    auto open_one = [this](std::size_t) -> coro::Task<void> {
      std::unique_ptr<Session> session = co_await options_.open();
      take_in(std::move(session));
    };
    return several_at_a_time(options_.size - sessions_.size(), open_one);
  }

  // Replaces lost sessions for as long as it takes, until it is cancelled. Throws what
  // Options::open throws when there is no hope, or when it was told not to wait.
  coro::Task<void> keep_open(SessionObserver& observer) {
    observer_ = &observer;
    for (;;) {
      co_await lost_one_.wait();
      while (lost_ > 0) {
        // One finds out whether the database is there, then the others follow.
        for (int attempt = 0; !co_await try_to_reopen(); ++attempt)
          co_await coro::sleep_for(pause_(attempt));
        co_await several_at_a_time(lost_, [this](std::size_t) { return try_to_reopen(); });
      }
    }
  }

  // Waits while there is none.
  coro::Task<Lease> acquire() {
    Session* session = co_await take();
    co_return Lease(*this, *session);
  }

  // The same, to be given back by release().
  coro::Task<Session*> take() {
    for (;;) {
      AcquireAwaiter awaiter(*this);
      Session& session = co_await awaiter;
      if (session.usable()) co_return &session;
      drop(session);  // it has ended on its way here
    }
  }

  void release(Session& session) noexcept {
    if (is_sound(session)) {
      hand_out(session, false);
    } else {
      drop(session);
    }
  }

  // Whether it is of use to whoever comes next, who would find a transaction that was left open.
  static bool is_sound(const Session& session) noexcept {
    return session.usable() && !session.in_transaction();
  }

  // To be told of a session that is not usable any more. One that is handed out is dropped when it
  // comes back.
  void on_end(Session& session) noexcept {
    const auto place = std::find(idle_.begin(), idle_.end(), &session);
    if (place == idle_.end()) return;
    idle_.erase(place);
    drop(session);
  }

  // Has the server end all idle sessions. Afterwards nothing can be acquired.
  coro::Task<void> close() {
    // Destroyed at the end in any case, which ends those that could not be closed.
    std::vector<std::unique_ptr<Session>> closed;
    for (Session* session : std::exchange(idle_, {})) closed.push_back(take_out(*session));
    co_await several_at_a_time(closed.size(), [&](std::size_t i) { return closed[i]->close(); });
  }

  std::size_t idle() const noexcept { return idle_.size(); }
  std::size_t open_sessions() const noexcept { return sessions_.size(); }
  std::size_t waiting() const noexcept { return waiters_.size(); }

 private:
  // How many sessions are opened, or closed, at the same time.
  static constexpr std::size_t at_a_time = 16;

  class AcquireAwaiter final : coro::Waiter {
   public:
    explicit AcquireAwaiter(SessionPool& pool) noexcept : pool_(pool) {}
    bool await_ready() const noexcept { return false; }

    template <coro::DroverPromise Promise>
    bool await_suspend(std::coroutine_handle<Promise> awaiting) noexcept {
      if (!suspend(awaiting)) return false;
      if (!pool_.idle_.empty()) {
        session_ = pool_.pop_idle();
        unlink();
        return false;
      }
      pool_.waiters_.push(*this);
      return true;
    }

    Session& await_resume() const {
      throw_if_cancelled();
      return *session_;
    }

   private:
    friend class SessionPool;
    SessionPool& pool_;
    Session* session_ = nullptr;
  };

  Session* pop_idle() noexcept {
    const bool in_turn = options_.next == Next::in_turn;
    Session* session = in_turn ? idle_.front() : idle_.back();
    in_turn ? idle_.pop_front() : idle_.pop_back();
    return session;
  }

  // To the longest waiter itself, so that nobody barges in.
  void hand_out(Session& session, bool is_new) noexcept {
    if (coro::Waiter* first = waiters_.first()) {
      static_cast<AcquireAwaiter*>(first)->session_ = &session;
      waiters_.wake_first();
    } else if (is_new && options_.next == Next::warmest) {
      idle_.push_front(&session);
    } else {
      idle_.push_back(&session);
    }
  }

  void take_in(std::unique_ptr<Session> session) {
    sessions_.push_back(std::move(session));
    hand_out(*sessions_.back(), true);
  }

  std::unique_ptr<Session> take_out(Session& session) noexcept {
    const auto place = std::find_if(sessions_.begin(), sessions_.end(),
                                    [&session](const auto& one) { return one.get() == &session; });
    assert(place != sessions_.end());
    std::unique_ptr<Session> taken = std::move(*place);
    sessions_.erase(place);
    return taken;
  }

  void drop(Session& session) noexcept {
    take_out(session);
    ++lost_;
    if (observer_ != nullptr) observer_->on_session_lost();
    lost_one_.notify();
  }

  // Says false where the database has refused. Throws where there is no use in another attempt.
  coro::Task<bool> try_to_reopen() {
    bool refused = false;
    try {
      std::unique_ptr<Session> session = co_await options_.open();
      take_in(std::move(session));
    } catch (const Error& error) {
      observer_->on_session_refused(error);
      if (options_.is_hopeless(error) || !options_.wait_for_server) throw;
      refused = true;
    }
    if (refused) co_return false;
    --lost_;
    observer_->on_session_opened();
    co_return true;
  }

  // Awaits `one` of each number below `count`.
  template <class One>
  static coro::Task<void> several_at_a_time(std::size_t count, One one) {
    coro::Semaphore turns(at_a_time);
    auto take_turn = [&turns, &one](std::size_t number) -> coro::Task<void> {
      const auto turn = co_await turns.acquire();
      co_await one(number);
    };
    auto start_all = [&take_turn, count](coro::Scope& scope) -> coro::Task<void> {
      for (std::size_t i = 0; i < count; ++i) scope.start(take_turn(i));
      co_return;
    };
    co_await coro::with_scope(start_all);
  }

  Options options_;
  std::vector<std::unique_ptr<Session>> sessions_;
  std::deque<Session*> idle_;
  coro::WaiterQueue waiters_;  // only while none is idle
  std::size_t lost_ = 0;
  coro::Notification lost_one_;
  SessionObserver* observer_ = nullptr;
  ReopenPause pause_;
};

}  // namespace drover::database
