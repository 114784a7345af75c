// What a database must do for YCSB: hand out sessions that execute its operations, and say afterwards of a write whose
// answer never came whether it happened.
//
// A backend belongs to one worker; nothing here is thread-safe. Failures are database::Error.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "coro/task.h"
#include "database/backend.h"
#include "workload/ycsb/clients/operations.h"

namespace drover::ycsb {

// What the fields of a table are known to hold, and so what an update writes.
enum class ValueKind : std::uint8_t {
  counted,  // values of values.h with a version each, which an update counts up on the server: none can be lost unseen
  stamped,  // the same, but fields may be too short for a version: an update writes a new value
  foreign,  // anything: another tool has loaded them
};

// By what a write can be found in the data afterwards.
struct Trace {
  std::uint64_t stamp = 0;  // of what it writes; given by the caller, no two attempts have the same
  // The write may be under way. Whoever abandons it from here on does not know whether it happened.
  bool commit_sent = false;
};

// What an operation has found.
struct Outcome {
  std::uint64_t rows_read = 0;
  std::uint64_t values_verified = 0;
  std::uint64_t values_wrong = 0;
  std::string
      first_wrong;  // what is wrong with the first of them: one printable sentence without its full stop
  bool not_found = false;  // the row that it was to read or write is not there
};

class Session : public database::Session {
 public:
  // Executes it once. On an error nothing of it is in the database, save for ErrorClass::ambiguous_commit, where nobody
  // knows. A row that is not there is an error, too (class statement). All three must outlive the task.
  virtual coro::Task<void> execute(const Operation& operation, Trace& trace, Outcome& outcome) = 0;
};

// A write that was given up when it may have been under way.
struct Doubt {
  Operation operation;
  Trace trace;
};

// Its sessions are ycsb::Session.
class Backend : public database::Backend {
 public:
  // Looks in the data whether these happened, once no session of ours can do any of them any more. An answer for each, in
  // their order. To be asked when all sessions have been given back. Throws nothing but Cancelled: what cannot be found
  // out is unknown.
  virtual coro::Task<std::vector<database::Resolution>> resolve(std::vector<Doubt> doubts) {
    co_return std::vector(doubts.size(), database::Resolution::unknown);
  }
};

// Makes the backend of the worker `index`, on that worker's thread.
using BackendFactory = std::function<std::unique_ptr<Backend>(std::size_t index)>;

}  // namespace drover::ycsb
