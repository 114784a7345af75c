// ExternalEvent: a copyable handle that may end a waiting step, from any thread and at any time.
//
// A call on the worker's own thread takes effect at once. A call from another thread, or while the
// worker does not run, is posted: the caller does not wait, and the call takes effect in the
// worker's loop, perhaps only in the next run_until(). The first call ends the step. Calls after
// the end of the step or of the flow have no effect. The worker must outlive the calls.
#pragma once

#include <exception>
#include <memory>
#include <string>
#include <tuple>
#include <utility>

#include "coro/worker.h"
#include "steps/detail/strand.h"
#include "steps/steps.h"

namespace drover::steps {

namespace detail {

// Link between a step and its handles, either of which may be destroyed first. `step` belongs to
// the worker's thread, and is null when the step waits no more.
struct ExternalLink {
  Steps* step;
  coro::Worker* const worker;
};

struct LinkAttachment final : AttachmentOf<LinkAttachment, Slot::extended, true> {
  LinkAttachment(Steps& step, coro::Worker& worker)
      : link(std::make_shared<ExternalLink>(&step, &worker)) {}
  ~LinkAttachment() { link->step = nullptr; }

  const std::shared_ptr<ExternalLink> link;
};

}  // namespace detail

class ExternalEvent {
 public:
  explicit ExternalEvent(std::shared_ptr<detail::ExternalLink> link) noexcept
      : link_(std::move(link)) {}

  // Both functions require that the handle was not moved from.
  template <class... Values>
  void success(Values&&... values) const {
    run_at_home([results = std::tuple<ResultOf<Values>...>(std::forward<Values>(values)...)](
                    Steps& step) mutable {
      std::apply([&step](auto&... value) { step.success(std::move(value)...); }, results);
    });
  }

  void error(ErrorCode code, std::string_view info = {}) const {
    run_at_home([code = std::string(code), info = std::string(info)](Steps& step) {
      step.error_no_throw(code, info);
    });
  }

 private:
  template <class Function>
  void apply(Function& function) const noexcept {
    Steps* step = link_->step;
    if (step == nullptr || !step->can_end()) return;
    try {
      function(*step);
    } catch (...) {
      step->fail_with(std::current_exception());  // a result could not be passed on
    }
  }

  template <class Function>
  void run_at_home(Function function) const {
    if (coro::Worker::try_current() == link_->worker) {
      apply(function);
    } else {
      link_->worker->post(
          [event = *this, call = std::move(function)]() mutable noexcept { event.apply(call); });
    }
  }

  std::shared_ptr<detail::ExternalLink> link_;
};

}  // namespace drover::steps
