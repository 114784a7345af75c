// HistoryKeys: the second half of the key of history, h_c_nano_ts, which TPC-C does not have: the
// time in microseconds, times 1000, and a number of its own below 1000.
//
// Two keys are never the same within one process (up to 1000 of these objects at a time), as each
// object has another number and never gives a microsecond twice. Two processes pay at once for
// customers of the same warehouse only where one pays for remote customers; they have begun to
// count at a random number.
//
// Belongs to one worker.
#pragma once

#include <cstdint>

namespace drover::tpcc::ydb {

class HistoryKeys {
 public:
  static constexpr std::int64_t per_microsecond = 1000;

  HistoryKeys();

  std::int64_t next() noexcept;

 private:
  std::int64_t number_;
  std::int64_t last_us_ = 0;
};

}  // namespace drover::tpcc::ydb
