#include "workload/ycsb/database.h"

#include <fmt/format.h>

#include <algorithm>

#include "coro/deadline.h"
#include "coro/sleep.h"
#include "coro/worker.h"
#include "database/error.h"

namespace drover::ycsb {

void CheckReport::add(const CheckReport& other) {
  rows += other.rows;
  values += other.values;
  values_wrong += other.values_wrong;
  const std::size_t room = wrong_values_kept - std::min(wrong_values_kept, first_wrong.size());
  const std::size_t taken = std::min(room, other.first_wrong.size());
  first_wrong.insert(first_wrong.end(), other.first_wrong.begin(),
                     other.first_wrong.begin() + static_cast<std::ptrdiff_t>(taken));
  version_max = std::max(version_max, other.version_max);
  versions += other.versions;
  pieces += other.pieces;
  if (!snapshot_refusal) snapshot_refusal = other.snapshot_refusal;
}

void require_all_read(const CheckReport& sums, std::uint64_t pieces) {
  if (sums.pieces == pieces) return;
  throw database::Error(database::ErrorClass::statement, "",
                        fmt::format("only {} of {} pieces of the table were read, although all "
                                    "hosts have ended. The check gives no verdict on the data",
                                    sums.pieces, pieces));
}

coro::Task<std::optional<TableSums>> Database::read_sums_patiently(Properties properties,
                                                                   ValueKind values,
                                                                   coro::Duration patience) const {
  const coro::Instant give_up = coro::Worker::current().now() + patience;
  while (coro::Worker::current().now() < give_up) {
    try {
      co_return co_await coro::with_deadline(give_up, read_sums(properties, values));
    } catch (const database::Error&) {
      // Tried again below.
    } catch (const coro::DeadlineExceeded&) {
      break;
    }
    co_await coro::sleep_for(std::chrono::milliseconds(200));
  }
  co_return std::nullopt;
}

}  // namespace drover::ycsb
