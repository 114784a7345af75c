#include "workload/ycsb/properties/properties.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <vector>

namespace drover::ycsb {
namespace {

using testing::ElementsAre;
using testing::EndsWith;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

Properties of_settings(const std::vector<std::string>& settings) {
  PropertyReader reader;
  for (const std::string& setting : settings) reader.add_setting(setting);
  return reader.properties();
}

std::string refusal_of(const std::vector<std::string>& settings) {
  try {
    of_settings(settings);
  } catch (const PropertyError& error) {
    return error.what();
  }
  return "nothing";
}

std::string refusal_of_file(std::string_view text) {
  PropertyReader reader;
  try {
    reader.add_text(text, "the property file \"w\"");
    static_cast<void>(reader.properties());
  } catch (const PropertyError& error) {
    return error.what();
  }
  return "nothing";
}

TEST(Properties, HaveTheDefaultsOfTheOriginal) {
  const Properties properties = of_settings({});
  EXPECT_EQ(properties.table, "usertable");
  EXPECT_EQ(properties.field_count, 10);
  EXPECT_EQ(properties.field_length, 100);
  EXPECT_EQ(properties.read_proportion, 0.95);
  EXPECT_EQ(properties.update_proportion, 0.05);
  EXPECT_EQ(properties.request_distribution, RequestDistribution::uniform);
  EXPECT_EQ(properties.scan_length_max, 1'000);
  EXPECT_EQ(properties.record_count, 0);
  EXPECT_THAT(properties.percentiles, ElementsAre(50, 95, 99));
  EXPECT_THAT(properties.given, IsEmpty());
  EXPECT_THAT(properties.ignored, IsEmpty());
}

TEST(Properties, OfANamedWorkload) {
  PropertyReader reader;
  reader.add_workload("e");
  const Properties properties = reader.properties();
  EXPECT_EQ(properties.scan_proportion, 0.95);
  EXPECT_EQ(properties.insert_proportion, 0.05);
  EXPECT_EQ(properties.read_proportion, 0);
  EXPECT_EQ(properties.update_proportion, 0.05 - 0.05);
  EXPECT_EQ(properties.scan_length_max, 100);
  EXPECT_EQ(properties.request_distribution, RequestDistribution::zipfian);
  EXPECT_EQ(properties.record_count, 0);  // all rows that there are
  EXPECT_EQ(properties.insert_count, 0);
}

TEST(Properties, OfEachNamedWorkloadAddUpToAll) {
  for (const char name : std::string_view("abcdef")) {
    PropertyReader reader;
    reader.add_workload(std::string(1, name));
    const Properties properties = reader.properties();
    EXPECT_DOUBLE_EQ(properties.read_proportion + properties.update_proportion +
                         properties.insert_proportion + properties.scan_proportion +
                         properties.read_modify_write_proportion,
                     1)
        << name;
  }
  EXPECT_THROW(PropertyReader().add_workload("g"), PropertyError);
  EXPECT_THROW(PropertyReader().add_workload(""), PropertyError);
}

TEST(Properties, LaterOnesWin) {
  PropertyReader reader;
  reader.add_workload("a");
  reader.add_text("recordcount=5\nrecordcount=6\n", "file");
  reader.add_setting("recordcount=7000000000");
  const Properties properties = reader.properties();
  EXPECT_EQ(properties.record_count, 7'000'000'000);  // more than 32 bits hold
  EXPECT_EQ(properties.update_proportion, 0.5);
  EXPECT_TRUE(properties.is_given("recordcount"));
  EXPECT_FALSE(properties.is_given("threadcount"));
}

TEST(Properties, BlanksAroundValuesMeanNothing) {
  EXPECT_EQ(of_settings({"recordcount= 7 "}).record_count, 7);
  EXPECT_EQ(of_settings({" recordcount =7"}).record_count, 7);
}

TEST(Properties, OfEveryKind) {
  const Properties properties = of_settings(
      {"requestdistribution=zipfian-original", "zipfian.skew=1.2", "readallfields=FALSE",
       "hdrhistogram.percentiles=50, 99.9,100", "measurement.interval=both", "label=my run \u00e9",
       "fieldlengthhistogram=a b.txt", "insertorder=ordered", "target=1.5",
       "workload=com.yahoo.ycsb.workloads.CoreWorkload"});
  EXPECT_EQ(properties.request_distribution, RequestDistribution::zipfian_original);
  EXPECT_EQ(properties.zipfian_skew, 1.2);
  EXPECT_FALSE(properties.read_all_fields);
  EXPECT_THAT(properties.percentiles, ElementsAre(50, 99.9, 100));
  EXPECT_EQ(properties.measurement_interval, MeasurementInterval::both);
  EXPECT_EQ(properties.label, "my run \u00e9");
  EXPECT_EQ(properties.field_length_histogram, "a b.txt");
  EXPECT_EQ(properties.insert_order, InsertOrder::ordered);
  EXPECT_EQ(properties.target, 1.5);
}

TEST(Properties, WrongValuesAreRefusedWithWhatIsExpected) {
  EXPECT_EQ(refusal_of({"fieldcount=many"}),
            "-p fieldcount=many: expected a whole number from 1 to 1000");
  EXPECT_EQ(refusal_of_file("\nreadallfields=maybe"),
            "the property file \"w\", line 2: readallfields=maybe: expected true or false");
  EXPECT_EQ(refusal_of({"insertorder=random"}),
            "-p insertorder=random: expected hashed or ordered");
  EXPECT_THAT(
      refusal_of({"requestdistribution=zipf"}),
      EndsWith("expected uniform, zipfian, zipfian-original, latest, hotspot, sequential or "
               "exponential"));
  for (const char* const setting : {"fieldcount=0",
                                    "fieldcount=10.5",
                                    "recordcount=-1",
                                    "recordcount=99999999999999999999",
                                    "recordcount=",
                                    "readproportion=-0.1",
                                    "readproportion=nan",
                                    "readproportion=inf",
                                    "zipfian.skew=0.4",
                                    "zipfian.skew=2.1",
                                    "table=a;b",
                                    "table=",
                                    "table=1a",
                                    "zeropadding=61",
                                    "hotspotdatafraction=1.1",
                                    "exponential.percentile=100",
                                    "hdrhistogram.percentiles=50,,99",
                                    "hdrhistogram.percentiles=0",
                                    "hdrhistogram.percentiles=101",
                                    "label=a\nb",
                                    "workload=site.ycsb.workloads.RestWorkload",
                                    "threadcount=0",
                                    "recordcount=++1",
                                    "recordcount=+-1",
                                    "recordcount=+",
                                    "measurement.interval=10s"}) {
    EXPECT_THAT(refusal_of({setting}), HasSubstr(": expected ")) << setting;
  }
}

TEST(Properties, UnknownOnesAreRefusedWithTheNearestName) {
  EXPECT_EQ(refusal_of({"recordcont=5"}),
            "-p recordcont: unknown property; did you mean recordcount?");
  EXPECT_EQ(refusal_of_file("frobnicate=1"),
            "the property file \"w\", line 1: frobnicate: unknown property");
  EXPECT_EQ(refusal_of({"hdrhistogram.percentile=50"}),
            "-p hdrhistogram.percentile: unknown property; did you mean hdrhistogram.percentiles?");
  EXPECT_EQ(refusal_of({"core_workload_insertion_retry_limits=5"}),
            "-p core_workload_insertion_retry_limits: unknown property; did you mean "
            "core_workload_insertion_retry_limit?");
  EXPECT_EQ(refusal_of({"exponental.frac=0.5"}),
            "-p exponental.frac: unknown property; did you mean exponential.frac?");
  EXPECT_EQ(refusal_of({"\x1b[2J=1"}), "-p \\x1b[2J: unknown property");
  EXPECT_THAT(refusal_of({std::string(5'000, 'x') + "=1"}).size(), testing::Lt(300U));
}

// Names from property files of the original, of go-ycsb and of their bindings.
TEST(Properties, OfOtherClientsAndBindingsAreTakenWithoutEffect) {
  for (const char* const name : {"core_workload_insertion_keep_going_on_error",
                                 "columnfamily",
                                 "warmuptime",
                                 "keyprefix",
                                 "debug.pprof",
                                 "postgrenosql.url",
                                 "jdbc.autocommit",
                                 "db.passwd",
                                 "hosts",
                                 "cassandra.writeconsistencylevel",
                                 "mongodb.url",
                                 "redis.host",
                                 "kudu_master_addresses",
                                 "rocksdb.dir",
                                 "minio.secret-key",
                                 "spin.sleep",
                                 "url.prefix",
                                 "url.trace.read",
                                 "timeout.con",
                                 "rest.timeout.con",
                                 "headers",
                                 "log.enable",
                                 "response.compression",
                                 "mutatorMaxInflightRPCs",
                                 "googlebigtable2.project",
                                 "geode.locator",
                                 "gemfire.serverport",
                                 "mapkeeper.host",
                                 "path.home",
                                 "meta_servers",
                                 "gbudb.delays"}) {
    const Properties properties = of_settings({std::string(name) + "=10"});
    EXPECT_THAT(properties.ignored, ElementsAre(name));
    EXPECT_THAT(properties.given, IsEmpty()) << name;
  }
  EXPECT_THAT(of_settings({"measurement.interval=10"}).ignored,
              ElementsAre("measurement.interval"));
  EXPECT_EQ(
      of_settings({"measurement.interval=10", "measurement.interval=both"}).measurement_interval,
      MeasurementInterval::both);
}

TEST(Properties, NumbersMayBeginWithAPlus) {
  EXPECT_EQ(of_settings({"recordcount=+100"}).record_count, 100);
  EXPECT_EQ(of_settings({"readproportion=+0.5"}).read_proportion, 0.5);
}

TEST(Properties, SettingsHaveAnEqualsSign) {
  EXPECT_EQ(refusal_of({"db.passwd:secret"}), "-p db.passwd: expected key=value");
  EXPECT_EQ(refusal_of({"recordcount"}), "-p recordcount: expected key=value");
  EXPECT_THAT(refusal_of({"=5"}), HasSubstr("expected key=value"));
  EXPECT_THAT(refusal_of({""}), HasSubstr("expected key=value"));
}

TEST(Properties, WhatMeansNothingHereIsListed) {
  const Properties properties =
      of_settings({"jdbc.fetchsize=10", "db.passwd=secret", "exporter=x", "db.batchsize=100",
                   "measurement.raw.output_file=/x", "measurementtype=timeseries"});
  EXPECT_THAT(properties.ignored,
              ElementsAre("db.batchsize", "db.passwd", "exporter", "jdbc.fetchsize",
                          "measurement.raw.output_file", "measurementtype"));
}

TEST(Properties, ThatContradictEachOtherAreRefused) {
  EXPECT_EQ(refusal_of({"minfieldlength=101"}),
            "minfieldlength=101 (-p) is above fieldlength=100 (default)");
  EXPECT_EQ(
      refusal_of_file("maxscanlength=5\nminscanlength=6"),
      "minscanlength=6 (the property file \"w\", line 2) is above maxscanlength=5 (the property "
      "file \"w\", line 1)");
  EXPECT_THAT(refusal_of({"readproportion=0", "updateproportion=0"}), HasSubstr("are all 0"));
  EXPECT_THAT(refusal_of({"recordcount=10", "insertstart=11"}), HasSubstr("is above"));
  EXPECT_THAT(
      refusal_of({"recordcount=10", "insertstart=5", "insertcount=6"}),
      HasSubstr(
          "the sum of insertstart=5 (-p) and insertcount=6 (-p) exceeds recordcount=10 (-p)"));
  EXPECT_EQ(refusal_of({"insertstart=1152921504606846976", "insertcount=1"}),
            "the sum of insertstart=1152921504606846976 (-p) and insertcount=1 (-p) exceeds "
            "1152921504606846976, the largest number of rows of a table");
}

TEST(Properties, SayWhyThePartHasNoRows) {
  EXPECT_THAT(of_settings({"recordcount=3", "insertcount=0"}).why_no_rows().value_or(""),
              HasSubstr("recordcount=3, insertstart=0 and insertcount=0 leave no row"));
  EXPECT_THAT(of_settings({"recordcount=3", "insertstart=3"}).why_no_rows().value_or(""),
              HasSubstr("recordcount=3, insertstart=3 and insertcount=0 leave no row"));
  EXPECT_EQ(of_settings({}).why_no_rows(), std::nullopt);
  EXPECT_EQ(of_settings({"recordcount=3"}).why_no_rows(), std::nullopt);
  EXPECT_THAT(of_settings({"recordcount=0", "insertcount=0"}).why_no_rows().value_or(""),
              HasSubstr("recordcount=0, insertstart=0 and insertcount=0 leave no row"));
}

TEST(Properties, ARecordCountOfZeroIsNone) {
  for (const std::vector<std::string>& settings : {std::vector<std::string>{"recordcount=0"},
                                                   {"recordcount=5", "recordcount=0"},
                                                   {"recordcount=0", "insertstart=4"}}) {
    const Properties properties = of_settings(settings);
    EXPECT_FALSE(properties.is_given("recordcount"));
    EXPECT_EQ(properties.why_no_rows(), std::nullopt);
  }
  EXPECT_EQ(of_settings({"recordcount=0", "insertstart=4", "insertcount=2"}).record_count, 6);
}

TEST(Properties, SizesCompleteEachOther) {
  EXPECT_EQ(of_settings({"recordcount=10", "insertstart=4"}).insert_count, 6);
  EXPECT_EQ(of_settings({"recordcount=10", "insertstart=4", "insertcount=2"}).insert_count, 2);
  EXPECT_EQ(of_settings({"recordcount=10", "insertcount=0"}).insert_count, 0);
  EXPECT_EQ(of_settings({"insertstart=4", "insertcount=2"}).record_count, 6);
}

TEST(Properties, OfAFile) {
  const std::filesystem::path path =
      std::filesystem::path(testing::TempDir()) / "drover_ycsb.properties";
  std::ofstream(path) << "recordcount=12\n";
  PropertyReader reader;
  reader.add_file(path);
  EXPECT_EQ(reader.properties().record_count, 12);
  std::filesystem::remove(path);
  EXPECT_THROW(reader.add_file(path), PropertyError);
  EXPECT_THROW(reader.add_file(testing::TempDir()), PropertyError);
}

TEST(PropertyTable, ShowsWhatIsReadAgain) {
  PropertyReader reader;
  reader.add_workload("d");
  reader.add_setting("zipfian.skew=1.25");
  reader.add_setting("table=mine");
  const Properties shown = reader.properties();
  PropertyReader again;
  for (const PropertyDefinition& property : property_table()) {
    EXPECT_THAT(property.help, Not(IsEmpty()));
    again.add_setting(property.name + "=" + property.kind.show(shown));
  }
  for (const PropertyDefinition& property : property_table()) {
    EXPECT_EQ(property.kind.show(shown), property.kind.show(again.properties()));
  }
}

TEST(PropertyTable, HasEachNameOnce) {
  for (const PropertyDefinition& definition : property_table()) {
    EXPECT_EQ(find_property(definition.name), &definition) << definition.name;
    EXPECT_FALSE(is_ignored_property(definition.name)) << definition.name;
  }
}

}  // namespace
}  // namespace drover::ycsb
