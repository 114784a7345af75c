// StopRequest: how a person ends a run early. Used from the main worker's tasks only.
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
  // What the next request does besides.
  void on_request(std::function<void()> action) { on_request_ = std::move(action); }

  // Waits for this; a request that comes meanwhile cancels it, too. Whether it came to its end.
  coro::Task<bool> unless_requested(coro::Task<void> waiting);

 private:
  bool requested_ = false;
  std::function<void()> on_request_;
};

}  // namespace drover::load
