// CompletionThread: the thread that drives gRPC for one worker. It waits in the kernel for what the
// worker's connections bring, lets gRPC take messages apart, and tells each finished operation.
//
// Why a thread beside each worker, and not the callback API or one thread for all: gRPC 1.51 cannot
// be polled from an epoll of ours, so one hop home is the least. The callback API runs completions
// on a pool of its own, of as many threads as half the processors, and adds a hop inside gRPC and a
// reactor a call; here a call hops once, however many messages its reply has (call.h). And a queue
// a worker keeps its connections, their reads and their wake-ups apart from those of the others.
//
// Calls are begun and let go of on this thread as well (call_soon). A second thread in the same
// connection makes gRPC hand its work to a thread of its own pool, and then that one is in the way,
// too: with a statement a request it cost a fifth of the client's processor time, and most of its
// futexes (docs/ydb.md). Only the streams by which sessions live are begun at home: they are few.
//
// Thread safety: made and destroyed on the worker's thread. gRPC is started with the first of them
// and stays until the process ends; it writes nothing to the error stream unless GRPC_VERBOSITY is
// set.
#pragma once

#include <atomic>
#include <thread>

struct grpc_call;
struct grpc_completion_queue;

namespace drover::database::ydb {

// What gRPC has operations of under way; the tag of each. It must live until the last of them.
class CompletionHandler {
 public:
  // On the completion thread: may begin the next operation. After the last one it may be gone.
  using Function = void (*)(CompletionHandler&) noexcept;

  // On the completion thread.
  void complete() noexcept { function_.load(std::memory_order_acquire)(*this); }

 protected:
  ~CompletionHandler() = default;

  // To be called before gRPC gets the first operation. Pairs with complete(), so that all that was
  // written before is seen there, whatever gRPC does in between.
  void publish(Function function) noexcept { function_.store(function, std::memory_order_release); }

 private:
  std::atomic<Function> function_{nullptr};
};

class CompletionThread {
 public:
  CompletionThread();
  CompletionThread(const CompletionThread&) = delete;
  CompletionThread& operator=(const CompletionThread&) = delete;

  // Waits until gRPC has let go of every operation, and so blocks: calls must have ended, streams
  // ended or been cancelled. What they have posted home still comes.
  ~CompletionThread();

  // A stream, which nobody awaits, says when it begins and, on the completion thread, when its last
  // operation is done: gRPC takes no operation once its queue is told to shut down.
  void stream_begins() noexcept { streams_.fetch_add(1, std::memory_order_relaxed); }
  void stream_ends() noexcept {
    if (streams_.fetch_sub(1, std::memory_order_release) == 1) streams_.notify_all();
  }

  // From the worker's thread: has complete() called on this one. Requires: publish() before.
  void call_soon(CompletionHandler& handler) noexcept;

  grpc_completion_queue* queue() const noexcept { return queue_; }

 private:
  void run() noexcept;

  grpc_completion_queue* queue_;
  grpc_call* bell_;  // never begun: what is asked of it comes out of the queue at once
  std::atomic<int> streams_{0};
  std::thread thread_;
};

}  // namespace drover::database::ydb
