// What the tables say of all New-Orders and Payments that were ever committed, in two sums: read
// before and after a run, their difference is what the run has written, if nobody else wrote.
#pragma once

#include <cstdint>

namespace drover::tpcc {

struct LedgerSums {
  std::int64_t next_o_ids = 0;  // sum(d_next_o_id): each New-Order raises one by 1
  std::int64_t ytd_cents = 0;   // sum(w_ytd): each Payment raises one by its amount
};

}  // namespace drover::tpcc
