#include "workload/ycsb/ydb/table_rows.h"

#include <fmt/format.h>

#include <utility>

namespace drover::ycsb::ydb {

coro::Task<QueryResult> read_rows(database::ydb::DatabaseAccess& access, const Table& table,
                                  std::vector<std::string> keys) {
  return access.query(fmt::format("DECLARE $keys AS List<Utf8>;\n"
                                  "SELECT {0}, {1} FROM {2} WHERE {0} IN $keys;",
                                  key_column, table.all_fields(), table.name()),
                      [keys = std::move(keys)] {
                        database::ydb::Parameters parameters;
                        parameters.add_list("$keys", keys);
                        return parameters;
                      });
}

}  // namespace drover::ycsb::ydb
