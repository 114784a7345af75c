// The YCSB table as statements name it, and the statements of the operations. Plain values.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "workload/ycsb/backend.h"
#include "workload/ycsb/properties/properties.h"

namespace drover::ycsb {

inline constexpr std::string_view key_column = "ycsb_key";

struct Table {
  Table(std::string plain_table, std::string_view field_prefix, std::int64_t field_count,
        std::function<std::string(std::string_view)> quote);

  std::string plain_name;  // as catalogues and Drover's records have it
  std::string name;        // quoted
  std::vector<std::string> plain_fields;
  std::vector<std::string> fields;  // quoted
  std::string all_fields;           // quoted, separated by commas
};

// The parts of an operation's statement in which databases differ.
struct OperationTokens {
  std::string key;   // parameter with the key: "$1::text"
  std::string rows;  // parameter with the largest number of rows of a scan
  // Return the parameter with the value of a statement that writes one field, and the parameter
  // with the value of field `number` of a statement that writes all fields.
  std::string one_value;
  std::function<std::string(std::size_t number)> value;
  // Returns an expression: the text of the field's version plus 1, in version_size digits.
  std::function<std::string(const std::string& field)> next_version;
};

// The statements of a mix. `read`, `scan` and `update` are empty if the mix does not need them;
// otherwise they have one statement for all fields or one for each field.
struct OperationStatements {
  std::vector<std::string> read;  // also of a read-modify-write
  std::vector<std::string> scan;
  // Of counted values, an update increments the version in the database, and its parameter is the
  // rest of the value. So no update gets lost, and the versions tell the number of updates.
  std::vector<std::string> update;
  std::string insert;
};

OperationStatements make_statements(const Table& table, const Properties& properties,
                                    ValueKind values, const OperationTokens& tokens);

// Returns the statement for one field, or for all fields.
template <class Statement>
const Statement& statement_for(const std::vector<Statement>& statements,
                               std::optional<std::uint32_t> field) {
  return statements[field.value_or(0)];
}

}  // namespace drover::ycsb
