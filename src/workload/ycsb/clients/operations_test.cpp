#include "workload/ycsb/clients/operations.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace drover::ycsb {
namespace {

// A workload with all objects that it needs.
class Drawn {
 public:
  explicit Drawn(const std::vector<std::string>& settings, const std::string& workload = "",
                 const std::vector<RowRange>& missing = {})
      : properties_(read(settings, workload)),
        sequence_(static_cast<std::uint64_t>(properties_.record_count)),
        operations_(properties_, missing, sequence_, turn_) {}

  OperationSource source(std::uint64_t seed = 1, std::uint32_t terminal = 0) {
    return OperationSource(operations_, seed, terminal);
  }
  // The operations of another worker.
  Operations other_operations() { return Operations(properties_, {}, sequence_, turn_); }
  InsertSequence& sequence() { return sequence_; }
  const Properties& properties() const { return properties_; }

  // How often each row is chosen.
  std::map<std::uint64_t, int> keys(int count) {
    OperationSource one = source();
    std::map<std::uint64_t, int> counts;
    for (int i = 0; i < count; ++i) {
      const Operation operation = one.next();
      if (operation.type != OperationType::insert) ++counts[operation.key];
    }
    return counts;
  }

 private:
  static Properties read(const std::vector<std::string>& settings, const std::string& workload) {
    PropertyReader reader;
    if (!workload.empty()) reader.add_workload(workload);
    if (!workload.empty()) reader.add_setting("recordcount=1000");
    for (const std::string& setting : settings) reader.add_setting(setting);
    return reader.properties();
  }

