// Errors of databases, classed once so that all callers decide by the class, and the text of
// messages from servers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

namespace drover::database {

enum class ErrorClass : std::uint8_t {
  retryable,         // serialization failure or deadlock: the same transaction may be tried again
  connection_lost,   // the session has ended, and its transaction was not committed
  ambiguous_commit,  // the session ended during a commit, whose outcome is unknown
  unavailable,       // no session: refused, starting up, out of slots, unknown host
  denied,            // wrong password, no such database, no permission
  statement,         // the statement failed: missing table, constraint, disk full, …
  timed_out,         // the server ended the statement: statement_timeout, lock_timeout, a cancel
};
inline constexpr std::size_t error_class_count = 7;

// How long to wait before a retry.
enum class Backoff : std::uint8_t {
  fast,  // retry soon: another transaction won a conflict
  slow,  // retry later: the server reports that it is overloaded
};

std::string_view error_class_name(ErrorClass error_class) noexcept;

// Returns the class of an SQLSTATE (five characters; appendix A of the PostgreSQL manual).
ErrorClass classify_sqlstate(std::string_view sqlstate) noexcept;

class Error : public std::runtime_error {
 public:
  // `sqlstate` is empty if the server did not send one. `backoff` is for retryable errors.
  Error(ErrorClass error_class, std::string sqlstate, const std::string& message,
        Backoff backoff = Backoff::fast)
      : std::runtime_error(message),
        class_(error_class),
        backoff_(backoff),
        sqlstate_(std::move(sqlstate)) {}

  ErrorClass error_class() const noexcept { return class_; }
  const std::string& sqlstate() const noexcept { return sqlstate_; }
  Backoff backoff() const noexcept { return backoff_; }
  // Returns true if another attempt would fail, too.
  bool is_permanent() const noexcept {
    return class_ == ErrorClass::denied || class_ == ErrorClass::statement;
  }

 private:
  ErrorClass class_;
  Backoff backoff_;
  std::string sqlstate_;
};

// The error of a session that ended before the server completed the statement.
class NeverExecuted : public Error {
 public:
  // Copies `error`, with the class connection_lost. `idle`: the session ended while it was idle.
  NeverExecuted(const Error& error, bool idle)
      : Error(ErrorClass::connection_lost, error.sqlstate(), error.what()), idle_(idle) {}

  // Returns true if the server had not begun any part of the unanswered message. Otherwise, it
  // rolled back the statement's transaction, but a statement that commits on its own (CALL, DO,
  // VACUUM) may have committed a part before.
  bool idle() const noexcept { return idle_; }

 private:
  bool idle_;
};

// The error of a command that finds other tables or data than it needs. The message says what to
// do.
class UnfitSchema : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

inline constexpr std::size_t message_bytes_max = 4096;

// Returns a message of a server or a library as one line that is safe for a terminal: without
// control characters (and so without escape sequences), and with a question mark for each byte that
// is not UTF-8. Cuts the text after about `bytes_max` bytes.
std::string one_line(std::string_view text, std::size_t bytes_max = message_bytes_max);

}  // namespace drover::database
