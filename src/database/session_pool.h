// SessionPool: a fixed number of sessions of one worker. A session is handed out for one
// transaction, first come, first served.
//
//   SessionPool<Session> pool({.size = 100, .open = …});
//   co_await pool.open();
//   scope.start(pool.keep_open(observer));            // beside the transactions, until cancelled
//   const auto session = co_await pool.acquire();
//   co_await session->execute(…);                     // released at the end of the block
//
// A session that is no longer usable is removed, and keep_open() opens another one. While the
// database refuses, only one session per worker tries, with growing random pauses. After it has
// succeeded, the pool opens the other sessions, several at a time.
//
// With Options::max_age, keep_open() replaces old sessions while they are idle or when they are
// released, a quarter of them at a time. The ages vary, so that sessions that were opened together
// do not end together. No session is closed for its age while the database refuses.
//
// Each session has a number below the size, which its replacement inherits. The open function may
// distribute sessions over hosts by this number.
//
// `Session` has usable() and in_transaction(), and optionally: a task close(), host() (with several
// hosts), and still_open(). The pool calls still_open() before it hands a session out, and replaces
// a session that was ended while it was idle.
//
// Thread safety: none; a pool belongs to one worker. It must outlive its leases and the tasks that
// wait for one. The destructor ends all sessions; close() ends them in order.
#pragma once

#include <algorithm>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <numeric>
#include <optional>
#include <random>
#include <unordered_set>
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

// Mixes the seed: std::minstd_rand begins with similar numbers for consecutive seeds.
inline std::minstd_rand random_of(std::uint64_t seed) {
  std::seed_seq mixed{seed & 0xffffffffU, seed >> 32};
  return std::minstd_rand(mixed);
}

// The pause before the next attempt to open a session: random, up to a limit that doubles with each
// attempt, from 50 ms to 500 ms. The jitter keeps workers from connecting all at once.
class ReopenPause {
 public:
  explicit ReopenPause(std::uint64_t seed) : random_(random_of(seed)) {}

