#include "database/ydb/completion_thread.h"

#include <absl/synchronization/mutex.h>
#include <grpc/grpc.h>
#include <grpc/support/log.h>
#include <grpc/support/time.h>
#include <pthread.h>
#include <signal.h>

#include <cstdlib>

namespace drover::database::ydb {
namespace {

// It would end up on the screen of a run. What matters comes as the status of a call.
void drop_log(gpr_log_func_args*) {}

void start_grpc() {
  static const bool started = [] {
    if (std::getenv("GRPC_VERBOSITY") == nullptr) gpr_set_log_function(drop_log);
    // Debian's Abseil is built to look for deadlocks at each lock, by a graph that all threads
    // share.
    absl::SetMutexDeadlockDetectionMode(absl::OnDeadlockCycle::kIgnore);
    grpc_init();
    return true;
  }();
  static_cast<void>(started);
}

grpc_completion_queue* make_queue() {
  start_grpc();
  return grpc_completion_queue_create_for_next(nullptr);
}

}  // namespace

CompletionThread::CompletionThread() : queue_(make_queue()) {
  // Signals are for the threads of the program.
  sigset_t all;
  sigset_t before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  thread_ = std::thread([this] { run(); });
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  pthread_setname_np(thread_.native_handle(), "drover-grpc");
}

CompletionThread::~CompletionThread() {
  // Pairs with stream_ends().
  for (int open = streams_.load(std::memory_order_acquire); open != 0;
       open = streams_.load(std::memory_order_acquire)) {
    streams_.wait(open, std::memory_order_acquire);
  }
  grpc_completion_queue_shutdown(queue_);
  thread_.join();
  grpc_completion_queue_destroy(queue_);
}

void CompletionThread::run() noexcept {
  for (;;) {
    const grpc_event event =
        grpc_completion_queue_next(queue_, gpr_inf_future(GPR_CLOCK_REALTIME), nullptr);
    if (event.type == GRPC_QUEUE_SHUTDOWN) return;
    // Whether it went well (event.success) is in the status of the call, too.
    if (event.type == GRPC_OP_COMPLETE) {
      static_cast<CompletionHandler*>(event.tag)->complete();
    }
  }
}

}  // namespace drover::database::ydb
