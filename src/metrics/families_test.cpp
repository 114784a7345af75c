// What is gathered of snapshots, and the families that are made of it.
#include "metrics/families.h"

#include <gtest/gtest.h>
#include <prometheus/check_names.h>
#include <prometheus/text_serializer.h>

#include <algorithm>
#include <set>
#include <sstream>
#include <string>

#include "metrics/example_plan_test.h"

namespace drover::metrics {
namespace {

using namespace std::chrono_literals;
using prometheus::ClientMetric;
using prometheus::MetricFamily;
using prometheus::MetricType;

constexpr std::size_t new_order = 0;
constexpr std::size_t stock_level = 4;

load::Snapshot snapshot_of_a_second() {
  load::Snapshot snapshot;
  snapshot.second.length = 1s;
  snapshot.second.phase = load::Phase::measure;
  snapshot.workers.resize(2);
  snapshot.workers[0] = {.load = 0.25, .in_flight = 3, .waiting = 5, .timer_lag = {}};
  snapshot.workers[0].timer_lag.record(150'000);
  snapshot.workers[1].load = 0.5;
  snapshot.connections_open = 7;
  return snapshot;
}

TEST(RunFigures, BeginWithZeros) {
  const RunFigures figures(2);
  EXPECT_EQ(figures.state, RunState::starting);
  EXPECT_EQ(figures.measured[new_order].ok_count, 0U);
  EXPECT_EQ(figures.workers.size(), 2U);
  ASSERT_EQ(figures.workers[1].timer_lag.bucket.size(), timer_lag_bounds_s.size());
  for (const auto& bucket : figures.workers[1].timer_lag.bucket) {
    EXPECT_EQ(bucket.cumulative_count, 0U);
  }
}

TEST(RunFigures, AreThoseOfTheLastSnapshot) {
  RunFigures figures(2);
  load::Snapshot snapshot = snapshot_of_a_second();
  snapshot.second.phase = load::Phase::warmup;
  snapshot.warmup[new_order].ok_count = 4;
  figures.take(snapshot);
  EXPECT_EQ(figures.state, RunState::warmup);
  snapshot.second.phase = load::Phase::measure;
  model::Totals& measured = snapshot.measured[stock_level];
  measured.ok_count = 3;
  measured.user_aborted_count = 1;
  measured.failed_count = 2;
  measured.retry_count = 9;
  measured.errors_by_class["connection_lost"] = 8;
  for (const std::uint64_t ms : {4, 30, 70'000}) measured.latency.record(ms * 1'000'000);
  figures.take(snapshot);
  EXPECT_EQ(figures.state, RunState::measure);
  EXPECT_EQ(figures.warmup[new_order].ok_count, 4U);
  const model::Totals& taken = figures.measured[stock_level];
  EXPECT_EQ(taken.ok_count, 3U);
  EXPECT_EQ(taken.user_aborted_count, 1U);
  EXPECT_EQ(taken.failed_count, 2U);
  EXPECT_EQ(taken.retry_count, 9U);
  EXPECT_EQ(taken.errors_by_class.at("connection_lost"), 8U);
  EXPECT_EQ(taken.latency.count(), 3U);
  EXPECT_EQ(figures.database.connections_open, 7U);
}

TEST(RunFigures, OfWorkersAddUp) {
  RunFigures figures(2);
  load::Snapshot snapshot = snapshot_of_a_second();
  figures.take(snapshot);
  snapshot.second.length = 500ms;
  snapshot.workers[0].in_flight = 1;
  figures.take(snapshot);
  EXPECT_DOUBLE_EQ(figures.workers[0].cpu_s, 0.375);
  EXPECT_DOUBLE_EQ(figures.workers[1].cpu_s, 0.75);
  EXPECT_EQ(figures.workers[0].in_flight, 1U);
  EXPECT_EQ(figures.workers[0].waiting, 5U);
  EXPECT_EQ(figures.workers[0].timer_lag.sample_count, 2U);
  EXPECT_EQ(figures.workers[0].timer_lag.bucket[0].cumulative_count, 0U);  // 0.1 ms
  EXPECT_EQ(figures.workers[0].timer_lag.bucket[1].cumulative_count, 2U);  // 0.2 ms
  figures.end(false);
  EXPECT_EQ(figures.state, RunState::ended);
  EXPECT_EQ(figures.workers[0].in_flight, 0U);
  EXPECT_EQ(figures.workers[0].waiting, 0U);
  EXPECT_DOUBLE_EQ(figures.workers[0].cpu_s, 0.375);
}

TEST(RunFigures, OfSeveralHostsStandInPlaceOfTheWorkers) {
  RunFigures figures(2);
  load::Snapshot snapshot = snapshot_of_a_second();
  snapshot.ranks = {{"a", 120.5, 0.25, 1.5, 7, 8, false}, {"b\xc3\xa4", 80, 0.5, 2, 3, 4, true}};
  figures.take(snapshot);
  const auto shown = [&figures] {
    return prometheus::TextSerializer().Serialize(
        families_of({.plan = example_plan(), .info = {}}, figures, {}));
  };
  const std::string text = shown();
  for (const char* line :
       {"drover_host_up{rank=\"0\",host=\"a\"} 1\n", "drover_host_up{rank=\"1\",host=\"b??\"} 0\n",
        "drover_host_transactions_per_second{rank=\"0\",host=\"a\"} 120.5\n",
        "drover_host_transactions_in_flight{rank=\"0\",host=\"a\"} 7\n",
        "drover_host_worker_load_ratio{rank=\"1\",host=\"b??\"} 0.5\n",
        "drover_host_timer_lag_p99_seconds{rank=\"0\",host=\"a\"} 0.0015\n",
        "drover_host_connections_open{rank=\"0\",host=\"a\"} 8\n"}) {
    EXPECT_NE(text.find(line), std::string::npos) << line << text;
  }
  EXPECT_EQ(text.find("drover_worker_"), std::string::npos);
  figures.end(false);
  EXPECT_NE(shown().find("drover_host_transactions_in_flight{rank=\"0\",host=\"a\"} 0\n"),
            std::string::npos);
}

TEST(RunFigures, OfTheDatabaseNeverFall) {
  RunFigures figures(1);
  load::Snapshot snapshot = snapshot_of_a_second();
  snapshot.second.away = 1500ms;
  snapshot.second.silent = 2500ms;
  snapshot.availability.stalls.resize(3);
  snapshot.availability.outages.resize(2);
  snapshot.availability.outages_dropped = 40;
  snapshot.availability.interruptions = 3;
  snapshot.availability.sessions_lost = 9;
  snapshot.availability.sessions_reopened = 8;
  figures.take(snapshot);
  EXPECT_DOUBLE_EQ(figures.database.away_s, 1.5);
  EXPECT_DOUBLE_EQ(figures.database.silent_s, 2.5);
  EXPECT_EQ(figures.database.stalls, 3U);
  EXPECT_EQ(figures.database.outages, 42U);
  EXPECT_EQ(figures.database.interruptions, 3U);
  EXPECT_EQ(figures.database.sessions_lost, 9U);
  EXPECT_EQ(figures.database.sessions_reopened, 8U);
  figures.end(true);
  EXPECT_GT(figures.database.away_s, 0);
  EXPECT_EQ(figures.database.silent_s, 0);
  EXPECT_EQ(figures.database.stalls, 3U);
  figures.take(load::Snapshot{});
  EXPECT_EQ(figures.database.outages, 42U);
  EXPECT_EQ(figures.database.sessions_lost, 9U);
  EXPECT_EQ(figures.database.away_s, 0);
}

TEST(RunFigures, OfTheOutcomeAreToTheLastTransaction) {
  load::Outcome outcome;
  for (int i = 0; i < 2; ++i) {
    outcome.workers.push_back(std::make_unique<load::WorkerMetrics>());
    load::WorkerMetrics& worker = *outcome.workers.back();
    // As the recorder does it, each commit has a latency.
    worker.warmup[new_order].ok_count.add(1);
    worker.warmup[new_order].latency.record(8'000'000);
    worker.measured[new_order].ok_count.add(1);
    worker.measured[new_order].user_aborted_count.add(1);
    worker.measured[new_order].failed_count.add(4);
    worker.measured[new_order].retry_count.add(7);
    worker.measured[new_order].errors_by_class[3].add(6);
    worker.measured[new_order].latency.record(9'000'000);
  }
  RunFigures figures(2);
  figures.take(snapshot_of_a_second());
  figures.end(false);
  figures.take(outcome);
  EXPECT_EQ(figures.state, RunState::ended);
  EXPECT_EQ(figures.warmup[new_order].ok_count, 2U);
  const model::Totals& measured = figures.measured[new_order];
  EXPECT_EQ(measured.ok_count, 2U);
  EXPECT_EQ(measured.user_aborted_count, 2U);
  EXPECT_EQ(measured.failed_count, 8U);
  EXPECT_EQ(measured.retry_count, 14U);
  EXPECT_EQ(measured.errors_by_class.at("unavailable"), 12U);
  EXPECT_EQ(measured.latency.count(), 2U);
}

class Families : public testing::Test {
 protected:
  Families() {
    run.info = {{"version", "1.2.3"}, {"server", "\x1b[2J\"\\\n\xff" + std::string(1000, 'x')}};
    run.plan = example_plan();
    run.process_start_s = 1'700'000'000.5;
    figures.take(snapshot_of_a_second());
    process.cpu_seconds = 1.5;
    process.rss_bytes = 123'456'789;
  }

  std::vector<MetricFamily> make() const { return families_of(run, figures, process); }

  std::string text() const {
    std::ostringstream out;
    prometheus::TextSerializer().Serialize(out, make());
    return out.str();
  }

  void expect_line(const std::string& line) const {
    EXPECT_NE(("\n" + text()).find("\n" + line + "\n"), std::string::npos) << line << "\n"
                                                                           << text();
  }

  RunDescription run;
  RunFigures figures{2};
  measure::ProcessUsage process;
};

std::string labels_of(const ClientMetric& metric) {
  std::string text;
  for (const auto& label : metric.label) text += label.name + "=" + label.value + ",";
  return text;
}

TEST_F(Families, AreNamedByTheConventions) {
  std::set<std::string> names;
  for (const MetricFamily& family : make()) {
    SCOPED_TRACE(family.name);
    EXPECT_TRUE(names.insert(family.name).second) << "twice";
    EXPECT_TRUE(prometheus::CheckMetricName(family.name));
    EXPECT_TRUE(family.name.starts_with("drover_") || family.name.starts_with("process_"));
    EXPECT_EQ(family.name.ends_with("_total"), family.type == MetricType::Counter);
    EXPECT_TRUE(family.help.ends_with("."));
    EXPECT_FALSE(family.metric.empty());
    std::set<std::string> series;
    for (const ClientMetric& metric : family.metric) {
      EXPECT_TRUE(series.insert(labels_of(metric)).second) << labels_of(metric);
      for (const auto& label : metric.label) {
        EXPECT_TRUE(prometheus::CheckLabelName(label.name));
        EXPECT_NE(label.name, "le");
      }
    }
  }
}

TEST_F(Families, AreTheSameSeriesFromTheFirstScrapeToTheLast) {
  const auto series = [this] {
    std::set<std::string> all;
    for (const MetricFamily& family : make()) {
      for (const ClientMetric& metric : family.metric) all.insert(family.name + labels_of(metric));
    }
    return all;
  };
  figures = RunFigures(2);
  const auto first = series();
  EXPECT_GT(first.size(), 100U);
  figures.take(snapshot_of_a_second());
  EXPECT_EQ(series(), first);
  figures.end(true);
  EXPECT_EQ(series(), first);
}

TEST_F(Families, SayTheFigures) {
  load::Snapshot snapshot = snapshot_of_a_second();
  snapshot.measured[new_order].ok_count = 12'345'678'901;
  snapshot.measured[new_order].latency.record(4'000'000);
  snapshot.measured[new_order].latency.record(6'000'000'000);
  snapshot.measured[new_order].errors_by_class["retryable"] = 6;
  snapshot.warmup[new_order].retry_count = 3;
  figures.take(snapshot);
  const std::string measured = R"({phase="measure",transaction="NewOrder")";
  expect_line("drover_tpcc_transactions_total" + measured + R"(,outcome="committed"} 12345678901)");
  expect_line("drover_tpcc_errors_total" + measured + R"(,class="retryable"} 6)");
  expect_line(R"(drover_tpcc_retries_total{phase="warmup",transaction="NewOrder"} 3)");
  const std::string duration = "drover_tpcc_transaction_duration_seconds";
  expect_line(duration + "_bucket" + measured + R"(,le="0.003"} 0)");
  expect_line(duration + "_bucket" + measured + R"(,le="0.005"} 1)");
  expect_line(duration + "_bucket" + measured + R"(,le="5"} 1)");
  expect_line(duration + "_bucket" + measured + R"(,le="7"} 2)");
  expect_line(duration + "_bucket" + measured + R"(,le="+Inf"} 2)");
  expect_line(duration + "_count" + measured + "} 2");
  expect_line(duration + "_sum" + measured + "} 6.004");
  expect_line(R"(drover_tpcc_transactions_in_flight{worker="0"} 3)");
  expect_line(R"(drover_tpcc_terminals_waiting{worker="0"} 5)");
  expect_line(R"(drover_worker_cpu_seconds_total{worker="1"} 1)");
  expect_line(R"(drover_worker_timer_lag_seconds_bucket{worker="0",le="0.0002"} 2)");
  expect_line(R"(drover_run_phase{phase="measure"} 1)");
  expect_line(R"(drover_run_phase{phase="warmup"} 0)");
  expect_line("drover_database_up 1");
  expect_line("drover_database_connections_open 7");
  expect_line("drover_database_connections_wanted 16");
  expect_line("drover_tpcc_warehouses 20");
  expect_line("drover_tpcc_terminals 200");
  expect_line("process_resident_memory_bytes 123456789");
  expect_line("process_start_time_seconds 1700000000.5");
}

TEST_F(Families, SayWhatIsMeant) {
  expect_line("# HELP drover_tpcc_warehouses Warehouses of the run.");
  expect_line("# HELP drover_tpcc_terminals Terminals of the run.");
  expect_line(
      "# HELP drover_tpcc_transactions_total Transactions that have ended, by outcome: committed, "
      "user_aborted (New-Orders rolled back on purpose), failed.");
}

TEST_F(Families, AreCalledAfterTheirWorkload) {
  run.plan.workload = {.benchmark = "somebody's scripts",
                       .key = "scripts_2",
                       .size = {{"entry", 7}, {"key", 1}},
                       .types = {{"move money: from, to"}, {"größe"}}};
  figures = RunFigures(2);
  load::Snapshot snapshot = snapshot_of_a_second();
  snapshot.measured[1].ok_count = 5;
  figures.take(snapshot);
  expect_line("drover_scripts_2_entries 7");
  expect_line("drover_scripts_2_keys 1");
  expect_line("drover_scripts_2_terminals 200");
  expect_line("# HELP drover_scripts_2_entries Entries of the run.");
  const std::string measured = R"({phase="measure",transaction=)";
  expect_line("drover_scripts_2_transactions_total" + measured +
              R"("größe",outcome="committed"} 5)");
  expect_line("drover_scripts_2_retries_total" + measured + R"("move money: from, to"} 0)");
  expect_line(R"(drover_scripts_2_transactions_in_flight{worker="0"} 3)");
  const std::string all = text();
  EXPECT_NE(all.find(R"(drover_run_info{benchmark="scripts_2",)"), std::string::npos);
  EXPECT_NE(all.find("user_aborted (rolled back on purpose), failed."), std::string::npos);
  for (const char* other : {"tpcc", "TPC-C", "NewOrder", "New-Order", "arehouse"}) {
    EXPECT_EQ(all.find(other), std::string::npos) << other;
  }
}

TEST_F(Families, HaveTheTransactionsUpToEachBound) {
  load::Snapshot snapshot = snapshot_of_a_second();
  for (const std::uint64_t ms : {4, 30, 70'000}) {
    snapshot.measured[stock_level].latency.record(ms * 1'000'000);
  }
  figures.take(snapshot);
  const auto families = make();
  const auto duration =
      std::ranges::find(families, "drover_tpcc_transaction_duration_seconds", &MetricFamily::name);
  ASSERT_NE(duration, families.end());
  const ClientMetric::Histogram& histogram = duration->metric.back().histogram;
  EXPECT_EQ(histogram.sample_count, 3U);
  EXPECT_DOUBLE_EQ(histogram.sample_sum, 70.034);
  ASSERT_EQ(histogram.bucket.size(), duration_bounds_s.size());
  for (const ClientMetric::Bucket& bucket : histogram.bucket) {
    const double bound = bucket.upper_bound;
    const std::uint64_t expected = (bound >= 0.005 ? 1U : 0U) + (bound >= 0.05 ? 1U : 0U);
    if (bound != 0.03) EXPECT_EQ(bucket.cumulative_count, expected) << bound;
  }
}

TEST_F(Families, ShowTextsOfOthersHarmlessAndShort) {
  const std::string all = text();
  for (const char byte : all) EXPECT_TRUE(byte == '\n' || (byte >= ' ' && byte <= '~'));
  expect_line(R"(drover_run_info{benchmark="tpcc",version="1.2.3",server="?[2J\"\\??)" +
              std::string(192, 'x') + R"("} 1)");
}

}  // namespace
}  // namespace drover::metrics
