// What the tables say of all New-Orders, Payments and Deliveries that were ever committed, in three
// numbers: read before and after a run, their differences are what the run has written, if nobody
// else wrote.
#pragma once

#include <cstdint>

namespace drover::tpcc {

struct LedgerSums {
  std::int64_t next_o_ids = 0;  // sum(d_next_o_id): each New-Order raises one by 1
  std::int64_t ytd_cents = 0;   // sum(w_ytd): each Payment raises one by its amount
  std::int64_t undelivered =
      0;  // rows of new_order: one more a New-Order, one less a delivered order

  // As a difference to the sums before: how many orders Deliveries have taken. No customer is read
  // for it, of which there are 30,000 a warehouse; of undelivered orders there are about 9,000.
  std::int64_t delivered() const noexcept { return next_o_ids - undelivered; }
};

}  // namespace drover::tpcc
