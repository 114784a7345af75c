// What the conditions of a check are on YDB: each is a text of YQL that selects the rows that
// offend, and says how an offender is told to people. The texts are formatted here and not in YQL:
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
// Pure; any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "database/ydb/parameters.h"
#include "database/ydb/query_result.h"
#include "tpcc/check_plan.h"
#include "tpcc/check_report.h"
#include "tpcc/condition.h"

namespace drover::tpcc::ydb {

// A template has columns in braces: {o_id}, {d_ytd:money}, {due:text}, {o_entry_d:time},
// {mean:real}; without a kind, a whole number. What stands for NULL may follow:
// {ytd:money|no district}.
struct Judgement {
  // Of which column it speaks: stands behind the key. Empty: of the row.
  std::string column = {};
  // The column of $judged that says whether it holds, never NULL; empty: every row offends.
  std::string holds = {};
  std::string expected;  // a template
  std::string found;     // a template
};

struct YqlCondition {
  Condition rule;
  std::string order;  // columns by which offenders are reported
  std::string key;    // a template
  std::vector<Judgement> judgements;
};

// "w_id, d_id" and "w_id={w_id} d_id={d_id}".
std::string order_of(std::span<const std::string_view> columns);
std::string key_of(std::span<const std::string_view> columns);

// A condition whose $judged has offenders only.
YqlCondition offender_condition(Condition rule, std::span<const std::string_view> key,
                                std::string expected, std::string found);

// Selects the first $limit rows that offend; `pragma` is that of the folder.
std::string offenders_text(const YqlCondition& condition, std::string_view pragma);

// Selects how many offenders there are in all, as `offenders`.
std::string count_text(const YqlCondition& condition, std::string_view pragma);

// Those that the text declares.
database::ydb::Parameters parameters_of(std::string_view text, const CheckPiece& piece,
                                        std::int32_t limit);

// The first `most` offenders in the rows. Throws database::Error if the rows are not as the
// condition has them.
std::vector<Offender> offenders_in(const YqlCondition& condition,
                                   const database::ydb::ResultSetView& rows, std::size_t most);

// "-9.99": with two digits behind the point, or as many as it has. `scale` is that of the type.
std::string decimal_text(database::ydb::Decimal value, int scale);

}  // namespace drover::tpcc::ydb
