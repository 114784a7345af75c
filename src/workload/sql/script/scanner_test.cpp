// The cases of SQL are those that a server logged when pgbench 15.18 executed the scripts.
#include "workload/sql/script/script.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

namespace drover::sql {
namespace {

using Texts = std::vector<std::string>;

// Returns all statements. Skips the lines of meta commands.
Texts statements_in(const std::string& text) {
  const Source source("test", text);
  VariableNames names;
  Texts result;
  for (std::size_t offset = 0; offset < text.size();) {
    const ScannedStatement statement = scan_statement(source, offset, names);
    if (!statement.sql.empty()) result.push_back(statement.sql.text());
    offset = statement.end;
    if (statement.ended_by != StatementEnd::backslash) continue;
    offset = std::min(text.find('\n', offset), text.size());
  }
  return result;
}

std::string scan_refusal(const std::string& text) {
  try {
    statements_in(text);
    return "none";
  } catch (const ScriptError& error) {
    return error.message();
  }
}

TEST(SqlScanner, EndsAtSemicolons) {
  EXPECT_EQ(statements_in("select 1; select 2;\n"), (Texts{"select 1;", "select 2;"}));
  EXPECT_EQ(statements_in("select 1;\nselect 2 "), (Texts{"select 1;", "select 2"}));
  EXPECT_EQ(statements_in(";\n;\nselect 1"), (Texts{";", ";", "select 1"}));
  EXPECT_EQ(statements_in(""), Texts{});
  EXPECT_EQ(statements_in("begin; select 1; end;"), (Texts{"begin;", "select 1;", "end;"}));
}

TEST(SqlScanner, PassesOverQuotes) {
  EXPECT_EQ(statements_in("select 'a;b', \"c;d\"; x"), (Texts{"select 'a;b', \"c;d\";", "x"}));
  EXPECT_EQ(statements_in("select 'a;''b;'; x"), (Texts{"select 'a;''b;';", "x"}));
  EXPECT_EQ(statements_in("select 'a\\'; x"), (Texts{"select 'a\\';", "x"}));
  EXPECT_EQ(statements_in("select '\n\\set x 1\n'; x"), (Texts{"select '\n\\set x 1\n';", "x"}));
}

TEST(SqlScanner, KnowsEscapes) {
  EXPECT_EQ(statements_in(R"(select E'\';', e'a\\'; x)"),
            (Texts{R"(select E'\';', e'a\\';)", "x"}));
  EXPECT_EQ(statements_in("select E'a' \n '\\';' ; x"), (Texts{"select E'a' \n '\\';' ;", "x"}));
  EXPECT_EQ(statements_in(R"(select E'a''\';'; x)"), (Texts{R"(select E'a''\';';)", "x"}));
  EXPECT_EQ(statements_in(R"(select date'\'; x)"), (Texts{R"(select date'\';)", "x"}));
}

TEST(SqlScanner, KnowsDollarQuotes) {
  EXPECT_EQ(statements_in("select $$;$$; x"), (Texts{"select $$;$$;", "x"}));
  EXPECT_EQ(statements_in("select $a$;$b$;$$;$a$; x"), (Texts{"select $a$;$b$;$$;$a$;", "x"}));
  EXPECT_EQ(statements_in("select $1; x"), (Texts{"select $1;", "x"}));
  EXPECT_EQ(statements_in("select $a;$a;"), (Texts{"select $a;", "$a;"}));
  EXPECT_EQ(statements_in("select a$$;$$;$$"), (Texts{"select a$$;", "$$;$$"}));
}

TEST(SqlScanner, PassesOverComments) {
  EXPECT_EQ(statements_in("select 1 /* ; /* ; */ ; */ ; x"),
            (Texts{"select 1 /* ; /* ; */ ; */ ;", "x"}));
  EXPECT_EQ(statements_in("select 1 -- ; '\n + 2; x"), (Texts{"select 1 -- ; '\n + 2;", "x"}));
  EXPECT_EQ(statements_in("select 5 +-- x;\n 1;"), Texts{"select 5 +-- x;\n 1;"});
}

// Unlike Drover, pgbench sends a /* */ comment without a statement as an empty query.
TEST(SqlScanner, DropsCommentsThatStandAlone) {
  EXPECT_EQ(statements_in("-- c\n/* d */ select 1; -- e\n /* end */\n"),
            Texts{"/* d */ select 1;"});
  EXPECT_EQ(statements_in("-- only"), Texts{});
  EXPECT_EQ(statements_in("/* only */ -- this\n"), Texts{});
}

TEST(SqlScanner, CountsParentheses) {
  EXPECT_EQ(statements_in("create rule r as do (select 1; select 2); x"),
            (Texts{"create rule r as do (select 1; select 2);", "x"}));
  EXPECT_EQ(statements_in("select 1); x"), (Texts{"select 1);", "x"}));
  EXPECT_EQ(statements_in("select (1 \\set x\nselect 2; x"),
            (Texts{"select (1", "select 2;", "x"}));
}

TEST(SqlScanner, KnowsBodiesOfRoutines) {
  const std::string body = "begin atomic select case when true then 1 end; select 2; end;";
  for (const std::string head :
       {"create function f() returns int ", "CREATE OR REPLACE PROCEDURE p() ",
        "create or replace function f() ", "create procedure p() "}) {
    EXPECT_EQ(statements_in(head + body + " x"), (Texts{head + body, "x"}));
  }
  EXPECT_EQ(statements_in("create table begin_x(a int); begin; x"),
            (Texts{"create table begin_x(a int);", "begin;", "x"}));
  EXPECT_EQ(statements_in("create index i on begin (a); x"),
            (Texts{"create index i on begin (a);", "x"}));
}

TEST(SqlScanner, JoinsStatements) {
  const Source source("test", "select 1 \\; select 2 \\; select 3; x");
  VariableNames names;
  const ScannedStatement statement = scan_statement(source, 0, names);
  EXPECT_EQ(statement.sql.text(), "select 1 ; select 2 ; select 3;");
  EXPECT_EQ(statement.sql.joints(), 2U);
  EXPECT_EQ(statements_in("select a[1\\:n]; x"), (Texts{"select a[1:n];", "x"}));
}

TEST(SqlScanner, RefusesWhatHasNoEnd) {
  EXPECT_EQ(scan_refusal("select 'a; x"), "the closing quote (') is missing");
  EXPECT_EQ(scan_refusal("select E'a\\"), "the closing quote (') is missing");
  EXPECT_EQ(scan_refusal("select \"a; x"), "the closing quote (\") is missing");
  EXPECT_EQ(scan_refusal("select $x$ $y$"), "the closing dollar quote is missing");
  EXPECT_EQ(scan_refusal("select /* /* */"), "the end of the comment (/*) is missing");
}

struct Rendered {
  std::string with_parameters;
  std::string as_text;
  Texts parameters;
};

// Renders the statement with x = 5, s = "it's", é = 8, n = null, and u unset.
Rendered rendered(const std::string& text) {
  const Source source("test", text);
  VariableNames names;
  const ScannedStatement statement = scan_statement(source, 0, names);
  Variables variables(names);
  set_definitions({{"x", "5"}, {"s", "it's"}, {"é", "8"}}, variables);
  if (const auto slot = names.find("n")) variables.set(*slot, Value::null());
  Rendered result{statement.sql.with_parameters(), "", {}};
  statement.sql.render(variables, result.as_text);
  for (const Slot slot : statement.sql.parameters()) {
    std::string value;
    const bool given = append_parameter(variables, slot, value);
    result.parameters.push_back(given ? value : "(NULL)");
  }
  return result;
}

TEST(SqlText, HasParametersOrValues) {
  const Rendered both = rendered("select :x, :s + :x::int, :n, :u;");
  EXPECT_EQ(both.with_parameters, "select $1, $2 + $3::int, $4, $5;");
  EXPECT_EQ(both.parameters, (Texts{"5", "it's", "5", "(NULL)", "(NULL)"}));
  EXPECT_EQ(both.as_text, "select 5, it's + 5::int, NULL, :u;");
}

TEST(SqlText, FindsVariables) {
  const auto text = [](const std::string& sql) { return rendered(sql).as_text; };
  EXPECT_EQ(text("select 1::x, ::x, :::x, a[1:2], 12:30;"),
            "select 1::x, ::x, :::x, a[1:2], 12:30;");
  EXPECT_EQ(text("select :é, a[:x:4], 1:x, (:x)"), "select 8, a[5:4], 15, (5)");
  EXPECT_EQ(text("select 1 \\:x"), "select 1 :x");
  EXPECT_EQ(text("x := 1"), "x := 1");
}

TEST(SqlText, LeavesQuotesAndCommentsAlone) {
  const std::string quoted = "select ':x', \":x\", $$:x$$ /* :x */ -- :x";
  EXPECT_EQ(rendered(quoted).as_text, quoted);
  EXPECT_EQ(rendered(quoted).with_parameters, quoted);
}

TEST(SqlText, HasAsManyParametersAsTheProtocol) {
  std::string sql = "select ";
  for (std::size_t i = 0; i < SqlText::parameters_max; ++i) sql += ":x,";
  EXPECT_EQ(rendered(sql).parameters.size(), 65'535U);
  EXPECT_EQ(scan_refusal(sql + ":x"), "statement has too many arguments (maximum is 65535)");
}

// Returns all statements. Skips the lines of meta commands.
std::vector<ScannedStatement> scan_all(const std::string& text) {
  const Source source("test", text);
  std::vector<ScannedStatement> scanned;
  for (std::size_t offset = 0; offset < text.size();) {
    scanned.push_back(scan_yql_statement(source, offset));
    offset = scanned.back().end;
    if (scanned.back().ended_by != StatementEnd::backslash) continue;
    offset = std::min(text.find('\n', offset), text.size());
  }
  return scanned;
}

Texts yql_statements_in(const std::string& text) {
  Texts texts;
  for (const ScannedStatement& one : scan_all(text)) {
    if (!one.sql.empty()) texts.push_back(one.sql.text());
  }
  return texts;
}

Texts mentions_in(const std::string& text) {
  Texts names;
  for (const ScannedStatement& one : scan_all(text)) {
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
  EXPECT_EQ(scanned[0].sql.joints(), 1U);
  EXPECT_EQ(scanned[0].sql.text(), "SELECT 1 ; SELECT 2;");
}

TEST(YqlScanner, JoinsNamedExpressionsToWhatFollows) {
  const auto scanned = scan_all("$a = (SELECT 1); -- one\n/* two */ $b = 2;\nSELECT $a, $b; x");
  ASSERT_EQ(scanned.size(), 2U);
  EXPECT_EQ(scanned[0].sql.joints(), 2U);
  EXPECT_EQ(scanned[0].sql.text(), "$a = (SELECT 1); -- one\n/* two */ $b = 2;\nSELECT $a, $b;");
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
