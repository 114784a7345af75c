#include "cli/search.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "run/usage_error.h"

namespace drover::cli {
namespace {

using search::Step;
using testing::AllOf;
using testing::HasSubstr;

// What a command line comes to.
struct SearchOfClients {
  SearchOptions search;
  ClientOptions load;
  Command command{"search", "", "", {"drover", "ycsb"}};

  SearchOfClients() { add_client_search_options(command, search, load, "operations"); }

  // Empty if nothing is wrong.
  std::string problem() const {
    try {
      validate_client_search(command, search, load);
      client_search_rules(search, {"READ", "READ-MODIFY-WRITE"});
      search_bounds(search, client_search_range(search, 97));
    } catch (const UsageError& error) {
      return error.what();
    }
    return "";
  }
};

TEST(ClientSearch, ARateIsSoughtFromAHundredOnAndNeedsNoLimit) {
  const SearchOfClients sought;
  EXPECT_EQ(sought.problem(), "");
  const search::Bounds bounds = search_bounds(sought.search, client_search_range(sought.search, 0));
  EXPECT_EQ(bounds.low, 1);
  EXPECT_EQ(bounds.start, 100);
  EXPECT_EQ(bounds.high, 10'000'000);
  EXPECT_EQ(bounds.tolerance, 0.05);
}

TEST(ClientSearch, TheFirstRateIsWithinTheBounds) {
  SearchOfClients sought;
  sought.search.high = 50;
  EXPECT_EQ(search_bounds(sought.search, client_search_range(sought.search, 0)).start, 50);
  sought.search.high.reset();
  sought.search.low = 5'000;
  EXPECT_EQ(search_bounds(sought.search, client_search_range(sought.search, 0)).start, 5'000);
}

TEST(ClientSearch, ClientsAreSoughtAmongFreeConnections) {
  SearchOfClients sought;
  sought.search.find = "clients";
  sought.search.fail_if = {"all.p99 > 20"};
  EXPECT_EQ(sought.problem(), "");
  EXPECT_EQ(search_bounds(sought.search, client_search_range(sought.search, 97)).high, 97);
  EXPECT_EQ(search_bounds(sought.search, client_search_range(sought.search, 97)).start, 12);
  sought.search.high = 98;
  EXPECT_THAT(sought.problem(), AllOf(HasSubstr("--high 98"),
                                      HasSubstr("at most 97, the number of free connections")));
}

TEST(ClientSearch, AStepIsARunOfThatRate) {
  SearchOfClients sought;
  sought.load.clients = 40;
  ClientOptions run = options_of_step(sought.search, sought.load, {Step::Kind::probe, 1'500});
  EXPECT_EQ(run.rate, 1'500);
  EXPECT_EQ(run.clients, 40U);
  EXPECT_FALSE(run.run.connections);
  EXPECT_EQ(run.duration, std::chrono::seconds(30));
  run = options_of_step(sought.search, sought.load, {Step::Kind::confirm, 1'500});
  EXPECT_EQ(run.duration, std::chrono::minutes(3));
}

TEST(ClientSearch, AStepIsAClosedLoopOfSoManyClientsWithAConnectionEach) {
  SearchOfClients sought;
  sought.search.find = "clients";
  const ClientOptions run = options_of_step(sought.search, sought.load, {Step::Kind::probe, 24});
  EXPECT_EQ(run.rate, 0);
  EXPECT_EQ(run.clients, 24U);
  EXPECT_EQ(run.run.connections, 24);
}

TEST(ClientSearch, LimitsNameTheTransactionsOfTheBenchmark) {
  SearchOfClients sought;
  sought.search.fail_if = {"read.p99 > 5", "read_modify_write.service.p50 > 2", "throughput < 90"};
  const search::Rules rules = client_search_rules(sought.search, {"READ", "READ-MODIFY-WRITE"});
  EXPECT_EQ(rules.limits.size(), 3U);
  EXPECT_FALSE(rules.failures_allowed);
  sought.search.fail_if = {"new_order.p99 > 5"};
  EXPECT_THAT(sought.problem(), AllOf(HasSubstr("--fail-if"), HasSubstr("new_order.p99")));
  sought.search.fail_if = {"read.p99 > +5%"};
  EXPECT_THAT(sought.problem(), HasSubstr("no base to compare with"));
}

TEST(ClientSearch, RefusesWhatMakesNoQuestion) {
  SearchOfClients sought;
  for (Option& option : sought.command.options) {
    if (option.name() == "--find") EXPECT_THROW(option.give({"sheep"}), UsageError);
    if (option.name() == "--probe") EXPECT_THROW(option.give({"200ms"}), UsageError);
  }
  sought.search.find = "clients";
  EXPECT_THAT(sought.problem(),
              HasSubstr("--find clients needs --fail-if, because a closed loop has "
                        "no limit of its own"));
  sought.search.fail_if = {"all.p99 > 20"};
  sought.load.run.connections = 8;
  EXPECT_THAT(sought.problem(), HasSubstr("--connections"));
  sought.load.run.connections.reset();
  sought.load.poisson = true;
  EXPECT_THAT(sought.problem(), HasSubstr("--arrivals"));
  sought.search.find = "rate";
  EXPECT_EQ(sought.problem(), "");
  sought.search.high = 20'000'000;
  EXPECT_THAT(sought.problem(), HasSubstr("--high"));
}

TEST(ClientSearch, ClientsThatWereGivenAreNotSought) {
  SearchOfClients sought;
  sought.search.find = "clients";
  sought.search.fail_if = {"all.p99 > 20"};
  for (Option& option : sought.command.options) {
    if (option.name() == "--clients") option.give({"32"});
  }
  EXPECT_THAT(sought.problem(), HasSubstr("--clients cannot be combined with --find clients"));
}

std::int64_t connections_left(std::int64_t most, std::int64_t used) {
  database::ServerFacts server;
  server.connections_max = most;
  server.connections_used = used;
  return connections_for_search(server);
}

TEST(SearchConnections, SomeAreLeftForOthers) {
  EXPECT_EQ(connections_left(100, 20), 75);
  EXPECT_EQ(connections_left(1'020, 20), 950);
  EXPECT_EQ(connections_left(3, 2), 1);
  EXPECT_EQ(connections_left(0, 0), 10'000) << "nobody knows how many there are";
}

}  // namespace
}  // namespace drover::cli
