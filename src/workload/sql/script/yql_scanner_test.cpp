// Where statements of YQL end, and which names they mention.
#include "workload/sql/script/yql_scanner.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

namespace drover::sql {
namespace {

using Texts = std::vector<std::string>;

// Every statement; a backslash that begins a command is passed over with its line.
std::vector<ScannedYql> scan_all(const std::string& text) {
  const Source source("test", text);
  std::vector<ScannedYql> scanned;
  for (std::size_t offset = 0; offset < text.size();) {
    scanned.push_back(scan_yql_statement(source, offset));
    offset = scanned.back().statement.end;
    if (scanned.back().statement.ended_by != StatementEnd::backslash) continue;
    offset = std::min(text.find('\n', offset), text.size());
  }
  return scanned;
}

Texts yql_statements_in(const std::string& text) {
  Texts texts;
  for (const ScannedYql& one : scan_all(text)) {
    if (!one.statement.sql.empty()) texts.push_back(one.statement.sql.text());
  }
  return texts;
}

Texts mentions_in(const std::string& text) {
  Texts names;
  for (const ScannedYql& one : scan_all(text)) {
    for (const YqlMention& mention : one.mentions) {
      names.push_back(
          fmt::format("{}{}@{}", mention.has_colon ? ":" : "$", mention.name, mention.offset));
    }
  }
  return names;
}

std::string yql_refusal(const std::string& text) {
  try {
    scan_all(text);
    return "none";
  } catch (const ScriptError& error) {
    return fmt::format("{}:{} {}", error.position().line, error.position().column, error.message());
  }
}

TEST(YqlScanner, EndsAtSemicolons) {
  EXPECT_EQ(yql_statements_in("SELECT 1; SELECT 2;\n"), (Texts{"SELECT 1;", "SELECT 2;"}));
  EXPECT_EQ(yql_statements_in("SELECT 1;\nSELECT 2 \n"), (Texts{"SELECT 1;", "SELECT 2"}));
  EXPECT_EQ(yql_statements_in("SELECT 1 \\set x 1\nSELECT 2;"), (Texts{"SELECT 1", "SELECT 2;"}));
  EXPECT_EQ(yql_statements_in(";\n ; -- nothing\n"), Texts{});
  EXPECT_EQ(yql_statements_in(""), Texts{});
}

TEST(YqlScanner, PassesOverQuotes) {
  EXPECT_EQ(yql_statements_in(R"(SELECT 'a;\'b;', "c;\"d;"; x)"),
            (Texts{R"(SELECT 'a;\'b;', "c;\"d;";)", "x"}));
  EXPECT_EQ(yql_statements_in("SELECT `a;b`; x"), (Texts{"SELECT `a;b`;", "x"}));
  EXPECT_EQ(yql_statements_in("SELECT @@a;'@@@@;@@; x"), (Texts{"SELECT @@a;'@@@@;@@;", "x"}));
  EXPECT_EQ(yql_statements_in("SELECT 'a\\\\'; x"), (Texts{"SELECT 'a\\\\';", "x"}));
  EXPECT_EQ(mentions_in("SELECT '$a :b', \"$c\", `$d`, @@$e@@;"), Texts{});
}

TEST(YqlScanner, PassesOverComments) {
  EXPECT_EQ(yql_statements_in("SELECT 1 /* ; /* ; */ ; x"),
            (Texts{"SELECT 1 /* ; /* ; */ ;", "x"}));
  EXPECT_EQ(yql_statements_in("SELECT 1 -- ; '\n + 2; x"), (Texts{"SELECT 1 -- ; '\n + 2;", "x"}));
  EXPECT_EQ(yql_statements_in("-- first\n/* second; */ SELECT 1;\n/* third */"),
            Texts{"SELECT 1;"});
  EXPECT_EQ(mentions_in("SELECT 1 /* $a */ -- $b :c\n;"), Texts{});
}

TEST(YqlScanner, PassesOverParenthesesAndBraces) {
  EXPECT_EQ(yql_statements_in("SELECT f(($x) -> { $y = $x; RETURN $y; }); x"),
            (Texts{"SELECT f(($x) -> { $y = $x; RETURN $y; });", "x"}));
  EXPECT_EQ(yql_statements_in("SELECT ) }; x"), (Texts{"SELECT ) };", "x"}));
  EXPECT_EQ(yql_statements_in("SELECT (1; x"), Texts{"SELECT (1; x"});
}

TEST(YqlScanner, JoinsStatements) {
  const auto scanned = scan_all("SELECT 1 \\; SELECT 2;");
  ASSERT_EQ(scanned.size(), 1U);
  EXPECT_EQ(scanned[0].statement.sql.joints(), 1U);
  EXPECT_EQ(scanned[0].statement.sql.text(), "SELECT 1 ; SELECT 2;");
}

TEST(YqlScanner, JoinsNamedExpressionsToWhatFollows) {
  const auto scanned = scan_all("$a = (SELECT 1); -- one\n/* two */ $b = 2;\nSELECT $a, $b; x");
  ASSERT_EQ(scanned.size(), 2U);
  EXPECT_EQ(scanned[0].statement.sql.joints(), 2U);
  EXPECT_EQ(scanned[0].statement.sql.text(),
            "$a = (SELECT 1); -- one\n/* two */ $b = 2;\nSELECT $a, $b;");
  EXPECT_EQ(yql_statements_in("SELECT $a; x"), (Texts{"SELECT $a;", "x"}));
  const std::string message =
      " a named expression belongs to the statement that follows it. Nothing else may stand "
      "between them";
  EXPECT_EQ(yql_refusal("SELECT 1;\n $a = 1;\n\\set x 1\nSELECT $a;"), "2:2" + message);
  EXPECT_EQ(yql_refusal("$a = 1"), "1:1" + message);
  EXPECT_EQ(yql_refusal("SELECT 1 \\; $a = 1;"), "1:1" + message);
}

TEST(YqlScanner, FindsNames) {
  EXPECT_EQ(mentions_in("SELECT $a, :b, $ä_1;"), (Texts{"$a@7", ":b@11", "$ä_1@15"}));
  EXPECT_EQ(mentions_in("SELECT a$b, $1, : b, :1, ::c, DateTime::Now(), $;"), Texts{"$b@8"});
  EXPECT_EQ(mentions_in("SELECT <|a:$b|>, {1:$c};"), (Texts{"$b@11", "$c@20"}));
}

TEST(YqlScanner, RefusesWhatHasNoEnd) {
  EXPECT_EQ(yql_refusal("SELECT 1,\n 'x;"), "2:2 the closing quote (') is missing");
  EXPECT_EQ(yql_refusal("SELECT \"x\\\";"), "1:8 the closing quote (\") is missing");
  EXPECT_EQ(yql_refusal("SELECT '\\"), "1:8 the closing quote (') is missing");
  EXPECT_EQ(yql_refusal("SELECT `x;"), "1:8 the closing quote (`) is missing");
  EXPECT_EQ(yql_refusal("SELECT @@x@;"), "1:8 the closing quote (@@) is missing");
  EXPECT_EQ(yql_refusal("SELECT 1 /* x;"), "1:10 the end of the comment (/*) is missing");
  EXPECT_EQ(yql_refusal("/*/"), "1:1 the end of the comment (/*) is missing");
}

}  // namespace
}  // namespace drover::sql
