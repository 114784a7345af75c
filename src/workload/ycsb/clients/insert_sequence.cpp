#include "workload/ycsb/clients/insert_sequence.h"

#include <stdexcept>

namespace drover::ycsb {

InsertSequence::InsertSequence(std::uint64_t first, std::uint64_t stride,
                               std::size_t outstanding_max)
    : first_(first), stride_(stride), outstanding_max_(outstanding_max) {
  if (stride == 0) throw std::invalid_argument("a sequence of inserts with stride 0");
  if (outstanding_max == 0) throw std::invalid_argument("a sequence with nothing outstanding");
}

std::uint64_t InsertSequence::place_of(std::uint64_t index) const {
  const std::lock_guard lock(mutex_);
  return missing_.place_of(index);
}

void InsertSequence::settle(std::uint64_t number, State state) {
  const std::uint64_t place = (number - first_) / stride_;
  const std::lock_guard lock(mutex_);
  if (place < settled_) return;  // given up before
  const std::uint64_t in_window = place - settled_;
  if (in_window >= window_.size()) window_.resize(in_window + 1, State::outstanding);
  window_[in_window] = state;
  while (!window_.empty() &&
         (window_.front() != State::outstanding || window_.size() > outstanding_max_)) {
    if (window_.front() != State::inserted && missing_.count() < missing_max) {
      missing_.add(settled_, settled_ + 1);
    }
    window_.pop_front();
    ++settled_;
  }
  missing_count_.store(missing_.count(), std::memory_order_relaxed);
  existing_.store(settled_ - missing_.count(), std::memory_order_release);
}

}  // namespace drover::ycsb
