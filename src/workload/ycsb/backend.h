// The interface to a database that a run of YCSB needs: sessions that execute operations, and the
// resolution of writes with unknown commit outcome. The rest is what the backends have in common.
//
// A backend belongs to one worker; nothing here is thread-safe. Failures are database::Error.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "coro/task.h"
#include "database/backend.h"
#include "database/error.h"
#include "workload/ycsb/clients/operations.h"
#include "workload/ycsb/keys.h"
#include "workload/ycsb/values.h"

namespace drover::ycsb {

// The origin of the values of a table, which decides what an update writes.
enum class ValueKind : std::uint8_t {
  counted,  // values of values.h. The server increments their version, so that no update gets lost
  stamped,  // values of values.h that may be too short for a version. An update writes a new value
  foreign,  // values of another tool
};

// The trace of a write in the data.
struct WriteTrace {
  std::uint64_t stamp = 0;  // of the written values; set by the caller, unique for each attempt
  // Set when the write may have reached the server. From then on, its outcome is unknown until the
  // answer arrives.
  bool commit_sent = false;
};

struct OperationOutcome {
  std::uint64_t rows_read = 0;
  std::uint64_t values_verified = 0;
  std::uint64_t values_wrong = 0;
  std::string first_wrong;  // about the first wrong value: a printable sentence, no full stop
  bool not_found = false;   // the row to read or write does not exist
};

class Session : public database::Session {
 public:
  // Executes one attempt. After an error, none of its writes are in the database, unless the class
  // is ErrorClass::ambiguous_commit. A row that does not exist is an error of class `statement`.
  // The arguments must outlive the task.
  virtual coro::Task<void> execute(const Operation& operation, WriteTrace& trace,
                                   OperationOutcome& outcome) = 0;
};

// A write that was given up after it may have reached the server.
struct UnknownCommit {
  Operation operation;
  WriteTrace trace;
};

// Its sessions are ycsb::Session.
class Backend : public database::Backend {
 public:
  // Finds out from the data which writes were committed, after no session can still commit any of
  // them. Returns one answer per write, in their order. Requires: all sessions were released.
  // Throws only Cancelled; if the data cannot be read, the answer is `unknown`.
  virtual coro::Task<std::vector<database::Resolution>> resolve(std::vector<UnknownCommit> writes) {
    co_return std::vector(writes.size(), database::Resolution::unknown);
  }
};

// Makes the backend of worker `index`, on that worker's thread.
using BackendFactory = std::function<std::unique_ptr<Backend>(std::size_t index)>;

// The values of one backend's operations: generates those that it writes, and verifies those that
// it reads. Belongs to one thread.
class OperationValues {
 public:
  // `properties` must outlive the object. Throws PropertyError.
  OperationValues(const Properties& properties, ValueKind kind, bool verify);

  KeyName key_of(const Operation& operation) const { return {operation.key, properties_}; }

  // Return the value of the written field, or the values of all fields. Without the version if the
  // server increments it. Valid until the next call.
  std::string_view of_one(const Operation& operation, const WriteTrace& trace);
  std::span<const std::string_view> of_all(const Operation& operation, const WriteTrace& trace);

  // Counts and verifies the `rows` rows that an operation has read. `key_of(row)` returns a key,
  // `text_of(row, field)` the text of a field. Throws Error if there is no row.
  template <class KeyOf, class TextOf>
  void count_read(const Operation& operation, std::size_t rows, KeyOf key_of, TextOf text_of,
                  OperationOutcome& outcome) const {
    if (rows == 0) throw_not_found(operation, outcome);
    outcome.rows_read += rows;
    if (!verify_) return;
    for (std::size_t row = 0; row < rows; ++row) {
      const std::optional<std::uint64_t> shown =
          operation.type == OperationType::scan
              ? number_shown_by(key_of(row))
              : shown_number(operation.key, properties_.insert_order);
      if (!shown) {
        count_foreign_key(key_of(row), outcome);
        continue;
      }
      const auto fields = static_cast<std::uint32_t>(properties_.field_count);
      for (std::uint32_t field = 0; field < fields; ++field) {
        if (operation.read_field.value_or(field) != field) continue;
        count_value(text_of(row, field), {.key = *shown, .field = field}, outcome);
      }
    }
  }

  // Throws the error of an operation whose row does not exist.
  [[noreturn]] void throw_not_found(const Operation& operation, OperationOutcome& outcome) const;

  // Returns what became of an unknown commit. `is_found`: its row is in the table, and
  // `text_of(field)` returns the text of a field of this row.
  //
  // An insert was committed if its row exists. Another write was committed if a field has its
  // stamp, and was not if the versions of the fields that it writes are 0. If later writes have
  // overwritten these fields, the outcome stays unknown.
  template <class TextOf>
  database::Resolution resolution_of(const UnknownCommit& write, bool is_found,
                                     TextOf text_of) const {
    if (!is_found) return database::Resolution::not_committed;
    const Operation& operation = write.operation;
    if (operation.type == OperationType::insert) return database::Resolution::committed;
    const std::uint64_t shown = shown_number(operation.key, properties_.insert_order);
    bool untouched = kind_ == ValueKind::counted;
    const auto fields = static_cast<std::uint32_t>(properties_.field_count);
    for (std::uint32_t field = 0; field < fields; ++field) {
      if (operation.written_field.value_or(field) != field) continue;
      const auto head = value_head(text_of(field), {.key = shown, .field = field});
      if (head && head->stamp == write.trace.stamp) return database::Resolution::committed;
      if (!head || head->version > 0) untouched = false;
    }
    return untouched ? database::Resolution::not_committed : database::Resolution::unknown;
  }

 private:
  std::size_t version_part(const Operation& operation) const noexcept;
  void count_value(std::string_view text, FieldPlace place, OperationOutcome& outcome) const;
  static void count_foreign_key(std::string_view key, OperationOutcome& outcome);

  const Properties& properties_;
  ValueKind kind_;
  bool verify_;
  FieldLengths lengths_;
  std::string bytes_;
  std::vector<std::string_view> values_;
};

// Returns the error of an insert whose row exists, with advice.
database::Error explained_duplicate(const database::Error& error, std::uint64_t number);

}  // namespace drover::ycsb
