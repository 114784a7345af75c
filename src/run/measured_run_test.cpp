#include "run/measured_run.h"

#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <vector>

#include "load/snapshot.h"

namespace drover::run {
namespace {

struct Notes final : load::Observer {
  void on_note(std::string_view text) override { all.emplace_back(text); }
  std::vector<std::string> all;
};

TEST(MetricsOfRun, SayWhereTheyListenAndToWhom) {
  Notes notes;
  {
    const auto endpoint =
        open_metrics_endpoint(*metrics::parse_listen_address("0"), {}, {}, "", notes);
    ASSERT_EQ(notes.all.size(), 1U);
    EXPECT_EQ(notes.all[0], "metrics: " + endpoint->url());
  }
  notes.all.clear();
  const auto endpoint =
      open_metrics_endpoint(*metrics::parse_listen_address("0.0.0.0:0"), {}, {}, "", notes);
  ASSERT_EQ(notes.all.size(), 2U);
  EXPECT_TRUE(notes.all[1].starts_with("note: every machine that can reach ")) << notes.all[1];
  EXPECT_NE(notes.all[1].find(endpoint->url()), std::string::npos) << notes.all[1];
}

// The look-up of unknown commits and the ledger share one time limit.
TEST(PatienceAfterARun, IsForAllThatIsAskedThen) {
  using namespace std::chrono_literals;
  EXPECT_EQ(patience_left(60s, -1s), 60s);
  EXPECT_EQ(patience_left(60s, 6s), 54s);
  EXPECT_EQ(patience_left(60s, 65s), 5s);
  EXPECT_EQ(patience_left(5s, 65s), 5s);
  EXPECT_EQ(patience_left(0s, 65s), 0s);
}

}  // namespace
}  // namespace drover::run
