// SessionPool: a fixed number of sessions of one worker, over the nodes of the database. A session
// is handed out for one transaction, first come, first served, and taken in turn.
//
//   SessionPool pool(client, 100);
//   co_await pool.open();
//   scope.start(pool.keep_open(observer));            // beside the work, until cancelled
//   SessionPool::Lease session = co_await pool.acquire();
//   co_await session->execute(…);                     // given back at the end of the block
//
// A session that is not usable any more is taken out at once, idle ones included, and keep_open()
// opens another one beside the transactions. While the database refuses, one session of the worker
// alone tries, with growing random pauses; when it gets through, the others follow, several at a
// time.
//
// Belongs to the client's worker; not thread-safe. The client must outlive it, and it must outlive
// its leases and whoever waits for one. To destroy it ends all sessions; close() does so in order.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <random>
#include <utility>
#include <vector>

#include "coro/clock.h"
#include "coro/notification.h"
#include "coro/semaphore.h"
#include "coro/task.h"
#include "coro/waiter_queue.h"
#include "database/error.h"
#include "database/ydb/session.h"

namespace drover::database::ydb {

class SessionPool final : Session::Owner {
 public:
  // Is told, on the worker, what becomes of the sessions.
  class Observer {
   public:
    virtual ~Observer() = default;
    virtual void on_session_lost() noexcept = 0;
    virtual void on_session_refused(const Error& error) noexcept = 0;
    virtual void on_session_opened() noexcept = 0;
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

  struct Options {
    std::size_t size = 1;
    // What keep_open() does when the database refuses: try again, or throw.
    bool wait_for_server = true;
    std::uint64_t seed = 0;  // of the pauses between attempts
  };

  SessionPool(Client& client, Options options);
  SessionPool(const SessionPool&) = delete;
  SessionPool& operator=(const SessionPool&) = delete;
  ~SessionPool();

  // Opens all sessions, several at a time. Throws YdbError.
  coro::Task<void> open();

  // Replaces lost sessions for as long as it takes, until it is cancelled. Throws YdbError when
  // there is no hope (denied), or when it was told not to wait.
  coro::Task<void> keep_open(Observer& observer);

  // Waits while there is none.
  coro::Task<Lease> acquire();

  // Has the server end all idle sessions. Afterwards nothing can be acquired.
  coro::Task<void> close();

  std::size_t idle() const noexcept { return idle_.size(); }
  std::size_t open_sessions() const noexcept { return sessions_.size(); }
  std::size_t waiting() const noexcept { return waiters_.size(); }

 private:
  class AcquireAwaiter final : coro::Waiter {
   public:
    explicit AcquireAwaiter(SessionPool& pool) noexcept : pool_(pool) {}
    bool await_ready() const noexcept { return false; }

    template <coro::DroverPromise Promise>
    bool await_suspend(std::coroutine_handle<Promise> awaiting) noexcept {
      if (!suspend(awaiting)) return false;
      if (!pool_.idle_.empty()) {
        session_ = pool_.idle_.front();
        pool_.idle_.pop_front();
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

  void on_session_end(Session& session) noexcept override;
  void release(Session& session) noexcept;
  void hand_out(Session& session) noexcept;
  void drop(Session& session) noexcept;
  coro::Task<void> open_one(coro::Semaphore& turns);
  coro::Task<std::optional<YdbError>> try_to_open();
  coro::Task<void> reopen_first();
  coro::Task<void> reopen_once(coro::Semaphore& turns);
  coro::Task<void> close_one(Session& session, coro::Semaphore& turns);
  coro::Duration pause(int attempt);

  Client& client_;
  Options options_;
  std::vector<std::unique_ptr<Session>> sessions_;
  std::deque<Session*> idle_;
  coro::WaiterQueue waiters_;  // only while none is idle
  std::size_t lost_ = 0;
  coro::Notification lost_one_;
  Observer* observer_ = nullptr;
  std::minstd_rand random_;
};

}  // namespace drover::database::ydb
