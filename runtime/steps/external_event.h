// ExternalEvent: the right to end a step that waits, from any thread and at any time. Copyable.
//
// On the worker's own thread it takes effect at once. From elsewhere, and while the worker does not
// run, it is posted: the caller does not wait, and it takes effect when the loop comes to it, be it
// in the next run_until(). Whoever comes first ends the step; what comes after that, or after the
// step has ended otherwise, or the flow was destroyed, is dropped. The worker must outlive the
// handle's calls.
#pragma once

#include <exception>
#include <memory>
#include <string>
#include <tuple>
#include <utility>

#include "steps/detail/callable_step.h"

namespace drover::steps {

namespace detail {

// Between a step and its handles, either of which may go first. `step` belongs to the worker's thread,
// and is null when the step waits no more.
struct ExternalLink {
  Steps* step;
  coro::Worker* const worker;
};

struct LinkAttachment final : AttachmentOf<LinkAttachment, Slot::extended, true> {
  explicit LinkAttachment(Steps& step, coro::Worker& worker)
      : link(std::make_shared<ExternalLink>(&step, &worker)) {}
  ~LinkAttachment() { link->step = nullptr; }

  const std::shared_ptr<ExternalLink> link;
};

}  // namespace detail

class ExternalEvent {
 public:
  explicit ExternalEvent(std::shared_ptr<detail::ExternalLink> link) noexcept
      : link_(std::move(link)) {}

  // Requires (both): not moved from.
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
  static void apply(const ExternalEvent& event, Function& function) noexcept {
    Steps* step = event.link_->step;
    if (step == nullptr || !step->can_end()) return;
    try {
      function(*step);
    } catch (...) {
      step->fail_with(std::current_exception());  // a result that could not be handed on
    }
  }

  template <class Function>
  void run_at_home(Function function) const {
    if (coro::Worker::try_current() == link_->worker) {
      apply(*this, function);
    } else {
      link_->worker->post(
          [event = *this, call = std::move(function)]() mutable noexcept { apply(event, call); });
    }
  }

  std::shared_ptr<detail::ExternalLink> link_;
};

}  // namespace drover::steps
