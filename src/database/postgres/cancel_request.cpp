// Ends sessions that are executing a statement. A server does not notice a closed socket and would
// complete the statement: drop the tables once it gets its lock, or scan a table to its end.
#include <pthread.h>

#include <array>
#include <chrono>
#include <condition_variable>
#include <csignal>
#include <cstddef>
#include <cstdlib>
#include <deque>
#include <exception>
#include <mutex>
#include <thread>

#include "database/postgres/connection.h"

namespace drover::database::postgres {
namespace {

constexpr std::size_t threads_most = 8;
constexpr std::size_t waiting_most = 2'048;
constexpr std::chrono::seconds exit_limit{2};  // for requests at the end of the process

// Blocks: PQcancel() takes minutes if the host is gone, and never returns if the server hangs.
void request_cancel(PGconn* session) noexcept {
  PGcancel* const request = PQgetCancel(session);
  if (request == nullptr) return;
  std::array<char, 256> ignored{};
  PQcancel(request, ignored.data(), static_cast<int>(ignored.size()));
  PQfreeCancel(request);
}

// The threads that send the requests. Never destroyed, because they may outlive main().
class Canceller {
 public:
  static Canceller& instance() {
    static Canceller* const only = [] {
      std::atexit([] { instance().wait(); });
      return new Canceller;
    }();
    return *only;
  }

  // Returns false, without taking the session, if too many wait because their server hangs.
  bool take(PGconn* session) {
    const std::scoped_lock lock(mutex_);
    if (waiting_.size() >= waiting_most) return false;
    waiting_.push_back(session);
    ++unfinished_;
    if (threads_ < threads_most) start_thread();
    return true;
  }

 private:
  // Requires: the mutex is held.
  void start_thread() {
    sigset_t all;
    sigset_t before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    try {
      std::thread([this] { work(); }).detach();
      ++threads_;
    } catch (const std::exception&) {
      // The running threads do the work. Without one, the exit of the process closes the sessions.
    }
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
  }

  void work() {
    std::unique_lock lock(mutex_);
    while (!waiting_.empty()) {
      PGconn* const session = waiting_.front();
      waiting_.pop_front();
      lock.unlock();
      request_cancel(session);
      lock.lock();
      // At the end of the process, TLS may not work any more, and the process closes the sockets.
      if (ending_) return;
      lock.unlock();
      PQfinish(session);
      lock.lock();
      --unfinished_;
      finished_.notify_all();
    }
    --threads_;
  }

  void wait() {
    std::unique_lock lock(mutex_);
    finished_.wait_for(lock, exit_limit, [this] { return unfinished_ == 0; });
    ending_ = true;
  }

  std::mutex mutex_;
  std::condition_variable finished_;
  std::deque<PGconn*> waiting_;
  std::size_t unfinished_ = 0;
  std::size_t threads_ = 0;
  bool ending_ = false;
};

}  // namespace

void Connection::cancel_and_finish(PGconn* session) noexcept {
  try {
    if (Canceller::instance().take(session)) return;
  } catch (const std::exception&) {
    // Out of memory: close the session without a request.
  }
  PQfinish(session);
}

}  // namespace drover::database::postgres
