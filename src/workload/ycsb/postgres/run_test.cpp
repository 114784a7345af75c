// Whole runs of the engine on a real server: what the clients know is what the table has.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "report/document/described_text.h"
#include "workload/ycsb/keys.h"
#include "workload/ycsb/postgres/served_table_test.h"

namespace drover::ycsb::postgres {
namespace {

class RunOnPostgres : public ServedTable {
 protected:
  // All that the run has done has been verified, and the table holds it.
  void expect_sound(const Run& run) const {
    EXPECT_EQ(run.failed(), 0U);
    EXPECT_EQ(run.counted(&WorkerCounts::values_wrong), 0U);
    EXPECT_EQ(run.counted(&WorkerCounts::not_found), 0U);
    expect_ledger(run);
    const CheckReport report = check(run.plan.properties);
    EXPECT_TRUE(report.holds());
    EXPECT_EQ(report.rows, run.after.rows);
    EXPECT_EQ(report.versions, run.after.versions.value_or(report.versions));
  }
};

TEST_F(RunOnPostgres, UpdatesOfWorkloadAAreAllInTheData) {
  const Properties properties = properties_of("a", {"recordcount=200"});
  load(properties);
  const auto run = run_engine(properties, {.operations = 1000, .threads = 2, .verify = true});
  EXPECT_EQ(run->committed(OperationType::read) + run->committed(OperationType::update), 1000U);
  EXPECT_EQ(run->records->ledger().versions, run->committed(OperationType::update));
  EXPECT_EQ(*run->after.versions - *run->prepared.before.versions, run->records->ledger().versions);
  EXPECT_EQ(run->counted(&WorkerCounts::rows_read), run->committed(OperationType::read));
  EXPECT_EQ(run->counted(&WorkerCounts::values_verified), 10 * run->committed(OperationType::read));
  expect_sound(*run);
}

TEST_F(RunOnPostgres, InsertsOfWorkloadDFollowThoseOfTheRunBefore) {
  const Properties properties = properties_of("d", {"recordcount=200", "insertproportion=0.5"});
  load(properties);
  for (std::uint64_t next = 200; next < 400;) {
    const auto run = run_engine(properties, {.operations = 300, .threads = 2, .verify = true});
    EXPECT_EQ(run->prepared.next_row, next);
    const std::uint64_t inserts = run->committed(OperationType::insert);
    ASSERT_GT(inserts, 0U);
    EXPECT_EQ(run->after.rows, next + inserts);
    EXPECT_EQ(run->records->sequence.existing(), inserts);
    expect_sound(*run);
    next += inserts;
  }
}

// As inserts that failed leave them: what a load has recorded is missed.
TEST_F(RunOnPostgres, GapsThatARunHasLeftAreLeftOut) {
  const Properties inserting =
      properties_of("d", {"recordcount=10", "readproportion=0", "insertproportion=1"});
  load(inserting);
  run_engine(inserting, {.operations = 20});
  const auto remove = [&](std::uint64_t row) {
    query(fmt::format("DELETE FROM usertable WHERE ycsb_key = '{}'",
                      KeyName(row, InsertOrder::hashed, 1).view()));
  };
  for (const std::uint64_t row : {12, 13, 27}) remove(row);
  const Properties reading =
      properties_of("c", {"recordcount=30", "requestdistribution=sequential"});
  const auto run = run_engine(reading, {.operations = 54, .clients = 1});
  EXPECT_EQ(run->prepared.missing_rows, (std::vector<RowRange>{{12, 14}, {27, 28}}));
  EXPECT_EQ(run->committed(OperationType::read), 54U);
  remove(4);
  const auto lost = run_engine(reading, {.operations = 54, .clients = 1});
  EXPECT_EQ(lost->counted(&WorkerCounts::not_found), 2U);
}

TEST_F(RunOnPostgres, ReadModifyWritesOfWorkloadFAreAllInTheData) {
  for (const database::Isolation isolation :
       {database::Isolation::read_committed, database::Isolation::repeatable_read,
        database::Isolation::serializable}) {
    const Properties properties =
        properties_of("f", {"recordcount=20", "writeallfields=true", "fieldcount=3"});
    load(properties);
    const auto run =
        run_engine(properties, {.operations = 300, .verify = true, .isolation = isolation});
    const std::uint64_t written = run->committed(OperationType::read_modify_write);
    EXPECT_GT(written, 100U);
    EXPECT_EQ(*run->after.versions - *run->prepared.before.versions, 3 * written);
    expect_sound(*run);
  }
}

TEST_F(RunOnPostgres, EveryOperationOnOneFieldOrAll) {
  const std::vector<std::string> every = {"recordcount=100",    "readproportion=1",
                                          "updateproportion=1", "insertproportion=1",
                                          "scanproportion=1",   "readmodifywriteproportion=1",
                                          "maxscanlength=20",   "fieldcount=4"};
  for (const char* all : {"true", "false"}) {
    std::vector<std::string> settings = every;
    settings.push_back(std::string("table=Table_") + all);
    settings.push_back(std::string("readallfields=") + all);
    settings.push_back(std::string("writeallfields=") + all);
    settings.push_back("fieldlengthdistribution=uniform");
    settings.push_back("minfieldlength=22");
    const Properties properties = properties_of("a", settings);
    load(properties);
    const auto run = run_engine(properties, {.operations = 500, .verify = true});
    ASSERT_EQ(run->plan.workload.types.size(), 5U);
    for (std::size_t type = 0; type < 5; ++type) {
      EXPECT_GT(run->sum(type, &load::SharedTotals::ok_count), 50U) << type;
    }
    EXPECT_GT(run->counted(&WorkerCounts::rows_read), 500U);
    expect_sound(*run);
  }
}

TEST_F(RunOnPostgres, FieldsThatAreTooShortForAVersionAreVerifiedAndNotCounted) {
  const Properties properties =
      properties_of("a", {"recordcount=50", "fieldlengthdistribution=uniform", "fieldlength=40",
                          "insertorder=ordered", "zeropadding=8"});
  load(properties);
  const auto run = run_engine(properties, {.operations = 300, .verify = true});
  EXPECT_EQ(run->prepared.values, ValueKind::stamped);
  EXPECT_EQ(run->prepared.notes.size(), 1U);
  expect_sound(*run);
}

// Sessions are ended by the server in the middle of writes.
TEST_F(RunOnPostgres, WritesWhoseSessionsAreEndedAreResolved) {
  const Properties properties =
      properties_of("a", {"recordcount=100", "updateproportion=1", "insertproportion=0.5",
                          "readmodifywriteproportion=0.5", "requestdistribution=uniform"});
  load(properties);
  const auto end_sessions = [this] {
    for (int ended = 0; ended < 20;) {
      ended +=
          std::stoi(query("SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity "
                          "WHERE application_name = 'drover' AND pid <> pg_backend_pid() "
                          "AND query ~ '^(UPDATE|INSERT|COMMIT)'"));
    }
  };
  const auto run = run_engine(properties, {.verify = true, .beside = end_sessions});
  EXPECT_GT(run->failed(), 0U);
  EXPECT_EQ(run->counted(&WorkerCounts::values_wrong), 0U);
  EXPECT_EQ(run->counted(&WorkerCounts::not_found), 0U) << "of inserts that failed";
  EXPECT_GT(run->records->ledger().versions, 0U);
  expect_ledger(*run);
  EXPECT_TRUE(check(properties).holds());
}

TEST_F(RunOnPostgres, AWrongValueIsFoundByReadsAndByTheCheck) {
  const Properties properties =
      properties_of("c", {"recordcount=20", "requestdistribution=sequential"});
  load(properties);
  query(
      "UPDATE usertable SET field3 = left(field3, 50) || upper(right(field3, 50)) "
      "WHERE ycsb_key = (SELECT max(ycsb_key) FROM usertable)");
  const auto run = run_engine(properties, {.operations = 100, .clients = 1, .verify = true});
  EXPECT_EQ(run->counted(&WorkerCounts::values_wrong), 5U);
  EXPECT_NE(run->records->workers[0].first_wrong.find("field 3 of the row"), std::string::npos);
  const CheckReport report = check(properties);
  EXPECT_FALSE(report.holds());
  EXPECT_EQ(report.values_wrong, 1U);
  EXPECT_EQ(report.values, 200U);
  ASSERT_EQ(report.first_wrong.size(), 1U);
  EXPECT_EQ(report.first_wrong[0].field, "field3");
  EXPECT_EQ(report.first_wrong[0].key, query("SELECT max(ycsb_key) FROM usertable"));
}

TEST_F(RunOnPostgres, ARowThatIsNotThereIsAnErrorAndCounted) {
  const Properties properties = properties_of(
      "a", {"recordcount=10", "requestdistribution=sequential", "readmodifywriteproportion=0.5"});
  load(properties);
  query(fmt::format("DELETE FROM usertable WHERE ycsb_key = '{}'",
                    KeyName(5, InsertOrder::hashed, 1).view()));
  const auto run = run_engine(properties, {.operations = 40, .clients = 1});
  EXPECT_EQ(run->counted(&WorkerCounts::not_found), 4U);
  EXPECT_EQ(run->failed(), 4U);
  const CheckReport report = check(properties);
  EXPECT_EQ(report.rows_lost(), 1U);
  EXPECT_FALSE(report.holds());
}

// As YCSB's own binding for JDBC makes and fills it.
TEST_F(RunOnPostgres, ATableOfTheOriginalIsUsedAsItIs) {
  query("CREATE SCHEMA " + schema);
  query("CREATE TABLE usertable (YCSB_KEY VARCHAR(255) PRIMARY KEY, FIELD0 TEXT, FIELD1 TEXT)");
  Properties properties =
      properties_of("a", {"recordcount=50", "fieldcount=2", "scanproportion=0.2",
                          "insertproportion=0.2", "readmodifywriteproportion=0.2"});
  for (std::uint64_t row = 0; row < 50; ++row) {
    query(fmt::format("INSERT INTO usertable VALUES ('{}', '.:i!$ 3+%', '2Jm (/1')",
                      KeyName(row, InsertOrder::hashed, 1).view()));
  }
  const auto run = run_engine(properties, {.operations = 300});
  EXPECT_EQ(run->prepared.values, ValueKind::foreign);
  EXPECT_EQ(run->prepared.next_row, 50U);
  EXPECT_EQ(run->failed(), 0U);
  EXPECT_GT(run->committed(OperationType::read_modify_write), 10U);
  expect_ledger(*run);
  EXPECT_NE(unfit(database->check({.properties = properties})).find("no load of drover"),
            std::string::npos);
  properties.field_count = 3;
  EXPECT_NE(unfit(database->prepare(properties)).find("this fieldcount"), std::string::npos);
  properties.field_count = 2;
  properties.insert_count = properties.record_count = 1'000'000;
  EXPECT_NE(unfit(database->prepare(properties)).find("the row 999999 (user"), std::string::npos);
}

TEST_F(RunOnPostgres, RowsThatTheOriginalHasWrittenToAreRunOnAndNotCounted) {
  const Properties properties = properties_of("c", {"recordcount=50", "fieldcount=2"});
  load(properties);
  query(fmt::format("UPDATE usertable SET field1 = '.:i!$ 3+%' WHERE ycsb_key = '{}'",
                    KeyName(7, InsertOrder::hashed, 1).view()));
  const auto run = run_engine(properties, {.operations = 100});
  EXPECT_EQ(run->prepared.values, ValueKind::foreign);
  ASSERT_EQ(run->prepared.notes.size(), 1U);
  EXPECT_NE(run->prepared.notes[0].find("Another tool has written the rows"), std::string::npos);
  EXPECT_NE(run->prepared.notes[0].find("'drover ycsb check' lists damaged rows"),
            std::string::npos);
  EXPECT_EQ(run->failed(), 0U);
  EXPECT_FALSE(check(properties).holds());
}

// The table would say something else.
TEST_F(RunOnPostgres, WhatAnotherHostHasFoundIsNotAskedAgain) {
  const Properties properties = properties_of("a", {"recordcount=10"});
  load(properties);
  const TableContents known{ValueKind::foreign, {.rows = 11}};
  const auto text = report::written_text(known);
  const RunPreparation prepared =
      run(database->prepare(properties, report::read_text<TableContents>(text)));
  EXPECT_EQ(prepared.values, ValueKind::foreign);
  EXPECT_EQ(prepared.before.rows, 11U);
  EXPECT_EQ(prepared.before.versions, std::nullopt);
  EXPECT_EQ(prepared.next_row, 10U);
  EXPECT_EQ(run(database->prepare(properties)).before.rows, 10U);
}

TEST_F(RunOnPostgres, ColumnsThatAreNoTextAreRefused) {
  query("CREATE SCHEMA " + schema);
  const Properties properties = properties_of("a", {"recordcount=1", "fieldcount=1"});
  for (const std::string columns : {"ycsb_key bigint, field0 text", "ycsb_key text, field0 int",
                                    "ycsb_key text, field0 bytea"}) {
    query(fmt::format("CREATE TABLE usertable ({})", columns));
    EXPECT_NE(unfit(database->prepare(properties))
                  .find("is not a YCSB table with this fieldcount and fieldnameprefix"),
              std::string::npos)
        << columns;
    query("DROP TABLE usertable");
  }
  query("CREATE TABLE usertable (ycsb_key char(80), field0 varchar(9))");
  EXPECT_NE(unfit(database->prepare(properties)).find("the row 0 (user"), std::string::npos);
}

TEST_F(RunOnPostgres, ARunWantsTheTableAndThePropertiesOfItsRows) {
  Properties properties = properties_of("c", {"recordcount=10"});
  EXPECT_NE(unfit(database->prepare(properties)).find("there is no table usertable"),
            std::string::npos);
  load(properties);
  properties.field_length = 50;
  EXPECT_NE(unfit(database->prepare(properties)).find("fieldlength=100, and not fieldlength=50"),
            std::string::npos);
}

}  // namespace
}  // namespace drover::ycsb::postgres
