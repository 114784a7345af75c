#include "workload/ycsb/clients/insert_sequence.h"

#include <stdexcept>

namespace drover::ycsb {

InsertSequence::InsertSequence(std::uint64_t first, std::uint64_t stride,
                               std::size_t outstanding_max)
    : first_(first), stride_(stride), outstanding_max_(outstanding_max) {
  if (stride == 0) throw std::invalid_argument("a sequence of inserts with stride 0");
  if (outstanding_max == 0) throw std::invalid_argument("a sequence with nothing outstanding");
}

void InsertSequence::acknowledge(std::uint64_t number) {
  settle(number, State::inserted);
}

void InsertSequence::abandon(std::uint64_t number) {
  settle(number, State::abandoned);
}

std::uint64_t InsertSequence::missing() const {
  const std::lock_guard lock(mutex_);
  return missing_;
}

void InsertSequence::settle(std::uint64_t number, State state) {
  const std::uint64_t index = (number - first_) / stride_;
  const std::lock_guard lock(mutex_);
  std::uint64_t existing = existing_.load(std::memory_order_relaxed);
  if (index < existing) return;  // it was passed over
  const std::uint64_t place = index - existing;
  if (place >= window_.size()) window_.resize(place + 1, State::outstanding);
  window_[place] = state;
  while (!window_.empty() &&
         (window_.front() != State::outstanding || window_.size() > outstanding_max_)) {
    if (window_.front() != State::inserted) ++missing_;
    window_.pop_front();
    ++existing;
  }
  existing_.store(existing, std::memory_order_relaxed);
}

}  // namespace drover::ycsb
