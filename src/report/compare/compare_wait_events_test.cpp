#include "report/compare/compare_wait_events.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

#include "report/compare/compare.h"
#include "report/document/example_result_test.h"

namespace drover::report {
namespace {

Result with_events(std::vector<WaitEvent> events) {
  Result result = example_ycsb_result();
  result.server_stats.emplace();
  result.server_stats->samples_measured = 60;
  result.server_stats->wait_events = std::move(events);
  return result;
}

std::string note_of(const std::vector<Result>& base, const std::vector<Result>& new_runs) {
  return wait_events_note(base, new_runs);
}

TEST(WaitEventsNote, ComparesShares) {
  const Result base = with_events({{"CPU", 3}, {"IO:WALSync", 1}});
  const Result other = with_events({{"IO:WALSync", 6}, {"CPU", 3}, {"Lock:tuple", 1}});
  EXPECT_EQ(note_of({base}, {other}),
            "Time in the server by wait event, base to new: CPU 75% to 30%, IO:WALSync 25% to 60%, "
            "Lock:tuple 0% to 10%.");
}

TEST(WaitEventsNote, ASideIsAllOfItsRuns) {
  const Result base = with_events({{"CPU", 3}, {"IO:WALSync", 1}});
  const Result more = with_events({{"CPU", 1}, {"IO:WALSync", 3}});
  EXPECT_EQ(
      note_of({base, more, example_ycsb_result()}, {base}),
      "Time in the server by wait event, base to new: CPU 50% to 75%, IO:WALSync 50% to 25%.");
}

TEST(WaitEventsNote, TheRestIsOne) {
  const Result many =
      with_events({{"a", 40}, {"b", 20}, {"c", 15}, {"d", 10}, {"e", 8}, {"f", 5}, {"g", 2}});
  EXPECT_THAT(note_of({many}, {many}), testing::EndsWith("e 8% to 8%, others 7% to 7%."));
}

TEST(WaitEventsNote, IsEmptyWhereASideWasNotWatched) {
  const Result base = with_events({{"CPU", 3}});
  EXPECT_EQ(note_of({base}, {example_ycsb_result()}), "");
  EXPECT_EQ(note_of({example_ycsb_result()}, {base}), "");
  EXPECT_EQ(note_of({base}, {with_events({})}), "");
}

TEST(WaitEventsNote, IsPrintableWhateverTheNamesAre) {
  const Result hostile = with_events({{"\x1b[2J\n", 1}});
  EXPECT_EQ(note_of({hostile}, {hostile}).find('\x1b'), std::string::npos);
  EXPECT_EQ(note_of({hostile}, {hostile}).find('\n'), std::string::npos);
}

TEST(WaitEventsNote, StandsInAComparison) {
  const std::vector<Result> base = {with_events({{"CPU", 3}, {"IO:WALSync", 1}})};
  std::vector<Result> other = base;
  other[0].summary.measure_start_ts += 100;
  const std::string text = compare_text(compare(base, other));
  EXPECT_THAT(
      text, testing::HasSubstr("- Time in the server by wait event, base to new: CPU 75% to 75%"));
  EXPECT_THAT(text, testing::HasSubstr("server.cpu_ms"));
}

}  // namespace
}  // namespace drover::report
