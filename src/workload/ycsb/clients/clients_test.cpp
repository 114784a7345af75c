// The clients of YCSB over a database that fails as it is told, on virtual time.
#include "workload/ycsb/clients/clients.h"

#include <gtest/gtest.h>

#include <array>
#include <chrono>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "coro/block_on.h"
#include "coro/sleep.h"
#include "database/error.h"
#include "load/run.h"

namespace drover::ycsb {
namespace {

using namespace std::chrono_literals;
using coro::Task;
using database::Error;
using database::ErrorClass;
using database::Resolution;

// Each operation takes a millisecond. Of ten, one fails, one is in doubt, and one is tried again.
class FailingDatabase final : public Backend, public Session {
 public:
  struct Seen {
    std::set<std::uint64_t> stamps;
    std::uint64_t executed = 0;
    std::uint64_t failed = 0;
    std::vector<UnknownCommit> asked;
  };

  explicit FailingDatabase(Seen& seen) : seen_(seen) {}

  Task<void> open() override { co_return; }
  Task<database::Session*> acquire() override { co_return static_cast<database::Session*>(this); }
  void release(database::Session&) noexcept override {}

  Task<void> execute(const Operation& operation, WriteTrace& trace,
                     OperationOutcome& outcome) override {
    co_await coro::sleep_for(1ms);
    seen_.stamps.insert(trace.stamp);
    trace.commit_sent = true;
    switch (++seen_.executed % 10) {
      case 2:
        ++seen_.failed;
        outcome.not_found = operation.type != OperationType::insert;
        throw Error(ErrorClass::statement, "", "it failed");
      case 5:
        throw Error(ErrorClass::ambiguous_commit, "", "the connection broke");
      case 8:
        throw Error(ErrorClass::retryable, "40001", "somebody was quicker");
      default:
        break;
    }
    outcome.rows_read = 1;
    outcome.values_verified = 10;
    outcome.values_wrong = 1;
    outcome.first_wrong = "it is wrong";
  }

  // In turns: it happened, it did not, nobody knows.
  Task<std::vector<Resolution>> resolve(std::vector<UnknownCommit> doubts) override {
    std::vector<Resolution> answers;
    for (std::size_t i = 0; i < doubts.size(); ++i) {
      answers.push_back(
          std::array{Resolution::committed, Resolution::not_committed, Resolution::unknown}[i % 3]);
    }
    seen_.asked = std::move(doubts);
    co_return answers;
  }

 private:
  Seen& seen_;
};

class YcsbClients : public testing::Test {
 protected:
  void run(const std::vector<std::string>& settings) {
    PropertyReader reader;
    for (const std::string& setting : settings) reader.add_setting(setting);
    plan.properties = reader.properties();
    plan.next_row = 100;
    plan.set_clients(3);
    plan.operations = 3000;
    plan.duration = 1h;
    plan.first_stamp = 1;
    plan.complete();
    records.emplace(plan);
    load::Observer nobody;
    load::StopRequest stop;
    load::Surroundings surroundings;
    surroundings.own_threads = false;
    auto body = [&]() -> Task<void> {
      const auto backends = [&](std::size_t) { return std::make_unique<FailingDatabase>(seen); };
      load::WorkloadFactory clients = make_clients(plan, backends, *records);
      outcome = co_await load::run(plan, std::move(clients), nobody, stop, surroundings);
    };
    coro::block_on(worker, body());
  }

  const load::SharedTotals& metrics(std::size_t type) const {
    return outcome.workers[0]->measured[type];
  }

