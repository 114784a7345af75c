#include "workload/ycsb/postgres/table.h"

#include <fmt/format.h>

#include "database/postgres/statement.h"
#include "text/plain_text.h"

namespace drover::ycsb::postgres {

using database::Dialect;
using database::postgres::quote_identifier;

std::string folded_name(std::string_view name) {
  std::string folded(name);
  for (char& letter : folded) {
    if (letter >= 'A' && letter <= 'Z') letter = static_cast<char>(letter - 'A' + 'a');
  }
  return folded;
}

Table::Table(const Properties& properties)
    : plain_name_(folded_name(properties.table)), name_(quote_identifier(plain_name_)) {
  const std::string prefix = folded_name(properties.field_name_prefix);
  for (std::int64_t number = 0; number < properties.field_count; ++number) {
    fields_.push_back(quote_identifier(fmt::format("{}{}", prefix, number)));
    all_fields_ += (number == 0 ? "" : ", ") + fields_.back();
  }
}

std::string Table::create_statement(Dialect dialect) const {
  const bool is_hashed_else = dialect == Dialect::yugabyte;  // and a scan wants an order
  std::string columns =
      fmt::format("{} VARCHAR(255){}", key_column, is_hashed_else ? "" : " PRIMARY KEY");
  for (const std::string& field : fields_) columns += fmt::format(", {} TEXT", field);
  if (is_hashed_else) columns += fmt::format(", PRIMARY KEY ({} ASC)", key_column);
  return fmt::format("CREATE TABLE IF NOT EXISTS {} ({})", name_, columns);
}

std::string Table::distribute_statement() const {
  return fmt::format("SELECT create_distributed_table('{}', '{}')",
                     text::replaced(name_, "'", "''"), key_column);
}

}  // namespace drover::ycsb::postgres
