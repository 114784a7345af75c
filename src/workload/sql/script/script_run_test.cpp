#include "workload/sql/script/script_run.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "workload/sql/script/parser.h"

namespace drover::sql {
namespace {

// A script, one client, and what it would have sent.
struct Client {
  explicit Client(const std::string& text) : script(parse_script("test", text, names)) {}

  std::vector<std::string> sent() {
    set_builtin_variables(names, {.client_id = 3, .scale = 2}, variables);
    std::vector<std::string> result;
    ScriptRun run(script, environment);
    while (const Command* command = run.next()) {
      if (const auto* sql = std::get_if<SqlCommand>(&command->action)) {
        sql->sql.render(variables, result.emplace_back());
      }
    }
    return result;
  }

  VariableNames names;
  Script script;
  Variables variables{names};
  random::Rng rng{7};
  Environment environment{variables, rng};
};

using Sent = std::vector<std::string>;

std::string pause_refusal(const std::string& text, const std::string& variable) {
  Client client(text);
  const Slot slot = client.names.slot_of("x");
  client.variables = Variables(client.names);
  client.variables.set_text(slot, variable);
  ScriptRun run(client.script, client.environment);
  try {
    run.next();
    run.pause();
  } catch (const ScriptError& error) {
    return error.message();
  }
  return "";
}

TEST(ScriptRun, RefusesAPauseThatIsNoNumber) {
  EXPECT_EQ(pause_refusal("\\sleep :x ms", "true"),
            "invalid sleep time \"true\" of the variable \"x\": expected a number");
  EXPECT_EQ(pause_refusal("\\think :x ms", "null"),
            "invalid mean \"null\" of the variable \"x\": expected a number");
  EXPECT_EQ(pause_refusal("\\sleep :x ms", "5abc"), "malformed variable \"x\" value: \"5abc\"");
  EXPECT_EQ(pause_refusal("\\sleep :x us", "1.5"), "");
}

TEST(ScriptRun, SendsWhatTheVariablesAre) {
  EXPECT_EQ(Client("\\set x :client_id * 10\n\\set y :x / 4.0\nselect :x, :y, :scale;").sent(),
            Sent{"select 30, 7.5, 2;"});
  EXPECT_EQ(Client("\\set b :scale = 2\n\\set n null\nselect :b, :n;").sent(),
            Sent{"select true, NULL;"});
}

std::string part_taken(const std::string& first, const std::string& second) {
  const Sent sent =
      Client("\\if " + first + "\na\n\\elif " + second + "\nb\n\\else\nc\n\\endif\n").sent();
  return sent.empty() ? "" : sent.at(0);
}

TEST(ScriptRun, TakesOnePartOfACondition) {
  EXPECT_EQ(part_taken("true", "1/0"), "a");
  EXPECT_EQ(part_taken("0", "2"), "b");
  EXPECT_EQ(part_taken("null", "0.1"), "b");
  EXPECT_EQ(part_taken("0.0", "false"), "c");
  EXPECT_EQ(Client("\\if false\n\\if true\na;\n\\endif\n\\else\nb;\n\\endif\nc;").sent(),
            (Sent{"b;", "c;"}));
  EXPECT_EQ(Client("a;\\if false\nb;\n\\endif").sent(), Sent{"a;"});
}

TEST(ScriptRun, KeepsVariablesForTheNextRun) {
  Client client("\\if :n is null\n\\set n 0\n\\endif\n\\set n :n + 1\nselect :n;");
  client.variables.set(*client.names.find("n"), Value::null());
  EXPECT_EQ(client.sent(), Sent{"select 1;"});
  EXPECT_EQ(client.sent(), Sent{"select 2;"});
}

TEST(ScriptRun, SaysWhichCommandHasNoValue) {
  Client client("select 1;\n  \\set x 1 / (:scale - 2)\n");
  try {
    client.sent();
    FAIL();
  } catch (const ScriptError& error) {
    EXPECT_STREQ(error.what(), "test:2:3: division by zero\n    \\set x 1 / (:scale - 2)\n    ^");
  }
}

std::chrono::nanoseconds pause_of(Client& client) {
  ScriptRun run(client.script, client.environment);
  run.next();
  return run.pause();
}

TEST(ScriptRun, Sleeps) {
  Client constant("\\sleep 20 ms");
  EXPECT_EQ(pause_of(constant), std::chrono::milliseconds(20));
  Client negative("\\sleep -20");
  EXPECT_EQ(pause_of(negative), std::chrono::nanoseconds(0));
  Client variable("\\set x 2.5\n\\sleep :x us");
  EXPECT_EQ(pause_of(variable), std::chrono::nanoseconds(2500));
  Client endless("\\set x 1e300\n\\sleep :x");
  EXPECT_GT(pause_of(endless), std::chrono::hours(24 * 365));
}

TEST(ScriptRun, RefusesPausesThatAreNoTime) {
  Client unset("\\sleep :x");
  EXPECT_THROW(pause_of(unset), ScriptError);
  Client boolean("\\set x true\n\\sleep :x");
  EXPECT_THROW(pause_of(boolean), ScriptError);
}

TEST(ScriptRun, Thinks) {
  Client client("\\think 10 ms");
  double sum_ms = 0;
  int above_the_mean = 0;
  for (int i = 0; i < 10'000; ++i) {
    const double ms = static_cast<double>(pause_of(client).count()) / 1e6;
    sum_ms += ms;
    above_the_mean += ms > 10 ? 1 : 0;
  }
  EXPECT_NEAR(sum_ms / 10'000, 10, 0.5);
  EXPECT_NEAR(above_the_mean / 10'000.0, 0.368, 0.02);  // 1 / e
}

}  // namespace
}  // namespace drover::sql
