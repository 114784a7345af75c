// Calls over a real connection: replies, streams, failures, deadlines and cancellations.
#include "database/ydb/call/call.h"

#include <gmock/gmock.h>

#include "database/ydb/call/channel.h"
#include "database/ydb/ydb_fixture_test.h"

namespace drover::database::ydb {
namespace {

using coro::Task;
using testing::HasSubstr;

class CallTest : public YdbFixture {
 protected:
  CallTest() : channel(completions, {.authority = server.target().authority()}) {}

  Ydb::Query::ExecuteQueryRequest statement(const std::string& text) {
    Ydb::Query::ExecuteQueryRequest request;
    request.mutable_query_content()->set_text(text);
    return request;
  }

  void hang() {
    server.behave([](Behaviour& behaviour) {
      behaviour.execute = [](const auto&, std::vector<Part>&) { return Ending{.hangs = true}; };
    });
  }

  Task<void> execute() {
    Call call(channel, Method::execute_query, statement("x"), metadata, {});
    co_await call;
  }

  CompletionThread completions;
  Channel channel;
  SharedMetadata metadata = std::make_shared<CallMetadata>("/Root/test", "", false);
};

TEST_F(CallTest, BringsAReply) {
  run([&]() -> Task<void> {
    Call call(channel, Method::create_session, Ydb::Query::CreateSessionRequest(), metadata, {});
    co_await call;
    EXPECT_EQ(call.transport(), TransportStatus::ok);
    EXPECT_EQ(call.messages(), 1U);
    Ydb::Query::CreateSessionResponse response;
    call.parse_message(0, response, Stage::opening);
    EXPECT_EQ(response.session_id(), "session-1");
    EXPECT_THROW(call.parse_message(1, response, Stage::opening), YdbError);
    EXPECT_FALSE(call.wants_session_closed());
  });
}

TEST_F(CallTest, SendsTheHeaders) {
  const auto secret = std::make_shared<CallMetadata>("/Root/test", "the-token", true);
  run([&]() -> Task<void> {
    Call anonymous(channel, Method::create_session, Ydb::Query::CreateSessionRequest(), metadata,
                   {});
    co_await anonymous;
    Call known(channel, Method::create_session, Ydb::Query::CreateSessionRequest(), secret, {});
    co_await known;
  });
  const auto sent = server.seen().metadata;
  ASSERT_EQ(sent.size(), 2U);
  EXPECT_EQ(sent[0].at("x-ydb-database"), "/Root/test");
  EXPECT_EQ(sent[0].at("x-ydb-sdk-build-info"), "drover/1.0");
  EXPECT_EQ(sent[0].count("x-ydb-auth-ticket"), 0U);
  EXPECT_EQ(sent[0].count("x-ydb-client-capabilities"), 0U);
  EXPECT_EQ(sent[1].at("x-ydb-auth-ticket"), "the-token");
  EXPECT_EQ(sent[1].at("x-ydb-client-capabilities"), "session-balancer");
}

TEST_F(CallTest, BringsAStreamToItsEnd) {
  server.behave([](Behaviour& behaviour) {
    behaviour.execute = [](const auto&, std::vector<Part>& parts) {
      for (int i = 0; i < 100; ++i) parts.push_back(part_with_numbers({i}));
      return Ending{.trailing = {{"x-ydb-server-hints", "session-close"}}};
    };
  });
  run([&]() -> Task<void> {
    Call call(channel, Method::execute_query, statement("SELECT"), metadata, {});
    co_await call;
    call.require_transport(Stage::working);
    EXPECT_EQ(call.messages(), 100U);
    for (std::size_t i = 0; i < call.messages(); ++i) {
      Part part;
      call.parse_message(i, part, Stage::working);
      EXPECT_EQ(part.result_set().rows(0).items(0).int32_value(), static_cast<int>(i));
    }
    EXPECT_TRUE(call.wants_session_closed());
  });
}

TEST_F(CallTest, TakesLargeMessages) {
  const std::string large(10'000'000, 'x');  // gRPC's own limit is 4 MiB
  server.behave([&large](Behaviour& behaviour) {
    behaviour.execute = [large](const auto& request, std::vector<Part>& parts) {
      const bool whole = request.query_content().text() == large;
      parts.push_back(part_with(Ydb::StatusIds::SUCCESS, whole ? large : "cut"));
      return Ending{};
    };
  });
  run([&]() -> Task<void> {
    Call call(channel, Method::execute_query, statement(large), metadata, {});
    co_await call;
    call.require_transport(Stage::working);
    Part part;
    call.parse_message(0, part, Stage::working);
    EXPECT_EQ(part.issues(0).message(), large);
  });
}

TEST_F(CallTest, SaysHowTheTransportFailed) {
  server.behave([](Behaviour& behaviour) {
    behaviour.execute = [](const auto&, std::vector<Part>& parts) {
      parts.push_back(part_with_numbers({1}));
      return Ending{.code = grpc::StatusCode::UNAVAILABLE, .details = "going\x07\ndown"};
    };
  });
  run([&]() -> Task<void> {
    Call call(channel, Method::execute_query, statement("SELECT"), metadata, {});
    co_await call;
    EXPECT_EQ(call.messages(), 1U) << "what had come before";
    try {
      call.require_transport(Stage::committing);
      ADD_FAILURE() << "it has failed";
    } catch (const YdbError& error) {
      EXPECT_EQ(error.transport(), TransportStatus::unavailable);
      EXPECT_EQ(error.error_class(), ErrorClass::ambiguous_commit);
      EXPECT_THAT(error.what(), HasSubstr("ExecuteQuery at 127.0.0.1:"));
      EXPECT_THAT(error.what(), HasSubstr("going down"));
    }
  });
}

TEST_F(CallTest, FailsWhereNobodyListens) {
  server.stop();
  run([&]() -> Task<void> {
    Call call(channel, Method::create_session, Ydb::Query::CreateSessionRequest(), metadata, {});
    co_await call;
    EXPECT_EQ(call.transport(), TransportStatus::unavailable);
    EXPECT_EQ(call.messages(), 0U);
  });
}

TEST_F(CallTest, FailsWhereTheCallIsNotKnown) {
  run([&]() -> Task<void> {
    Call call(channel, Method::bulk_upsert, Ydb::Query::CreateSessionRequest(), metadata, {});
    co_await call;
    EXPECT_EQ(call.transport(), TransportStatus::unimplemented);
  });
}

TEST_F(CallTest, EndsAtItsDeadline) {
  hang();
  run([&]() -> Task<void> {
    Call call(channel, Method::execute_query, statement("SELECT"), metadata,
              std::chrono::milliseconds(20));
    co_await call;
    EXPECT_EQ(call.transport(), TransportStatus::deadline_exceeded);
  });
}

TEST_F(CallTest, CanBeCancelledUnderWay) {
  hang();
  run([&]() -> Task<void> {
    const bool cancelled =
        co_await cancelled_when(execute(), [&] { return !server.seen().statements.empty(); });
    EXPECT_TRUE(cancelled);
  });
  server.wait_until([](const Seen& seen) { return seen.cancelled == 1; });
}

// Whichever thread comes first: home, which cancels, or the one that begins the call.
TEST_F(CallTest, CanBeCancelledAsItBegins) {
  hang();
  constexpr int count = 200;
  int cancelled = 0;
  auto one = [&]() -> Task<void> {
    try {
      co_await execute();
    } catch (const coro::Cancelled&) {
      ++cancelled;
    }
  };
  auto begin_and_cancel = [&](int turns) -> Task<void> {
    coro::CancelSource& source = co_await coro::current_source();
    coro::Scope scope(source);
    scope.start(one());
    for (int turn = 0; turn <= turns; ++turn) co_await coro::yield();
    scope.cancel();
    co_await scope.join();
  };
  run([&]() -> Task<void> {
    for (int i = 0; i < count; ++i) co_await begin_and_cancel(i % 10);
  });
  EXPECT_EQ(cancelled, count);
}

TEST_F(CallTest, IsNotMadeUnderACancelledSource) {
  run([&]() -> Task<void> {
    const bool cancelled = co_await cancelled_when(execute(), [] { return true; });
    EXPECT_TRUE(cancelled);
  });
  EXPECT_EQ(server.seen().calls.count("ExecuteQuery"), 0U);
}

TEST_F(CallTest, ManyGoSideBySide) {
  hang();
  constexpr int count = 50;
  run([&]() -> Task<void> {
    auto body = [&](coro::Scope& scope) -> Task<void> {
      for (int i = 0; i < count; ++i) scope.start(execute());
      co_await eventually([&] { return !server.seen().statements.empty(); });
      scope.cancel();
    };
    co_await coro::with_scope(body);
  });
  server.behave([](Behaviour& behaviour) { behaviour.execute = nullptr; });
  int answered = 0;
  run([&]() -> Task<void> {
    auto one = [&]() -> Task<void> {
      co_await execute();
      ++answered;
    };
    auto body = [&](coro::Scope& scope) -> Task<void> {
      for (int i = 0; i < count; ++i) scope.start(one());
      co_return;
    };
    co_await coro::with_scope(body);
  });
  EXPECT_EQ(answered, count);
}

TEST_F(CallTest, EachChannelHasAConnectionOfItsOwn) {
  Channel other(completions, {.authority = server.target().authority()});
  run([&]() -> Task<void> {
    for (Channel* one : {&channel, &other, &channel}) {
      Call call(*one, Method::create_session, Ydb::Query::CreateSessionRequest(), metadata, {});
      co_await call;
      EXPECT_EQ(call.transport(), TransportStatus::ok);
    }
  });
  EXPECT_EQ(server.seen().peers.size(), 2U);
}

TEST_F(CallTest, TheChannelConnectsAnewWhenTheServerIsBack) {
  run([&]() -> Task<void> {
    auto try_it = [&]() -> Task<TransportStatus> {
      Call call(channel, Method::create_session, Ydb::Query::CreateSessionRequest(), metadata, {});
      co_await call;
      co_return call.transport();
    };
    EXPECT_EQ(co_await try_it(), TransportStatus::ok);
    server.stop();
    EXPECT_EQ(co_await try_it(), TransportStatus::unavailable);
    server.start();
    TransportStatus status = TransportStatus::unavailable;
    while (status == TransportStatus::unavailable) {
      co_await coro::sleep_for(std::chrono::milliseconds(10));
      status = co_await try_it();
    }
    EXPECT_EQ(status, TransportStatus::ok);
  });
}

}  // namespace
}  // namespace drover::database::ydb
