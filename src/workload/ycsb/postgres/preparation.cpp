#include "workload/ycsb/postgres/preparation.h"

#include <fmt/format.h>

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "database/error.h"
#include "database/postgres/citus.h"
#include "database/postgres/server_facts.h"
#include "workload/ycsb/keys.h"
#include "workload/ycsb/postgres/load_record.h"
#include "workload/ycsb/postgres/table.h"
#include "workload/ycsb/preparation.h"
#include "workload/ycsb/properties/field_lengths.h"
#include "workload/ycsb/values.h"

namespace drover::ycsb::postgres {
namespace {

using coro::Task;
using database::postgres::Connection;
using database::postgres::Result;

constexpr std::string_view undefined_column = "42703";
constexpr std::string_view undefined_operator = "42883";
constexpr std::string_view no_number = "22P02";

class PostgresTableReader final : public TableReader {
 public:
  PostgresTableReader(Connection& connection, const Properties& properties)
      : connection_(connection), properties_(properties), table_(properties) {}

  std::string_view table_name() const noexcept override { return table_.plain_name(); }

  Task<database::ServerFacts> read_server_facts() override {
    auto facts = co_await database::postgres::read_server_facts(connection_);
    co_await database::postgres::add_citus_facts(connection_, table_.name(), facts.settings);
    co_return facts;
  }

  Task<LoadRecord> read_record() override { return read_load_record(connection_, table_); }

  Task<void> require_columns() override {
    std::string are_text = fmt::format("{} = ''::text", key_column);
    for (std::size_t field = 0; field < table_.field_count(); ++field) {
      are_text += fmt::format(" AND {} = ''::text", table_.field(field));
    }
    try {
      co_await connection_.query(
          fmt::format("SELECT FROM {} WHERE {} LIMIT 0", table_.name(), are_text));
    } catch (const database::Error& error) {
      if (error.sqlstate() != undefined_column && error.sqlstate() != undefined_operator) throw;
      refuse_columns(error, table_.plain_name());
    }
  }

  Task<std::vector<std::uint64_t>> rows_there(std::uint64_t begin, std::uint64_t rows) override {
    const std::vector<std::string> keys = keys_of_rows(properties_, begin, rows);
    const std::vector<std::string_view> views(keys.begin(), keys.end());
    const Result found = co_await connection_.query(
        fmt::format("SELECT place FROM unnest($1::text[]) WITH ORDINALITY AS wanted (key, place) "
                    "JOIN {} ON {} = key ORDER BY place",
                    table_.name(), key_column),
        views);
    std::vector<std::uint64_t> there;
    for (int row = 0; row < found.rows(); ++row) {
      there.push_back(begin + found.number<std::uint64_t>(row, 0) - 1);
    }
    co_return there;
  }

  Task<bool> has_our_values(const FieldLengths& lengths) override {
    const Result rows = co_await connection_.query(fmt::format(
        "SELECT {}, {} FROM {} LIMIT 100", key_column, table_.all_fields(), table_.name()));
    for (int row = 0; row < rows.rows(); ++row) {
      const auto field_text = [&](std::size_t field) {
        return rows.text(row, static_cast<int>(field) + 1);
      };
      if (!is_our_row(lengths, rows.text(row, 0), table_.field_count(), field_text))
        co_return false;
    }
    co_return true;
  }

  Task<bool> has_row_security() override {
    const Result active =
        co_await connection_.query("SELECT row_security_active($1::text)", table_.name());
    co_return active.text(0, 0) == "t";
  }

  Task<std::optional<TableSums>> add_up(ValueKind values) override {
    try {
      co_return co_await postgres::add_up(connection_, properties_, values);
    } catch (const database::Error& error) {
      if (error.sqlstate() != no_number) throw;
    }
    co_return std::nullopt;
  }

 private:
  Connection& connection_;
  const Properties& properties_;
  Table table_;
};

}  // namespace

bool writes(const Properties& properties) noexcept {
  return properties.update_proportion > 0 || properties.insert_proportion > 0 ||
         properties.read_modify_write_proportion > 0;
}

Task<TableSums> add_up(Connection& connection, Properties properties, ValueKind values) {
  const Table table(properties);
  std::string versions = "0";
  if (values == ValueKind::counted) {
    for (std::size_t field = 0; field < table.field_count(); ++field) {
      versions += fmt::format(" + left({}, {})::int8", table.field(field), version_size);
    }
  }
  const Result sums = co_await connection.query(
      fmt::format("SELECT count(*), coalesce(sum({}), 0) FROM {}", versions, table.name()));
  TableSums answer{.rows = sums.number<std::uint64_t>(0, 0)};
  if (values == ValueKind::counted) answer.versions = sums.number<std::uint64_t>(0, 1);
  co_return answer;
}

Task<RunPreparation> prepare_run(Connection& connection, Properties properties,
                                 std::optional<TableContents> known) {
  PostgresTableReader table(connection, properties);
  co_return co_await ycsb::prepare_run(table, properties, known);
}

}  // namespace drover::ycsb::postgres
