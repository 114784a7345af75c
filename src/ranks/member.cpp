#include "ranks/member.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <exception>
#include <utility>

#include "coro/block_on.h"
#include "coro/deadline.h"
#include "coro/scope.h"
#include "coro/sleep.h"
#include "coro/started_thread.h"
#include "ranks/clocks.h"
#include "ranks/conductor.h"

namespace drover::ranks {

using coro::Duration;
using coro::Instant;
using coro::Scope;
using coro::Task;
using coro::Worker;
using std::chrono::milliseconds;

namespace {

// A coordinator may be silent while it waits for its terminal or reads long parts of many agents.
constexpr Duration silence_least_of_conductor = std::chrono::minutes(1);
constexpr Duration connect_timeout = std::chrono::seconds(3);
// An agent of a job may join while the coordinator still prepares the run.
constexpr Duration welcome_timeout = std::chrono::minutes(15);

Message clock_answer() {
  const ClockReading now = read_clocks();
  Message answer = message("clock");
  answer["monotonic_ns"] = now.monotonic_ns;
  answer["wall_ns"] = now.wall_ns;
  return answer;
}

// Blocks all signals in the new thread, because the other threads handle them.
class BlockedSignals {
 public:
  BlockedSignals() {
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before_);
  }
  BlockedSignals(const BlockedSignals&) = delete;
  BlockedSignals& operator=(const BlockedSignals&) = delete;
  ~BlockedSignals() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }

 private:
  sigset_t before_{};
};

}  // namespace

Member::Member(MemberPlace place) : place_(std::move(place)) {
  {
    const BlockedSignals inherited;
    thread_ = coro::started_thread<std::thread>("the connection to the coordinator",
                                                [this] { coro::block_on(worker_, live()); });
  }
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return here_ || !loss_.empty(); });
  if (loss_.empty()) return;
  const std::string reason = loss_;
  const bool reached = reached_;
  lock.unlock();
  thread_.join();
  if (!reached) throw Unreachable(reason);
  throw LinkError(reason);
}

Member::~Member() {
  worker_.post([this] {
    if (living_ != nullptr) living_->cancel();
  });
  if (thread_.joinable()) thread_.join();
}

void Member::tell(Message message) {
  worker_.post([this, message = std::move(message)] {
    if (!link_) return;
    // The coordinator reads long parts of many agents one after another.
    if (kind_of(message) == "part") link_->fail_after(silence_most_of_conductor_);
    link_->send(message);
  });
}

coro::Future<Message> Member::next(const std::string& kind) {
  auto [promise, future] = coro::make_promise<Message>();
  const std::lock_guard lock(mutex_);
  if (auto& arrived = messages_[kind]; !arrived.empty()) {
    promise.set_value(std::move(arrived.front()));
    arrived.erase(arrived.begin());
  } else if (!loss_.empty()) {
    promise.set_error(std::make_exception_ptr(LinkError(loss_)));
  } else {
    promises_.erase(kind);
    promises_.emplace(kind, std::move(promise));
  }
  return std::move(future);
}

Message Member::wait_for(const std::string& kind) {
  std::unique_lock lock(mutex_);
  auto& arrived = messages_[kind];
  // When the run has been stopped, only the message "bye" can still arrive.
  changed_.wait(lock, [&] {
    return !arrived.empty() || !loss_.empty() || (kind != "bye" && (stopped_ || released_));
  });
  if (arrived.empty()) throw LinkError(loss_.empty() ? "the other hosts have ended" : loss_);
  Message first = std::move(arrived.front());
  arrived.erase(arrived.begin());
  return first;
}

void Member::on_stop(std::function<void()> action) {
  const std::lock_guard lock(mutex_);
  on_stop_ = std::move(action);
  if (stopped_ && on_stop_) on_stop_();
}

void Member::forget() {
  const std::lock_guard lock(mutex_);
  promises_.clear();
}

