#include "database/ydb/session.h"

#include <gmock/gmock.h>

#include <vector>

#include "database/ydb/ydb_fixture_test.h"

namespace drover::database::ydb {
namespace {

using coro::Task;
using testing::ElementsAre;
using Ydb::StatusIds;

struct CountingObserver final : SessionObserver {
  void on_session_lost() noexcept override { ++lost; }
  void on_session_refused(const Error&) noexcept override { ++refused; }
  void on_session_opened() noexcept override { ++opened; }

  int lost = 0;
  int refused = 0;
  int opened = 0;
};

class SessionPoolTest : public YdbFixture {
 protected:
  SessionPoolTest() : client(options()) {}

  Client client;
  CountingObserver observer;
};

TEST_F(SessionPoolTest, OpensAllAndEndsThemWithItself) {
  run([&]() -> Task<void> {
    SessionPool pool(client, {.size = 40});
    co_await pool.open();
    EXPECT_EQ(pool.idle(), 40U);
    EXPECT_EQ(server.seen().streams, 40);
  });
  server.wait_until([](const Seen& seen) { return seen.streams == 0; });
  EXPECT_EQ(server.seen().calls.count("DeleteSession"), 0U);
}

TEST_F(SessionPoolTest, ClosesInOrder) {
  run([&]() -> Task<void> {
    SessionPool pool(client, {.size = 20});
    co_await pool.open();
    co_await pool.close();
    EXPECT_EQ(pool.open_sessions(), 0U);
  });
  EXPECT_EQ(server.seen().calls.at("DeleteSession"), 20);
}

TEST_F(SessionPoolTest, GivesSessionsInTurn) {
  std::vector<int> order;
  run([&]() -> Task<void> {
    SessionPool pool(client, {.size = 1});
    co_await pool.open();
    auto use = [&](int number) -> Task<void> {
      const auto session = co_await pool.acquire();
      order.push_back(number);
      co_await session->execute_alone("SELECT");
    };
    auto body = [&](coro::Scope& scope) -> Task<void> {
      for (int i = 0; i < 4; ++i) scope.start(use(i));
      co_return;
    };
    co_await coro::with_scope(body);
  });
  EXPECT_THAT(order, ElementsAre(0, 1, 2, 3));
}

TEST_F(SessionPoolTest, ACancelledWaiterTakesNothing) {
  run([&]() -> Task<void> {
    SessionPool pool(client, {.size = 1});
    co_await pool.open();
    {
      const auto held = co_await pool.acquire();
      auto wait = [&]() -> Task<void> { const auto session = co_await pool.acquire(); };
      const bool cancelled = co_await cancelled_when(wait(), [&] { return pool.waiting() == 1; });
      EXPECT_TRUE(cancelled);
      EXPECT_EQ(pool.waiting(), 0U);
    }
    EXPECT_EQ(pool.idle(), 1U);
  });
}

TEST_F(SessionPoolTest, ReplacesASessionThatWasLost) {
  run([&]() -> Task<void> {
    SessionPool pool(client, {.size = 2});
    co_await pool.open();
    auto body = [&](coro::Scope& scope) -> Task<void> {
      scope.start(pool.keep_open(observer));
      server.behave([](Behaviour& behaviour) {
        behaviour.execute = [](const auto&, std::vector<Part>& parts) {
          parts.push_back(part_with(StatusIds::BAD_SESSION));
          return Ending{};
        };
      });
      {
        const auto session = co_await pool.acquire();
        co_await error_of(session->execute("SELECT"));
      }
      co_await eventually([&] { return observer.opened == 1; });
      EXPECT_EQ(pool.idle(), 2U);
      scope.cancel();
    };
    co_await coro::with_scope(body);
  });
  EXPECT_EQ(observer.lost, 1);
  EXPECT_EQ(observer.refused, 0);
  EXPECT_EQ(server.seen().calls.at("CreateSession"), 3);
}

TEST_F(SessionPoolTest, DoesNotHandOnAnOpenTransaction) {
  run([&]() -> Task<void> {
    SessionPool pool(client, {.size = 1});
    co_await pool.open();
    {
      const auto session = co_await pool.acquire();
      co_await session->execute("SELECT");
    }
    EXPECT_EQ(pool.idle(), 0U);
    EXPECT_EQ(pool.open_sessions(), 0U);
  });
}

TEST_F(SessionPoolTest, ReplacesIdleSessionsThatTheServerEnds) {
  run([&]() -> Task<void> {
    SessionPool pool(client, {.size = 5});
    co_await pool.open();
    auto body = [&](coro::Scope& scope) -> Task<void> {
      scope.start(pool.keep_open(observer));
      server.end_streams(grpc::StatusCode::OK);
      co_await eventually([&] { return observer.opened == 5; });
      EXPECT_EQ(pool.idle(), 5U);
      scope.cancel();
    };
    co_await coro::with_scope(body);
  });
  EXPECT_EQ(observer.lost, 5);
}

TEST_F(SessionPoolTest, ReplacesIdleSessionsThatAreToShutDown) {
  run([&]() -> Task<void> {
    SessionPool pool(client, {.size = 3});
    co_await pool.open();
    auto body = [&](coro::Scope& scope) -> Task<void> {
      scope.start(pool.keep_open(observer));
      Ydb::Query::SessionState state;
      state.set_status(StatusIds::SUCCESS);
      state.mutable_session_shutdown();
      server.say(state);
      co_await eventually([&] { return observer.opened == 3; });
      scope.cancel();
    };
    co_await coro::with_scope(body);
  });
}

TEST_F(SessionPoolTest, GoesOnWhenTheServerIsBack) {
  run([&]() -> Task<void> {
    SessionPool pool(client, {.size = 4});
    co_await pool.open();
    int served = 0;
    auto wait_for_one = [&]() -> Task<void> {
      const auto session = co_await pool.acquire();
      co_await session->execute_alone("SELECT");
      ++served;
    };
    auto body = [&](coro::Scope& scope) -> Task<void> {
      scope.start(pool.keep_open(observer));
      server.stop();
      co_await eventually([&] { return observer.lost == 4 && observer.refused > 0; });
      scope.start(wait_for_one());
      co_await eventually([&] { return pool.waiting() == 1; });
      server.start();
      co_await eventually([&] { return observer.opened == 4 && served == 1; });
      scope.cancel();
    };
    co_await coro::with_scope(body);
    EXPECT_EQ(pool.idle(), 4U);
  });
}

TEST_F(SessionPoolTest, GivesUpWhereThereIsNoHope) {
  run([&]() -> Task<void> {
    SessionPool pool(client, {.size = 1});
    co_await pool.open();
    server.behave([](Behaviour& behaviour) {
      behaviour.create_session = [](auto&) {
        return Ending{.code = grpc::StatusCode::UNAUTHENTICATED, .details = "revoked"};
      };
    });
    server.end_streams(grpc::StatusCode::OK);
    const YdbError error = co_await error_of(pool.keep_open(observer));
    EXPECT_EQ(error.error_class(), ErrorClass::denied);
  });
  EXPECT_EQ(observer.refused, 1);
}

TEST_F(SessionPoolTest, GivesUpWhereItIsToldNotToWait) {
  run([&]() -> Task<void> {
    SessionPool pool(client, {.size = 1, .wait_for_server = false});
    co_await pool.open();
    server.stop();
    const YdbError error = co_await error_of(pool.keep_open(observer));
    EXPECT_EQ(error.error_class(), ErrorClass::unavailable);
  });
}

TEST_F(SessionPoolTest, SaysWhyItCannotBeOpened) {
  server.behave([](Behaviour& behaviour) {
    behaviour.create_session = [](Ydb::Query::CreateSessionResponse& response) {
      response.set_status(StatusIds::OVERLOADED);
      return Ending{};
    };
  });
  run([&]() -> Task<void> {
    SessionPool pool(client, {.size = 30});
    const YdbError error = co_await error_of(pool.open());
    EXPECT_EQ(error.status(), Status::overloaded);
  });
}

TEST_F(SessionPoolTest, IsBalancedOverTheNodes) {
  FakeServer second;
  server.behave([&](Behaviour& behaviour) {
    behaviour.list_endpoints = [&](Ydb::Operations::Operation& operation) {
      Ydb::Discovery::ListEndpointsResult result;
      for (const FakeServer* one : {&server, &second}) {
        Ydb::Discovery::EndpointInfo& info = *result.add_endpoints();
        info.set_address("127.0.0.1");
        info.set_port(one->target().port);
      }
      operation.mutable_result()->PackFrom(result);
      return Ending{};
    };
  });
  ClientOptions both = options();
  both.discovery = true;
  Client other(both);
  run([&]() -> Task<void> {
    co_await other.connect();
    SessionPool pool(other, {.size = 8});
    co_await pool.open();
    EXPECT_EQ(server.seen().streams, 4);
    EXPECT_EQ(second.seen().streams, 4);
  });
}

}  // namespace
}  // namespace drover::database::ydb
