#include "database/ydb/call/completion_thread.h"

#include <absl/synchronization/mutex.h>
#include <grpc/grpc.h>
#include <grpc/support/log.h>
#include <grpc/support/time.h>
#include <pthread.h>
#include <signal.h>

#include <cassert>
#include <cstdlib>

#include "coro/started_thread.h"

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

grpc_call* make_bell(grpc_completion_queue* queue) {
  grpc_channel* channel = grpc_lame_client_channel_create("", GRPC_STATUS_UNAVAILABLE, "");
  grpc_call* call = grpc_channel_create_call(channel, nullptr, GRPC_PROPAGATE_DEFAULTS, queue,
                                             grpc_slice_from_static_string("/bell"), nullptr,
                                             gpr_inf_future(GPR_CLOCK_MONOTONIC), nullptr);
  grpc_channel_destroy(channel);  // the call keeps it
  return call;
}

}  // namespace

CompletionThread::CompletionThread() : queue_(make_queue()), bell_(make_bell(queue_)) {
  // Signals are for the threads of the program.
  sigset_t all;
  sigset_t before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  try {
    thread_ = coro::started_thread<std::thread>("gRPC's answers", [this] { run(); });
  } catch (...) {
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
    throw;
  }
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  pthread_setname_np(thread_.native_handle(), "drover-grpc");
}

CompletionThread::~CompletionThread() {
  // Pairs with stream_ends().
  for (int open = streams_.load(std::memory_order_acquire); open != 0;
       open = streams_.load(std::memory_order_acquire)) {
    streams_.wait(open, std::memory_order_acquire);
  }
  grpc_call_unref(bell_);
  grpc_completion_queue_shutdown(queue_);
  thread_.join();
  grpc_completion_queue_destroy(queue_);
}

// A batch of no operations is complete at once.
void CompletionThread::call_soon(CompletionHandler& handler) noexcept {
  [[maybe_unused]] const grpc_call_error error =
      grpc_call_start_batch(bell_, nullptr, 0, &handler, nullptr);
  assert(error == GRPC_CALL_OK);
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
