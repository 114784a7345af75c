#include "tpcc/postgres/schema.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

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

TEST(PostgresSchema, TablesThatReferToOthersAreDroppedFirst) {
  const auto order = drop_order();
  EXPECT_EQ(std::set<Table>(order.begin(), order.end()).size(), all_tables.size());
  const auto place = [&](std::string_view name) {
    return std::find_if(order.begin(), order.end(),
                        [&](Table table) { return table_name(table) == name; }) -
           order.begin();
  };
  const auto references = foreign_keys("s");
  EXPECT_EQ(references.size(), 10);
  for (const SchemaObject& reference : references) {
    const std::string start = "REFERENCES \"s\".\"";
    const size_t at = reference.sql.find(start) + start.size();
    const std::string to = reference.sql.substr(at, reference.sql.find('"', at) - at);
    EXPECT_LT(place(table_name(reference.table)), place(to)) << reference.sql;
  }
}

}  // namespace
}  // namespace drover::tpcc::postgres
