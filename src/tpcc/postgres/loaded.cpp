#include "tpcc/postgres/loaded.h"

#include <charconv>

#include "tpcc/postgres/catalog.h"

namespace drover::tpcc::postgres {

using database::postgres::Connection;
using database::postgres::Result;

coro::Task<LoadedDatabase> inspect_loaded(Connection& connection, std::string schema) {
  const Catalog catalog = co_await read_catalog(connection, schema);
  require_tables(catalog, schema);
  LoadedDatabase loaded;
  const std::optional<Settings> settings = co_await read_settings(connection, schema);
  if (settings && settings->population) {
    require_complete(*settings, schema);
    loaded.load_constants = settings->load_constants;
  }
  // Warehouses are numbered from 1 without a gap; a hole ends the count.
  const Result counted = co_await connection.query(
      "SELECT coalesce(max(n), 0) FROM (SELECT w_id, row_number() OVER (ORDER BY w_id) AS n "
      "FROM warehouse) AS w WHERE w_id = n");
  const std::string_view text = counted.text(0, 0);
  std::from_chars(text.data(), text.data() + text.size(), loaded.warehouses);
  require_any_warehouse(loaded.warehouses, schema);
  co_return loaded;
}

}  // namespace drover::tpcc::postgres
