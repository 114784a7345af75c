// For tests of the pool: sessions of a database that is told when to refuse, on virtual time.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <functional>
#include <memory>
#include <vector>

#include "coro/block_on.h"
#include "coro/worker.h"
#include "database/session_pool.h"

namespace drover::database {

using namespace std::chrono_literals;
using coro::Duration;
using coro::Task;

struct FakeSession {
  FakeSession(int named, std::size_t at) : name(named), host_number(at) {}

  bool usable() const noexcept { return !ended; }
  bool in_transaction() const noexcept { return transaction; }
  Task<void> close() {
    closed = true;
    co_return;
  }
  std::size_t host() const noexcept { return host_number; }
  bool still_open() noexcept {
    if (ended_idle) ended = true;
    return !ended;
  }

  int name;
  std::size_t host_number;
  bool ended = false;
  bool ended_idle = false;  // and the pool has not noticed yet
  bool transaction = false;
  bool closed = false;
};

using Pool = SessionPool<FakeSession>;

struct Tally final : SessionObserver {
  void on_session_lost() noexcept override { ++lost; }
  void on_session_ended_idle() noexcept override { ++ended_idle; }
  void on_session_refused(const Error&) noexcept override { ++refused; }
  void on_session_opened() noexcept override { ++opened; }
  void on_session_renewed() noexcept override { ++renewed; }

  int lost = 0;
  int ended_idle = 0;
  int refused = 0;
  int opened = 0;
  int renewed = 0;
};

class SessionPoolTest : public testing::Test {
 protected:
  Pool::Options options(std::size_t size) {
    return {
        .size = size, .open = [this](std::size_t number) { return open_one(number); }, .seed = 7};
  }

  // Takes a second, be it to open or to refuse.
  Task<std::unique_ptr<FakeSession>> open_one(std::size_t number) {
    numbers.push_back(number);
    attempts.push_back(clock.now());
    int& most = refusals > 0 ? opening_max_refused : opening_max;
    most = std::max(most, ++opening);
    co_await coro::sleep_for(1s);
    --opening;
    if (refusals > 0) {
      --refusals;
      throw Error(refusal, "", "refused");
    }
    co_return std::make_unique<FakeSession>(++made, host_of(number));
  }

  void run(std::function<Task<void>()> body) {
    coro::Worker worker(clock);
    coro::block_on(worker, body());
  }

  // Runs `body` beside keep_open(), which is cancelled at its end.
  Task<void> beside_keep_open(Pool& pool, std::function<Task<void>()> body) {
    auto both = [&](coro::Scope& scope) -> Task<void> {
      scope.start(pool.keep_open(observer));
      co_await coro::sleep_for(1ms);  // it is told of what is lost from now on
      co_await body();
      scope.cancel();
    };
    co_await coro::with_scope(both);
  }

  // Takes all `count` sessions, ends them, and gives them back.
  static Task<void> lose(Pool& pool, std::size_t count) {
    std::vector<FakeSession*> taken;
    for (std::size_t i = 0; i < count; ++i) taken.push_back(co_await pool.take());
    for (FakeSession* session : taken) session->ended = true;
    for (FakeSession* session : taken) pool.release(*session);
  }

  static Task<void> take_in_turn(Pool& pool, std::size_t count, std::vector<int>& names) {
    std::vector<FakeSession*> taken;
    for (std::size_t i = 0; i < count; ++i) taken.push_back(co_await pool.take());
    for (FakeSession* session : taken) names.push_back(session->name);
    for (FakeSession* session : taken) pool.release(*session);
  }

  coro::VirtualClock clock;
  std::function<std::size_t(std::size_t number)> host_of = [](std::size_t) {
    return std::size_t{0};
  };
  Tally observer;
  int refusals = 0;  // that are to come
  ErrorClass refusal = ErrorClass::unavailable;
  int made = 0;
  int opening = 0;
  int opening_max = 0;          // at a time
  int opening_max_refused = 0;  // the same, while the database refuses
  std::vector<coro::Instant> attempts;
  std::vector<std::size_t> numbers;  // of the sessions that were to be opened
};

}  // namespace drover::database