void Member::flush() {
  for (int i = 0; i < 400; ++i) {
    bool empty = false;
    worker_.call([&] { empty = !link_ || link_->is_empty(); });
    if (empty) return;
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
}

std::string Member::loss() const {
  const std::lock_guard lock(mutex_);
  return loss_;
}

Task<void> Member::live() {
  living_ = &co_await coro::current_source();
  std::string reason;
  try {
    co_await come();
    {
      const std::lock_guard lock(mutex_);
      here_ = true;
    }
    changed_.notify_all();
    auto body = [this](Scope& scope) -> Task<void> {
      scope.start(link_->write_out());
      scope.start(watch());
      co_await read();
    };
    co_await coro::with_scope(body);
  } catch (const LinkError& error) {
    reason = error.what();
  } catch (const coro::DeadlineExceeded&) {
    reason = "the coordinator did not answer";
  } catch (const coro::Cancelled&) {
    // The Member is being destroyed.
  } catch (const std::exception& error) {
    reason = error.what();
  }
  link_.reset();
  living_ = nullptr;
  if (!reason.empty()) lose(reason);
}

// Tries all addresses, because one of them may lead to another coordinator.
Task<void> Member::come() {
  std::vector<Endpoint> left = place_.conductor;
  std::string refusal;
  while (refusal.empty() || !left.empty()) {
    try {
      link_.emplace(co_await connect_to_one_of(left, connect_timeout));
    } catch (const LinkError&) {
      if (refusal.empty()) throw;
      break;
    }
    {
      const std::lock_guard lock(mutex_);
      reached_ = true;
    }
    const Message answer = co_await welcome();
    heard_ = worker_.now();
    if (kind_of(answer) == "welcome") {
      const Duration silence_most = milliseconds(answer.value("silence_ms", 5'000));
      link_->fail_after(silence_most);
      silence_most_of_conductor_ = std::max(silence_least_of_conductor, silence_most);
      co_return;
    }
    if (refusal.empty()) refusal = answer.value("reason", std::string("no reason given"));
  }
  throw LinkError("the coordinator refused this agent: " + refusal);
}

Task<Message> Member::welcome() {
  Message hello = message("hello");
  hello["secret"] = place_.secret;
  if (place_.rank) hello["rank"] = *place_.rank;
  hello["host"] = place_.host;
  hello["program"] = place_.program;
  link_->send(hello);
  Scope writing(co_await coro::current_source());
  writing.start(link_->write_out());
  Message answer;
  std::exception_ptr error;
  try {
    answer = co_await coro::with_deadline(worker_.now() + welcome_timeout,
                                          link_->receive(first_message_bytes_max));
  } catch (...) {
    error = std::current_exception();
  }
  writing.cancel();
  co_await writing.join();
  if (error) std::rethrow_exception(error);
  co_return answer;
}

Task<void> Member::read() {
  for (;;) {
    Message received = co_await link_->receive();
    heard_ = worker_.now();
    take(std::move(received));
    const std::lock_guard lock(mutex_);
    if (released_) co_return;
  }
}

void Member::take(Message received) {
  const std::string kind = kind_of(received);
  if (kind == "alive") return;
  if (kind == "clock") return link_->send(clock_answer());
  if (kind == "stop") return stop();
  if (kind == "given_up") {
    throw LinkError("the coordinator considers this agent lost: " +
                    received.value("reason", std::string("no reason given")));
  }
  {
    const std::lock_guard lock(mutex_);
    if (kind == "bye") released_ = true;
    if (const auto waiting = promises_.find(kind); waiting != promises_.end()) {
      waiting->second.set_value(std::move(received));
      promises_.erase(waiting);
      return;
    }
    messages_[kind].push_back(std::move(received));
  }
  changed_.notify_all();
}

Task<void> Member::watch() {
  Instant last = worker_.now();
  for (;;) {
    link_->send(message("alive"));
    co_await coro::sleep_for(alive_every);
    const Instant now = worker_.now();
    // After a standstill of this process, messages of the coordinator may be waiting.
    if (now - last > 2 * alive_every) heard_ = now;
    last = now;
    if (now - heard_ > silence_most_of_conductor_) {
      throw LinkError(fmt::format("the coordinator sent nothing for {:.0f} s",
                                  coro::seconds_of(silence_most_of_conductor_)));
    }
  }
}

void Member::stop() {
  const std::lock_guard lock(mutex_);
  if (std::exchange(stopped_, true)) return;
  if (on_stop_) on_stop_();
  changed_.notify_all();
}

void Member::lose(const std::string& reason) {
  {
    // No promise belongs to a worker that has ended, because it has called forget().
    const std::lock_guard lock(mutex_);
    if (released_) return;
    loss_ = reason;
    for (auto& [kind, promise] : promises_) {
      promise.set_error(std::make_exception_ptr(LinkError(reason)));
    }
    promises_.clear();
  }
  changed_.notify_all();
  stop();
}

}  // namespace drover::ranks
