// Where tests get in between: a queue calls these at the points where being stopped would hurt
// most.
//
// A test gives a queue a class of its own with the same functions, which then runs other operations
// on the same queue (or yields the processor) right there, so that rare interleavings happen at
// will.
#pragma once

namespace drover::queue {

struct NoInterleaving {
  // In a push: slots are claimed, and not yet published.
  static void claimed() noexcept {}
  // In a pop: the queue was looked at, and nothing is taken yet.
  static void looked() noexcept {}
};

}  // namespace drover::queue
