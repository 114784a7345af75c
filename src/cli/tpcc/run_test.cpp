#include "cli/tpcc/run.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/option/command.h"

namespace drover::cli {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using tpcc::Isolation;

// The run that a command line describes, or the error message.
struct Line {
  TpccRunOptions options;
  TpccRun made;
  std::string problem;

  explicit Line(std::vector<std::string> words, const std::string& db = "postgresql://host/name") {
    Command program("drover");
    Command& command = program.add_command("run");
    add_database_options(command, options.database);
    add_run_options(command, options);
    words.insert(words.begin(), {"run", "--db", db});
    try {
      read_words(program, words);
      require_complete(command);
      made = make_tpcc_run(options);
    } catch (const UsageError& error) {
      problem = error.what();
    }
  }
};

constexpr const char* on_ydb = "ydb://host:2136/local";

TEST(TpccRun, HasTheIsolationOfEachKindOfDatabase) {
  EXPECT_EQ(Line({}).made.options.isolation, std::nullopt) << "the server's default";
  EXPECT_EQ(Line({}, on_ydb).made.options.isolation, Isolation::serializable);
  EXPECT_EQ(Line({"--isolation", "repeatable-read"}).made.options.isolation,
            Isolation::repeatable_read);
  EXPECT_EQ(Line({"--tx-mode", "snapshot-rw"}, on_ydb).made.options.isolation, Isolation::snapshot);
}

TEST(TpccRun, NamesTheOptionOfTheOtherDatabase) {
  EXPECT_THAT(Line({"--isolation", "serializable"}, on_ydb).problem,
              AllOf(HasSubstr("--isolation applies only to PostgreSQL"), HasSubstr("--tx-mode")));
  EXPECT_THAT(Line({"--tx-mode", "snapshot-rw"}).problem,
              AllOf(HasSubstr("--tx-mode applies only to YDB"), HasSubstr("--isolation")));
  EXPECT_THAT(Line({"--affinity", "--balance"}, on_ydb).problem,
              HasSubstr("applies only to PostgreSQL"));
}

TEST(TpccRun, RefusesUnknownLevels) {
  EXPECT_THAT(Line({"--tx-mode", "snapshot"}, on_ydb).problem, HasSubstr("--tx-mode snapshot"));
  EXPECT_THAT(Line({"--isolation", "snapshot"}).problem, HasSubstr("--isolation snapshot"));
}

TEST(TpccRun, RefusesOptionsThatDoNotFit) {
  EXPECT_TRUE(Line({"-w", "1", "--server-stats"}).made.run.settings.server_stats);
  EXPECT_THAT(Line({"-w", "1", "--simulate-ms", "5", "--server-stats"}).problem,
              HasSubstr("--server-stats cannot be combined with --simulate-ms, which uses no "
                        "server"));
  EXPECT_THAT(Line({"--affinity"}).problem,
              HasSubstr("--affinity needs --balance: without --balance"));
  EXPECT_THAT(Line({"--terminals", "5"}).problem, HasSubstr("--terminals needs --no-delays: "));
  EXPECT_EQ(Line({"--terminals", "auto"}).problem, "");
  EXPECT_THAT(Line({"--delivery-log", "x"}).problem,
              HasSubstr("--delivery-log needs --deferred-delivery: "));
  EXPECT_THAT(Line({"--share", "1/2", "--warehouse-range", "1-2"}).problem,
              HasSubstr("--warehouse-range cannot be combined with --share, which also"));
  EXPECT_THAT(Line({"--simulate-ms", "5"}).problem, HasSubstr("--simulate-ms needs --warehouses"));
}

}  // namespace
}  // namespace drover::cli