  coro::VirtualClock clock;
  coro::Worker worker{clock};
  Plan plan;
  std::optional<RunRecords> records;
  FailingDatabase::Seen seen;
  load::Outcome outcome;
};

TEST_F(YcsbClients, EachInsertIsSettledOnceWhateverBecomesOfIt) {
  run({"recordcount=100", "readproportion=0", "updateproportion=0", "insertproportion=1"});
  ASSERT_EQ(plan.workload.types.size(), 1U);
  EXPECT_EQ(plan.workload.types[0].name, "INSERT");
  const std::uint64_t committed = metrics(0).ok_count.get();
  const std::uint64_t failed = metrics(0).failed_count.get();
  EXPECT_EQ(committed + failed, 3000U);
  EXPECT_EQ(failed, seen.failed + seen.asked.size());
  EXPECT_EQ(records->sequence.existing(), 3000U - failed);
  EXPECT_EQ(records->sequence.missing(), failed);
  EXPECT_EQ(seen.stamps.size(), seen.executed) << "two attempts had the same stamp";
  const Ledger ledger = records->ledger();
  const std::size_t doubts = seen.asked.size();
  EXPECT_EQ(ledger.inserts, committed + (doubts + 2) / 3);
  EXPECT_EQ(ledger.inserts_unresolved, doubts / 3);
  EXPECT_EQ(ledger.versions, 0U);
}

TEST_F(YcsbClients, UpdatesCountTheFieldsThatTheyWrite) {
  run({"recordcount=100", "readproportion=0", "updateproportion=1", "readmodifywriteproportion=1",
       "writeallfields=true", "fieldcount=4"});
  ASSERT_EQ(plan.workload.types.size(), 2U);
  EXPECT_EQ(plan.workload.types[1].name, "READ-MODIFY-WRITE");
  const Ledger ledger = records->ledger();
  const std::size_t doubts = seen.asked.size();
  const std::uint64_t committed = metrics(0).ok_count.get() + metrics(1).ok_count.get();
  EXPECT_EQ(ledger.versions, 4 * (committed + (doubts + 2) / 3));
  EXPECT_EQ(ledger.versions_unresolved, 4 * (doubts / 3));
  const WorkerCounts& counts = records->workers[0];
  EXPECT_EQ(counts.rows_read.get(), committed);
  EXPECT_EQ(counts.values_verified.get(), 10 * committed);
  EXPECT_EQ(counts.values_wrong.get(), committed);
  EXPECT_EQ(counts.not_found.get(), seen.failed);
  EXPECT_EQ(counts.first_wrong, "it is wrong");
}

TEST_F(YcsbClients, WhatNobodyCouldAskAboutIsUnresolvedAtMost) {
  Properties properties;
  properties.record_count = properties.insert_count = 10;
  properties.insert_proportion = 0.5;
  properties.write_all_fields = true;
  plan.properties = properties;
  plan.set_clients(1);
  plan.complete();
  records.emplace(plan);
  Clients clients(plan, 0, std::make_unique<FailingDatabase>(seen), *records);
  clients.leave_unresolved(3);
  EXPECT_EQ(records->ledger().inserts_unresolved, 3U);
  EXPECT_EQ(records->ledger().versions_unresolved, 30U);
}

// Each operation takes a millisecond.
class NotingDatabase final : public Backend, public Session {
 public:
  explicit NotingDatabase(std::multiset<std::uint64_t>& keys) : keys_(keys) {}

  Task<void> open() override { co_return; }
  Task<database::Session*> acquire() override { co_return static_cast<database::Session*>(this); }
  void release(database::Session&) noexcept override {}
  Task<void> execute(const Operation& operation, WriteTrace&, OperationOutcome&) override {
    keys_.insert(operation.key);
    co_await coro::sleep_for(1ms);
  }
  Task<std::vector<Resolution>> resolve(std::vector<UnknownCommit>) override {
    co_return std::vector<Resolution>();
  }

 private:
  std::multiset<std::uint64_t>& keys_;
};

// What the clients of this share of seven ask for, 100 operations each.
std::multiset<std::uint64_t> keys_of(load::Share share, const std::string& distribution) {
  PropertyReader reader;
  reader.add_workload("c");
  reader.add_setting("recordcount=1000");
  reader.add_setting("requestdistribution=" + distribution);
  Plan plan;
  plan.properties = reader.properties();
  plan.next_row = 1000;
  plan.share = share;
  plan.set_clients(7);
  plan.operations = 700;
  plan.duration = 1h;
  plan.complete();
  RunRecords records(plan);
  std::multiset<std::uint64_t> keys;
  coro::VirtualClock clock;
  coro::Worker worker(clock);
  load::Observer nobody;
  load::StopRequest stop;
  load::Surroundings surroundings;
  surroundings.own_threads = false;
  auto body = [&]() -> Task<void> {
    const auto backends = [&](std::size_t) { return std::make_unique<NotingDatabase>(keys); };
    co_await load::run(plan, make_clients(plan, backends, records), nobody, stop, surroundings);
  };
  coro::block_on(worker, body());
  return keys;
}

TEST(YcsbShare, ClientsDoTheSameOnAnyNumberOfHosts) {
  for (const char* distribution : {"zipfian", "sequential"}) {
    std::multiset<std::uint64_t> parts;
    std::uint64_t before = 0;
    for (const std::uint64_t clients : {2U, 4U, 1U}) {
      parts.merge(keys_of({.before = before, .own = clients, .total = 7}, distribution));
      before += clients;
    }
    EXPECT_EQ(parts.size(), 700U);
    EXPECT_EQ(parts, keys_of({}, distribution)) << distribution;
  }
}

}  // namespace
}  // namespace drover::ycsb
