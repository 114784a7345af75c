#include "database/postgres/citus.h"

#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <vector>

namespace drover::database::postgres {
namespace {

struct Case {
  std::string what;
  std::vector<CitusLocation> places;
  std::vector<std::optional<std::int32_t>> host_groups;
  std::vector<std::size_t> hosts;
  std::string problem = {};
};

TEST(Citus, EachValueIsAtTheHostOfItsNodeGroup) {
  const CitusLocation a = {1, "a:5432"};
  const CitusLocation b = {2, "b:5432"};
  const std::vector<Case> cases = {
      {.what = "the coordinator has no shards",
       .places = {a, b, a, b},
       .host_groups = {0, 1, 2},
       .hosts = {1, 2, 1, 2}},
      {.what = "the order of the hosts is not that of the nodes",
       .places = {a, b, b},
       .host_groups = {2, 1},
       .hosts = {1, 0, 0}},
      {.what = "two hosts lead to one node",
       .places = {a, a, b, a},
       .host_groups = {1, 2, 1},
       .hosts = {0, 2, 1, 0}},
      {.what = "a node is not named",
       .places = {a, b, b},
       .host_groups = {0, 1},
       .hosts = {},
       .problem = "2 of 3 warehouses are on b:5432, and no host of --db is that node"},
      {.what = "no host answers",
       .places = {b, a},
       .host_groups = {std::nullopt, std::nullopt},
       .hosts = {},
       .problem = "2 of 2 warehouses are on b:5432, a:5432, and no host of --db is that node"},
  };
  for (const Case& one : cases) {
    const CitusHomes homes = match_citus_hosts(one.places, one.host_groups);
    EXPECT_EQ(homes.hosts, one.hosts) << one.what;
    EXPECT_EQ(homes.problem, one.problem) << one.what;
  }
}

}  // namespace
}  // namespace drover::database::postgres