  Properties properties_;
  InsertSequence sequence_;
  random::Sequential turn_;
  Operations operations_;
};

std::uint64_t hottest_of(const std::map<std::uint64_t, int>& counts) {
  return std::max_element(
             counts.begin(), counts.end(),
             [](const auto& one, const auto& other) { return one.second < other.second; })
      ->first;
}

void insert_rows(InsertSequence& sequence, int count) {
  for (int i = 0; i < count; ++i) sequence.acknowledge(sequence.next());
}

TEST(Operations, ReadNoRowWhoseInsertWasGivenUp) {
  for (const char* distribution : {"zipfian", "zipfian-original", "latest"}) {
    Drawn drawn({"recordcount=10", "operationcount=100", "insertproportion=1",
                 std::string("requestdistribution=") + distribution});
    InsertSequence& sequence = drawn.sequence();
    for (std::uint64_t number = 10; number < 20; ++number) {
      sequence.next();
      if (number % 3 == 0) {
        sequence.acknowledge(number);
      } else {
        sequence.abandon(number);
      }
    }
    std::vector<std::uint64_t> inserted;
    for (const auto& [key, count] : drawn.keys(5'000)) {
      if (key >= 10) inserted.push_back(key);
    }
    EXPECT_EQ(inserted, (std::vector<std::uint64_t>{12, 15, 18})) << distribution;
  }
}

TEST(Mix, GivesEachTypeItsShare) {
  Properties properties;
  properties.read_proportion = 1;
  properties.update_proportion = 0;
  properties.insert_proportion = 2;
  properties.scan_proportion = 0;
  properties.read_modify_write_proportion = 1;
  const Mix mix(properties);
  EXPECT_EQ(mix.share(OperationType::read), 0.25);
  EXPECT_EQ(mix.share(OperationType::insert), 0.5);
  std::vector<int> counts(operation_type_count);
  random::Rng rng(1);
  for (int i = 0; i < 40'000; ++i) ++counts.at(static_cast<std::size_t>(mix.draw(rng)));
  EXPECT_NEAR(counts[0], 10'000, 400);
  EXPECT_EQ(counts[1], 0);
  EXPECT_NEAR(counts[2], 20'000, 400);
  EXPECT_EQ(counts[3], 0);
  EXPECT_NEAR(counts[4], 10'000, 400);
}

TEST(Mix, OfOneTypeIsThatType) {
  Properties properties;
  properties.read_proportion = 0;
  properties.update_proportion = 0;
  properties.scan_proportion = 1e-9;
  const Mix mix(properties);
  random::Rng rng(1);
  for (int i = 0; i < 1'000; ++i) EXPECT_EQ(mix.draw(rng), OperationType::scan);
}

TEST(Operations, OfTheSameSeedAreTheSame) {
  Drawn one({}, "e");
  Drawn other({}, "e");
  OperationSource a = one.source(9);
  OperationSource b = other.source(9);
  for (int i = 0; i < 1'000; ++i) EXPECT_EQ(a.next(), b.next());
}

TEST(Operations, OfOtherTerminalsAreOthers) {
  Drawn drawn({"recordcount=1000000", "requestdistribution=uniform"}, "c");
  OperationSource a = drawn.source(9, 0);
  OperationSource b = drawn.source(9, 1);
  int same = 0;
  for (int i = 0; i < 1'000; ++i) same += a.next() == b.next() ? 1 : 0;
  EXPECT_LT(same, 5);
}

TEST(Operations, HaveTheFieldsThatTheyNeed) {
  Drawn drawn({"recordcount=10", "readallfields=false", "readmodifywriteproportion=1",
               "scanproportion=1", "insertproportion=1", "updateproportion=1", "readproportion=1",
               "minscanlength=5", "maxscanlength=7"});
  OperationSource source = drawn.source();
  for (int i = 0; i < 1'000; ++i) {
    const Operation operation = source.next();
    const OperationType type = operation.type;
    const bool reads = type == OperationType::read || type == OperationType::scan ||
                       type == OperationType::read_modify_write;
    const bool writes = type == OperationType::update || type == OperationType::read_modify_write;
    EXPECT_EQ(operation.read_field.has_value(), reads);
    EXPECT_EQ(operation.written_field.has_value(), writes);
    if (reads) {
      EXPECT_LT(*operation.read_field, 10U);
    }
    if (type == OperationType::scan) {
      EXPECT_GE(operation.scan_length, 5U);
      EXPECT_LE(operation.scan_length, 7U);
    } else {
      EXPECT_EQ(operation.scan_length, 0U);
    }
    if (type == OperationType::insert) {
      EXPECT_GE(operation.key, 10U);
    } else {
      EXPECT_LT(operation.key, 10U);
    }
  }
}

TEST(Operations, OnAllFieldsNameNone) {
  Drawn drawn({"recordcount=10", "writeallfields=true", "updateproportion=1", "readproportion=1"});
  OperationSource source = drawn.source();
  for (int i = 0; i < 100; ++i) {
    const Operation operation = source.next();
    EXPECT_FALSE(operation.read_field);
    EXPECT_FALSE(operation.written_field);
  }
}

TEST(Operations, LengthsOfScansMayBeZipfian) {
  Drawn drawn({"scanlengthdistribution=zipfian", "maxscanlength=1000"}, "e");
  OperationSource source = drawn.source();
  int shortest = 0;
  for (int i = 0; i < 10'000; ++i) {
    const Operation operation = source.next();
    if (operation.type != OperationType::scan) continue;
    ASSERT_LE(operation.scan_length, 1'000U);
    shortest += operation.scan_length == 1 ? 1 : 0;
  }
  EXPECT_NEAR(shortest, 9'500 * 0.129, 100);
}

TEST(Operations, WithoutRowsCanOnlyInsert) {
  EXPECT_THROW(Drawn({}), PropertyError);
  EXPECT_THROW(Drawn({"recordcount=5", "insertstart=5"}), PropertyError);
  EXPECT_THROW(Drawn({"recordcount=5"}, "", {{0, 5}}), PropertyError);
  Drawn drawn({"readproportion=0", "updateproportion=0", "insertproportion=1"});
  OperationSource source = drawn.source();
  for (std::uint64_t i = 0; i < 10; ++i) EXPECT_EQ(source.next().key, i);
}

TEST(ChosenKeys, OfEachDistributionAreRowsThatExist) {
  for (const std::string distribution : {"uniform", "zipfian", "zipfian-original", "latest",
                                         "hotspot", "sequential", "exponential"}) {
    for (const std::string records : {"1", "2", "37"}) {
      Drawn drawn({"recordcount=" + records, "insertproportion=0.1", "operationcount=1000000000",
                   "requestdistribution=" + distribution});
      OperationSource source = drawn.source();
      std::uint64_t rows = static_cast<std::uint64_t>(drawn.properties().record_count);
      for (int i = 0; i < 2'000; ++i) {
        const Operation operation = source.next();
        if (operation.type == OperationType::insert) {
          drawn.sequence().acknowledge(operation.key);
          ++rows;
        } else {
          ASSERT_LT(operation.key, rows) << distribution << " of " << records;
        }
      }
    }
  }
}

TEST(ChosenKeys, OfAPartAreInIt) {
  Drawn drawn({"recordcount=100", "insertstart=40", "insertcount=20", "readproportion=1",
               "updateproportion=0"});
  insert_rows(drawn.sequence(), 5);
  const auto counts = drawn.keys(10'000);
  EXPECT_EQ(counts.size(), 20U);
  for (const auto& [key, count] : counts) EXPECT_TRUE(key >= 40 && key < 60) << key;
}

TEST(ChosenKeys, LeaveOutTheRowsThatAreMissing) {
  const std::vector<RowRange> missing = {{0, 1}, {3, 5}, {5, 6}, {9, 10}};
  for (const char* distribution :
       {"uniform", "zipfian", "zipfian-original", "latest", "hotspot", "sequential"}) {
    const auto counts =
        Drawn({"recordcount=10", std::string("requestdistribution=") + distribution}, "", missing)
            .keys(5'000);
    std::vector<std::uint64_t> keys;
    for (const auto& [key, count] : counts) keys.push_back(key);
    EXPECT_EQ(keys, (std::vector<std::uint64_t>{1, 2, 6, 7, 8})) << distribution;
  }
}

// As in the original: only rows of insertstart and insertcount.
TEST(ChosenKeys, OfUniformHotspotAndSequentialAreNeverInsertedRows) {
  for (const char* distribution : {"uniform", "hotspot", "sequential"}) {
    Drawn drawn({"recordcount=10", "insertproportion=0.3",
                 std::string("requestdistribution=") + distribution});
    insert_rows(drawn.sequence(), 1'000);
    const auto counts = drawn.keys(5'000);
    EXPECT_EQ(counts.size(), 10U) << distribution;
    EXPECT_EQ(counts.rbegin()->first, 9U) << distribution;
  }
}

TEST(ChosenKeys, UniformAreAllTheSame) {
  const auto counts = Drawn({"recordcount=10"}).keys(100'000);
  for (const auto& [key, count] : counts) EXPECT_NEAR(count, 10'000, 500) << key;
}

// The hottest row is the same in every run, on every host, and however many rows are inserted.
TEST(ChosenKeys, ZipfianHaveTheSameHotRowForEver) {
  Drawn drawn({"recordcount=1000000"}, "a");
  const std::uint64_t hottest = hottest_of(drawn.keys(20'000));
  EXPECT_EQ(hottest, random::Permutation(1'000'000)(0));
  insert_rows(drawn.sequence(), 500'000);
  const auto counts = drawn.keys(100'000);
  EXPECT_EQ(hottest_of(counts), hottest);
  EXPECT_NEAR(counts.at(hottest), 6'300, 400);
  EXPECT_GE(counts.rbegin()->first, 1'000'000U);  // inserted ones are read, too
}

TEST(ChosenKeys, ZipfianOriginalHaveThePublishedShare) {
  const auto counts =
      Drawn({"recordcount=1000000", "requestdistribution=zipfian-original"}, "c").keys(100'000);
  EXPECT_NEAR(counts.at(hottest_of(counts)), 3'800, 250);
}

TEST(ChosenKeys, LatestFollowTheTableWhileItGrows) {
  Drawn drawn({"insertproportion=0"}, "d");
  EXPECT_EQ(hottest_of(drawn.keys(10'000)), 999U);
  insert_rows(drawn.sequence(), 7);
  EXPECT_EQ(hottest_of(drawn.keys(10'000)), 1'006U);
  drawn.sequence().next();  // not there yet
  EXPECT_EQ(hottest_of(drawn.keys(10'000)), 1'006U);
}

// The next terminal of any worker takes the next row, so a terminal that stands still holds none
// back.
TEST(ChosenKeys, SequentialOfAllTerminalsAreOneTurn) {
  Drawn drawn({"recordcount=10", "requestdistribution=sequential"}, "c");
  Operations other = drawn.other_operations();
  OperationSource a = drawn.source(1, 0);
  OperationSource b = drawn.source(1, 1);
  OperationSource c(other, 1, 2);
  std::uint64_t expected = 0;
  for (const char who : std::string("abcaabbbccccccacaaba")) {
    OperationSource& source = who == 'a' ? a : who == 'b' ? b : c;
    EXPECT_EQ(source.next().key, expected++ % 10);
  }
}

TEST(ChosenKeys, OfAHotspotHaveTheirShare) {
  const auto counts = Drawn({"recordcount=10", "requestdistribution=hotspot"}, "c").keys(10'000);
  EXPECT_NEAR(counts.at(0) + counts.at(1), 8'000, 200);
}

TEST(ChosenKeys, ExponentialFavourTheNewest) {
  const auto counts =
      Drawn({"recordcount=1000", "requestdistribution=exponential", "exponential.frac=0.1"}, "c")
          .keys(10'000);
  int newest = 0;
  for (const auto& [key, count] : counts) newest += key >= 900 ? count : 0;
  EXPECT_NEAR(newest, 9'500, 100);
}

TEST(OperationNames, AreTheOriginals) {
  EXPECT_EQ(operation_name(OperationType::read), "READ");
  EXPECT_EQ(operation_name(OperationType::read_modify_write), "READ-MODIFY-WRITE");
}

}  // namespace
}  // namespace drover::ycsb
