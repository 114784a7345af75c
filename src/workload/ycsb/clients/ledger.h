// The ledger of a run: what its clients know to have written, held against what the table says. Plain values.
#pragma once

#include <cstdint>
#include <optional>

#include "workload/ycsb/database.h"

namespace drover::ycsb {

// Over all phases. What is unresolved may be in the table or not.
struct Ledger {
  std::uint64_t inserts = 0;
  std::uint64_t inserts_unresolved = 0;
  std::uint64_t updates = 0;
  std::uint64_t read_modify_writes = 0;
  std::uint64_t versions = 0;  // fields that the last two have counted up
  std::uint64_t versions_unresolved = 0;
};

// Something that a run adds to: as it is known, and as it was found.
struct LedgerEntry {
  std::uint64_t known = 0;
  std::uint64_t unresolved = 0;
  std::int64_t found = 0;  // after the run less before it

  // What was acknowledged and is not there.
  std::uint64_t lost() const noexcept {
    const std::int64_t more = found - static_cast<std::int64_t>(known);
    return more < 0 ? static_cast<std::uint64_t>(-more) : 0;
  }
  // What is there and was neither acknowledged nor in doubt: somebody else has written.
  std::uint64_t unexplained() const noexcept {
    const std::int64_t more = found - static_cast<std::int64_t>(known + unresolved);
    return more > 0 ? static_cast<std::uint64_t>(more) : 0;
  }
  // How many of the unresolved have happened, where it holds.
  std::uint64_t resolved_by_sum() const noexcept {
    return holds() ? static_cast<std::uint64_t>(found) - known : 0;
  }
  bool holds() const noexcept { return lost() == 0 && unexplained() == 0; }
};

struct LedgerComparison {
  LedgerEntry rows;
  std::optional<LedgerEntry> versions;  // none where they are not counted

  bool holds() const noexcept { return rows.holds() && (!versions || versions->holds()); }
};

LedgerComparison compare(const Ledger& ledger, const TableSums& before, const TableSums& after);

}  // namespace drover::ycsb
