// Discovery, login and TLS.
#include "database/ydb/client.h"

#include <gmock/gmock.h>

#include <gtest/gtest.h>
#include <atomic>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <map>
#include <string>

#include "database/ydb/ydb_fixture_test.h"
#include "support/temporary_folder.h"

namespace drover::database::ydb {
namespace {

using coro::Task;
using testing::HasSubstr;
using testing::Not;
using Ydb::StatusIds;

class ClientTest : public YdbFixture {
 protected:
  ClientOptions discovering() const {
    ClientOptions made = options();
    made.discovery = true;
    return made;
  }

  // What the discovery is to find.
  void find(std::vector<Ydb::Discovery::EndpointInfo> endpoints) {
    server.behave([&endpoints](Behaviour& behaviour) {
      behaviour.list_endpoints = [endpoints](Ydb::Operations::Operation& operation) {
        Ydb::Discovery::ListEndpointsResult result;
        for (const auto& endpoint : endpoints) *result.add_endpoints() = endpoint;
        operation.mutable_result()->PackFrom(result);
        return Ending{};
      };
    });
  }
};

Ydb::Discovery::EndpointInfo endpoint(const std::string& address, std::uint32_t port,
                                      std::uint32_t node_id = 0) {
  Ydb::Discovery::EndpointInfo info;
  info.set_address(address);
  info.set_port(port);
  info.set_node_id(node_id);
  info.set_load_factor(2.5F);
  return info;
}

TEST_F(ClientTest, FindsTheNodes) {
  find({endpoint("a.example.org", 2136, 7), endpoint("::1", 2137), endpoint("", 1),
        endpoint("b", 0), endpoint("b", 70'000)});
  Client client(discovering());
  run([&]() -> Task<void> { co_await client.connect(); });
  const std::vector<Endpoint> found = client.endpoints().list();
  ASSERT_EQ(found.size(), 2U) << "what has no address or port is none";
  EXPECT_EQ(found[0].authority, "a.example.org:2136");
  EXPECT_EQ(found[0].node_id, 7U);
  EXPECT_EQ(found[0].load, 2.5F);
  EXPECT_EQ(found[1].authority, "[::1]:2137");
  EXPECT_EQ(client.discoveries(), 1U);
}

// Whoever says so may get a session on another node, which has to be known then.
TEST_F(ClientTest, CanBeMovedToNodesThatItKnows) {
  for (const bool discovery : {true, false}) {
    const std::size_t before = server.seen().metadata.size();
    ClientOptions made = options();
    made.discovery = discovery;
    Client client(made);
    run([&]() -> Task<void> { const auto session = co_await ServerSession::open(client); });
    const auto sent = server.seen().metadata;
    ASSERT_GT(sent.size(), before);
    EXPECT_EQ(sent[before].count("x-ydb-client-capabilities"), discovery ? 1U : 0U);
  }
}

TEST_F(ClientTest, WithoutDiscoveryUsesTheHost) {
  find({endpoint("unreachable.example.org", 1)});
  Client client(options());
  run([&]() -> Task<void> {
    co_await client.connect();
    const auto session = co_await ServerSession::open(client);
    EXPECT_EQ(session->authority(), server.target().authority());
  });
  EXPECT_EQ(server.seen().calls.count("ListEndpoints"), 0U);
}

TEST_F(ClientTest, UsesTheHostWhereNoNodeIsNamed) {
  find({});
  Client client(discovering());
  run([&]() -> Task<void> { co_await client.connect(); });
  ASSERT_EQ(client.endpoints().size(), 1U);
  EXPECT_EQ(client.endpoints().list()[0].authority, server.target().authority());
}

TEST_F(ClientTest, AsksAgainWhileAnOperationIsNotReady) {
  std::atomic<int> asked = 0;
  server.behave([&asked](Behaviour& behaviour) {
    behaviour.list_endpoints = [](Ydb::Operations::Operation& operation) {
      operation.set_ready(false);
      operation.set_id("ydb://operation/7");
      return Ending{};
    };
    behaviour.get_operation = [&asked](Ydb::Operations::Operation& operation) {
      EXPECT_EQ(operation.id(), "ydb://operation/7");
      operation.set_ready(++asked == 3);
      operation.set_status(StatusIds::SUCCESS);
      Ydb::Discovery::ListEndpointsResult result;
      *result.add_endpoints() = endpoint("late", 1);
      operation.mutable_result()->PackFrom(result);
      return Ending{};
    };
  });
  Client client(discovering());
  run([&]() -> Task<void> { co_await client.connect(); });
  EXPECT_EQ(client.endpoints().list()[0].authority, "late:1");
  EXPECT_EQ(server.seen().calls.at("GetOperation"), 3);
}

TEST_F(ClientTest, BeginsAndEndsLongOperations) {
  server.behave([](Behaviour& behaviour) {
    behaviour.get_operation = [](Ydb::Operations::Operation& operation) {
      operation.set_ready(operation.id() == "failed");
      operation.set_status(StatusIds::CANCELLED);
      return Ending{};
    };
  });
  Client client(options());
  run([&]() -> Task<void> {
    Ydb::Operations::GetOperationRequest request;
    request.set_id("building");
    const Client::NodeLease place = client.choose_node();
    const auto operation = co_await client.begin_operation(
        place.channel(), Method::get_operation, request, options().request_timeout, Stage::working);
    EXPECT_EQ(operation.id(), "building");
    EXPECT_FALSE(operation.ready());
    request.set_id("failed");
    const YdbError error = co_await error_of(client.operate(Method::get_operation, request));
    EXPECT_EQ(error.status(), Status::cancelled);
    co_await client.cancel_operation("building");
    const YdbError unknown = co_await error_of(client.cancel_operation("unknown"));
    EXPECT_EQ(unknown.status(), Status::not_found);
  });
  EXPECT_EQ(server.seen().calls.at("CancelOperation"), 2);
}

TEST_F(ClientTest, SaysWhyTheDatabaseIsNotThere) {
  server.behave([](Behaviour& behaviour) {
    behaviour.list_endpoints = [](Ydb::Operations::Operation& operation) {
      operation.set_status(StatusIds::NOT_FOUND);
      operation.add_issues()->set_message("no such database");
      return Ending{};
    };
  });
  Client client(discovering());
  run([&]() -> Task<void> {
    const YdbError error = co_await error_of(client.connect());
    EXPECT_EQ(error.error_class(), ErrorClass::denied);
    EXPECT_STREQ(error.what(), "ListEndpoints: NOT_FOUND: no such database");
  });
}

TEST_F(ClientTest, SaysThatTheServerIsNotThere) {
  server.stop();
  Client client(discovering());
  run([&]() -> Task<void> {
    const YdbError error = co_await error_of(client.connect());
    EXPECT_EQ(error.error_class(), ErrorClass::unavailable);
  });
}

TEST_F(ClientTest, SaysThatAReplyMakesNoSense) {
  server.behave([](Behaviour& behaviour) {
    behaviour.list_endpoints = [](Ydb::Operations::Operation& operation) {
      operation.mutable_result()->set_type_url("type.googleapis.com/Ydb.Else");
      return Ending{};
    };
  });
  Client client(discovering());
  run([&]() -> Task<void> {
    const YdbError error = co_await error_of(client.connect());
    EXPECT_THAT(error.what(),
                HasSubstr("the reply does not have the form that the protocol defines"));
  });
}

TEST_F(ClientTest, LogsInAndSendsTheToken) {
  ClientOptions with_user = options();
  with_user.credentials.user = "tester";
  with_user.credentials.password = "Pa55";
  server.behave([](Behaviour& behaviour) {
    behaviour.login = [](const Ydb::Auth::LoginRequest& request, Ydb::Operations::Operation&) {
      EXPECT_EQ(request.password(), "Pa55");
      return Ending{};
    };
  });
  Client client(with_user);
  run([&]() -> Task<void> {
    co_await client.connect();
    const auto session = co_await ServerSession::open(client);
  });
  const Seen seen = server.seen();
  EXPECT_EQ(seen.metadata.front().count("x-ydb-auth-ticket"), 0U) << "the login has no token";
  EXPECT_EQ(seen.metadata.back().at("x-ydb-auth-ticket"), "token-of-tester");
  EXPECT_EQ(client.logins(), 1U);
}

TEST_F(ClientTest, IsDeniedWithoutShowingThePassword) {
  ClientOptions with_user = options();
  with_user.credentials.user = "tester";
  with_user.credentials.password = "Pa55";
  server.behave([](Behaviour& behaviour) {
    behaviour.login = [](const auto&, Ydb::Operations::Operation& operation) {
      operation.set_status(StatusIds::UNAUTHORIZED);
      operation.add_issues()->set_message("Invalid password");
      return Ending{};
    };
  });
  Client client(with_user);
  run([&]() -> Task<void> {
    const YdbError error = co_await error_of(client.connect());
    EXPECT_EQ(error.error_class(), ErrorClass::denied);
    EXPECT_STREQ(error.what(), "Login: UNAUTHORIZED: Invalid password");
  });
}

// On virtual time: an hour between two logins, a minute between two discoveries.
TEST_F(ClientTest, KeepsUp) {
  coro::VirtualClock clock;
  coro::Worker virtual_worker(clock);
  ClientOptions with_user = discovering();
  with_user.credentials.user = "tester";
  std::unique_ptr<Client> client;
  auto body = [&](coro::Scope& scope) -> Task<void> {
    scope.start(client->keep_up());
    while (client->logins() < 3 || client->discoveries() < 10) {
      co_await coro::sleep_for(std::chrono::seconds(30));
    }
    scope.cancel();
  };
  auto all = [&]() -> Task<void> {
    client = std::make_unique<Client>(with_user);
    co_await client->connect();
    EXPECT_EQ(client->logins(), 1U);
    EXPECT_EQ(client->discoveries(), 1U);
    co_await coro::with_scope(body);
    client.reset();
  };
  coro::block_on(virtual_worker, all());
  EXPECT_GE(clock.now() - coro::Instant{}, std::chrono::hours(2)) << "an hour after each login";
}

TEST_F(ClientTest, KeepsWhatItKnowsWhenAskingFails) {
  ClientOptions often = discovering();
  often.discovery_interval = std::chrono::milliseconds(1);
  Client client(often);
  auto body = [&](coro::Scope& scope) -> Task<void> {
    scope.start(client.keep_up());
    co_await eventually([&] { return client.discoveries() >= 2; });
    server.behave([](Behaviour& behaviour) {
      behaviour.list_endpoints = [](Ydb::Operations::Operation&) {
        return Ending{.code = grpc::StatusCode::INTERNAL};
      };
    });
    const int failed_from = server.seen().calls.at("ListEndpoints");
    co_await eventually([&] { return server.seen().calls.at("ListEndpoints") > failed_from + 3; });
    EXPECT_EQ(client.endpoints().size(), 1U);
    server.behave([](Behaviour& behaviour) { behaviour.list_endpoints = nullptr; });
    const std::uint64_t well_from = client.discoveries();
    co_await eventually([&] { return client.discoveries() > well_from + 1; });
    scope.cancel();
  };
  run([&]() -> Task<void> {
    co_await client.connect();
    co_await coro::with_scope(body);
  });
}

std::string text_of(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

TEST(ClientTls, BelievesTheAuthorityThatItIsGiven) {
  const test::TemporaryFolder folder;
  const std::string made =
      "openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 "
      "-nodes -days 2 -subj /CN=drover -addext subjectAltName=IP:127.0.0.1 "
      "-keyout " +
      (folder.path() / "key.pem").string() + " -out " +
      (folder.path() / "certificate.pem").string() + " 2>/dev/null";
  ASSERT_EQ(std::system(made.c_str()), 0) << made;  // NOLINT: one thread so far
  FakeServer server(text_of(folder.path() / "key.pem"), text_of(folder.path() / "certificate.pem"));
  coro::Worker worker;
  ClientOptions options{.target = server.target()};
  options.discovery = false;
  options.credentials.ca_pem = text_of(folder.path() / "certificate.pem");
  options.opening_timeout = std::chrono::seconds(120);
  auto open = [](const ClientOptions& with) -> Task<void> {
    Client client(with);
    const auto session = co_await ServerSession::open(client);
    EXPECT_TRUE(session->usable());
  };
  coro::block_on(worker, open(options));
  options.credentials.ca_pem.clear();
  auto refused = [&]() -> Task<void> {
    const YdbError error = co_await error_of(open(options));
    EXPECT_EQ(error.error_class(), ErrorClass::unavailable);
  };
  coro::block_on(worker, refused());
}

Endpoint known_endpoint(const std::string& authority, float load = 0, std::uint32_t node_id = 0) {
  return {.authority = authority, .node_id = node_id, .load = load};
}

std::map<std::string, int> choices(Endpoints& endpoints, int count = 300) {
  std::map<std::string, int> chosen;
  for (int i = 0; i < count; ++i) ++chosen[endpoints.choose()->authority];
  return chosen;
}

TEST(EndpointsTest, ChoosesAtRandomAmongTheLeastLoaded) {
  Endpoints endpoints(1);
  EXPECT_EQ(endpoints.choose(), nullptr);
  endpoints.replace({known_endpoint("a:1", 2), known_endpoint("b:1", 1), known_endpoint("c:1", 1)});
  const auto chosen = choices(endpoints);
  EXPECT_EQ(chosen.size(), 2U);
  EXPECT_GT(chosen.at("b:1"), 50);
  EXPECT_GT(chosen.at("c:1"), 50);
}

TEST(EndpointsTest, EvensOutOurSessions) {
  Endpoints endpoints(1);
  endpoints.replace({known_endpoint("a:1"), known_endpoint("b:1"), known_endpoint("c:1")});
  std::map<std::string, int> opened;
  for (int i = 0; i < 30; ++i) {
    const std::string authority = endpoints.choose()->authority;
    endpoints.session_opened(authority);
    ++opened[authority];
  }
  for (const auto& [authority, count] : opened) EXPECT_EQ(count, 10) << authority;
  endpoints.session_closed("b:1");
  EXPECT_EQ(choices(endpoints).size(), 1U);
  EXPECT_EQ(endpoints.choose()->authority, "b:1");
}

TEST(EndpointsTest, LeavesOutWhoWasDemotedUntilTheNextDiscovery) {
  Endpoints endpoints(1);
  endpoints.replace({known_endpoint("a:1", 1), known_endpoint("b:1", 5)});
  endpoints.demote("a:1");
  EXPECT_EQ(endpoints.choose()->authority, "b:1");
  endpoints.demote("b:1");
  EXPECT_EQ(endpoints.choose()->authority, "a:1") << "there is no other";
  endpoints.demote("unknown:1");
  endpoints.replace({known_endpoint("a:1", 1), known_endpoint("b:1", 5)});
  EXPECT_EQ(endpoints.choose()->authority, "a:1");
}

TEST(EndpointsTest, KnowsTheNodes) {
  Endpoints endpoints(1);
  endpoints.replace({known_endpoint("a:1", 0, 7), known_endpoint("b:1", 0, 0)});
  ASSERT_NE(endpoints.of_node(7), nullptr);
  EXPECT_EQ(endpoints.of_node(7)->authority, "a:1");
  EXPECT_EQ(endpoints.of_node(8), nullptr);
  EXPECT_EQ(endpoints.of_node(0), nullptr);
}

TEST(EndpointsTest, CountsSessionsAcrossDiscoveries) {
  Endpoints endpoints(1);
  endpoints.replace({known_endpoint("a:1"), known_endpoint("b:1")});
  endpoints.session_opened("a:1");
  endpoints.replace({known_endpoint("a:1"), known_endpoint("b:1")});
  EXPECT_EQ(endpoints.choose()->authority, "b:1");
}

TEST(EndpointsTest, HasALimit) {
  Endpoints endpoints(1);
  endpoints.replace(std::vector<Endpoint>(5000, known_endpoint("a:1")));
  EXPECT_EQ(endpoints.size(), 1000U);
}

}  // namespace
}  // namespace drover::database::ydb
