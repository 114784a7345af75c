#include "cli/run_options.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "cli/option/command.h"

namespace drover::cli {
namespace {

TEST(MetricsOption, IsAnAddress) {
  RunOptions options;
  Option metrics = metrics_option(options);
  metrics.give({"9464"});
  EXPECT_EQ(options.run.metrics->text(), "127.0.0.1:9464");
  metrics.give({"[::1]:9464"});
  EXPECT_EQ(options.run.metrics->text(), "[::1]:9464");
  metrics.give({"0.0.0.0:9464"});
  EXPECT_FALSE(options.run.metrics->loopback);
}

TEST(MetricsOption, SaysWhatItExpects) {
  for (const char* text : {"localhost", "example.com:9464", "70000", "::1:9464", "9464 "}) {
    RunOptions options;
    try {
      metrics_option(options).give({text});
      ADD_FAILURE() << text;
    } catch (const UsageError& error) {
      const std::string message = error.what();
      EXPECT_TRUE(message.starts_with("--metrics " + std::string(text) + ": expected ")) << message;
      EXPECT_NE(message.find("127.0.0.1:9464"), std::string::npos) << message;
    }
  }
}

// Reads a command line with the options of clients. Holds the run that it describes, or the error.
struct ClientRun {
  ClientOptions options;
  load::Plan plan;
  run::RunPlan run;
  std::string problem;

  explicit ClientRun(std::vector<std::string> line) {
    Command program("drover");
    Command& command = program.add_command("run");
    add_database_options(command, options.database);
    add_client_options(command, options, "operations");
    command.add_options({think_time_option(options)});
    add_part_options(command, options, [] { return 0; });
    add_failure_options(command, options);
    line.insert(line.begin(), "run");
    try {
      read_words(program, line);
      require_complete(command);
      run = make_client_run(options, plan);
    } catch (const UsageError& error) {
      problem = error.what();
    }
  }
};

TEST(ClientRun, ResolvesAutomaticTimes) {
  using namespace std::chrono_literals;
  EXPECT_EQ(ClientRun({}).plan.duration, 10min);
  EXPECT_EQ(ClientRun({}).plan.warmup, 1min);
  EXPECT_EQ(ClientRun({"--duration", "10s"}).plan.warmup, 3s);
  EXPECT_EQ(ClientRun({"--warmup", "auto", "--duration", "5h"}).plan.warmup, 10min);
  const ClientRun counted({"--operations", "100", "--clients", "4"});
  EXPECT_EQ(counted.plan.duration, load::Plan::without_end);
  EXPECT_EQ(counted.plan.warmup, 0s);
  EXPECT_EQ(counted.plan.operations, 100U);
}

TEST(ClientRun, SetsTheSettingsOfTheResult) {
  const ClientRun run({"--statement-timeout", "1500ms", "--max-attempts", "0", "--on-db-loss",
                       "fail", "--connection-max-age", "55m", "--max-inflight", "7", "--share",
                       "2/4"});
  EXPECT_EQ(run.problem, "");
  const settings::RunSettings& settings = run.run.settings;
  EXPECT_EQ(settings.statement_timeout_s, 1.5);
  EXPECT_EQ(settings.max_attempts, 0U);
  EXPECT_EQ(run.plan.retry.attempts_max, std::numeric_limits<int>::max());
  EXPECT_EQ(settings.on_db_loss, "fail");
  EXPECT_EQ(run.plan.connection_max_age, std::chrono::minutes(55));
  EXPECT_TRUE(settings.max_inflight_chosen);
  EXPECT_EQ(run.plan.share.before, 1U);
  EXPECT_EQ(run.plan.share.total, 4U);
}

TEST(ClientRun, HasAThinkTime) {
  const ClientRun run({"--think-time", "250ms"});
  EXPECT_EQ(run.run.settings.think_time_s, 0.25);
  EXPECT_EQ(run.plan.think_time, std::chrono::milliseconds(250));
  EXPECT_EQ(ClientRun({}).plan.think_time, coro::Duration::zero());
}

TEST(ClientRun, RefusesWhatDoesNotFit) {
  const std::vector<std::pair<std::vector<std::string>, std::string>> lines = {
      {{"--arrivals", "poisson"}, "--arrivals poisson needs --rate"},
      {{"--think-time", "1s", "--rate", "5"}, "--think-time cannot be combined with --rate"},
      {{"--think-time", "5"}, "--think-time 5: the unit is missing"},
      {{"--think-time", "25h"}, "--think-time 25h: expected a time from 0s to 24h"},
      {{"--rate", "0.0001"}, "--rate 0.0001: expected at least 0.001 per second"},
      {{"--operations", "100", "--warmup", "5s"}, "--operations cannot be combined with --warmup"},
      {{"--operations", "100", "--max-attempts", "0"},
       "--max-attempts 0 with --operations needs --duration"},
      {{"--clients", "2", "--share", "1/4"}, "--clients 2: too few"},
      {{"--seed", "rand", "--share", "1/2"}, "--seed rand: the hosts of a run must use the same"},
      {{"--seed", "-1"}, "--seed -1: expected a whole number from 0 to 18446744073709551615"},
      {{"--duration", "999ms"}, "--duration 999ms: expected a time from 1s to 8760h or auto"},
      {{"--statement-timeout", "25h"}, "--statement-timeout 25h: expected a time from 0s to 24h"},
      {{"--threads", "1025"}, "--threads 1025: expected a whole number from 1 to 1024 or auto"},
      {{"--balance", "--db", "ydb://host/Root/x"}, "--balance applies only to PostgreSQL"},
      {{"--balance"}, "--balance needs several hosts in --db"},
      {{"--share", "3/2"}, "--share 3/2: expected I/N"}};
  for (const auto& [line, problem] : lines) {
    EXPECT_THAT(ClientRun(line).problem, testing::StartsWith(problem));
  }
}

// Returns the error message for a result that cannot be written.
std::string failure_to_write(const report::Result& result) {
  run::MeasuredRun run;
  run.result = result;
  RunOptions options;
  options.json = "/dev/full";
  try {
    finish_run(run, options, [](const report::Result&, std::size_t) { return std::string(); });
  } catch (const std::runtime_error& error) {
    return error.what();
  }
  return "";
}

TEST(ResultThatCannotBeWritten, CanBeMadeOfTheParts) {
  report::Result result;
  EXPECT_TRUE(failure_to_write(result).ends_with("name a file on another disk"));
  result.ranks.resize(2);
  result.ranks[1].name = "b";
  result.ranks[1].part = "/home/bench/parts/5f0e-rank1.json";
  const std::string text = failure_to_write(result);
  EXPECT_NE(text.find("/dev/full"), std::string::npos) << text;
  EXPECT_NE(text.find("No space left on device"), std::string::npos) << text;
  EXPECT_TRUE(
      text.ends_with("such as \"/home/bench/parts/5f0e-rank1.json\" on host b. Copy these files to "
                     "one place and join them with 'drover merge'"))
      << text;
}

}  // namespace
}  // namespace drover::cli
