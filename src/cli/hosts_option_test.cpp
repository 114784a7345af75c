#include "cli/hosts_option.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "cli/option/command.h"
#include "run/usage_error.h"

namespace drover::cli {
namespace {

namespace fs = std::filesystem;
using ranks::Message;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

// A command of several hosts, in a folder of its own.
class HostsOption : public testing::Test {
 protected:
  HostsOption() {
    std::string name = (fs::temp_directory_path() / "drover-hosts-XXXXXX").native();
    EXPECT_NE(mkdtemp(name.data()), nullptr);
    folder_ = name;
    before_ = fs::current_path();
    fs::current_path(folder_);
    run_.add_options({{"-w,--warehouses", &warehouses_, "W", ""},
                      {"--db", &db_, "URI", ""},
                      {"--no-delays", &no_delays_, "", ""},
                      {"--quiet", &quiet_, "", ""},
                      {"--file", &files_, "FILE", ""},
                      {"--config", &config_, "FILE", "", command_line_only}});
    run_.add_options(output_group, {{"--json", &json_, "FILE", ""},
                                    {"--ui", &ui_, "HOW", ""},
                                    {"--metrics", &metrics_, "ADDRESS", ""},
                                    {"--strict", &strict_, "", ""}});
    add_hosts_options(run_, arguments_);
    add_parts_option(run_, arguments_);
  }
  ~HostsOption() override {
    fs::current_path(before_);
    fs::remove_all(folder_);
  }

  Message work_of_line(std::vector<std::string> line) {
    line.insert(line.begin(), {"sql", "run"});
    read_words(program_, line);
    return work_of(run_);
  }
  std::string refusal(const std::string& hosts, const std::vector<std::uint64_t>& weights = {},
                      const std::string& listen = {}, bool private_server = false) {
    arguments_.hosts = hosts;
    arguments_.weights = weights;
    arguments_.listen = listen;
    try {
      make_conducting(arguments_, private_server);
      return "(it was taken)";
    } catch (const UsageError& error) {
      return error.what();
    }
  }

  std::string refusal_of_line(std::vector<std::string> line) {
    line.insert(line.begin(), {"sql", "run"});
    try {
      read_words(program_, line);
    } catch (const UsageError& error) {
      const std::string what = error.what();
      return what.substr(0, what.find('\n'));
    }
    return refusal_of_check();
  }
  std::string refusal_of_check() const {
    try {
      check_hosts(arguments_);
      return "(it was taken)";
    } catch (const UsageError& error) {
      return error.what();
    }
  }

