// Mutex: at most so many flows in a section at once, first come, first served. A permit that is
// given back goes to the longest waiter itself, so nobody barges in.
//
// Re-entrant by flow: a section in a section of the same mutex is admitted at once. The child of a
// parallel inherits nothing: one that waits for the mutex of the section around it waits for ever.
// For the flows of one worker; not thread-safe.
#pragma once

#include <cstddef>

#include "steps/sync.h"

namespace drover::steps {

// The permits and the queue; also a part of the Limiter.
class MutexGate {
 public:
  MutexGate(std::size_t max, std::size_t max_queue) noexcept
      : free_(max), queue_(SyncHold::Stage::at_mutex, max_queue) {}

  Admission enter(SyncHold& hold) noexcept;
  void leave(SyncHold& hold) noexcept;
  std::size_t waiting() const noexcept { return queue_.size(); }

 private:
  std::size_t free_;
  HoldQueue queue_;
};

class Mutex final : public SyncPrimitive {
 public:
  explicit Mutex(std::size_t max = 1, std::size_t max_queue = unlimited) noexcept
      : gate_(max, max_queue) {}

  std::size_t waiting() const noexcept { return gate_.waiting(); }

 private:
  Admission enter(SyncHold& hold) override { return gate_.enter(hold); }
  void let_in(SyncHold& hold) noexcept override { hold.admit(); }
  void leave(SyncHold& hold) noexcept override { gate_.leave(hold); }
  std::string_view rejection() const noexcept override { return "Mutex queue limit"; }

  MutexGate gate_;
};

}  // namespace drover::steps
