// DeliveryLog: the result file of deferred Deliveries (clause 2.7.2.2), a line of JSON each:
//
//   {"queued":1763730000.123456,"w_id":3,"o_carrier_id":7,"orders":[[1,2107],[2,2104]],
//    "completed":1763730000.130000}
//
// Times are Unix seconds; an order is [d_id, o_id], and a district without one is left out. A
// Delivery that failed has an "error" in place of its orders.
//
// Thread safety: append() from any thread and never waits for the disk; write_out() and close()
// from one.
#pragma once

#include <array>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <string>
#include <vector>

#include "workload/tpcc/schema.h"

namespace drover::tpcc {

struct DeliveryRecord {
  double queued = 0;
  double completed = 0;
  std::int32_t w_id = 0;
  std::int32_t carrier_id = 0;
  std::array<std::int32_t, districts_per_warehouse> orders{};  // by district; 0: none
  bool failed = false;
};

std::string format_delivery(const DeliveryRecord& record);

class DeliveryLog {
 public:
  // Throws std::runtime_error if the file cannot be made.
  explicit DeliveryLog(const std::string& path);

  void append(const DeliveryRecord& record);

  // Writes what was appended. A file that cannot be written is given up, and failed() says why: no
  // reason to lose a run.
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

}  // namespace drover::tpcc
