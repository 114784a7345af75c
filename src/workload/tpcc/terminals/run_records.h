// Records of TPC-C that the workers of a run keep besides the engine's counts: inputs, ledger,
// acknowledged writes, the availability of warehouses, and deferred Deliveries.
//
// Thread safety: a worker writes its own WorkerCounts, which are read after the run. DeliveryLog
// states its own.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <deque>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <string>
#include <vector>

#include "coro/clock.h"
#include "database/error.h"
#include "measure/counter.h"
#include "measure/histogram.h"
#include "workload/tpcc/backend.h"
#include "workload/tpcc/schema.h"
#include "workload/tpcc/terminals/plan.h"

namespace drover::tpcc {

struct AcknowledgedWrite {
  UnknownCommit write;  // identifies the write in the data
  coro::Instant answered;
};

// The most recent commits that the database acknowledged to one worker. A failover to a replica may
// lose them. The object also keeps the commits before each loss of a session, up to a limit.
class AcknowledgedWrites {
 public:
  // Limits over all workers: recent commits, and commits before losses.
  static constexpr std::size_t recent_most = 20'000;
  static constexpr std::size_t suspects_most = 100'000;

  // Sets the limits for one of so many workers. Before this call nothing is kept.
  void keep_of(std::size_t workers) {
    const std::size_t share = std::max<std::size_t>(workers, 1);
    recent_room_ = recent_most / share;
    suspects_room_ = suspects_most / share;
    recent_.reserve(recent_room_);  // address space: untouched pages take no memory
  }

  void add(const Input& input, const Trace& trace, coro::Instant answered) {
    if (recent_room_ == 0) return;
    if (recent_.size() < recent_room_) {
      recent_.push_back({{input, trace}, answered});
      return;
    }
    recent_[oldest_] = {{input, trace}, answered};
    oldest_ = (oldest_ + 1) % recent_room_;
  }

  // Keeps the recent commits, which the server may have lost, apart from later ones.
  void on_session_lost() {
    append_recent(suspects_);
    recent_.clear();
    oldest_ = 0;
    while (suspects_.size() > suspects_room_) suspects_.pop_front();
  }

  // Returns all kept commits in the order of their answers.
  std::vector<AcknowledgedWrite> all() const {
    std::vector<AcknowledgedWrite> all(suspects_.begin(), suspects_.end());
    append_recent(all);
    return all;
  }

 private:
  template <class Writes>
  void append_recent(Writes& to) const {
    const auto oldest = recent_.begin() + static_cast<std::ptrdiff_t>(oldest_);
    to.insert(to.end(), oldest, recent_.end());
    to.insert(to.end(), recent_.begin(), oldest);
  }

  std::size_t recent_room_ = 0;  // 0: nothing is kept
  std::size_t suspects_room_ = 0;
  std::vector<AcknowledgedWrite> recent_;  // a ring when it is full
  std::size_t oldest_ = 0;
  std::deque<AcknowledgedWrite> suspects_;
};

// The times in which single warehouses were away, as the terminals of one worker saw it. A part of
// a database can be away while the rest is served, such as one node of a sharded database.
//
// A warehouse is away from the first of three consecutive failures of transactions that need only
// this warehouse to the next commit of a transaction of its terminals. A failure counts if the
// database, and not the statement, is at fault. Time away begins when the last attempt of the first
// failed transaction began, so a server that hangs is away before the client gives up.
//
// Takes 24 bytes for each warehouse and for each stretch of time.
class WarehouseAvailability {
 public:
  struct Stretch {
    std::int32_t w_id;
    coro::Instant start;
    coro::Instant end;  // Instant::max(): it has not ended
  };

  WarehouseAvailability() = default;
  // The warehouses `first`, `first` + `step` and so on, `count` in all.
  WarehouseAvailability(std::int32_t first, std::int32_t step, std::size_t count)
      : first_(first), step_(step), states_(count) {}

  // Requires that `w_id` is one of the warehouses. `begun`: the start of the last attempt of a
  // transaction that needed no other warehouse.
  void failed(std::int32_t w_id, coro::Instant begun, const database::Error& error);
  void committed(std::int32_t w_id, coro::Instant now);

