// What can go wrong at a database, classed once, so that everyone else decides by class.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>

namespace drover::database {

enum class ErrorClass : std::uint8_t {
  retryable,         // serialization failure or deadlock: the same transaction may be tried again
  connection_lost,   // the session is gone; the transaction has not been committed
  ambiguous_commit,  // the session is gone while a commit was under way: nobody knows
  unavailable,       // no session to be had: refused, starting up, out of slots, host unknown
  denied,            // wrong password, no such database, no permission
  statement,         // the statement itself: missing table, constraint, disk full, …
  timed_out,         // the server ended the statement: statement_timeout, lock_timeout, a cancel
};
inline constexpr std::size_t error_class_count = 7;

// How long to leave alone a server that has asked for another attempt.
enum class Backoff : std::uint8_t {
  fast,  // somebody was quicker
  slow,  // it has too much to do, and says so: more attempts are more of that
};

std::string_view error_class_name(ErrorClass error_class) noexcept;

// The class of an SQLSTATE (five characters; appendix A of the PostgreSQL manual).
ErrorClass classify_sqlstate(std::string_view sqlstate) noexcept;

class Error : public std::runtime_error {
 public:
  // `sqlstate` is empty where the server did not give one.
  Error(ErrorClass error_class, std::string sqlstate, const std::string& message,
        Backoff backoff = Backoff::fast)
      : std::runtime_error(message),
        class_(error_class),
        backoff_(backoff),
        sqlstate_(std::move(sqlstate)) {}

  ErrorClass error_class() const noexcept { return class_; }
  const std::string& sqlstate() const noexcept { return sqlstate_; }
  // For what is retryable.
  Backoff backoff() const noexcept { return backoff_; }

 private:
  ErrorClass class_;
  Backoff backoff_;
  std::string sqlstate_;
};

}  // namespace drover::database
