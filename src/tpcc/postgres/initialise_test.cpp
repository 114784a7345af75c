#include "tpcc/postgres/initialise.h"

#include <gmock/gmock.h>

#include "tpcc/postgres/database_fixture.h"
#include "tpcc/postgres/schema.h"
#include "tpcc/unfit_schema.h"

namespace drover::tpcc::postgres {
namespace {

using testing::HasSubstr;

class Initialise : public DatabaseFixture {
 protected:
  static std::string tables_in(const std::string& schema) {
    return query("SELECT count(*) FROM pg_tables WHERE schemaname = '" + schema + "'");
  }
  static std::string refusal_of(InitialiseOptions options) {
    try {
      initialise_schema(std::move(options));
    } catch (const UnfitSchema& error) {
      return error.what();
    }
    return "not refused";
  }
};

TEST_F(Initialise, MakesTheTablesWithoutKeysAndItsRecords) {
  const auto dropped =
      initialise_schema({.schema = "made", .foreign_keys = ForeignKeys::after_load});
  EXPECT_TRUE(dropped.empty());
  EXPECT_EQ(tables_in("made"), "11");
  EXPECT_EQ(query("SELECT foreign_keys || format_version FROM made.drover_tpcc"), "after-load1");
  EXPECT_EQ(query("SELECT count(*) FROM pg_indexes WHERE schemaname = 'made'"), "1")
      << "of the record of loaded warehouses";
}

TEST_F(Initialise, RefusesWhereTablesAreUnlessForced) {
  query("CREATE SCHEMA taken; CREATE TABLE taken.stock (s int)");
  EXPECT_THAT(refusal_of({.schema = "taken"}), HasSubstr("(stock)"));
  EXPECT_EQ(tables_in("taken"), "1");
  const auto dropped = initialise_schema({.schema = "taken", .force = true});
  EXPECT_EQ(dropped, std::vector<std::string>{"stock"});
  EXPECT_EQ(tables_in("taken"), "11");
  EXPECT_THAT(refusal_of({.schema = "taken"}), HasSubstr("drover tpcc init --force"));
}

TEST_F(Initialise, HappensWholeOrNotAtAll) {
  query(
      "CREATE SCHEMA viewed; CREATE TABLE viewed.item (i int); CREATE TABLE viewed.history (h int);"
      "CREATE VIEW viewed.cheap AS SELECT * FROM viewed.item");
  EXPECT_THROW(initialise_schema({.schema = "viewed", .force = true}), database::Error);
  EXPECT_EQ(tables_in("viewed"), "2");
}

TEST_F(Initialise, WithoutASchemaTakesTheSearchPath) {
  initialise_schema({});
  EXPECT_EQ(tables_in("public"), "11");
  EXPECT_EQ(clean_schema("").size(), 11U);
  EXPECT_EQ(tables_in("public"), "0");
}

TEST_F(Initialise, AnyNameIsASchema) {
  for (const std::string schema : {"Grüße \"aus\" Köln", "select", "a'b;c\\d", "%s{}"}) {
    initialise_schema({.schema = schema});
    EXPECT_EQ(query("SELECT count(*) FROM " + qualified_name(schema, "stock")), "0");
    EXPECT_THAT(refusal_of({.schema = schema}), HasSubstr(schema));
    EXPECT_EQ(clean_schema(schema).size(), 11U);
  }
}

TEST_F(Initialise, CleanDropsWhatThereIsAndOnlyThat) {
  EXPECT_TRUE(clean_schema("absent").empty());
  initialise_schema({.schema = "mixed"});
  query("CREATE TABLE mixed.mine (i int); DROP TABLE mixed.history");
  EXPECT_EQ(clean_schema("mixed").size(), 10U);
  EXPECT_EQ(query("SELECT tablename FROM pg_tables WHERE schemaname = 'mixed'"), "mine");
}

}  // namespace
}  // namespace drover::tpcc::postgres
