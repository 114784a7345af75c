// Sets of scripts: their statements, their weights, and the commands that are refused before a run.
#include "workload/sql/script/script_set.h"

#include <gtest/gtest.h>

#include <array>
#include <limits>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "workload/sql/builtin/builtin.h"

namespace drover::sql {
namespace {

// Returns the error with which the script is refused, or an empty text.
std::string refusal(std::string text, Protocol protocol) {
  try {
    const ScriptSet set({{"test.sql", std::move(text)}}, protocol);
  } catch (const ScriptError& error) {
    const std::string what = error.what();
    return what.substr(0, what.find('\n'));
  }
  return "";
}

TEST(ScriptSet, NumbersStatementsOverAllScripts) {
  const ScriptSet set(
      {{"a.sql", "\\set x 1\nSELECT :x;\n\\sleep 1 us\nINSERT INTO t\n  VALUES (:x, :y, :x);"},
       {"a.sql", "SHOW all;"},
       {"b.sql", "END;", 3}},
      Protocol::prepared);
  EXPECT_EQ(set.titles(), (std::vector<std::string>{"a.sql", "a.sql #2", "b.sql"}));
  ASSERT_EQ(set.statements().size(), 4U);
  EXPECT_EQ(&set.statement(0, 3), &set.statements()[1]);
  EXPECT_EQ(&set.statement(2, 0), &set.statements()[3]);
  const Statement& insert = set.statements()[1];
  EXPECT_EQ(insert.number, 1U);
  EXPECT_EQ(insert.index, 3U);
  EXPECT_EQ(insert.position, (Position{4, 1}));
  EXPECT_EQ(insert.title, "INSERT INTO t VALUES (:x, :y, :x);");
  EXPECT_EQ(insert.name, "s1");
  EXPECT_EQ(insert.parameterised, "INSERT INTO t\n  VALUES ($1, $2, $3);");
}

TEST(ScriptSet, ShortensTitles) {
  const ScriptSet set(
      {{"test.sql", "SELECT '" + std::string(40, 'x') + "äöü\x01" + std::string(40, 'y') + "';"}},
      Protocol::simple);
  EXPECT_EQ(set.statements()[0].title,
            "SELECT '" + std::string(40, 'x') + "äöü?" + std::string(8, 'y') + "…");
}

// Result documents do not allow other titles.
TEST(ScriptSet, NamesScriptsAsResultsCan) {
  const ScriptSet set({{"a/b/pay.sql", "SELECT 1;"},
                       {"/c/pay.sql", "SELECT 1;"},
                       {"x/größe \"1\\2\"\x01.sql", "SELECT 1;"},
                       {"all", "SELECT 1;"},
                       {std::string(250, 'n'), "SELECT 1;"}},
                      Protocol::simple);
  EXPECT_EQ(set.titles(), (std::vector<std::string>{"pay.sql", "pay.sql #2", "größe ?1?2??.sql",
                                                    "all #2", std::string(60, 'n') + "…"}));
  EXPECT_EQ(set.scripts()[1].file(), "/c/pay.sql") << "in messages";
}

TEST(ScriptSet, HasFiguresOfTheFirstStatementsOfAScript) {
  std::string many;
  for (std::size_t i = 0; i <= statements_with_figures_max; ++i) many += "SELECT 1;\n";
  const ScriptSet set({{"a.sql", many}, {"b.sql", "SELECT 2;"}}, Protocol::simple);
  ASSERT_EQ(set.statements().size(), statements_with_figures_max + 2);
  EXPECT_TRUE(set.statements()[statements_with_figures_max - 1].has_figures);
  EXPECT_FALSE(set.statements()[statements_with_figures_max].has_figures);
  EXPECT_TRUE(set.statements().back().has_figures);
}

TEST(ScriptSet, TakesTheBuiltinScripts) {
  for (const Protocol protocol : {Protocol::simple, Protocol::extended, Protocol::prepared}) {
    for (const BuiltinScript& script : builtin_scripts()) {
      EXPECT_EQ(refusal(std::string(script.text), protocol), "") << script.name;
    }
  }
}

TEST(ScriptSet, RefusesJoinedStatementsOfTheExtendedProtocol) {
  EXPECT_EQ(refusal("SELECT 1 \\; SELECT 2;", Protocol::simple), "");
  for (const Protocol protocol : {Protocol::extended, Protocol::prepared}) {
    EXPECT_EQ(refusal("SELECT 0;\nSELECT 1 \\; SELECT 2;", protocol),
              "test.sql:2:1: statements joined by \\; need the simple protocol. Separate them with "
              "; or use --protocol simple");
  }
}

// The server accepts a statement that ends with a semicolon.
TEST(ScriptSet, TakesOneStatementWithJointsInEveryProtocol) {
  for (const Protocol protocol : {Protocol::simple, Protocol::extended, Protocol::prepared}) {
    for (const char* text :
         {"\\;", "\\; -- nothing", "INSERT INTO t VALUES (1) \\;", "\\;\\; SELECT 1 \\; /* a */ ;",
          "\\if :x\nSELECT 1 \\; SELECT 2;\n\\endif"}) {
      EXPECT_EQ(refusal(text, protocol), "") << text;
    }
  }
  EXPECT_NE(refusal("SELECT 1 \\; (", Protocol::extended), "");
}

TEST(ScriptSet, RefusesPipelinesOfTheSimpleProtocol) {
  EXPECT_EQ(refusal("SELECT 1;\n\\startpipeline\n\\endpipeline", Protocol::simple),
            "test.sql:2:1: cannot use pipeline mode with the simple query protocol");
}

TEST(ScriptSet, RefusesPipelinesThatCannotWork) {
  const auto refused = [](const std::string& text) { return refusal(text, Protocol::extended); };
  EXPECT_EQ(refused("\\startpipeline\nSELECT 1;\n\\syncpipeline\n\\set x 1\n\\endpipeline\n"
                    "\\startpipeline\n\\endpipeline"),
            "");
  EXPECT_EQ(refused("\\startpipeline\n\\startpipeline\n\\endpipeline"),
            "test.sql:2:1: already in pipeline mode");
  EXPECT_EQ(refused("SELECT 1;\n\\endpipeline"), "test.sql:2:1: not in pipeline mode");
  EXPECT_EQ(refused("\\syncpipeline"), "test.sql:1:1: not in pipeline mode");
  EXPECT_EQ(refused("SELECT 1;\n\\startpipeline\nSELECT 2;"),
            "test.sql:2:1: end of script reached with pipeline open");
  EXPECT_EQ(refused("\\startpipeline\nSELECT 2 AS x \\gset\n\\endpipeline"),
            "test.sql:2:1: \\gset and \\aset are not allowed in pipeline mode");
}

TEST(ScriptSet, LeavesWhatDependsOnConditionsToTheRun) {
  const auto refused = [](const std::string& text) { return refusal(text, Protocol::extended); };
  const std::string perhaps = "\\if :x\n\\startpipeline\n\\endif\n";
  EXPECT_EQ(refused(perhaps + "SELECT 1 AS y \\gset"), "");
  EXPECT_EQ(refused(perhaps + "\\if :x\n\\endpipeline\n\\endif"), "");
  EXPECT_EQ(
      refused("\\if :x\n\\startpipeline\n\\else\n\\startpipeline\n\\endif\n\\startpipeline\n"),
      "test.sql:6:1: already in pipeline mode");
  EXPECT_EQ(refused("\\if 0\n\\endpipeline\n\\endif\nSELECT 1;"), "");
  EXPECT_EQ(refused("\\if :x\nSELECT 1;\n\\else\n\\syncpipeline\n\\endif\nSELECT 1;"), "");
  EXPECT_EQ(refused("\\if :x\n\\if :y\nSELECT 1;\n\\endif\n\\endpipeline\n\\endif\nSELECT 1;"), "");
  EXPECT_EQ(refused("\\if :x\nSELECT 1;\n\\endif\n\\endpipeline"),
            "test.sql:4:1: not in pipeline mode");
  EXPECT_EQ(refusal("\\if 0\n\\startpipeline\n\\endpipeline\n\\endif\nSELECT 1;", Protocol::simple),
            "");
}

Statement statement_of(const std::string& text) {
  static std::vector<std::unique_ptr<ScriptSet>> sets;
  sets.push_back(
      std::make_unique<ScriptSet>(std::vector<ScriptText>{{"test.sql", text}}, Protocol::simple));
  return sets.back()->statements().at(0);
}

TEST(Effect, IsKnownByTheFirstWords) {
  EXPECT_EQ(effect_of("select f()"), Effect::reads);
  EXPECT_EQ(effect_of(" ((SELECT 1))"), Effect::reads);
  EXPECT_EQ(effect_of("Table x"), Effect::reads);
  EXPECT_EQ(effect_of(" ;"), Effect::reads);
  EXPECT_EQ(effect_of("BEGIN;"), Effect::begins);
  EXPECT_EQ(effect_of("start transaction"), Effect::begins);
  EXPECT_EQ(effect_of("Commit;"), Effect::commits);
  EXPECT_EQ(effect_of("END"), Effect::commits);
  EXPECT_EQ(effect_of("abort;"), Effect::rolls_back);
  EXPECT_EQ(effect_of("ROLLBACK AND CHAIN"), Effect::rolls_back);
  EXPECT_EQ(effect_of("ROLLBACK WORK;"), Effect::rolls_back);
  EXPECT_EQ(effect_of("rollback to s"), Effect::keeps_open);
  EXPECT_EQ(effect_of("ROLLBACK WORK\fTO SAVEPOINT s;"), Effect::keeps_open);
  EXPECT_EQ(effect_of("SAVEPOINT s"), Effect::keeps_open);
  EXPECT_EQ(effect_of("release savepoint s;"), Effect::keeps_open);
  EXPECT_EQ(effect_of("PREPARE TRANSACTION 'x'"), Effect::commits);
  EXPECT_EQ(effect_of("COMMIT PREPARED 'x'"), Effect::commits);
  EXPECT_EQ(effect_of("ROLLBACK PREPARED 'x'"), Effect::writes);
  EXPECT_EQ(effect_of("PREPARE x AS SELECT 1"), Effect::writes);
  EXPECT_EQ(effect_of("WITH x AS (DELETE FROM t) SELECT 1"), Effect::writes);
  EXPECT_EQ(effect_of("selection"), Effect::writes);
  EXPECT_EQ(effect_of("$x = (SELECT 1)"), Effect::reads);
  EXPECT_EQ(effect_of("PRAGMA x"), Effect::reads);
}

// Otherwise a lost UPDATE after a comment would not count as an unknown commit.
TEST(Effect, IsKnownBehindComments) {
  EXPECT_EQ(effect_of("/* select */ UPDATE t SET a = 1"), Effect::writes);
  EXPECT_EQ(effect_of("-- select\n  delete from t"), Effect::writes);
  EXPECT_EQ(effect_of("/* a /* b */ update */ -- c\n(SELECT 1)"), Effect::reads);
  EXPECT_EQ(effect_of("/* no end"), Effect::reads);
  EXPECT_EQ(effect_of("/*/ select */ commit"), Effect::commits);
}

TEST(Effect, SaysWhatMayBeCommitted) {
  EXPECT_FALSE(statement_of("SELECT 1;").may_commit(false));
  EXPECT_TRUE(statement_of("DELETE FROM t;").may_commit(false));
  EXPECT_FALSE(statement_of("DELETE FROM t;").may_commit(true));
  EXPECT_TRUE(statement_of("END;").may_commit(true));
  EXPECT_FALSE(statement_of("ROLLBACK TO s \\; DELETE FROM t;").may_commit(true));
  EXPECT_TRUE(statement_of("ROLLBACK TO s;").leaves_open(true));
  EXPECT_FALSE(statement_of("PREPARE TRANSACTION 'x';").leaves_open(true));
  EXPECT_FALSE(statement_of("BEGIN \\; DELETE FROM t;").may_commit(false));
  EXPECT_TRUE(statement_of("BEGIN \\; DELETE FROM t \\; END;").may_commit(false));
  EXPECT_TRUE(statement_of("ROLLBACK \\; DELETE FROM t;").may_commit(true));
  EXPECT_TRUE(statement_of("BEGIN \\; DELETE FROM t;").leaves_open(false));
  EXPECT_FALSE(statement_of("SELECT 1 \\; END;").leaves_open(true));
}

TEST(TransactionControl, HasSeveralForms) {
  using enum TransactionControl;
  for (const char* text : {"BEGIN;", "begin", "Begin Transaction ;", "START TRANSACTION;",
                           "BEGIN WORK", "BEGIN READ WRITE;", "begin\ntransaction\tread write;"}) {
    EXPECT_EQ(transaction_control(text), begin) << text;
  }
  for (const char* text : {"BEGIN READ ONLY;", "start transaction read only"}) {
    EXPECT_EQ(transaction_control(text), begin_read_only) << text;
  }
  for (const char* text : {"COMMIT;", "END", "end transaction;", "commit work;"}) {
    EXPECT_EQ(transaction_control(text), commit) << text;
  }
  for (const char* text : {"ROLLBACK;", "abort", "rollback transaction ;"}) {
    EXPECT_EQ(transaction_control(text), roll_back) << text;
  }
}

TEST(TransactionControl, IsNoneOfOtherStatements) {
  for (const char* text :
       {"", ";", "SELECT 1;", "beginning;", "UPDATE t SET commit = 1;", "$x = 1;", "-- BEGIN"}) {
    EXPECT_EQ(transaction_control(text), TransactionControl::none) << text;
  }
}

TEST(TransactionControl, GoesOnWithNothingElse) {
  for (const char* text :
       {"BEGIN ISOLATION LEVEL SERIALIZABLE;", "BEGIN READ;", "BEGIN READ ONLY WRITE;",
        "COMMIT READ ONLY;", "COMMIT AND CHAIN;", "ROLLBACK TO s;", "END TRANSACTION WORK;",
        "BEGIN;;", "BEGIN -- now", "ABORT SELECT 1"}) {
    EXPECT_FALSE(transaction_control(text)) << text;
  }
  EXPECT_FALSE(transaction_control("BEGIN" + std::string(100, ' ') + "READ"));
}

TEST(Weights, StandBehindTheLastAt) {
  const auto weighted = [](std::string_view text) {
    const std::optional<WeightedName> result = parse_weighted(text);
    return result ? result->name + " " + std::to_string(result->weight) : "none";
  };
  EXPECT_EQ(weighted("a.sql"), "a.sql 1");
  EXPECT_EQ(weighted("a.sql@5"), "a.sql 5");
  EXPECT_EQ(weighted("a.sql@0"), "a.sql 0");
  EXPECT_EQ(weighted("a@b@2"), "a@b 2");
  EXPECT_EQ(weighted("a@2147483647"), "a 2147483647");
  EXPECT_EQ(weighted("a@ 1"), "a 1");
  EXPECT_EQ(weighted("a@+2"), "a 2");
  EXPECT_EQ(weighted("a@ \t+3"), "a 3");
  for (const char* text : {"", "@5", "a@", "a@b", "a@-1", "a@2147483648", "a@1.5", "a@5x", "a@ ",
                           "a@+", "a@+-1", "a@+ 1", "a@1 "}) {
    EXPECT_EQ(weighted(text), "none") << text;
  }
}

// Makes a set of scripts with these weights.
std::unique_ptr<ScriptSet> weighted_set(const std::vector<std::int32_t>& weights) {
  std::vector<ScriptText> texts;
  for (const std::int32_t weight : weights) texts.push_back({"a.sql", "SELECT 1;", weight});
  return std::make_unique<ScriptSet>(std::move(texts), Protocol::simple);
}

TEST(Weights, AreTheSharesOfTheScripts) {
  const auto set = weighted_set({0, 1, 3, 0});
  std::array<int, 4> chosen{};
  random::Rng rng(4);
  for (int i = 0; i < 40'000; ++i) ++chosen.at(set->choose(rng));
  EXPECT_EQ(chosen[0] + chosen[3], 0);
  EXPECT_NEAR(chosen[1], 10'000, 400);
}

TEST(Weights, ChooseTheSameForTheSameSeed) {
  constexpr std::int32_t most = std::numeric_limits<std::int32_t>::max();
  const auto set = weighted_set({most, most, most});
  random::Rng one(4);
  random::Rng other(4);
  for (int i = 0; i < 1000; ++i) EXPECT_EQ(set->choose(one), set->choose(other));
}

}  // namespace
}  // namespace drover::sql
