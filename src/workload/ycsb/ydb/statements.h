// The texts of the operations, each always the same, so that the server compiles it once. Immutable; any thread.
//
// $key is the key of the row. An update of counted values counts the version up on the server and gets the rest of the
// value: so no update can be lost, and the versions tell how many there were. Before it writes, it reads the key of its
// row in the same request: RETURNING of servers before 2026 may answer with rows that there are not.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "database/ydb/database_access.h"
#include "workload/ycsb/backend.h"
#include "workload/ycsb/properties/properties.h"
#include "workload/ycsb/ydb/table.h"

namespace drover::ycsb::ydb {

class Statements {
 public:
  Statements(const database::ydb::YdbDatabase& database, const Properties& properties,
             ValueKind values);

  // Only those that the mix needs are there. `field`: which one; all of them where there is none.
  using Field = std::optional<std::uint32_t>;
  const std::string& read(Field field) const { return read_[field.value_or(0)]; }
  const std::string& scan(Field field) const { return scan_[field.value_or(0)]; }  // $rows at most
  // $value0, …: of each written field, in their order; of counted values what follows the version.
  const std::string& update(Field field) const { return update_[field.value_or(0)]; }
  // $value0, …: of all fields.
  const std::string& insert() const { return insert_; }

 private:
  std::vector<std::string> read_;
  std::vector<std::string> scan_;
  std::vector<std::string> update_;
  std::string insert_;
};

// "$value7"
std::string value_parameter(std::size_t number);

// The number that the version of a field is, or NULL.
std::string version_of(const std::string& field);

}  // namespace drover::ycsb::ydb
