// The table of YCSB in YDB: the key and a column of Utf8 a field. Names are as the properties have them.
//
// Immutable; any thread.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "database/ydb/value/value.h"
#include "workload/ycsb/properties/properties.h"

namespace drover::ycsb::ydb {

inline constexpr std::string_view key_column = "ycsb_key";

class Table {
 public:
  // Throws PropertyError for a name that would be no name, or a path: letters, digits, '_', '-' and '.' are.
  explicit Table(const Properties& properties);

  const std::string& plain_name() const noexcept { return plain_name_; }
  // What follows is quoted.
  const std::string& name() const noexcept { return name_; }
  std::size_t field_count() const noexcept { return fields_.size(); }
  std::string field(std::size_t number) const;
  // "`field0`, `field1`, …"
  const std::string& all_fields() const noexcept { return all_fields_; }

  // Names as results have them.
  const std::string& plain_field(std::size_t number) const { return fields_[number]; }

  // The key and all fields, as rows of a BulkUpsert have them. Views of this object.
  std::vector<database::ydb::Column> columns() const;

  // CREATE TABLE IF NOT EXISTS, with partitions for all rows of the properties.
  std::string create_statement(const Properties& properties) const;

 private:
  std::string plain_name_;
  std::string name_;
  std::vector<std::string> fields_;
  std::string all_fields_;
};

// Keys that cut the rows [0, recordcount) in so many ranges of about the same size, in ascending order: fewer where there
// are few rows.
std::vector<std::string> split_keys(const Properties& properties, std::size_t ranges);

// How many partitions the table begins with. The server splits by size alone, and a partition changes rows on one core.
std::size_t partitions_wanted(const Properties& properties);

}  // namespace drover::ycsb::ydb
