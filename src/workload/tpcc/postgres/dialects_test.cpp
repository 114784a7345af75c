// What each dialect gets is published, whole, in docs/dialects/.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>
#include <fstream>
#include <sstream>
#include <string>
#include <string_view>

#include "database/postgres/dialect.h"
#include "workload/tpcc/postgres/import/import.h"
#include "workload/tpcc/postgres/transactions.h"

namespace drover::tpcc::postgres {
namespace {

using database::Dialect;
using database::postgres::DialectTraits;
using database::postgres::traits_of;

constexpr std::array all_dialects = {Dialect::postgres, Dialect::cockroach, Dialect::yugabyte,
                                     Dialect::citus};

std::string made(Layout layout) {
  std::string text;
  const InitialiseOptions options{.layout = layout};
  for (const std::string& one : statements_to_make(options)) text += one + ";\n";
  return text;
}

std::string loaded(Layout layout) {
  const DialectTraits& traits = traits_of(layout.dialect);
  std::string text;
  if (!traits.load_setting.empty()) text += fmt::format("{};\n", traits.load_setting);
  text +=
      traits.rows_a_transaction == 0
          ? "-- A warehouse is one transaction.\n"
          : fmt::format("-- No transaction writes more than {} rows.\n", traits.rows_a_transaction);
  for (const Table table : all_tables) text += copy_statement(table, "") + ";\n";
  for (const SchemaObject& object : schema_objects("", layout)) {
    const bool is_reference = object.kind == SchemaObject::Kind::foreign_key;
    text += fmt::format("{}{};\n", is_reference ? "-- with --foreign-keys after-load\n" : "",
                        object.sql);
  }
  return text;
}

std::string executed(StatementStyle style, Dialect dialect) {
  std::string text;
  for (const Statement& one : statements_of(shapes_of(style, dialect), dialect)) {
    text += fmt::format("-- {}\n{};\n", one.name, one.sql);
  }
  return text;
}

std::string all_of(Dialect dialect) {
  const DialectTraits& traits = traits_of(dialect);
  std::string text =
      fmt::format("-- What Drover sends to {} (--dialect {}).\n", traits.title, traits.name);
  if (!traits.tried.empty()) text += fmt::format("-- Support: {}.\n", traits.tried);
  text += "\n-- drover tpcc init\n\n" + made({dialect});
  if (has_partitions(dialect)) {
    text += "\n-- drover tpcc init --partitions 2\n\n" + made({dialect, 2});
  }
  text += "\n-- drover tpcc import\n\n" + loaded({dialect});
  text +=
      "\n-- drover tpcc run --statements batched\n\n" + executed(StatementStyle::batched, dialect);
  text +=
      "\n-- drover tpcc run --statements single\n\n" + executed(StatementStyle::single, dialect);
  return text;
}

class Published : public testing::TestWithParam<Dialect> {};

TEST_P(Published, IsWhatIsSent) {
  const std::string name = fmt::format("{}.sql", traits_of(GetParam()).name);
  const std::string expected = all_of(GetParam());
  std::ifstream file(std::string(DROVER_DOCS "/dialects/") + name);
  std::ostringstream published;
  published << file.rdbuf();
  if (published.str() == expected) return;
  const std::string path = testing::TempDir() + name;
  std::ofstream(path) << expected;
  FAIL() << "docs/dialects/" << name << " is not what is sent; that is in " << path
         << ": look at what differs, and copy it";
}

INSTANTIATE_TEST_SUITE_P(Dialects, Published, testing::ValuesIn(all_dialects),
                         [](const testing::TestParamInfo<Dialect>& info) {
                           return std::string(traits_of(info.param).name);
                         });

}  // namespace
}  // namespace drover::tpcc::postgres
