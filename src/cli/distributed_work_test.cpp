// Parts of a command that is no run, dealt out to members by connections of this machine.
#include "cli/distributed_work.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <future>
#include <optional>
#include <string>
#include <vector>

#include "coro/block_on.h"
#include "coro/sleep.h"
#include "coro/worker.h"
#include "run/usage_error.h"

namespace drover::cli {
namespace {

using coro::Task;
using ranks::Message;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::StartsWith;
using testing::UnorderedElementsAre;

class DistributedParts : public testing::Test {
 protected:
  DistributedParts() {
    conducting_->conductor = std::make_shared<ranks::Conductor>(
        ranks::ConductorSettings{{"a", "b"}, {"127.0.0.1", 0}, "drover 1"});
    conducting_->shares = {{0, 1, 2, 0, 2}, {1, 1, 2, 1, 2}};
    conducting_->run = "20261125T200000Z-0000abcd";
    conducting_->work = ranks::message("work");
    // The processes of the ranks: they are threads here, and begun by the test.
    conducting_->launch = [](auto) -> Task<void> {
      co_await coro::sleep_until(coro::Instant::max());
    };
  }

  ranks::MemberPlace place_of(std::size_t rank) const {
    const ranks::Conductor& conductor = *conducting_->conductor;
    return {conductor.endpoints(), conductor.secret(), rank, "machine", "drover 1"};
  }

  // Its exit code.
  std::future<int> member(std::size_t rank, PartWork work) {
    return std::async(std::launch::async,
                      [place = place_of(rank), work = std::move(work)]() -> int {
                        ranks::Member self(place);
                        self.wait_for("work");
                        try {
                          return perform_part(self, work);
                        } catch (const std::exception& error) {
                          Message failed = ranks::message("failed");
                          failed["reason"] = error.what();
                          self.tell(failed);
                          self.flush();
                          return exit_failure;
                        }
                      });
  }

  // What the members say at their end; the error if it ends by one.
  std::vector<std::string> deal(std::vector<std::string> parts) {
    coro::Worker worker;
    DistributedWork hosts(conducting_,
                          [this](std::string_view line) { notes_.emplace_back(line); });
    std::vector<std::string> words;
    const auto work = [&]() -> Task<void> {
      words =
          co_await hosts.distribute(std::move(parts), [this](std::size_t rank, const auto& said) {
            said_.push_back(std::to_string(rank) + " " + said);
          });
    };
    try {
      coro::block_on(worker, hosts.with_agents(work()));
    } catch (const ranks::RankLost& lost) {
      return {lost.what()};
    }
    return words;
  }

  // Returns the error of a command that calls `prepare`, and then prepares its parts without end.
  std::string loss_in(coro::Worker& worker, const std::function<void()>& prepare) {
    DistributedWork hosts(conducting_,
                          [this](std::string_view line) { notes_.emplace_back(line); });
    const auto work = [&]() -> Task<void> {
      prepare();
      co_await coro::sleep_until(coro::Instant::max());
    };
    try {
      coro::block_on(worker, hosts.with_agents(work()));
    } catch (const ranks::RankLost& lost) {
      return lost.what();
    }
    return "none";
  }

  std::shared_ptr<run::Conducting> conducting_ = std::make_shared<run::Conducting>();
  std::vector<std::string> said_;
  std::vector<std::string> notes_;
};

TEST_F(DistributedParts, EachGetsItsPartAndSaysWhatCameOfIt) {
  const PartWork work = [](std::string part, auto say) -> Task<std::string> {
    say("begins with " + part);
    co_await coro::sleep_for(coro::Duration(1));
    co_return "did " + part;
  };
  std::future<int> a = member(0, work);
  std::future<int> b = member(1, work);
  EXPECT_THAT(deal({"one", "two"}), ElementsAre("did one", "did two"));
  EXPECT_THAT(said_, UnorderedElementsAre("0 begins with one", "1 begins with two"));
  EXPECT_EQ(a.get(), exit_success);
  EXPECT_EQ(b.get(), exit_success);
}

TEST_F(DistributedParts, ThingsAreDealtOutInTurnsByTheWeights) {
  const auto turns = [this](std::size_t count) {
    return DistributedWork(conducting_, [](std::string_view) {}).turns(count);
  };
  EXPECT_THAT(turns(5), ElementsAre(0, 1, 0, 1, 0));
  conducting_->shares = {{0, 3, 4, 0, 2}, {3, 1, 4, 1, 2}};
  EXPECT_THAT(turns(8), ElementsAre(0, 0, 0, 1, 0, 0, 0, 1));
  EXPECT_THAT(turns(0), IsEmpty());
}

TEST_F(DistributedParts, EachHostNeedsAConnection) {
  const DistributedWork hosts(conducting_, [](std::string_view) {});
  hosts.require_connection_for_each(2);
  hosts.require_connection_for_each(std::nullopt);
  try {
    hosts.require_connection_for_each(1);
    FAIL() << "it was taken";
  } catch (const UsageError& error) {
    EXPECT_STREQ(error.what(),
                 "1 connection cannot be divided among 2 hosts: host a would have none");
  }
}

// Member 0 never joins, so the command would wait for it.
TEST_F(DistributedParts, ALossBeforeTheHelloEndsTheCommandAtOnce) {
  conducting_->launch = [this](auto) -> Task<void> {
    conducting_->conductor->lose(1, "its agent ended with exit code 1");
    co_return;
  };
  coro::VirtualClock clock;
  coro::Worker worker(clock);
  EXPECT_EQ(loss_in(worker, [] {}), "host b: its agent ended with exit code 1");
  EXPECT_THAT(notes_, IsEmpty());
}

TEST_F(DistributedParts, ALossAfterTheHelloEndsTheCommandAtOnce) {
  std::future<void> b =
      std::async(std::launch::async, [place = place_of(1)] { const ranks::Member self(place); });
  coro::Worker worker;
  EXPECT_THAT(loss_in(worker, [] {}), StartsWith("host b: "));
  EXPECT_THAT(notes_, IsEmpty());
  b.get();
}

// The command prepares its work on this host before it deals out the parts.
TEST_F(DistributedParts, ALossWhileThePartsArePreparedEndsTheCommandAtOnce) {
  std::future<void> a = std::async(std::launch::async,
                                   [place = place_of(0)] { ranks::Member(place).wait_for("bye"); });
  std::future<void> b = std::async(std::launch::async, [place = place_of(1)] {
    EXPECT_THROW(ranks::Member(place).wait_for("bye"), ranks::LinkError);
  });
  coro::Worker worker;
  EXPECT_EQ(loss_in(worker, [this] { conducting_->conductor->lose(1, "it was cut off"); }),
            "host b: it was cut off");
  a.get();
  b.get();
}

TEST_F(DistributedParts, OneThatFailsEndsTheOthers) {
  std::future<int> a = member(0, [](auto, auto) -> Task<std::string> {
    co_await coro::sleep_until(coro::Instant::max());
    co_return "never";
  });
  std::future<int> b = member(1, [](auto, auto) -> Task<std::string> {
    co_await coro::sleep_for(coro::Duration(1));
    throw std::runtime_error("no room on the disk");
  });
  EXPECT_THAT(deal({"one", "two"}), ElementsAre("host b: no room on the disk"));
  EXPECT_EQ(a.get(), exit_interrupted);
  EXPECT_EQ(b.get(), exit_failure);
}

}  // namespace
}  // namespace drover::cli
