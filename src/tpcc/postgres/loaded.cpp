#include "tpcc/postgres/loaded.h"

#include <fmt/format.h>

#include <charconv>

#include "tpcc/postgres/catalog.h"

namespace drover::tpcc::postgres {

using database::postgres::Connection;
using database::postgres::Result;

coro::Task<LoadedDatabase> inspect_loaded(Connection& connection, std::string schema) {
  const Catalog catalog = co_await read_catalog(connection, schema);
  if (catalog.table_count() < all_tables.size()) {
    throw UnfitSchema(fmt::format(
        "the database is not initialised: no table {}; see drover tpcc init{} and drover tpcc "
        "import{}",
        catalog.tables_that_exist(false), schema_argument(schema), schema_argument(schema)));
  }
  LoadedDatabase loaded;
  const std::optional<Settings> settings = co_await read_settings(connection, schema);
  if (settings && settings->population) {
    if (!settings->complete) {
      throw UnfitSchema(
          fmt::format("the import is not complete; go on with it: drover tpcc import{} -w {}",
                      schema_argument(schema), settings->warehouses));
    }
    loaded.load_constants = settings->load_constants;
  }
  // Warehouses are numbered from 1 without a gap; a hole ends the count.
  const Result counted = co_await connection.query(
      "SELECT coalesce(max(n), 0) FROM (SELECT w_id, row_number() OVER (ORDER BY w_id) AS n "
      "FROM warehouse) AS w WHERE w_id = n");
  const std::string_view text = counted.text(0, 0);
  std::from_chars(text.data(), text.data() + text.size(), loaded.warehouses);
  if (loaded.warehouses == 0) {
    throw UnfitSchema(
        fmt::format("no warehouse is loaded; see drover tpcc import{}", schema_argument(schema)));
  }
  co_return loaded;
}

}  // namespace drover::tpcc::postgres
