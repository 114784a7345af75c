#include "tpcc/postgres/condition.h"

#include <cassert>

namespace drover::tpcc::postgres {

namespace {

std::string with_money(std::string_view sql, Money money) {
  std::string result;
  result.reserve(sql.size() + 256);
  for (;;) {
    const auto begin = sql.find('@');
    if (begin == std::string_view::npos) break;
    const auto end = sql.find('@', begin + 1);
    assert(end != std::string_view::npos);
    const std::string_view column = sql.substr(begin + 1, end - begin - 1);
    result += sql.substr(0, begin);
    result += money == Money::exact ? "(" : "round(";
    result += column;
    result += money == Money::exact ? "::numeric)" : "::numeric, 2)";
    sql.remove_prefix(end + 1);
  }
  result += sql;
  return result;
}

}  // namespace

std::string offender_statement(std::string_view body, Money money) {
  // All parameters occur here, since a body that speaks of no warehouse names none of them, and
  // the server refuses a parameter whose type it cannot tell.
  return "WITH offender AS (\n" + with_money(body, money) +
         "\n)\n"
         "SELECT coalesce(key, 'null')::text AS key, coalesce(expected::text, 'null') AS "
         "expected,\n"
         "       coalesce(found::text, 'null') AS found, count(*) OVER () AS offenders\n"
         "FROM offender ORDER BY place\n"
         "LIMIT CASE WHEN $1::int4 <= $2::int4 THEN $3::int4 ELSE 0 END";
}

}  // namespace drover::tpcc::postgres
