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
  void keep_of(std::size_t workers) {
    const std::size_t share = std::max<std::size_t>(workers, 1);
    recent_room_ = recent_most / share;
    suspects_room_ = suspects_most / share;
    recent_.reserve(recent_room_);  // address space: what is not used takes no memory
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

  // What was answered before may be gone; what comes is another matter.
  void on_session_lost() {
    append_recent(suspects_);
    recent_.clear();
    oldest_ = 0;
    while (suspects_.size() > suspects_room_) suspects_.pop_front();
  }

  // Those before losses, and the last ones, in the order in which they were answered.
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

  std::size_t recent_room_ = 0;  // 0: it keeps nothing
  std::size_t suspects_room_ = 0;
  std::vector<AcknowledgedWrite> recent_;  // a ring, when it is full
  std::size_t oldest_ = 0;
  std::deque<AcknowledgedWrite> suspects_;
};

}  // namespace drover::tpcc
