// init and clean on a server.
#include "workload/tpcc/ydb/import/import.h"

#include <gmock/gmock.h>

#include "workload/tpcc/import/import.h"
#include "workload/tpcc/ydb/check/fresh_database_test.h"

namespace drover::tpcc::ydb {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::UnorderedElementsAreArray;

const std::vector<std::string> eleven_tables = {
    "warehouse",  "district", "customer", "history",     "new_order",         "oorder",
    "order_line", "item",     "stock",    "drover_tpcc", "drover_tpcc_loaded"};

class Initialise : public FreshDatabase {
 protected:
  template <class T>
  static std::string refusal_of(coro::Task<T> task) {
    try {
      run(std::move(task));
    } catch (const UnfitSchema& error) {
      return error.what();
    }
    return "not refused";
  }
};

TEST_F(Initialise, MakesTheTablesAndTheFoldersAroundThem) {
  EXPECT_THAT(initialise_folder("bench/deep/tpcc"), IsEmpty());
  EXPECT_THAT(tables_in("bench/deep/tpcc"), UnorderedElementsAreArray(eleven_tables));
  EXPECT_EQ(number("bench/deep/tpcc", "SELECT COUNT(*) FROM order_line"), 0);
  EXPECT_EQ(number("bench/deep/tpcc", "SELECT format_version FROM drover_tpcc"), 1);
  EXPECT_FALSE(settings_of("bench/deep/tpcc").population.has_value());
}

TEST_F(Initialise, RefusesATableThatIsThere) {
  change_scheme("taken", "CREATE TABLE stock (s_w_id Int32 NOT NULL, PRIMARY KEY (s_w_id));");
  EXPECT_THAT(refusal_of(initialise(database("taken"), {})),
              HasSubstr("the folder /Root/test/taken already has TPC-C tables (stock). Drop them "
                        "with 'drover tpcc clean --schema taken', or replace them with 'drover "
                        "tpcc init --force --schema taken'"));
  EXPECT_THAT(tables_in("taken"), ElementsAre("stock"));
}

TEST_F(Initialise, ReplacesWhatIsThereIfForced) {
  change_scheme("replaced", "CREATE TABLE stock (s_w_id Int32 NOT NULL, PRIMARY KEY (s_w_id));");
  EXPECT_THAT(initialise_folder("replaced", true), ElementsAre("stock"));
  EXPECT_EQ(number("replaced", "SELECT COUNT(*) FROM stock WHERE s_w_id = 1"), 0);
  EXPECT_THAT(initialise_folder("replaced", true), UnorderedElementsAreArray(eleven_tables));
}

TEST_F(Initialise, SurvivesFailuresOfTheServer) {
  server->set_faults(R"({"unavailable": {"probability": 0.3}, "bad_session": {"probability": 0.2},
                         "transport_after": {"probability": 0.2}})");
  initialise_folder("unreliable");
  server->set_faults("{}");
  EXPECT_THAT(tables_in("unreliable"), UnorderedElementsAreArray(eleven_tables));
}

TEST_F(Initialise, SaysWhatARunWants) {
  EXPECT_THAT(
      refusal_of(inspect_task("nothing")),
      HasSubstr("the database lacks these TPC-C tables: warehouse, district, customer, history, "
                "new_order, oorder, order_line, item, stock. Create and load them with 'drover "
                "tpcc init --schema nothing' and 'drover tpcc import --schema nothing'"));
  initialise_folder("empty");
  EXPECT_THAT(
      refusal_of(inspect_task("empty")),
      HasSubstr("no warehouse is loaded. Load the data with 'drover tpcc import --schema empty'"));
}

TEST_F(Initialise, SaysThatADatabaseIsNotThere) {
  YdbDatabase elsewhere = database("x");
  elsewhere.client.target.database = "/Root/other";
  try {
    run(initialise(elsewhere, {}));
    FAIL() << "no error";
  } catch (const database::Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("/Root/other"));
  }
}

TEST_F(Initialise, CleanDropsNothingElse) {
  initialise_folder("cleaned");
  change_scheme("cleaned", "CREATE TABLE other (id Int32 NOT NULL, PRIMARY KEY (id));");
  EXPECT_THAT(run(clean(database("cleaned"))), UnorderedElementsAreArray(eleven_tables));
  EXPECT_THAT(tables_in("cleaned"), ElementsAre("other"));
  EXPECT_THAT(run(clean(database("cleaned"))), IsEmpty());
}

TEST_F(Initialise, DropsNoTableOfAnotherProgram) {
  change_scheme("shared", "CREATE TABLE customer (id Int32 NOT NULL, PRIMARY KEY (id));");
  const auto is_refused = HasSubstr(
      "the table customer of shared has no column c_w_id, so it is not a TPC-C table. Nothing was "
      "dropped. Name another schema with --schema");
  EXPECT_THAT(refusal_of(clean(database("shared"))), is_refused);
  EXPECT_THAT(refusal_of(initialise(database("shared"), {.force = true})), is_refused);
  EXPECT_THAT(tables_in("shared"), ElementsAre("customer"));
}

TEST_F(Initialise, CleanOfNoFolderDropsNothing) {
  EXPECT_THAT(run(clean(database("no/such/folder"))), IsEmpty());
}

}  // namespace
}  // namespace drover::tpcc::ydb