  // `attempt`: the number of attempts before the last one.
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
    in_turn,  // the session that has been idle for the longest time
    warmest,  // the session that has been idle for the shortest time; new sessions come last
  };

  struct Options {
    std::size_t size = 1;
    // Opens the session with this number. Throws database::Error.
    std::function<coro::Task<std::unique_ptr<Session>>(std::size_t number)> open;
    // Returns true if every further attempt will fail, too.
    bool (*is_hopeless)(const Error& error) noexcept = [](const Error& error) noexcept {
      return error.error_class() == ErrorClass::denied;
    };
    // False: keep_open() throws when the database refuses.
    bool wait_for_server = true;
    Next next = Next::in_turn;
    std::uint64_t seed = 0;  // of the pauses between attempts, and of the ages
    // A session is replaced at this age, less a random part of up to a tenth. 0: no limit.
    coro::Duration max_age{};
    std::size_t hosts = 1;
  };

  // Releases its session when it is destroyed.
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

  explicit SessionPool(Options options)
      : options_(std::move(options)),
        absent_(options_.size),
        hosts_(options_.hosts > 1 ? options_.hosts : 0),
        pause_(options_.seed),
        random_(random_of(~options_.seed)) {
    std::iota(absent_.begin(), absent_.end(), std::size_t{0});
  }
  SessionPool(const SessionPool&) = delete;
  SessionPool& operator=(const SessionPool&) = delete;
  ~SessionPool() {
    assert(waiters_.empty() && "somebody still waits for a session");
    assert(idle_.size() == sessions_.size() && "a session is still handed out");
  }

  // Opens all sessions, several at a time. Throws what Options::open throws.
  coro::Task<void> open() {
    return several_at_a_time(absent_.size(), [this](std::size_t) { return open_absent(); });
  }

  // Replaces lost and old sessions until it is cancelled. Throws the error of Options::open if it
  // is_hopeless(), or without wait_for_server.
  coro::Task<void> keep_open(SessionObserver& observer) {
    observer_ = &observer;
    const auto reset = [](SessionPool* pool) noexcept {
      pool->renewals_ = nullptr;
      pool->observer_ = nullptr;
    };
    const std::unique_ptr<SessionPool, decltype(reset)> at_end(this, reset);
    auto keep = [this](coro::Scope& scope) -> coro::Task<void> {
      renewals_ = &scope;
      scope.start(reopen_lost());
      if (options_.max_age > coro::Duration::zero()) scope.start(watch_ages());
      co_return;
    };
    co_await coro::with_scope(keep);
  }

  // Waits for a session.
  coro::Task<Lease> acquire() {
    Session* session = co_await take();
    co_return Lease(*this, *session);
  }

  // Waits for a session, which the caller must release(). At this host, unless no session is open
  // there.
  coro::Task<Session*> take(std::size_t host = any_host) {
    for (;;) {
      AcquireAwaiter awaiter(*this, host);
      Session* session = co_await awaiter;
      if (session == nullptr) continue;  // the host has lost its last session
      if (!session->usable()) {
        drop(*session);
      } else if (is_still_open(*session)) {
        co_return session;
      } else {
        if (observer_ != nullptr) observer_->on_session_ended_idle();
        drop(*session);
      }
    }
  }

  void release(Session& session) noexcept {
    if (!is_sound(session)) return drop(session);
    if (!aged_.empty() && may_renew() && aged_.contains(&session)) return renew(session);
    hand_out(session, false);
  }

  // Returns true if the session may be handed out again.
  static bool is_sound(const Session& session) noexcept {
    return session.usable() && !session.in_transaction();
  }

  // Removes a session that has become unusable while it was idle. A session that is handed out is
  // removed when it is released.
  void on_end(Session& session) noexcept {
    if (std::erase(idle_, &session) > 0) drop(session);
  }

  // Closes all idle sessions. Afterwards nothing can be acquired.
  coro::Task<void> close() {
    std::vector<std::unique_ptr<Session>> closed;
    for (Session* session : std::exchange(idle_, {})) closed.push_back(take_out(*session).session);
    co_await several_at_a_time(closed.size(), [&](std::size_t i) { return closed[i]->close(); });
  }

  std::size_t idle() const noexcept { return idle_.size(); }
  std::size_t open_sessions() const noexcept { return sessions_.size(); }
  std::size_t waiting() const noexcept {
    std::size_t count = waiters_.size();
    for (const AtHost& host : hosts_) count += host.waiters.size();
    return count;
  }
  // Returns the number of open sessions at the host. Requires: several hosts.
  std::size_t open_at(std::size_t host) const noexcept { return hosts_[host].open; }

 private:
  static constexpr std::size_t any_host = std::numeric_limits<std::size_t>::max();

  // The number of sessions that are opened or closed at the same time.
  static constexpr std::size_t at_a_time = 16;

  struct Member {
    std::unique_ptr<Session> session;
    std::size_t number = 0;
  };

  struct AtHost {
    coro::WaiterQueue waiters;  // empty unless the host has sessions, and none is idle
    std::size_t open = 0;
  };

  class AcquireAwaiter final : coro::Waiter {
   public:
    AcquireAwaiter(SessionPool& pool, std::size_t host) noexcept : pool_(pool), host_(host) {}
    bool await_ready() const noexcept { return false; }

    template <coro::DroverPromise Promise>
    bool await_suspend(std::coroutine_handle<Promise> awaiting) noexcept {
      if (!suspend(awaiting)) return false;
      const bool bound = host_ != any_host && pool_.hosts_[host_].open > 0;
      session_ = bound ? pool_.pop_idle_at(host_) : pool_.pop_idle();
      if (session_ != nullptr) {
        unlink();
        return false;
      }
      ticket_ = pool_.next_ticket_++;
      (bound ? pool_.hosts_[host_].waiters : pool_.waiters_).push(*this);
      return true;
    }

    // Returns null if the host has lost its last session.
    Session* await_resume() const {
      throw_if_cancelled();
      return session_;
    }

   private:
    friend class SessionPool;
    SessionPool& pool_;
    std::size_t host_;
    std::uint64_t ticket_ = 0;  // the order in which tasks began to wait
    Session* session_ = nullptr;
  };

  static std::size_t host_of(const Session& session) noexcept {
    if constexpr (requires { session.host(); }) return session.host();
    return 0;
  }

  static bool is_still_open(Session& session) noexcept {
    if constexpr (requires { session.still_open(); }) return session.still_open();
    return true;
  }

  Session* pop_idle() noexcept {
    if (idle_.empty()) return nullptr;
    const bool in_turn = options_.next == Next::in_turn;
    Session* session = in_turn ? idle_.front() : idle_.back();
    in_turn ? idle_.pop_front() : idle_.pop_back();
    return session;
  }

  Session* pop_idle_at(std::size_t host) noexcept {
    const auto is_there = [host](const Session* one) { return host_of(*one) == host; };
    const auto last = std::find_if(idle_.rbegin(), idle_.rend(), is_there);
    if (last == idle_.rend()) return nullptr;
    Session* session = *last;
    idle_.erase(std::next(last).base());
    return session;
  }

  // Returns the queue whose first task may use the session and has waited longer.
  coro::WaiterQueue& waiters_for(const Session& session) noexcept {
    if (hosts_.empty()) return waiters_;
    coro::WaiterQueue& bound = hosts_[host_of(session)].waiters;
    if (bound.empty() || waiters_.empty()) return bound.empty() ? waiters_ : bound;
    const auto ticket = [](const coro::WaiterQueue& queue) {
      return static_cast<AcquireAwaiter*>(queue.first())->ticket_;
    };
    return ticket(bound) < ticket(waiters_) ? bound : waiters_;
  }

  // Gives the session to the task that has waited longest, so that no later task overtakes it.
  void hand_out(Session& session, bool is_new) noexcept {
    coro::WaiterQueue& waiters = waiters_for(session);
    if (coro::Waiter* first = waiters.first()) {
      static_cast<AcquireAwaiter*>(first)->session_ = &session;
      waiters.wake_first();
    } else if (is_new && options_.next == Next::warmest) {
      idle_.push_front(&session);
    } else {
      idle_.push_back(&session);
    }
  }

  void take_in(std::unique_ptr<Session> session, std::size_t number) {
    Session& taken = *session;
    sessions_.push_back({std::move(session), number});
    if (!hosts_.empty()) ++hosts_[host_of(taken)].open;
    if (options_.max_age > coro::Duration::zero()) {
      ages_.emplace(coro::Worker::current().now() + age(), &taken);
      taken_in_.notify();
    }
    hand_out(taken, true);
  }

  coro::Duration age() {
    const double less = std::uniform_real_distribution<double>(0, 0.1)(random_);
    const auto all = static_cast<double>(options_.max_age.count());
    return coro::Duration(static_cast<std::int64_t>(all * (1 - less)));
  }

  Member take_out(Session& session) noexcept {
    const auto is_it = [&](const Member& one) { return one.session.get() == &session; };
    const auto place = std::ranges::find_if(sessions_, is_it);
    assert(place != sessions_.end());
    Member taken = std::move(*place);
    sessions_.erase(place);
    if (options_.max_age > coro::Duration::zero() && aged_.erase(&session) == 0) {
      std::erase_if(ages_, [&](const auto& one) { return one.second == &session; });
    }
    // Tasks that wait for this host then wait for any session.
    if (!hosts_.empty() && --hosts_[host_of(session)].open == 0) {
      hosts_[host_of(session)].waiters.wake_all();
    }
    return taken;
  }

  void drop(Session& session) noexcept {
    absent_.push_back(take_out(session).number);
    if (observer_ != nullptr) observer_->on_session_lost();
    lost_one_.notify();
  }

  coro::Task<void> reopen_lost() {
    for (;;) {
      co_await lost_one_.wait();
      while (!absent_.empty()) {
        for (int attempt = 0; !co_await try_to_reopen(); ++attempt)
          co_await coro::sleep_for(pause_(attempt));
        co_await several_at_a_time(absent_.size(), [this](std::size_t) { return try_to_reopen(); });
      }
      renew_idle();  // sessions that have reached their age meanwhile
    }
  }

  coro::Task<void> open_absent() {
    const std::size_t number = absent_.front();
    absent_.pop_front();
    try {
      take_in(co_await options_.open(number), number);
    } catch (...) {
      absent_.push_back(number);
      throw;
    }
  }

  // Returns false if the database has refused. Throws if keep_open() has to.
  coro::Task<bool> try_to_reopen() {
    bool refused = false;
    try {
      co_await open_absent();
    } catch (const Error& error) {
      observer_->on_session_refused(error);
      if (options_.is_hopeless(error) || !options_.wait_for_server) throw;
      refused = true;
    }
    if (refused) co_return false;
    observer_->on_session_opened();
    co_return true;
  }

  coro::Task<void> watch_ages() {
    for (;;) {
      while (ages_.empty()) co_await taken_in_.wait();
      co_await coro::sleep_until(ages_.begin()->first);
      const coro::Instant now = coro::Worker::current().now();
      while (!ages_.empty() && ages_.begin()->first <= now) {
        aged_.insert(ages_.begin()->second);
        ages_.erase(ages_.begin());
      }
      renew_idle();
    }
  }

  bool may_renew() const noexcept {
    const std::size_t most = std::clamp<std::size_t>(options_.size / 4, 1, at_a_time);
    const bool is_kept_open = renewals_ != nullptr && !renewals_->cancelled();
    const bool is_none_lost = sessions_.size() + renewing_ == options_.size;
    return is_kept_open && renewing_ < most && is_none_lost;
  }

  void renew_idle() {
    while (!aged_.empty() && may_renew()) {
      const auto place = std::find_if(idle_.begin(), idle_.end(),
                                      [this](Session* one) { return aged_.contains(one); });
      if (place == idle_.end()) return;
      Session& session = **place;
      idle_.erase(place);
      renew(session);
    }
  }

  // Requires: the session is not handed out and not in idle_.
  void renew(Session& session) {
    ++renewing_;
    renewals_->start(replace(take_out(session)));
  }

  coro::Task<void> replace(Member old) {
    co_await old.session->close();
    old.session.reset();
    std::optional<Error> refusal;
    try {
      take_in(co_await options_.open(old.number), old.number);
    } catch (const Error& error) {
      refusal = error;
    }
    --renewing_;
    if (refusal) {
      absent_.push_back(old.number);
      observer_->on_session_lost();
      observer_->on_session_refused(*refusal);
      lost_one_.notify();
      if (options_.is_hopeless(*refusal) || !options_.wait_for_server) throw Error(*refusal);
      co_return;
    }
    observer_->on_session_renewed();
    renew_idle();
  }

  // Awaits `one(number)` for each number below `count`.
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
  std::vector<Member> sessions_;
  std::deque<Session*> idle_;
  coro::WaiterQueue waiters_;       // empty while a session is idle
  std::deque<std::size_t> absent_;  // numbers of lost sessions that are not being opened
  std::vector<AtHost> hosts_;       // empty with a single host
  std::uint64_t next_ticket_ = 0;
  coro::Notification lost_one_;
  SessionObserver* observer_ = nullptr;
  ReopenPause pause_;
  // With a maximum age: the time at which each session reaches its age, and the old sessions.
  std::multimap<coro::Instant, Session*> ages_;
  std::unordered_set<Session*> aged_;
  coro::Notification taken_in_;
  std::size_t renewing_ = 0;
  coro::Scope* renewals_ = nullptr;  // during keep_open()
  std::minstd_rand random_;
};

}  // namespace drover::database
