// The statements of the operations, prepared once a session. Immutable; any thread.
//
// $1 is the key. An update of counted values counts the version up on the server and gets the rest of the value: so no
// update can be lost, and the versions tell how many there were.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <vector>

#include "database/postgres/connection.h"
#include "database/server.h"
#include "workload/ycsb/backend.h"
#include "workload/ycsb/postgres/table.h"
#include "workload/ycsb/properties/properties.h"

namespace drover::ycsb::postgres {

class Statements {
 public:
  using Statement = database::postgres::Statement;

  Statements(const Properties& properties, ValueKind values, database::Isolation isolation);
  Statements(const Statements&) = delete;
  Statements& operator=(const Statements&) = delete;

  // Only those that the mix needs are there. `field`: which one; all of them where there is none.
  using Field = std::optional<std::uint32_t>;
  const Statement& read(Field field) const { return read_.of(field); }
  const Statement& scan(Field field) const { return scan_.of(field); }  // $2: rows at most
  // The read of a read-modify-write: locks the row where the isolation level does not see to it.
  const Statement& read_to_write(Field field) const { return read_to_write_.of(field); }
  // $2: the value, or an array of them; of counted values what follows the version.
  const Statement& update(Field field) const { return update_.of(field); }
  // $2: an array of the values.
  const Statement& insert() const { return insert_; }
  const Statement& begin() const { return begin_; }
  const Statement& commit() const { return commit_; }

  std::vector<Statement> all() const;

 private:
  // One for all fields, or one a field.
  struct ByField {
    std::vector<Statement> statements;

    const Statement& of(Field field) const { return statements[field.value_or(0)]; }
  };

  template <class MakeSql>
  ByField by_field(const char* name, bool all_fields, std::size_t fields, MakeSql sql);

  std::deque<std::string> names_;
  ByField read_;
  ByField scan_;
  ByField read_to_write_;
  ByField update_;
  Statement insert_{"insert", {}};
  Statement begin_{"begin", "BEGIN"};
  Statement commit_{"commit", "COMMIT"};
};

// Returns the SET statements of a run's session: scans read by the key, without a sort, and on
// Citus over one connection to each worker.
std::vector<std::string> session_settings(std::optional<database::Dialect> dialect);

}  // namespace drover::ycsb::postgres
