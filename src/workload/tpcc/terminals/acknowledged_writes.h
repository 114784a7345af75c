// What one worker was told last that it is committed: a database that fails over to a replica may have lost it. The run
// goes on for long, and has room for the writes before each loss of a session only.
//
// Belongs to its worker; read when the run has ended.
#pragma once

#include <algorithm>
#include <cstddef>
#include <deque>
#include <vector>

#include "coro/clock.h"
#include "workload/tpcc/backend.h"

namespace drover::tpcc {

struct AcknowledgedWrite {
  Doubt write;  // by what it is to be found
  coro::Instant answered;
};

class AcknowledgedWrites {
 public:
  // How many are kept of the last ones, over all workers, and how many of those before losses.
  static constexpr std::size_t recent_most = 20'000;
  static constexpr std::size_t suspects_most = 100'000;

  // At first it keeps nothing.
  void keep_of(std::size_t workers) noexcept { share_ = std::max<std::size_t>(workers, 1); }

  void add(const Input& input, const Trace& trace, coro::Instant answered) {
    if (share_ == 0) return;
    recent_.push_back({{input, trace}, answered});
    if (recent_.size() > recent_most / share_) recent_.pop_front();
  }

  // What was answered before may be gone; what comes is another matter.
  void on_session_lost() {
    if (share_ == 0) return;
    suspects_.insert(suspects_.end(), recent_.begin(), recent_.end());
    recent_.clear();
    while (suspects_.size() > suspects_most / share_) suspects_.pop_front();
  }

  // Those before losses, and the last ones, in the order in which they were answered.
  std::vector<AcknowledgedWrite> all() const {
    std::vector<AcknowledgedWrite> all(suspects_.begin(), suspects_.end());
    all.insert(all.end(), recent_.begin(), recent_.end());
    return all;
  }

 private:
  std::size_t share_ = 0;  // so many workers have a part of the room; 0: it keeps nothing
  std::deque<AcknowledgedWrite> recent_;
  std::deque<AcknowledgedWrite> suspects_;
};

}  // namespace drover::tpcc
