// What the tests against the server of fake_server_test.h share.
#pragma once

#include <gtest/gtest.h>

#include <chrono>
#include <functional>
#include <memory>
#include <utility>

#include "coro/block_on.h"
#include "coro/scope.h"
#include "coro/sleep.h"
#include "coro/task.h"
#include "coro/worker.h"
#include "database/ydb/call/fake_server_test.h"
#include "database/ydb/client.h"
#include "database/ydb/session.h"

namespace drover::database::ydb {

class YdbFixture : public testing::Test {
 protected:
  template <class Body>
  void run(Body body) {
    coro::block_on(worker, body());
  }

  // Without discovery, and patient: a starved machine is no failure.
  ClientOptions options() const {
    ClientOptions made;
    made.target = server.target();
    made.discovery = false;
    made.request_timeout = std::chrono::seconds(120);
    made.opening_timeout = std::chrono::seconds(120);
    return made;
  }

  // Waits on the worker, which goes on meanwhile.
  static coro::Task<void> eventually(std::function<bool()> so) {
    while (!so()) co_await coro::sleep_for(std::chrono::milliseconds(1));
  }

  FakeServer server;
  coro::Worker worker;
};

// The error that the task ends by. Fails the test if there is none.
template <class T>
coro::Task<YdbError> error_of(coro::Task<T> task) {
  std::optional<YdbError> error;
  try {
    co_await std::move(task);
  } catch (const YdbError& thrown) {
    error = thrown;
  }
  EXPECT_TRUE(error.has_value()) << "it has gone well";
  if (!error) co_return YdbError(Status::success, "", "nothing", Stage::working);
  co_return *error;
}

// Starts the task, cancels it when `when` says so, and says whether it was cancelled.
template <class When>
coro::Task<bool> cancelled_when(coro::Task<void> task, When when) {
  bool cancelled = false;
  auto note = [&cancelled](coro::Task<void> noted) -> coro::Task<void> {
    try {
      co_await std::move(noted);
    } catch (const coro::Cancelled&) {
      cancelled = true;
    }
  };
  auto body = [&](coro::Scope& scope) -> coro::Task<void> {
    scope.start(note(std::move(task)));
    while (!when()) co_await coro::sleep_for(std::chrono::milliseconds(1));
    scope.cancel();
  };
  co_await coro::with_scope(body);
  co_return cancelled;
}

}  // namespace drover::database::ydb
