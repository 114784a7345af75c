// The conductor and its members, by connections of this machine.
#include "ranks/conductor.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <functional>
#include <future>
#include <string>
#include <vector>

#include "coro/block_on.h"
#include "coro/scope.h"
#include "coro/sleep.h"
#include "coro/worker.h"
#include "ranks/member.h"
#include "ranks/member_run.h"
#include "report/document/result_json.h"

namespace drover::ranks {
namespace {

using coro::Duration;
using coro::Scope;
using coro::Task;
using std::chrono::milliseconds;
using ::testing::HasSubstr;

ConductorSettings settings_of(std::vector<std::string> names) {
  return {std::move(names), Endpoint{"127.0.0.1", 0}, "drover 1"};
}

MemberPlace place_at(const Conductor& conductor, std::size_t rank) {
  return {conductor.endpoints(), conductor.secret(), rank, "machine" + std::to_string(rank),
          "drover 1"};
}

// Does `conducting` while the conductor attends.
void conduct(Conductor& conductor, const std::function<Task<void>()>& conducting,
             coro::Clock& clock = coro::SteadyClock::instance()) {
  coro::Worker worker(clock);
  auto body = [&](Scope& scope) -> Task<void> {
    scope.start(conductor.attend());
    co_await conducting();
    scope.cancel();
  };
  coro::block_on(worker, coro::with_scope(body));
}

// What a member does, on a thread of its own; its words are what it returns, or the error that
// ended it.
using Words = std::future<std::string>;
Words member(const MemberPlace& place, std::function<std::string(Member&)> life) {
  return std::async(std::launch::async, [place, life = std::move(life)]() -> std::string {
    try {
      Member self(place);
      return life(self);
    } catch (const LinkError& error) {
      return error.what();
    }
  });
}

Task<void> ended(const Words& words) {
  while (words.wait_for(milliseconds(0)) != std::future_status::ready) {
    co_await coro::sleep_for(milliseconds(1));
  }
}

Task<std::string> loss_at(Task<void> waiting) {
  try {
    co_await std::move(waiting);
  } catch (const RankLost& lost) {
    co_return lost.what();
  }
  co_return "(nobody is lost)";
}

Task<void> until_lost(Conductor& conductor, std::size_t rank, std::string awaited) {
  co_await conductor.next(rank, std::move(awaited));
}

Message numbered(std::string_view kind, std::size_t number) {
  Message made = message(kind);
  made["number"] = number;
  return made;
}

TEST(Ranks, FromHelloToBye) {
  Conductor conductor(settings_of({"a", ""}));
  std::vector<Words> members;
  for (std::size_t rank : {1U, 0U}) {
    members.push_back(member(place_at(conductor, rank), [rank](Member& self) -> std::string {
      self.tell(numbered("open", rank));
      const Message start = self.wait_for("start");
      self.tell(numbered("part", start.at("number").get<std::size_t>() + rank));
      self.wait_for("bye");
      return "ended in order" + self.loss();
    }));
  }
  conduct(conductor, [&]() -> Task<void> {
    co_await conductor.all_here();
    EXPECT_EQ(conductor.name(0), "a");
    EXPECT_EQ(conductor.name(1), "machine1");
    for (std::size_t rank = 0; rank < 2; ++rank) {
      const Message open = co_await conductor.next(rank, "open");
      EXPECT_EQ(open.at("number"), rank);
    }
    conductor.tell_all(numbered("start", 100));
    for (std::size_t rank = 0; rank < 2; ++rank) {
      const Message part = co_await conductor.next(rank, "part");
      EXPECT_EQ(part.at("number"), 100 + rank);
      conductor.release(rank);
    }
    co_await conductor.all_gone(std::chrono::minutes(1));
  });
  EXPECT_FALSE(conductor.any_lost());
  for (Words& words : members) EXPECT_EQ(words.get(), "ended in order");
}

TEST(Ranks, WhoIsRefused) {
  Conductor conductor(settings_of({"a", "b"}));
  const auto come_only = [](Member&) { return "was taken"; };
  conduct(conductor, [&]() -> Task<void> {
    MemberPlace stranger = place_at(conductor, 0);
    stranger.secret[0] ^= 1;
    MemberPlace without_secret = place_at(conductor, 0);
    without_secret.secret.clear();
    MemberPlace beyond = place_at(conductor, 2);
    for (const auto& [place, reason] :
         {std::pair{
              stranger,
              "the coordinator refused this agent: the agent has another secret than this run"},
          std::pair{
              without_secret,
              "the coordinator refused this agent: the agent has another secret than this run"},
          std::pair{beyond,
                    "the coordinator refused this agent: the rank 2 is too high, because the run "
                    "has 2 agents, counted from 0"}}) {
      Words words = member(place, come_only);
      co_await ended(words);
      EXPECT_THAT(words.get(), HasSubstr(reason));
    }
    EXPECT_FALSE(conductor.any_lost());
  });
}

TEST(Ranks, AnotherRunsConductorAtTheFirstAddress) {
  Conductor others(settings_of({"a"}));
  Conductor conductor(settings_of({"a"}));
  MemberPlace place = place_at(conductor, 0);
  place.conductor.insert(place.conductor.begin(), others.endpoints().front());
  const Words words = member(place, [](Member& self) -> std::string {
    self.wait_for("bye");
    return "ended in order" + self.loss();
  });
  conduct(conductor, [&]() -> Task<void> {
    Scope beside(co_await coro::current_source());
    beside.start(others.attend());
    co_await conductor.all_here();
    EXPECT_FALSE(others.all_have_come());
    conductor.release(0);
    co_await ended(words);
    beside.cancel();
    co_await beside.join();
  });
}

TEST(Ranks, TheSameRankTwice) {
  Conductor conductor(settings_of({"a"}));
  Words first = member(place_at(conductor, 0), [](Member& self) -> std::string {
    self.wait_for("bye");
    return "ended in order";
  });
  conduct(conductor, [&]() -> Task<void> {
    co_await conductor.all_here();
    Words second = member(place_at(conductor, 0), [](Member&) { return "was taken"; });
    co_await ended(second);
    EXPECT_THAT(second.get(), HasSubstr("an agent with the rank 0 has already joined"));
    conductor.release(0);
    co_await conductor.all_gone(std::chrono::minutes(1));
  });
  EXPECT_EQ(first.get(), "ended in order");
}

TEST(Ranks, AnotherDroverIsALoss) {
  Conductor conductor(settings_of({"a"}));
  MemberPlace place = place_at(conductor, 0);
  place.program = "drover 2";
  Words words = member(place, [](Member&) { return "was taken"; });
  conduct(conductor, [&]() -> Task<void> {
    const std::string loss = co_await loss_at(conductor.all_here());
    EXPECT_EQ(loss,
              "host a: the host has drover 2, and the coordinator has drover 1. Install the same "
              "drover on all hosts");
    co_await ended(words);
  });
  EXPECT_THAT(words.get(), HasSubstr("the host has drover 2, and the coordinator has drover 1"));
}

TEST(Ranks, OneThatEndsBeforeItsTime) {
  Conductor conductor(settings_of({"a"}));
  std::vector<std::size_t> lost;
  conductor.on_lost([&lost](std::size_t rank) { lost.push_back(rank); });
  Words words = member(place_at(conductor, 0), [](Member&) { return "came, and went"; });
  conduct(conductor, [&]() -> Task<void> {
    const std::string loss = co_await loss_at(until_lost(conductor, 0, "part"));
    EXPECT_EQ(loss, "host a: the connection was closed");
    // Who waits later hears it at once.
    const std::string again = co_await loss_at(until_lost(conductor, 0, "open"));
    EXPECT_EQ(again, loss);
  });
  EXPECT_EQ(lost, std::vector<std::size_t>{0});
  EXPECT_EQ(words.get(), "came, and went");
}

// A coordinator that stood still may receive the part and the end of the connection at the same
// time.
TEST(Ranks, OneThatEndsAfterItsPartIsNotLost) {
  Conductor conductor(settings_of({"a"}));
  Words words = member(place_at(conductor, 0), [](Member& self) {
    self.tell(message("part"));
    self.flush();
    return "gave its part, and went";
  });
  conduct(conductor, [&]() -> Task<void> {
    co_await conductor.next(0, "part");
    co_await ended(words);
    EXPECT_EQ(co_await loss_at(until_lost(conductor, 0, "clock")),
              "host a: the connection was closed");
  });
  EXPECT_FALSE(conductor.any_lost());
}

TEST(Ranks, AgentsWithoutARankGetTheFreeOnes) {
  Conductor conductor(settings_of({"", "", ""}));
  std::vector<Words> members;
  for (int i = 0; i < 3; ++i) {
    MemberPlace place = place_at(conductor, 0);
    place.rank.reset();
    members.push_back(member(place, [](Member& self) -> std::string {
      self.wait_for("bye");
      return "ended in order";
    }));
  }
  conduct(conductor, [&]() -> Task<void> {
    co_await conductor.all_here();
    std::vector<std::string> names;
    for (std::size_t rank = 0; rank < 3; ++rank) names.push_back(conductor.name(rank));
    EXPECT_THAT(names, ::testing::UnorderedElementsAre("machine0", "machine0#2", "machine0#3"));
    for (std::size_t rank = 0; rank < 3; ++rank) conductor.release(rank);
    co_await conductor.all_gone(std::chrono::minutes(1));
  });
  for (Words& words : members) EXPECT_EQ(words.get(), "ended in order");
}

TEST(Ranks, ALossOfSeveralIsToldOnce) {
  Conductor conductor(settings_of({"a", "b", "c", "d"}));
  conduct(conductor, [&]() -> Task<void> {
    for (const std::size_t rank : {0U, 2U}) conductor.lose(rank, "no such database");
    conductor.lose(3, "no route to host");
    EXPECT_EQ(co_await loss_at(conductor.throw_losses()),
              "hosts a, c: no such database; host d: no route to host");
  });
}

TEST(Ranks, OneThatSaysThatItCannotGoOn) {
  Conductor conductor(settings_of({"a"}));
  Words words = member(place_at(conductor, 0), [](Member& self) -> std::string {
    Message failed = message("failed");
    failed["reason"] = "no room";
    self.tell(failed);
    self.wait_for("bye");
    return "was let go";
  });
  conduct(conductor, [&]() -> Task<void> {
    const std::string loss = co_await loss_at(until_lost(conductor, 0, "part"));
    EXPECT_EQ(loss, "host a: no room");
    co_await ended(words);
  });
  EXPECT_THAT(words.get(), HasSubstr("the coordinator considers this agent lost: no room"));
}

TEST(Ranks, ALongReasonIsCutOnlyWhereNobodyReadsOn) {
  const std::string sentence = "ERROR: relation \"stock\"\nis not there\x1b[31m; ";
  std::string reason;
  while (reason.size() < 1'000) reason += sentence;
  std::string longer = reason;
  while (longer.size() < 3'000) longer += "€";
  for (const std::string& said : {reason, longer}) {
    Conductor conductor(settings_of({"a"}));
    Words words = member(place_at(conductor, 0), [&said](Member& self) -> std::string {
      Message failed = message("failed");
      failed["reason"] = said;
      self.tell(failed);
      self.wait_for("bye");
      return "was let go";
    });
    conduct(conductor, [&]() -> Task<void> {
      std::string loss = co_await loss_at(until_lost(conductor, 0, "part"));
      EXPECT_TRUE(loss.starts_with("host a: ERROR: relation \"stock\" is not there [31m; ERROR"));
      loss.erase(0, std::string("host a: ").size());
      if (said.size() < 2'000) {
        EXPECT_EQ(loss.size(), said.size());
      } else {
        EXPECT_TRUE(loss.ends_with("€…"));
        EXPECT_GE(loss.size(), 2'000U);
        EXPECT_LE(loss.size(), 2'003U);
      }
      co_await ended(words);
    });
  }
}

TEST(Ranks, OneThatHasNotCome) {
  Conductor conductor(settings_of({"a", "b"}));
  conduct(conductor, [&]() -> Task<void> {
    conductor.lose_missing("its process ended before it came");
    const std::string loss = co_await loss_at(conductor.all_here());
    EXPECT_EQ(loss, "host a: its process ended before it came");
  });
  EXPECT_TRUE(conductor.is_lost(1));
}

TEST(Ranks, OneThatIsGivenUp) {
  Conductor conductor(settings_of({"a"}));
  Words words = member(place_at(conductor, 0), [](Member& self) -> std::string {
    try {
      self.wait_for("start");
    } catch (const LinkError&) {
      return self.loss();
    }
    return "began";
  });
  conduct(conductor, [&]() -> Task<void> {
    co_await conductor.all_here();
    conductor.lose(0, "its run says nothing");
    co_await ended(words);
  });
  EXPECT_EQ(words.get(), "the coordinator considers this agent lost: its run says nothing");
}

TEST(Ranks, AllAreToldToStop) {
  Conductor conductor(settings_of({"a"}));
  Words words = member(place_at(conductor, 0), [](Member& self) -> std::string {
    std::promise<void> asked;
    self.on_stop([&asked] { asked.set_value(); });
    self.tell(message("open"));
    asked.get_future().wait();
    self.on_stop({});
    bool late_one_is_told = false;
    self.on_stop([&late_one_is_told] { late_one_is_told = true; });
    std::string ends;
    try {
      self.wait_for("start");
    } catch (const LinkError& error) {
      ends = error.what();
    }
    self.tell(message("part"));
    self.wait_for("bye");
    return ends + (late_one_is_told ? ", and told late" : "");
  });
  conduct(conductor, [&]() -> Task<void> {
    co_await conductor.next(0, "open");
    conductor.tell_all(message("stop"));
    co_await conductor.next(0, "part");
    conductor.release(0);
    co_await conductor.all_gone(std::chrono::minutes(1));
  });
  EXPECT_EQ(words.get(), "the other hosts have ended, and told late");
}

TEST(Ranks, TheConductorIsGone) {
  Conductor conductor(settings_of({"a"}));
  std::promise<void> stopped;
  Words words = member(place_at(conductor, 0), [&stopped](Member& self) -> std::string {
    self.on_stop([&stopped] { stopped.set_value(); });
    coro::Worker worker;
    const auto waiting = [&self]() -> Task<void> { co_await self.next("start").get(); };
    self.tell(message("open"));
    coro::block_on(worker, waiting());
    return "began";
  });
  conduct(conductor, [&]() -> Task<void> { co_await conductor.next(0, "open"); });
  EXPECT_EQ(words.get(), "the connection was closed");
  stopped.get_future().wait();
}

TEST(Ranks, NobodyGathers) {
  MemberPlace place;
  {
    const Conductor gone(settings_of({"a"}));
    place = place_at(gone, 0);
  }
  EXPECT_THAT(member(place, [](Member&) { return "was taken"; }).get(),
              HasSubstr("cannot reach the coordinator (127.0.0.1:"));
}

TEST(Ranks, WhatComesBeforeSomebodyWaitsIsKept) {
  Conductor conductor(settings_of({"a"}));
  std::vector<std::string> notes;
  conductor.on_message({"note", "end"}, [&notes](std::size_t rank, const Message& note) {
    notes.push_back(std::to_string(rank) + " " + kind_of(note));
  });
  Words words = member(place_at(conductor, 0), [](Member& self) -> std::string {
    self.tell(numbered("said", 1));
    self.tell(message("note"));
    self.tell(numbered("said", 2));
    self.tell(message("end"));
    self.tell(message("done"));
    std::string heard;
    self.wait_for("last");
    for (int i = 0; i < 2; ++i) heard += self.wait_for("word").at("number").dump();
    return heard;
  });
  conduct(conductor, [&]() -> Task<void> {
    co_await conductor.next(0, "done");
    for (int i : {1, 2}) {
      const Message said = co_await conductor.next(0, "said");
      EXPECT_EQ(said.at("number"), i);
    }
    for (std::size_t i : {3U, 4U}) conductor.tell(0, numbered("word", i));
    conductor.tell(0, message("last"));
    co_await ended(words);
  });
  EXPECT_EQ(notes, (std::vector<std::string>{"0 note", "0 end"}));
  EXPECT_EQ(words.get(), "34");
}

TEST(Ranks, ClocksOfOneMachineAreTheSame) {
  Conductor conductor(settings_of({"a"}));
  Words words = member(place_at(conductor, 0), [](Member& self) -> std::string {
    self.wait_for("bye");
    return "ended in order";
  });
  conduct(conductor, [&]() -> Task<void> {
    co_await conductor.all_here();
    const auto found = co_await conductor.compare_clocks(0);
    EXPECT_TRUE(found && std::abs(found->monotonic_ns) <= found->uncertainty_ns);
    conductor.release(0);
    co_await conductor.all_gone(std::chrono::minutes(1));
  });
  EXPECT_EQ(words.get(), "ended in order");
}

// The threads of this process that would take a SIGTERM.
std::size_t takers_of_sigterm() {
  std::size_t takers = 0;
  for (const auto& task : std::filesystem::directory_iterator("/proc/self/task")) {
    std::ifstream status(task.path() / "status");
    for (std::string line; std::getline(status, line);) {
      if (!line.starts_with("SigBlk:")) continue;
      const std::uint64_t blocked = std::stoull(line.substr(7), nullptr, 16);
      if ((blocked >> (SIGTERM - 1) & 1) == 0) ++takers;
    }
  }
  return takers;
}

// Else whoever asks a member to end would end it in the middle of what it does.
TEST(Ranks, AMembersConnectionTakesNoSignals) {
  Conductor conductor(settings_of({"a"}));
  Words words = std::async(std::launch::async, [place = place_at(conductor, 0)]() -> std::string {
    const std::size_t before = takers_of_sigterm();
    const Member self(place);
    // Threads of other tests, joined a moment ago, may have been counted still.
    return takers_of_sigterm() <= before ? "none more" : "one more";
  });
  conduct(conductor, [&]() -> Task<void> { co_await ended(words); });
  EXPECT_EQ(words.get(), "none more");
}

// Real time, and what a test adds to it.
class MovedClock final : public coro::Clock {
 public:
  coro::Instant now() const noexcept override {
    return coro::SteadyClock::instance().now() + added_;
  }
  bool is_virtual() const noexcept override { return false; }
  void advance_to(coro::Instant) noexcept override {}

  // In steps, since a process that sees a leap takes itself for one that stood still.
  Task<void> move_on(Duration whole) {
    for (Duration moved{}; moved < whole; moved += alive_every) {
      added_ += alive_every;
      co_await coro::sleep_for(Duration(1));
    }
  }

 private:
  Duration added_{};
};

// Talks to the conductor by hand.
struct Caller {
  explicit Caller(file::FileDescriptor socket) : link(std::move(socket)) {}

  Link link;

  Task<std::string> heard() {
    try {
      for (;;) {
        const Message received = co_await link.receive();
        if (kind_of(received) != "alive") co_return kind_of(received);
      }
    } catch (const LinkError& error) {
      co_return error.what();
    }
  }
};

Task<file::FileDescriptor> connection_to(std::vector<Endpoint> endpoints) {
  co_return co_await connect_to_one_of(endpoints, std::chrono::minutes(1));
}

TEST(Ranks, OneThatSaysNothingForTooLong) {
  ConductorSettings settings = settings_of({"a"});
  settings.silence_most = std::chrono::seconds(20);
  Conductor conductor(settings);
  MovedClock clock;
  conduct(
      conductor,
      [&]() -> Task<void> {
        Caller caller(co_await connection_to(conductor.endpoints()));
        Message hello = message("hello");
        hello["secret"] = conductor.secret();
        hello["rank"] = 0;
        hello["program"] = "drover 1";
        caller.link.send(hello);
        Scope writing(co_await coro::current_source());
        writing.start(caller.link.write_out());
        EXPECT_EQ(co_await caller.heard(), "welcome");
        co_await clock.move_on(conductor.silence_most() - alive_every);
        EXPECT_FALSE(conductor.is_lost(0));
        co_await clock.move_on(3 * alive_every);
        EXPECT_EQ(co_await loss_at(until_lost(conductor, 0, "part")),
                  "host a: the host sent nothing for 20 s");
        EXPECT_EQ(co_await caller.heard(), "given_up");
        writing.cancel();
        co_await writing.join();
      },
      clock);
}

// 25 round trips of half a second each would delay the run.
TEST(Ranks, ASlowNetworkGetsFewerRoundTrips) {
  Conductor conductor(settings_of({"a"}));
  MovedClock clock;
  conduct(
      conductor,
      [&]() -> Task<void> {
        Caller caller(co_await connection_to(conductor.endpoints()));
        Message hello = message("hello");
        hello["secret"] = conductor.secret();
        hello["program"] = "drover 1";
        caller.link.send(hello);
        Scope beside(co_await coro::current_source());
        beside.start(caller.link.write_out());
        EXPECT_EQ(co_await caller.heard(), "welcome");
        int asked = 0;
        const auto answer = [&]() -> Task<void> {
          for (;;) {
            if (co_await caller.heard() != "clock") continue;
            ++asked;
            co_await clock.move_on(alive_every);
            Message clocks = message("clock");
            clocks["monotonic_ns"] = clocks["wall_ns"] = asked;
            caller.link.send(clocks);
          }
        };
        beside.start(answer());
        EXPECT_TRUE(co_await conductor.compare_clocks(0));
        EXPECT_EQ(asked, 3);
        beside.cancel();
        co_await beside.join();
      },
      clock);
}

TEST(Ranks, StrangersAreNoTrouble) {
  Conductor conductor(settings_of({"a"}));
  MovedClock clock;
  conduct(
      conductor,
      [&]() -> Task<void> {
        Caller silent(co_await connection_to(conductor.endpoints()));
        Message without_rank = message("hello");
        without_rank["secret"] = conductor.secret();
        without_rank["rank"] = "first";
        Message not_hello = message("part");
        not_hello["secret"] = conductor.secret();
        Message too_long = message("hello");
        too_long["secret"] = std::string(first_message_bytes_max, 's');
        for (const auto& [said, answer] :
             {std::pair{without_rank, "the connection was closed"}, std::pair{not_hello, "refused"},
              std::pair{message("hello"), "refused"},
              std::pair{too_long, "the connection was closed"}}) {
          Caller caller(co_await connection_to(conductor.endpoints()));
          caller.link.send(said);
          const auto write = [&caller]() -> Task<void> {
            try {
              co_await caller.link.write_out();
            } catch (const LinkError&) {  // it hung up
            }
          };
          Scope writing(co_await coro::current_source());
          writing.start(write());
          const std::string heard = co_await caller.heard();
          EXPECT_TRUE(heard == answer || heard == "Connection reset by peer") << heard;
          writing.cancel();
          co_await writing.join();
        }
        co_await clock.move_on(std::chrono::seconds(11));
        EXPECT_EQ(co_await silent.heard(), "the connection was closed");
      },
      clock);
  EXPECT_FALSE(conductor.any_lost());
}

class PartsFolder {
 public:
  PartsFolder() {
    std::string name = (std::filesystem::temp_directory_path() / "drover-parts-XXXXXX").native();
    EXPECT_NE(mkdtemp(name.data()), nullptr);
    path_ = name;
  }
  ~PartsFolder() { std::filesystem::remove_all(path_); }
  std::filesystem::path path() const { return path_; }

 private:
  std::filesystem::path path_;
};

MemberWork work_in(const PartsFolder& folder) {
  MemberWork work;
  work.run = "20261125T200000Z-0000abcd";
  work.ranks = 2;
  work.name = "a";
  work.parts = folder.path().native();
  return work;
}

void deliver_after_a_run(Member& self, const MemberWork& work) {
  MemberRun run(self, work);
  run.on_started({});
  run.deliver({});
}

TEST(MemberRun, APartIsKeptAndDelivered) {
  const PartsFolder folder;
  Conductor conductor(settings_of({"a"}));
  Words words = member(place_at(conductor, 0), [&folder](Member& self) -> std::string {
    deliver_after_a_run(self, work_in(folder));
    return "was let go";
  });
  std::string text;
  conduct(conductor, [&]() -> Task<void> {
    const Message part = co_await conductor.next(0, "part");
    EXPECT_EQ(part.at("trouble"), "");
    text = part.at("text").get<std::string>();
    conductor.release(0);
    co_await conductor.all_gone(std::chrono::minutes(1));
  });
  EXPECT_EQ(words.get(), "was let go");
  const auto document = nlohmann::json::parse(text);
  EXPECT_EQ(document.at("ranks").at(0).at("run"), "20261125T200000Z-0000abcd");
  EXPECT_EQ(document.at("ranks").at(0).at("ranks"), 2);
  EXPECT_TRUE(std::filesystem::exists(folder.path() / "20261125T200000Z-0000abcd-rank0.json"));
}

TEST(MemberRun, WhereThePartIsWhenNobodyTakesIt) {
  const PartsFolder folder;
  Conductor conductor(settings_of({"a"}));
  Words words = member(place_at(conductor, 0), [&folder](Member& self) -> std::string {
    deliver_after_a_run(self, work_in(folder));
    return "was let go";
  });
  conduct(conductor, [&]() -> Task<void> { co_await conductor.next(0, "part"); });
  EXPECT_THAT(words.get(),
              HasSubstr("This host's part of the result is in " + folder.path().native()));
}

TEST(MemberRun, NothingIsKeptOfARunThatNeverBegan) {
  const PartsFolder folder;
  Conductor conductor(settings_of({"a"}));
  Words words = member(place_at(conductor, 0), [&folder](Member& self) -> std::string {
    MemberRun(self, work_in(folder)).deliver({});
    return "was let go";
  });
  conduct(conductor, [&]() -> Task<void> { co_await conductor.next(0, "part"); });
  EXPECT_EQ(words.get(), "lost the coordinator: the connection was closed");
  EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
}

TEST(MemberRun, WhyAPartCouldNotBeKept) {
  const PartsFolder folder;
  MemberWork work = work_in(folder);
  work.parts = "/proc/no-such-folder";
  Conductor conductor(settings_of({"a"}));
  Words words = member(place_at(conductor, 0), [&work](Member& self) -> std::string {
    deliver_after_a_run(self, work);
    return "was let go";
  });
  conduct(conductor, [&]() -> Task<void> {
    const Message part = co_await conductor.next(0, "part");
    EXPECT_THAT(part.at("trouble").get<std::string>(), HasSubstr("/proc/no-such-folder"));
    conductor.release(0);
    co_await conductor.all_gone(std::chrono::minutes(1));
  });
  EXPECT_EQ(words.get(), "was let go");
}

}  // namespace
}  // namespace drover::ranks
