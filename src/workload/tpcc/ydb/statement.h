// The texts of TPC-C's statements and what goes with them. A text names parameters: each is of one
// type wherever it is named, and the text declares it by itself.
//
//   const StatementTexts text(database);
//   pay_district_ = text.of({"pay_district"});   // UPDATE district SET d_ytd = d_ytd + $amount WHERE …
//   const Values values = {{"$d_id", d_id}, {"$amount", money_of_cents(cents)}};
//   co_await send(session, pay_district_, values);
//
// Pure; any thread.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "database/ydb/value/value.h"
#include "database/ydb/ydb_database.h"
#include "workload/tpcc/ydb/import/schema.h"

namespace drover::tpcc::ydb {

using database::ydb::YdbDatabase;

// A parameter that is one value.
class ScalarParameter {
 public:
  // Does not compile for a name that is none of these.
  consteval ScalarParameter(const char* name) {  // NOLINT: a name is a parameter
    while (all.at(place_).name != name) ++place_;
  }

  constexpr std::size_t place() const noexcept { return place_; }

  static constexpr std::array all = std::to_array<Column>({
      {"$all_local", database::ydb::Primitive::int32},
      {"$amount", money_type},
      {"$balance", money_type},
      {"$c_d_id", database::ydb::Primitive::int32},
      {"$c_id", database::ydb::Primitive::int32},
      {"$c_last", database::ydb::Primitive::utf8},
      {"$c_w_id", database::ydb::Primitive::int32},
      {"$d_id", database::ydb::Primitive::int32},
      {"$data", database::ydb::Primitive::utf8},
      {"$date", database::ydb::Primitive::timestamp},
      {"$entry_d", database::ydb::Primitive::timestamp},
      {"$first", database::ydb::Primitive::int32},
      {"$h_data", database::ydb::Primitive::utf8},
      {"$last", database::ydb::Primitive::int32},
      {"$limit", database::ydb::Primitive::uint64},
      {"$nano_ts", database::ydb::Primitive::int64},
      {"$next", database::ydb::Primitive::int32},
      {"$o_id", database::ydb::Primitive::int32},
      {"$ol_cnt", database::ydb::Primitive::int32},
      {"$payment_cnt", database::ydb::Primitive::int32},
      {"$since", database::ydb::Primitive::int64},
      {"$threshold", database::ydb::Primitive::int32},
      {"$w_id", database::ydb::Primitive::int32},
      {"$w_first", database::ydb::Primitive::int32},
      {"$w_last", database::ydb::Primitive::int32},
      {"$ytd_payment", money_type},
  });

 private:
  std::size_t place_ = 0;  // in `all`
};

struct Argument {
  ScalarParameter parameter;
  database::ydb::Cell value;
};

struct Statement {
  std::string text;
  std::vector<std::size_t> scalars = {};  // that it declares: places in ScalarParameter::all
};

// What the scalars of a transaction stand for, known early or late.
class Values {
 public:
  Values(std::initializer_list<Argument> values) { set(values); }
  void set(std::initializer_list<Argument> values);

  // Those that the statement declares, to which its rows are to be added.
  database::ydb::Parameters of(const Statement& statement) const;

 private:
  std::array<database::ydb::Cell, ScalarParameter::all.size()> values_;
};

// A parameter that is a list of rows.
struct RowsParameter {
  database::ydb::Rows add_to(database::ydb::Parameters& parameters) const {
    return parameters.add_rows(name, type);
  }

  std::string name;
  database::ydb::RowType type;
};

// Rows to be written to these columns of a table.
RowsParameter rows_of(std::string name, Table table,
                      std::initializer_list<std::string_view> columns);

// Keys of as many whole numbers, for an IN.
RowsParameter keys_of(std::string name, std::size_t columns);

class StatementTexts {
 public:
  // The rows must outlive it.
  explicit StatementTexts(const YdbDatabase& database,
                          std::initializer_list<const RowsParameter*> rows = {})
      : pragma_(folder_pragma(database)), rows_(rows) {}

  // The parts one after the other, behind what is declared for them.
  template <class... Parts>
  Statement operator()(const Parts&... parts) const {
    return whole((std::string() + ... + std::string(parts)));
  }

  // A statement of the parts of these names in transactions.yql.
  Statement of(std::initializer_list<std::string_view> names) const;

 private:
  Statement whole(std::string_view body) const;

  std::string pragma_;
  std::vector<const RowsParameter*> rows_;
};

}  // namespace drover::tpcc::ydb
