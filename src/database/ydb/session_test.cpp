// Sessions and transactions: the happy way, each way in which it goes wrong, and what the server
// wants to tell a session.
#include "database/ydb/session.h"

#include <gmock/gmock.h>

#include "database/ydb/ydb_fixture_test.h"

namespace drover::database::ydb {
namespace {

using coro::Task;
using testing::HasSubstr;
using Ydb::StatusIds;

class SessionTest : public YdbFixture {
 protected:
  SessionTest() : client(options()) {}

  // Runs the body with a session that is open.
  template <class Body>
  void with_session(Body body) {
    run([&]() -> Task<void> {
      const std::unique_ptr<ServerSession> session = co_await ServerSession::open(client);
      co_await body(*session);
    });
  }

  // What every statement is answered by.
  void answer(std::vector<Part> parts, Ending ending = {}) {
    server.behave([&](Behaviour& behaviour) {
      behaviour.execute = [parts, ending](const auto&, std::vector<Part>& out) {
        out = parts;
        return ending;
      };
    });
  }

  Client client;
};

TEST_F(SessionTest, IsAttachedUntilItIsDestroyed) {
  with_session([&](ServerSession& session) -> Task<void> {
    EXPECT_EQ(session.id(), "session-1");
    EXPECT_TRUE(session.usable());
    EXPECT_EQ(server.seen().streams, 1);
    co_return;
  });
  server.wait_until([](const Seen& seen) { return seen.streams == 0; });
}

TEST_F(SessionTest, CarriesATransaction) {
  with_session([&](ServerSession& session) -> Task<void> {
    Parameters parameters;
    parameters.add("$id", Primitive::int32, 7);
    co_await session.execute("SELECT 1", std::move(parameters));
    EXPECT_TRUE(session.in_transaction());
    co_await session.execute("SELECT 2");
    co_await session.execute_and_commit("SELECT 3");
    EXPECT_FALSE(session.in_transaction());
    co_await session.execute_alone("CREATE TABLE");
  });
  const auto sent = server.seen().statements;
  ASSERT_EQ(sent.size(), 4U);
  for (const auto& statement : sent) {
    EXPECT_EQ(statement.session_id(), "session-1");
    EXPECT_EQ(statement.exec_mode(), Ydb::Query::EXEC_MODE_EXECUTE);
    EXPECT_EQ(statement.query_content().syntax(), Ydb::Query::SYNTAX_YQL_V1);
  }
  EXPECT_EQ(sent[0].query_content().text(), "SELECT 1");
  EXPECT_TRUE(sent[0].tx_control().begin_tx().has_serializable_read_write());
  EXPECT_FALSE(sent[0].tx_control().commit_tx());
  EXPECT_EQ(sent[0].parameters().at("$id").value().int32_value(), 7);
  EXPECT_EQ(sent[1].tx_control().tx_id(), "tx-of-session-1");
  EXPECT_FALSE(sent[1].tx_control().commit_tx());
  EXPECT_EQ(sent[2].tx_control().tx_id(), "tx-of-session-1");
  EXPECT_TRUE(sent[2].tx_control().commit_tx());
  EXPECT_FALSE(sent[3].has_tx_control());
}

TEST_F(SessionTest, CommitsAndRollsBackByCallsOfTheirOwn) {
  with_session([&](ServerSession& session) -> Task<void> {
    co_await session.commit();
    co_await session.roll_back();
    EXPECT_EQ(server.seen().calls.count("CommitTransaction"), 0U) << "there is none";
    co_await session.execute("SELECT 1");
    co_await session.commit();
    EXPECT_FALSE(session.in_transaction());
    co_await session.execute("SELECT 2");
    EXPECT_TRUE(session.in_transaction());
    co_await session.roll_back();
    EXPECT_FALSE(session.in_transaction());
    EXPECT_TRUE(session.usable());
  });
  const Seen seen = server.seen();
  EXPECT_EQ(seen.calls.at("CommitTransaction"), 1);
  EXPECT_EQ(seen.calls.at("RollbackTransaction"), 1);
}

TEST_F(SessionTest, HasTheModeThatItIsTold) {
  with_session([&](ServerSession& session) -> Task<void> {
    session.set_mode(TransactionMode::snapshot_read_only);
    co_await session.execute_and_commit("SELECT 1");
    session.set_mode(TransactionMode::snapshot_read_write);
    co_await session.execute_and_commit("SELECT 2");
  });
  const auto sent = server.seen().statements;
  ASSERT_EQ(sent.size(), 2U);
  EXPECT_TRUE(sent[0].tx_control().begin_tx().has_snapshot_read_only());
  EXPECT_TRUE(sent[1].tx_control().begin_tx().has_snapshot_read_write());
}

TEST_F(SessionTest, BringsTheRowsOfAllParts) {
  answer({part_with_numbers({1, 2}), part_with_numbers({9}, 1), part_with_numbers({3})});
  with_session([&](ServerSession& session) -> Task<void> {
    const QueryResult result = co_await session.execute_alone("SELECT");
    EXPECT_EQ(result.sets(), 2U);
    EXPECT_EQ(result.set(0).rows(), 3U);
    EXPECT_EQ(result.set(0).at(2, "n").integer(), 3);
    EXPECT_EQ(result.set(1).at(0, 0).integer(), 9);
  });
}

// Where they come at the same time, that of the first statement need not be first.
TEST_F(SessionTest, TakesResultsAtTheSameTime) {
  answer({part_with_numbers({9}, 1), part_with_numbers({1, 2}), part_with_numbers({10}, 1)});
  with_session([&](ServerSession& session) -> Task<void> {
    const QueryResult result = co_await session.execute("SELECT", {}, ResultSets::concurrent);
    EXPECT_EQ(result.sets(), 2U);
    EXPECT_EQ(result.set(0).rows(), 2U);
    EXPECT_EQ(result.set(1).at(1, 0).integer(), 10);
    co_await session.execute_and_commit("SELECT", {}, ResultSets::concurrent);
    co_await session.execute("SELECT");
    co_await session.roll_back();
  });
  const auto sent = server.seen().statements;
  ASSERT_EQ(sent.size(), 3U);
  EXPECT_TRUE(sent[0].concurrent_result_sets());
  EXPECT_TRUE(sent[1].concurrent_result_sets());
  EXPECT_FALSE(sent[2].concurrent_result_sets());
}

TEST_F(SessionTest, EachStatusIsAnErrorOfItsClass) {
  for (int number = 400010; number <= 400200; number += 10) {
    if (number == 400110) continue;
    const auto status = static_cast<Status>(number);
    answer({part_with(static_cast<StatusIds::StatusCode>(number), "why")});
    with_session([&](ServerSession& session) -> Task<void> {
      const YdbError error = co_await error_of(session.execute("SELECT"));
      EXPECT_EQ(error.status(), status);
      EXPECT_EQ(error.error_class(), classify(status, Stage::working));
      EXPECT_THAT(error.what(), HasSubstr("why"));
      EXPECT_FALSE(session.in_transaction());
      EXPECT_EQ(session.usable(), !ends_session(status)) << status_name(status);
    });
  }
}

TEST_F(SessionTest, AnErrorInTheLastPartIsOne) {
  answer({part_with_numbers({1}), part_with_numbers({2}), part_with(StatusIds::ABORTED, "locks")});
  with_session([&](ServerSession& session) -> Task<void> {
    const YdbError error = co_await error_of(session.execute_and_commit("UPSERT"));
    EXPECT_EQ(error.status(), Status::aborted);
    EXPECT_EQ(error.error_class(), ErrorClass::retryable) << "so it was not committed";
    EXPECT_TRUE(session.usable());
    server.behave([](Behaviour& behaviour) { behaviour.execute = nullptr; });
    co_await session.execute("SELECT");
    EXPECT_TRUE(session.in_transaction()) << "a new one";
  });
  EXPECT_TRUE(server.seen().statements.back().tx_control().has_begin_tx());
}

TEST_F(SessionTest, ACutStreamLosesTheSession) {
  answer({part_with_numbers({1})}, {.code = grpc::StatusCode::UNAVAILABLE, .details = "cut"});
  with_session([&](ServerSession& session) -> Task<void> {
    const YdbError error = co_await error_of(session.execute("SELECT"));
    EXPECT_EQ(error.error_class(), ErrorClass::connection_lost);
    EXPECT_FALSE(session.usable());
    EXPECT_FALSE(session.in_transaction());
  });
  with_session([&](ServerSession& session) -> Task<void> {
    const YdbError error = co_await error_of(session.execute_and_commit("UPSERT"));
    EXPECT_EQ(error.error_class(), ErrorClass::ambiguous_commit);
  });
}

TEST_F(SessionTest, AReplyWithoutAPartIsAnError) {
  answer({});
  with_session([&](ServerSession& session) -> Task<void> {
    const YdbError error = co_await error_of(session.execute_and_commit("UPSERT"));
    EXPECT_EQ(error.error_class(), ErrorClass::ambiguous_commit);
    EXPECT_FALSE(session.usable());
  });
}

TEST_F(SessionTest, AReplyWithoutTheTransactionIsAnError) {
  Part part = part_with(StatusIds::SUCCESS);
  part.mutable_tx_meta();
  answer({part});
  with_session([&](ServerSession& session) -> Task<void> {
    const YdbError error = co_await error_of(session.execute("SELECT"));
    EXPECT_THAT(error.what(), HasSubstr("does not name the transaction"));
  });
}

TEST_F(SessionTest, ALostCommitIsAmbiguous) {
  server.behave([](Behaviour& behaviour) {
    behaviour.commit = [](auto&) { return Ending{.code = grpc::StatusCode::UNAVAILABLE}; };
  });
  with_session([&](ServerSession& session) -> Task<void> {
    co_await session.execute("SELECT");
    const YdbError error = co_await error_of(session.commit());
    EXPECT_EQ(error.error_class(), ErrorClass::ambiguous_commit);
    EXPECT_FALSE(session.usable());
  });
  server.behave([](Behaviour& behaviour) {
    behaviour.commit = [](Ydb::Query::CommitTransactionResponse& response) {
      response.set_status(StatusIds::ABORTED);
      return Ending{};
    };
  });
  with_session([&](ServerSession& session) -> Task<void> {
    co_await session.execute("SELECT");
    const YdbError error = co_await error_of(session.commit());
    EXPECT_EQ(error.error_class(), ErrorClass::retryable);
    EXPECT_TRUE(session.usable());
    EXPECT_FALSE(session.in_transaction());
  });
}

TEST_F(SessionTest, ARequestThatIsCancelledLosesTheSession) {
  answer({}, {.hangs = true});
  with_session([&](ServerSession& session) -> Task<void> {
    auto execute = [&]() -> Task<void> { co_await session.execute("SELECT"); };
    const bool cancelled =
        co_await cancelled_when(execute(), [&] { return !server.seen().statements.empty(); });
    EXPECT_TRUE(cancelled);
    EXPECT_FALSE(session.usable());
  });
  server.wait_until([](const Seen& seen) { return seen.cancelled == 1; });
}

TEST_F(SessionTest, ARequestThatTakesTooLongLosesTheSession) {
  answer({}, {.hangs = true});
  ClientOptions impatient = options();
  impatient.request_timeout = std::chrono::milliseconds(20);
  Client other(impatient);
  run([&]() -> Task<void> {
    const auto session = co_await ServerSession::open(other);
    const YdbError error = co_await error_of(session->execute("SELECT"));
    EXPECT_EQ(error.transport(), TransportStatus::deadline_exceeded);
    EXPECT_FALSE(session->usable());
  });
}

TEST_F(SessionTest, ClosesWhereTheServerHintsAtIt) {
  answer({part_with(StatusIds::SUCCESS)}, {.trailing = {{"x-ydb-server-hints", "session-close"}}});
  with_session([&](ServerSession& session) -> Task<void> {
    co_await session.execute("SELECT");
    EXPECT_FALSE(session.usable());
    EXPECT_TRUE(session.alive()) << "its transaction may go on";
    EXPECT_TRUE(session.in_transaction());
    co_await session.execute_and_commit("UPSERT");
  });
}

TEST_F(SessionTest, ClosesWhereTheStreamSaysSo) {
  with_session([&](ServerSession& session) -> Task<void> {
    Ydb::Query::SessionState state;
    state.set_status(StatusIds::SUCCESS);
    server.say(state);
    state.mutable_session_shutdown();
    server.say(state);
    co_await eventually([&] { return !session.usable(); });
    EXPECT_TRUE(session.alive());
  });
}

TEST_F(SessionTest, EndsWithItsStream) {
  with_session([&](ServerSession& session) -> Task<void> {
    server.end_streams(grpc::StatusCode::OK);
    co_await eventually([&] { return !session.alive(); });
  });
}

TEST_F(SessionTest, EndsWhenTheStreamSaysThatItIsBad) {
  with_session([&](ServerSession& session) -> Task<void> {
    Ydb::Query::SessionState state;
    state.set_status(StatusIds::BAD_SESSION);
    server.say(state);
    co_await eventually([&] { return !session.alive(); });
  });
}

TEST_F(SessionTest, AvoidsANodeThatShutsDown) {
  ClientOptions both = options();
  both.discovery = true;
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
  Client other(both);
  run([&]() -> Task<void> {
    co_await other.connect();
    const auto first = co_await ServerSession::open(other);
    const bool on_first = first->authority() == server.target().authority();
    Ydb::Query::SessionState state;
    state.set_status(StatusIds::SUCCESS);
    state.mutable_node_shutdown();
    (on_first ? server : second).say(state);
    co_await eventually([&] { return !first->usable(); });
    for (int i = 0; i < 5; ++i) {
      const auto next = co_await ServerSession::open(other);
      EXPECT_NE(next->authority(), first->authority());
    }
  });
}

TEST_F(SessionTest, GoesToTheNodeThatTheServerNames) {
  ClientOptions both = options();
  both.discovery = true;
  FakeServer second;
  server.behave([&](Behaviour& behaviour) {
    behaviour.list_endpoints = [&](Ydb::Operations::Operation& operation) {
      Ydb::Discovery::ListEndpointsResult result;
      for (const FakeServer* one : {&server, &second}) {
        Ydb::Discovery::EndpointInfo& info = *result.add_endpoints();
        info.set_address("127.0.0.1");
        info.set_port(one->target().port);
        info.set_node_id(one == &server ? 1 : 2);
        info.set_load_factor(one == &server ? 0 : 1);
      }
      operation.mutable_result()->PackFrom(result);
      return Ending{};
    };
    behaviour.create_session = [](Ydb::Query::CreateSessionResponse& response) {
      response.set_node_id(2);
      return Ending{};
    };
  });
  Client other(both);
  run([&]() -> Task<void> {
    co_await other.connect();
    const auto session = co_await ServerSession::open(other);
    EXPECT_EQ(session->authority(), second.target().authority());
    co_await session->execute("SELECT");
  });
  EXPECT_EQ(server.seen().calls.count("AttachSession"), 0U);
  EXPECT_EQ(second.seen().calls.at("AttachSession"), 1);
  EXPECT_EQ(second.seen().calls.at("ExecuteQuery"), 1);
}

TEST_F(SessionTest, IsNotOpenedWhereTheServerRefuses) {
  server.behave([](Behaviour& behaviour) {
    behaviour.create_session = [](Ydb::Query::CreateSessionResponse& response) {
      response.set_status(StatusIds::OVERLOADED);
      return Ending{};
    };
  });
  run([&]() -> Task<void> {
    const YdbError error = co_await error_of(ServerSession::open(client));
    EXPECT_EQ(error.error_class(), ErrorClass::unavailable);
    EXPECT_EQ(error.status(), Status::overloaded);
  });
}

TEST_F(SessionTest, IsNotOpenedWhereItCannotBeAttached) {
  server.behave([](Behaviour& behaviour) {
    behaviour.attach_session = [](Ydb::Query::SessionState& state) {
      state.set_status(StatusIds::BAD_SESSION);
      state.add_issues()->set_message("no such session");
      return Ending{};
    };
  });
  run([&]() -> Task<void> {
    const YdbError error = co_await error_of(ServerSession::open(client));
    EXPECT_STREQ(error.what(), "AttachSession: BAD_SESSION: no such session");
  });
  server.behave([](Behaviour& behaviour) {
    behaviour.attach_session = [](auto&) { return Ending{.code = grpc::StatusCode::INTERNAL}; };
  });
  run([&]() -> Task<void> {
    const YdbError error = co_await error_of(ServerSession::open(client));
    EXPECT_EQ(error.transport(), TransportStatus::internal);
    EXPECT_EQ(error.error_class(), ErrorClass::unavailable);
  });
}

TEST_F(SessionTest, IsNotOpenedWhereTheServerIsSilent) {
  server.behave([](Behaviour& behaviour) {
    behaviour.attach_session = [](auto&) { return Ending{.hangs = true}; };
  });
  ClientOptions impatient = options();
  impatient.opening_timeout = std::chrono::milliseconds(50);
  Client other(impatient);
  run([&]() -> Task<void> {
    // On a starved machine the deadline may come before the first call has been answered.
    const YdbError error = co_await error_of(ServerSession::open(other));
    EXPECT_EQ(error.transport(), TransportStatus::deadline_exceeded);
    EXPECT_EQ(error.error_class(), ErrorClass::unavailable);
  });
}

TEST_F(SessionTest, OpeningCanBeCancelled) {
  server.behave([](Behaviour& behaviour) {
    behaviour.attach_session = [](auto&) { return Ending{.hangs = true}; };
  });
  run([&]() -> Task<void> {
    auto open = [&]() -> Task<void> { co_await ServerSession::open(client); };
    const bool cancelled = co_await cancelled_when(
        open(), [&] { return server.seen().calls.count("AttachSession") > 0; });
    EXPECT_TRUE(cancelled);
  });
  server.wait_until([](const Seen& seen) { return seen.cancelled == 1; });
}

TEST_F(SessionTest, IsClosedInOrder) {
  with_session([&](ServerSession& session) -> Task<void> {
    co_await session.close();
    EXPECT_FALSE(session.usable());
  });
  EXPECT_EQ(server.seen().calls.at("DeleteSession"), 1);
}

}  // namespace
}  // namespace drover::database::ydb
