// The sections of results that are added, each to a sum: for merge.cpp. Pure functions.
#pragma once

#include <vector>

#include "report/document/result.h"

namespace drover::report {

// Requires: the same types of transaction, or none in `sum`; each with the same statements, or without.
void add_transactions(std::vector<TransactionResult>& sum,
                      const std::vector<TransactionResult>& part);
void add_inputs(InputCounts& sum, const InputCounts& part);
void add_deferred(std::optional<DeferredDelivery>& sum,
                  const std::optional<DeferredDelivery>& part);
void add_ledger(Ledger& sum, const Ledger& part);
void add_lost_commits(LostCommits& sum, const LostCommits& part);
void add_accounts(std::vector<Account>& sum, const std::vector<Account>& part);
void add_hosts(std::vector<HostResult>& sum, const std::vector<HostResult>& part);

// Both sums are none as soon as one part has none. `is_first`: of the parts.
void add_ledger_in_data(std::optional<LedgerInData>& sum, const std::optional<LedgerInData>& part,
                        bool is_first);

}  // namespace drover::report
