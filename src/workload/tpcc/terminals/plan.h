// The plan of a run of TPC-C, validated and with every "auto" resolved. Values only.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "load/plan.h"
#include "workload/tpcc/input.h"
#include "workload/tpcc/random.h"

namespace drover::tpcc {

struct Plan : load::Plan {
  // A plan of one warehouse.
  Plan() { complete(); }

  std::int32_t warehouses = 1;
  std::int32_t terminals_per_warehouse = 10;  // one for each district (clause 4.2.2)
  // Without delays: the number of terminals in total, distributed evenly over the warehouses. 0:
  // all.
  std::size_t terminals_most = 0;
  bool no_delays = false;
  double pace = 1.0;  // divides keying and think times
  // Deliveries are queued, answered at once, and executed beside the terminals (clause 2.7.2).
  bool deferred_delivery = false;
  // The mark of the first transaction (Trace). None: random, because two runs of one seed on the
  // same data have the same inputs and must be told apart. A simulation sets it, to be
  // reproducible.
  std::optional<std::uint32_t> first_mark = {};
  NurandConstants constants;  // C-Run

  // `warehouses` and the number of terminals concern all hosts (Plan::share). These functions
  // return the warehouses of this host, both included; it has none if the last is below the first.
  std::int32_t first_warehouse() const noexcept {
    return static_cast<std::int32_t>(share.begin(static_cast<std::uint64_t>(warehouses))) + 1;
  }
  std::int32_t last_warehouse() const noexcept {
    return static_cast<std::int32_t>(share.end(static_cast<std::uint64_t>(warehouses)));
  }
  std::int32_t own_warehouses() const noexcept { return last_warehouse() - first_warehouse() + 1; }

  // Returns the number of terminals of all hosts.
  std::size_t terminals() const noexcept {
    const std::size_t all =
        static_cast<std::size_t>(warehouses) * static_cast<std::size_t>(terminals_per_warehouse);
    return terminals_most == 0 ? all : std::min(all, terminals_most);
  }

  std::size_t own_terminals() const noexcept {
    return static_cast<std::size_t>(own_warehouses()) * terminals_of_each() + own_with_one_more();
  }

  // Sets `workload`, `terminal_count` and the homes, which follow from the other members. To be
  // called after the last change of these.
  void complete();

  // Returns the number of terminals of a warehouse: districts 1 to this number have one.
  std::int32_t terminals_of(std::int32_t w_id) const noexcept {
    return static_cast<std::int32_t>(terminals_of_each()) + (w_id <= with_one_more() ? 1 : 0);
  }

  // Returns the number of warehouses of a worker: first_warehouse() + index, and so on in steps of
  // `threads`.
  std::size_t warehouses_of_worker(std::size_t index) const noexcept {
    return share_of_worker(index, static_cast<std::size_t>(own_warehouses()));
  }
  // Returns the number of terminals in the warehouses of a worker.
  std::size_t terminals_of_worker(std::size_t index) const noexcept {
    return warehouses_of_worker(index) * terminals_of_each() +
           share_of_worker(index, own_with_one_more());
  }

 private:
  std::size_t terminals_of_each() const noexcept {
    return terminals() / static_cast<std::size_t>(warehouses);
  }
  std::int32_t with_one_more() const noexcept {
    return static_cast<std::int32_t>(terminals() % static_cast<std::size_t>(warehouses));
  }
  std::size_t own_with_one_more() const noexcept {
    return static_cast<std::size_t>(
        std::clamp(with_one_more() - first_warehouse() + 1, 0, own_warehouses()));
  }
};

}  // namespace drover::tpcc
