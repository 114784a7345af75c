#include "tpcc/ydb/clean.h"

#include <fmt/format.h>

#include <utility>

namespace drover::tpcc::ydb {

using coro::Task;

Task<void> drop_tables(DatabaseAccess& access, Catalog catalog) {
  for (const std::string& name : catalog.names()) {
    co_await access.change_scheme(fmt::format("DROP TABLE IF EXISTS {};", name));
  }
}

Task<std::vector<std::string>> clean(YdbDatabase database) {
  std::vector<std::string> dropped;
  auto body = [&dropped](DatabaseAccess& access) -> Task<void> {
    const Catalog catalog = co_await read_catalog(access);
    co_await drop_tables(access, catalog);
    dropped = catalog.names();
  };
  co_await DatabaseAccess::use(std::move(database), body);
  co_return dropped;
}

}  // namespace drover::tpcc::ydb
