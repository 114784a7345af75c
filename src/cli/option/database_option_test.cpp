#include "cli/option/database_option.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/option/command.h"

namespace drover::cli {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

DatabaseOption option_of(std::string db, std::string schema = "") {
  DatabaseOption option;
  option.db = std::move(db);
  option.schema = std::move(schema);
  return option;
}

// What is said of a string that cannot be used; empty if it can.
std::string problem_of(const DatabaseOption& option) {
  try {
    const DatabaseTarget target(option);
  } catch (const UsageError& error) {
    return error.what();
  }
  return "";
}

TEST(DatabaseOption, TellsTheKindByTheUrl) {
  EXPECT_EQ(kind_of(option_of("")), DatabaseKind::postgres);
  EXPECT_EQ(kind_of(option_of("host=ydb://x")), DatabaseKind::postgres);
  EXPECT_EQ(kind_of(option_of("postgresql://ydb/name")), DatabaseKind::postgres);
  EXPECT_EQ(kind_of(option_of("ydb://host/Root/name")), DatabaseKind::ydb);
  EXPECT_EQ(kind_of(option_of("ydbs://host/Root/name")), DatabaseKind::ydb);
}

// Returns the error message of a command line; empty if there is none.
std::string problem_of_line(std::vector<std::string> line) {
  Command program("drover");
  DatabaseOption option;
  Command& command = program.add_command("run");
  add_database_options(command, option);
  line.insert(line.begin(), "run");
  try {
    read_words(program, line);
    require_complete(command);
  } catch (const UsageError& error) {
    return error.what();
  }
  return "";
}

TEST(DatabaseOption, RefusesOptionsOfAnotherDatabase) {
  EXPECT_EQ(problem_of_line({"--db", "postgresql://user@host/name", "--no-discovery"}),
            "--no-discovery applies only to YDB (--db ydb://…)");
  EXPECT_THAT(problem_of_line({"--ydb-token-file", "token"}), HasSubstr("--ydb-token-file"));
  EXPECT_EQ(problem_of_line({"--db", "ydbs://host/Root/name", "--password-command", "pass"}),
            "--password-command applies only to PostgreSQL. For YDB, use --ydb-token-file");
  EXPECT_EQ(problem_of_line({"--db", "ydb://host/Root/name", "--dialect", "auto"}), "");
  EXPECT_THAT(problem_of_line({"--dialect", "oracle"}),
              HasSubstr("--dialect oracle: expected auto, postgres, cockroach, yugabyte or citus"));
  EXPECT_THAT(problem_of(option_of("mysql://host/name")),
              AllOf(HasSubstr("unknown scheme"), HasSubstr("ydb://")));
}

TEST(DatabaseOption, NeverQuotesAConnectionString) {
  for (const char* text :
       {"host=h user=u password=s3cret://x nosuch=1", "host=h user=u password=s3://s3cret hots=h",
        "s3cret://h/d", "s3cret://u:s3cret@h", "u:s3cret://h", "s3cret", "u:s3cret@h/d",
        "host=h s3cret://x", "host=h s3cret", "mysql://u:s3cret@h/d", "postgres:/u:s3cret@h"}) {
    EXPECT_THAT(problem_of(option_of(text)), AllOf(HasSubstr("--db"), Not(HasSubstr("s3cret"))))
        << text;
  }
  // Only a scheme at the very beginning makes a URI.
  EXPECT_EQ(problem_of(option_of("host=h user=u password=se://cret dbname=x")), "");
}

#ifdef DROVER_WITH_YDB

TEST(DatabaseOption, TakesAUrlOfYdb) {
  const DatabaseTarget target(option_of("ydb://host:2136/Root/name", "bench/tpcc"));
  EXPECT_EQ(target.kind(), DatabaseKind::ydb);
  EXPECT_EQ(target.place().kind_name, "YDB");
  EXPECT_EQ(target.description(), "ydb://host:2136/Root/name");
}

TEST(DatabaseOption, SaysWhatIsWrongWithAUrlOfYdb) {
  EXPECT_THAT(problem_of(option_of("ydb://host:2136")), HasSubstr("--db: the database is missing"));
  EXPECT_THAT(problem_of(option_of("ydb://host/Root/name", "../other")), HasSubstr("--schema"));
  EXPECT_THAT(problem_of(option_of("ydb://me:secret@host/Root/name")),
              AllOf(HasSubstr("--db"), Not(HasSubstr("secret"))));
}

#else

TEST(DatabaseOption, SaysWhatToInstallForYdb) {
  EXPECT_THAT(problem_of(option_of("ydb://host:2136/Root/name")), HasSubstr("libgrpc-dev"));
}

#endif

}  // namespace
}  // namespace drover::cli
