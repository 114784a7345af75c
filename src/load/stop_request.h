// StopRequest: the user's request to end a run early. Used by tasks of the main worker only.
#pragma once

#include <functional>
#include <utility>

#include "coro/task.h"

namespace drover::load {

class StopRequest {
 public:
  void request() {
    requested_ = true;
    if (on_request_) on_request_();
  }
  bool requested() const noexcept { return requested_; }
  // Sets the action of the next request.
  void on_request(std::function<void()> action) { on_request_ = std::move(action); }

  // Awaits `waiting`. A request cancels it. Returns true if it was not cancelled.
  coro::Task<bool> unless_requested(coro::Task<void> waiting);

 private:
  bool requested_ = false;
  std::function<void()> on_request_;
};

}  // namespace drover::load