  // Returns the times away in no particular order.
  std::vector<Stretch> stretches() const;

 private:
  struct State {
    coro::Instant last_commit;
    coro::Instant first_failure;
    std::uint32_t failures = 0;  // since the last commit
  };

  State& state_of(std::int32_t w_id) {
    return states_[static_cast<std::size_t>((w_id - first_) / step_)];
  }

  std::int32_t first_ = 1;
  std::int32_t step_ = 1;
  std::vector<State> states_;
  std::vector<Stretch> ended_;
};

struct DeliveryRecord {
  double queued = 0;
  double completed = 0;
  std::int32_t w_id = 0;
  std::int32_t carrier_id = 0;
  std::array<std::int32_t, districts_per_warehouse> orders{};  // by district; 0: none
  bool failed = false;
};

std::string format_delivery(const DeliveryRecord& record);

// The result file of deferred Deliveries (clause 2.7.2.2), one JSON object in each line:
//
//   {"queued":1763730000.123456,"w_id":3,"o_carrier_id":7,"orders":[[1,2107],[2,2104]],
//    "completed":1763730000.130000}
//
// Times are Unix seconds. An order is [d_id, o_id]; districts without an order are left out. A
// Delivery that failed has an "error" in place of its orders.
//
// Thread safety: append() may be called from any thread and never waits for the disk; write_out()
// and close() are called from one thread.
class DeliveryLog {
 public:
  // Throws std::runtime_error if the file cannot be created.
  explicit DeliveryLog(const std::string& path);

  void append(const DeliveryRecord& record);

  // Writes the appended records. After a failure the file is given up, and failure() says why.
  void write_out();

  // Writes the rest.
  void close();

  const std::string& failure() const noexcept { return failure_; }

 private:
  struct CloseFile {
    void operator()(std::FILE* file) const noexcept { std::fclose(file); }
  };
  void give_up(int error_number);

  std::string path_;
  std::unique_ptr<std::FILE, CloseFile> file_;
  std::string failure_;
  std::mutex mutex_;
  std::vector<DeliveryRecord> waiting_;  // under the mutex
};

// The inputs of the transactions that were completed in the measured interval.
struct InputMetrics {
  measure::Counter new_orders;
  measure::Counter new_orders_rolled_back;
  measure::Counter order_lines;
  measure::Counter order_lines_remote;
  measure::Counter payments;
  measure::Counter payments_remote;
  measure::Counter payments_by_name;
  measure::Counter order_statuses;
  measure::Counter order_statuses_by_name;
  measure::Counter deliveries;
};

// The writes that are known to be in the data, over all phases: acknowledged commits, and after the
// run resolved ones.
struct LedgerMetrics {
  measure::Counter new_orders;
  measure::Counter payments;
  measure::Counter payment_cents;
  measure::Counter deliveries;
  measure::Counter orders_delivered;
  measure::Counter unresolved;  // unknown commits
};

// Deliveries that were queued in the measured interval (clause 2.7.2).
struct DeferredMetrics {
  measure::Counter queued;
  measure::Counter completed;
  measure::Counter failed;
  measure::Histogram latency;     // from queueing to completion
  measure::Histogram unfinished;  // time in the queue of Deliveries that were not completed
};

struct alignas(measure::cache_line_bytes) WorkerCounts {
  InputMetrics inputs;
  LedgerMetrics ledger;
  AcknowledgedWrites writes;
  WarehouseAvailability availability;  // over all phases
  DeferredMetrics deferred;
  measure::Counter districts_skipped;  // in the measured interval
};

struct RunRecords {
  explicit RunRecords(const Plan& plan, DeliveryLog* log = nullptr)
      : workers(plan.threads), delivery_log(log) {}

  // Makes all workers keep acknowledged writes. To be called before the run.
  void keep_writes() {
    for (WorkerCounts& worker : workers) worker.writes.keep_of(workers.size());
  }

  std::deque<WorkerCounts> workers;
  DeliveryLog* delivery_log;  // null: no log
};

}  // namespace drover::tpcc
