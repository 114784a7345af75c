// The catalogue of a check's conditions in YQL: each is a text that selects the rows that offend,
// and says how an offender is told to people. The texts are formatted here and not in YQL:
// an amount then reads the same whatever the server makes of a Decimal.
//
// A condition's `sql` has named expressions, the last of which is $judged: rows with the columns of
// the key, what the judgements speak of, and for each judgement a Bool that says whether it holds.
// It may use these parameters, which are declared where they occur:
//
//   $first, $last      first and last warehouse of the range, both included
//   $due_warehouses    List<Struct<w_id>>: each warehouse of the range, whether it is there or not
//   $due_districts     List<Struct<d_id, w_id>>: the same, ten districts in each
//   $family_names      List<Struct<id, name>>: the last names of customers 1 to 1,000
//
// Tables are named without their folder, which a pragma before the text says. Each text stays in
// what YQL has had for long: no window functions, no UDFs but those of Unicode.
//
// They say the same as those of PostgreSQL (workload/tpcc/postgres/check/conditions.h) but for what
// would want regular expressions. Where PostgreSQL names each missing row, the conditions *.rows
// name the district or warehouse that does not have its rows.
//
// What is compared comes from several tables by UNION ALL and GROUP BY in place of joins: rows that
// are missing on either side are found, and each table is read once. A NULL never compares as equal
// and never vanishes in a sum. All amounts are Decimals, to the last digit.
//
// Pure; any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "database/ydb/value/query_result.h"
#include "workload/tpcc/check/catalogue.h"
#include "workload/tpcc/check/check_report.h"
#include "workload/tpcc/check/check_work.h"
#include "workload/tpcc/ydb/statement.h"

namespace drover::tpcc::ydb {

using database::ydb::YdbDatabase;

// A template has columns in braces: {o_id}, {d_ytd:money}, {due:text}, {o_entry_d:time},
// {mean:real}; without a kind, a whole number. What stands for NULL may follow:
// {ytd:money|no district}.
struct Judgement {
  // The column that it speaks of, which stands behind the key; empty: the row.
  std::string column = {};
  // The column of $judged that says whether it holds, never NULL; empty: every row offends.
  std::string holds = {};
  std::string expected;  // a template
  std::string found;     // a template
};

struct YqlCondition {
  Condition rule;
  std::string sql;
  std::string order;  // columns by which offenders are reported
  std::string key;    // a template
  std::vector<Judgement> judgements;
};

// "w_id={w_id} d_id={d_id}" of "w_id, d_id".
std::string key_of(std::string_view columns);

// What the statements of a check on this database are made with.
StatementTexts check_texts(const YdbDatabase& database);

// Selects the first $limit rows that offend.
Statement offenders_text(const YqlCondition& condition, const StatementTexts& text);

// Selects how many offenders there are in all, as `offenders`.
Statement count_text(const YqlCondition& condition, const StatementTexts& text);

// Those that the statement declares.
database::ydb::Parameters parameters_of(const Statement& statement, const CheckPiece& piece,
                                        std::int32_t limit);

// The first `most` offenders in the rows. Throws database::Error if the rows are not as the
// condition has them.
std::vector<Offender> offenders_in(const YqlCondition& condition,
                                   const database::ydb::ResultSetView& rows, std::size_t most);

// "-9.99": with two digits behind the point, or as many as it has. `scale` is that of the type.
std::string decimal_text(database::ydb::Decimal value, int scale);

// The catalogue in its order, but for the conditions that YDB rules out.
std::vector<YqlCondition> conditions();
std::vector<NotAsked> ruled_out();

// What it is made of where conditions.yql has no text. Requires: the condition has a pattern.
YqlCondition pattern_condition(const Condition& condition);

}  // namespace drover::tpcc::ydb