  fs::path folder_;
  fs::path before_;
  Command program_{"drover"};
  Command& run_ = program_.add_command("sql").add_command("run");
  HostsArguments arguments_;
  std::string warehouses_, db_, json_, ui_, metrics_, config_;
  bool no_delays_ = false;
  bool quiet_ = false;
  bool strict_ = false;
  std::vector<std::string> files_;
};

TEST_F(HostsOption, MembersGetTheWordsOfTheLoad) {
  const Message work = work_of_line({"-w", "400", "--db=host=db user=bench", "--no-delays"});
  EXPECT_THAT(
      work.at("words").get<std::vector<std::string>>(),
      ElementsAre("sql", "run", "--warehouses=400", "--db=host=db user=bench", "--no-delays"));
}

TEST_F(HostsOption, AndNothingThatIsTheConductors) {
  const Message work =
      work_of_line({"--hosts", "a,b", "--weights", "2,1", "--parts", "/parts", "--listen", "4711",
                    "--json", "result.json", "--ui", "plain", "--metrics", "9464", "--strict",
                    "--config", "drover.ini", "-w", "4"});
  EXPECT_THAT(work.at("words").get<std::vector<std::string>>(),
              ElementsAre("sql", "run", "--warehouses=4"));
}

// Words that came from a variable or a file of settings are as good as those of the command line.
TEST_F(HostsOption, WhateverWayAnOptionWasGiven) {
  for (Option& option : run_.options) {
    if (option.name() == "--warehouses") option.give({"7"}, " (from the variable X)");
    if (option.name() == "--no-delays") option.give({"false"}, " (from the variable Y)");
  }
  EXPECT_THAT(work_of(run_).at("words").get<std::vector<std::string>>(),
              ElementsAre("sql", "run", "--warehouses=7"));
}

// As in --hosts "$HOSTS" where nobody has set it.
TEST_F(HostsOption, AnEmptyValueIsNotNone) {
  EXPECT_EQ(refusal_of_line({"--hosts", ""}), "--hosts: the value is empty. Expected HOST,…");
}

TEST_F(HostsOption, NorIsOneOfTheOthers) {
  EXPECT_EQ(refusal_of_line({"--hosts", "a,b", "--weights="}),
            "--weights: the value is empty. Expected N,…");
}

TEST_F(HostsOption, MembersGetEmptyValues) {
  const Message work = work_of_line({"--db", "", "-w", "10"});
  read_words(program_, work.at("words").get<std::vector<std::string>>());
  EXPECT_EQ(db_, "");
  EXPECT_EQ(warehouses_, "10");
}

TEST_F(HostsOption, OptionsThatSayNothingOfOneHost) {
  EXPECT_EQ(refusal_of_line({"--listen", "4711"}), "--listen needs --hosts or --agents");
}

// A site says it once for those of its commands that have several hosts.
TEST_F(HostsOption, UnlessTheyAreSettings) {
  for (Option& option : run_.options) {
    if (option.name() == "--listen") option.give({"4711"}, " (from drover.ini)");
  }
  EXPECT_EQ(refusal_of_check(), "(it was taken)");
}

TEST_F(HostsOption, VariablesOfTheDatabasesGoAlong) {
  setenv("PGDROVERTEST", "a=b", 1);
  setenv("YDB_DROVER_TEST", "", 1);
  setenv("DROVER_TEST_OTHER", "stays", 1);
  const Message environment = work_of_line({}).at("environment");
  EXPECT_EQ(environment.at("PGDROVERTEST"), "a=b");
  EXPECT_EQ(environment.at("YDB_DROVER_TEST"), "");
  EXPECT_FALSE(environment.contains("DROVER_TEST_OTHER"));
  EXPECT_FALSE(environment.contains("PATH"));
}

TEST_F(HostsOption, SharesByWeights) {
  arguments_.hosts = "a,b,a";
  arguments_.weights = {2, 1, 1};
  const auto conducting = make_conducting(arguments_, false);
  ASSERT_EQ(conducting->shares.size(), 3U);
  EXPECT_EQ(conducting->shares[0], (load::Share{0, 2, 4, 0, 3}));
  EXPECT_EQ(conducting->shares[2], (load::Share{3, 1, 4, 2, 3}));
  EXPECT_EQ(conducting->conductor->name(2), "a#2");
  arguments_.weights.clear();
  EXPECT_EQ(make_conducting(arguments_, false)->shares[1], (load::Share{1, 1, 3, 1, 3}));
}

TEST_F(HostsOption, NoTwoRunsAreOne) {
  arguments_.hosts = "a";
  const auto one = make_conducting(arguments_, false);
  const auto other = make_conducting(arguments_, false);
  EXPECT_NE(one->run, other->run);
  EXPECT_NE(one->conductor->secret(), other->conductor->secret());
}

// Not only those that lead from this host to itself.
TEST_F(HostsOption, APortAloneIsOneOfEveryAddress) {
  arguments_.hosts = "a";
  const auto hosts_at = [this](const std::string& place) {
    arguments_.listen = place;
    std::vector<std::string> hosts;
    for (const ranks::Endpoint& one : make_conducting(arguments_, false)->conductor->endpoints()) {
      hosts.push_back(one.host);
    }
    return hosts;
  };
  const std::vector<std::string> all = hosts_at("");
  for (const char* place : {"0", ":0", "[::]:0"}) EXPECT_EQ(hosts_at(place), all) << place;
}

TEST_F(HostsOption, SaysWhatIsWrong) {
  EXPECT_THAT(refusal("a,,b"), HasSubstr("--hosts a,,b: a host name in 'a,,b' is empty"));
  EXPECT_THAT(refusal("a,b", {1}),
              HasSubstr("--weights 1: expected one weight for each of 2 hosts"));
  for (const char* weights : {"1,0", "1,half", "1,-1", "1,1000001"}) {
    EXPECT_THAT(refusal_of_line({"--hosts", "a,b", "--weights", weights}), HasSubstr("--weights "))
        << weights;
  }
  EXPECT_THAT(refusal("a", {}, "here"), HasSubstr("--listen here: expected a port"));
  EXPECT_THAT(refusal("a", {}, "192.0.2.1:4711"), HasSubstr("--listen 192.0.2.1:4711: "));
  EXPECT_THAT(refusal("a", {}, "", true), HasSubstr("--hosts needs --db"));
}

}  // namespace
}  // namespace drover::cli
