// Member: one of the processes that make the load of a run of several hosts: its connection to the conductor, on a thread of
// its own, so that it answers whatever the rest of the process does.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "coro/cancellation.h"
#include "coro/promise.h"
#include "coro/worker.h"
#include "ranks/link.h"

namespace drover::ranks {

// What it was started with.
struct MemberPlace {
  std::vector<Endpoint> conductor;
  std::string secret;
  std::optional<std::size_t> rank;  // none: the first free one
  std::string host;                 // this one's name
  std::string program;              // version and commit
};

class Member {
 public:
  // Joins the conductor. Throws Unreachable if nothing answers at its addresses, LinkError if it
  // refuses.
  explicit Member(MemberPlace place);
  Member(const Member&) = delete;
  Member& operator=(const Member&) = delete;
  ~Member();

  // What follows may be called from any thread, but for where it says otherwise.

  void tell(Message message);

  // The next message of this kind. The future is for the worker of the calling thread. It throws LinkError when
  // the conductor is lost.
  coro::Future<Message> next(const std::string& kind);
  // The same, which blocks the thread.
  Message wait_for(const std::string& kind);

  // Called once, on the thread of the connection, when all are to end: the conductor says so, or is lost. At once if it
  // was before. An empty one is called no more when this returns.
  void on_stop(std::function<void()> action);

  // Drops what next() has promised to the worker of the calling thread: before that worker ends.
  void forget();

  // Blocks until what was told is on its way, two seconds at most.
  void flush();

  // Why there is no conductor any more; empty: there is one, or it has let us go.
  std::string loss() const;

 private:
  coro::Task<void> live();
  coro::Task<void> come();
  coro::Task<Message> welcome();
  coro::Task<void> read();
  coro::Task<void> watch();
  void take(Message received);
  void stop();
  void lose(const std::string& reason);

  const MemberPlace place_;
  coro::Worker worker_;
  // Used by the connection's thread alone.
  std::optional<Link> link_;
  coro::Instant heard_{};
  coro::Duration silence_most_of_conductor_{};

  mutable std::mutex mutex_;  // of all below
  std::condition_variable changed_;
  bool here_ = false;
  bool reached_ = false;
  bool released_ = false;
  bool stopped_ = false;
  std::string loss_;
  std::function<void()> on_stop_;
  std::map<std::string, std::vector<Message>> messages_;
  std::map<std::string, coro::Promise<Message>> promises_;

  coro::CancelSource* living_ = nullptr;  // of the connection's thread
  std::thread thread_;
};

}  // namespace drover::ranks
