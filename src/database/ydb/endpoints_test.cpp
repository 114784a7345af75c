#include "database/ydb/endpoints.h"

#include <gtest/gtest.h>

#include <map>
#include <string>

namespace drover::database::ydb {
namespace {

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
