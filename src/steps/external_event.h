// ExternalEvent: the right to end a step that waits, from any thread and at any time. Copyable.
//
// On the worker's own thread it takes effect at once. From elsewhere, and while the worker does not
// run, it is posted: the caller does not wait, and it takes effect when the loop comes to it, be it
// in the next run_until(). Whoever comes first ends the step; what comes after that, or after the
// step has ended otherwise, or the flow was destroyed, is dropped. The worker must outlive the
// handle's calls.
#pragma once

#include <atomic>
#include <cstdint>
#include <exception>
#include <string>
#include <tuple>
#include <utility>

#include "steps/callable_step.h"

namespace drover::steps {

namespace detail {

// Between a step and its handles. Counted, since either side may go first. `step` belongs to the
// worker's thread.
struct ExternalLink {
  ExternalLink(Steps& s, coro::Worker& w) noexcept : step(&s), worker(&w) {}

  std::atomic<std::uint32_t> references{1};
  Steps* step;
  coro::Worker* const worker;
};

void release_link(ExternalLink& link) noexcept;

struct LinkAttachment final : Attachment {
  explicit LinkAttachment(Steps& step, coro::Worker& worker)
      : Attachment(operations), link(*new ExternalLink(step, worker)) {}
  ~LinkAttachment() {
    link.step = nullptr;
    release_link(link);
  }

  static const AttachmentOps operations;
  ExternalLink& link;
};

}  // namespace detail

class ExternalEvent {
 public:
  explicit ExternalEvent(detail::ExternalLink& link) noexcept : link_(&link) {
    link.references.fetch_add(1, std::memory_order_relaxed);
  }
  ExternalEvent(const ExternalEvent& other) noexcept : link_(other.link_) {
    if (link_ != nullptr) link_->references.fetch_add(1, std::memory_order_relaxed);
  }
  ExternalEvent(ExternalEvent&& other) noexcept : link_(std::exchange(other.link_, nullptr)) {}
  ExternalEvent& operator=(ExternalEvent other) noexcept {
    std::swap(link_, other.link_);
    return *this;
  }
  ~ExternalEvent() {
    if (link_ != nullptr) detail::release_link(*link_);
  }

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

  detail::ExternalLink* link_;
};

}  // namespace drover::steps
