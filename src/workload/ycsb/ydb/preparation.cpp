#include "workload/ycsb/ydb/preparation.h"

#include <fmt/format.h>

#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "database/ydb/database_access.h"
#include "database/ydb/ydb_error.h"
#include "workload/ycsb/preparation.h"
#include "workload/ycsb/properties/field_lengths.h"
#include "workload/ycsb/ydb/load_record.h"
#include "workload/ycsb/ydb/statements.h"
#include "workload/ycsb/ydb/table.h"
#include "workload/ycsb/ydb/table_rows.h"

namespace drover::ycsb::ydb {
namespace {

using coro::Task;
using database::ydb::DatabaseAccess;
using database::ydb::Parameters;
using database::ydb::YdbError;

class YdbTableReader final : public TableReader {
 public:
  YdbTableReader(DatabaseAccess& access, const Properties& properties)
      : access_(access), properties_(properties), table_(properties) {}

  std::string_view table_name() const noexcept override { return table_.plain_name(); }

  Task<database::ServerFacts> read_server_facts() override {
    return database::ydb::read_server_facts(access_.client().options());
  }

  Task<LoadRecord> read_record() override { return read_load_record(access_, table_); }

  Task<void> require_columns() override {
    try {
      co_await access_.query(fmt::format("SELECT {}, {} FROM {} LIMIT 1;", key_column,
                                         table_.all_fields(), table_.name()));
    } catch (const YdbError& error) {
      if (!is_of_text(error)) throw;
      refuse_columns(error, table_.plain_name());
    }
  }

  Task<std::vector<std::uint64_t>> rows_there(std::uint64_t begin, std::uint64_t rows) override {
    const std::vector<std::string> keys = keys_of_rows(properties_, begin, rows);
    const QueryResult result = co_await access_.query(
        fmt::format("DECLARE $keys AS List<Utf8>;\nSELECT {0} FROM {1} WHERE {0} IN $keys;",
                    key_column, table_.name()),
        [&keys] {
          Parameters parameters;
          parameters.add_list("$keys", keys);
          return parameters;
        });
    std::set<std::string_view> found;
    for (std::size_t row = 0; row < result.set(0).rows(); ++row) {
      found.insert(result.set(0).at(row, 0).text());
    }
    std::vector<std::uint64_t> there;
    for (std::uint64_t i = 0; i < rows; ++i) {
      if (found.contains(keys[i])) there.push_back(begin + i);
    }
    co_return there;
  }

  Task<bool> has_our_values(const FieldLengths& lengths) override {
    const QueryResult result = co_await access_.query(fmt::format(
        "SELECT {}, {} FROM {} LIMIT 100;", key_column, table_.all_fields(), table_.name()));
    const ResultSetView rows = result.set(0);
    for (std::size_t row = 0; row < rows.rows(); ++row) {
      const auto field_text = [&](std::size_t field) {
        return text_of(rows.at(row, table_.plain_field(field)));
      };
      const std::string_view key = rows.at(row, key_column).text();
      if (!is_our_row(lengths, key, table_.field_count(), field_text)) co_return false;
    }
    co_return true;
  }

  Task<std::optional<TableSums>> add_up(ValueKind values) override {
    co_return co_await ydb::add_up(access_, properties_, values);
  }

 private:
  DatabaseAccess& access_;
  const Properties& properties_;
  Table table_;
};

}  // namespace

Task<TableSums> add_up(DatabaseAccess& access, const Properties& properties, ValueKind values) {
  const Table table(properties);
  std::string versions = "0ul";
  if (values == ValueKind::counted) {
    for (std::size_t field = 0; field < table.field_count(); ++field) {
      versions += fmt::format(" + COALESCE({}, 0ul)", version_of(table.field(field)));
    }
  }
  const QueryResult sums = co_await access.query(
      fmt::format("SELECT COUNT(*) AS row_count, COALESCE(SUM({}), 0ul) AS versions FROM {};",
                  versions, table.name()));
  TableSums answer{.rows = sums.set(0).at(0, "row_count").natural()};
  if (values == ValueKind::counted) answer.versions = sums.set(0).at(0, "versions").natural();
  co_return answer;
}

Task<RunPreparation> prepare_run(DatabaseAccess& access, const Properties& properties,
                                 const std::optional<TableContents>& known) {
  YdbTableReader table(access, properties);
  co_return co_await ycsb::prepare_run(table, properties, known);
}

}  // namespace drover::ycsb::ydb
