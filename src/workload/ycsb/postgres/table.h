// The table of YCSB in PostgreSQL, as YCSB's own binding for JDBC has it: the key and a column of text a field. Names are
// those that the server makes of unquoted ones, so that one table is everybody's.
//
// Immutable; any thread.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "database/server.h"
#include "workload/ycsb/properties/properties.h"

namespace drover::ycsb::postgres {

class Table {
 public:
  explicit Table(const Properties& properties);

  // As our own tables have it: small letters.
  const std::string& plain_name() const noexcept { return plain_name_; }
  // What follows is quoted.
  const std::string& name() const noexcept { return name_; }
  std::size_t field_count() const noexcept { return fields_.size(); }
  const std::string& field(std::size_t number) const { return fields_[number]; }
  // "field0", "field1", …
  const std::string& all_fields() const noexcept { return all_fields_; }

  // CREATE TABLE IF NOT EXISTS
  std::string create_statement(database::Dialect dialect) const;
  // Of Citus: spreads the rows by their keys.
  std::string distribute_statement() const;

 private:
  std::string plain_name_;
  std::string name_;
  std::vector<std::string> fields_;
  std::string all_fields_;
};

inline constexpr std::string_view key_column = "ycsb_key";

// Small letters for those of ASCII, as the server folds an unquoted name.
std::string folded_name(std::string_view name);

}  // namespace drover::ycsb::postgres
