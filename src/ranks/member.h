// Member: the agent's side of a distributed run: its connection to the coordinator. It has a thread
// of its own, so that it answers whatever the rest of the process does.
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

// The options with which an agent was started.
struct MemberPlace {
  std::vector<Endpoint> conductor;
  std::string secret;
  std::optional<std::size_t> rank;  // none: the first free rank
  std::string host;                 // name of this host
  std::string program;              // version and commit
};

class Member {
 public:
  // Joins the coordinator. Throws Unreachable if nothing answers at its addresses, and LinkError if
  // it refuses this agent.
  explicit Member(MemberPlace place);
  Member(const Member&) = delete;
  Member& operator=(const Member&) = delete;
  ~Member();

  // The following functions may be called from any thread.

  void tell(Message message);

  // Returns the next message of this kind. The future belongs to the worker of the calling thread.
  // It throws LinkError if the coordinator is lost.
  coro::Future<Message> next(const std::string& kind);
  // Blocks the thread until the next message of this kind.
  Message wait_for(const std::string& kind);

  // Sets the action that is called once, on the thread of the connection, when the run must end
  // because the coordinator says so or is lost. Calls it at once if that has happened already. With
  // an empty action, the previous one is not called after this function has returned.
  void on_stop(std::function<void()> action);

  // Drops the promises of next(). Call it before the worker that awaits their futures ends.
  void forget();

  // Blocks until all messages are sent, at most two seconds.
  void flush();

  // Returns why the coordinator was lost, or an empty text.
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
  // Used by the thread of the connection only.
  std::optional<Link> link_;
  coro::Instant heard_{};
  coro::Duration silence_most_of_conductor_{};

  mutable std::mutex mutex_;  // protects the members up to promises_
  std::condition_variable changed_;
  bool here_ = false;
  bool reached_ = false;
  bool released_ = false;
  bool stopped_ = false;
  std::string loss_;
  std::function<void()> on_stop_;
  std::map<std::string, std::vector<Message>> messages_;
  std::map<std::string, coro::Promise<Message>> promises_;

  coro::CancelSource* living_ = nullptr;  // used by the thread of the connection
  std::thread thread_;
};

}  // namespace drover::ranks
