// HopelessTypes: finds a type of transaction that cannot succeed, so that a run ends early instead
// of failing until its end.
//
// A type is hopeless if it has never succeeded, and its transactions fail with one and the same
// SQLSTATE that another attempt does not change (is_lasting()): `failures_least` times in a row,
// and for `time_least` or longer. Any other failure starts the count again. A type that has
// succeeded once is never hopeless.
//
// Thread safety: all functions from any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <string>

#include "coro/clock.h"
#include "database/error.h"

namespace drover::load {

// Returns true if the same statement fails with the same error again: syntax errors, missing tables
// or columns (SQLSTATE 42xxx and 3F000), features that the server lacks (0A000), and YDB's
// SCHEME_ERROR and UNSUPPORTED.
bool is_lasting(const database::Error& error) noexcept;

class HopelessTypes {
 public:
  static constexpr std::uint64_t failures_least = 10;
  static constexpr coro::Duration time_least = std::chrono::seconds(5);

  void succeeded(std::size_t type);
  // Counts the failure. Returns true if the type is hopeless.
  bool failed(std::size_t type, const database::Error& error, coro::Instant now);

 private:
  struct Failures {
    bool has_succeeded = false;
    std::uint64_t in_a_row = 0;
    std::string sqlstate = {};
    coro::Instant since = {};
  };

  std::mutex mutex_;
  std::map<std::size_t, Failures> types_;
};

}  // namespace drover::load
