#include "workload/tpcc/postgres/import/import.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

namespace drover::tpcc::postgres {
namespace {

TEST(PostgresSchema, IdentifiersAreQuoted) {
  EXPECT_EQ(quote_identifier("a\"b"), "\"a\"\"b\"");
  EXPECT_EQ(qualified_name("my schema", "item"), "\"my schema\".\"item\"");
  EXPECT_EQ(qualified_name("", "item"), "\"item\"");
}

TEST(PostgresSchema, CopyNamesItsColumns) {
  EXPECT_EQ(copy_statement(Table::NewOrder, "tpcc"),
            "COPY \"tpcc\".\"new_order\" (\"no_w_id\", \"no_d_id\", \"no_o_id\") FROM STDIN "
            "(FORMAT binary)");
}

TEST(PostgresSchema, ReferencesComeBehindTheKeysThatTheyNeed) {
  std::vector<SchemaObject::Kind> kinds;
  for (const SchemaObject& object : schema_objects("s")) kinds.push_back(object.kind);
  EXPECT_TRUE(std::ranges::is_sorted(kinds));
  EXPECT_EQ(std::ranges::count(kinds, SchemaObject::Kind::primary_key), 8);
  EXPECT_EQ(std::ranges::count(kinds, SchemaObject::Kind::foreign_key), 10);
}

}  // namespace
}  // namespace drover::tpcc::postgres
