#include "workload/ycsb/clients/ledger.h"

namespace drover::ycsb {
namespace {

std::int64_t growth(std::uint64_t before, std::uint64_t after) noexcept {
  return static_cast<std::int64_t>(after) - static_cast<std::int64_t>(before);
}

}  // namespace

LedgerComparison compare(const Ledger& ledger, const TableSums& before, const TableSums& after) {
  LedgerComparison comparison;
  comparison.rows = {.known = ledger.inserts,
                     .unresolved = ledger.inserts_unresolved,
                     .found = growth(before.rows, after.rows)};
  if (before.versions && after.versions) {
    comparison.versions = {.known = ledger.versions,
                           .unresolved = ledger.versions_unresolved,
                           .found = growth(*before.versions, *after.versions)};
  }
  return comparison;
}

}  // namespace drover::ycsb
