#include "steps/flow.h"

#include <cassert>
#include <string>

#include "steps/step_definitions.h"

namespace drover::steps {
namespace {

constexpr detail::StepOps root_ops{detail::Kind::root, 0, nullptr, nullptr, nullptr};

}  // namespace

Flow::Flow(coro::Worker& worker, Storage* storage, NearBlocks* near_blocks, std::uint32_t burst)
    : Steps(main_, root_ops),
      worker_(&worker),
      near_(near_blocks),
      driver_(drive(*this).handle),
      burst_size_(burst > 0 ? burst : 1),
      near_free_(near_blocks != nullptr ? (1U << NearBlocks::count) - 1 : 0),
      main_(*this, *this, nullptr),
      storage_(storage) {}

Flow::~Flow() {
  assert(running_ == nullptr && "a flow is not destroyed by one of its own steps");
  if (main_.active()) cancel_now();
  main_.drop_children(*this);
  main_.destroy_attachments(*this);
  if (state_ != nullptr) {
    state_->~State();
    release(Slot::state, state_, sizeof(State));
  }
  driver_.destroy();
}

Flow::Driver Flow::drive(Flow& flow) {
  for (;;) {
    flow.run_next();
    co_await std::suspend_always();
  }
}

void Flow::execute() {
  run_at_home([this] { start(); });
}

void Flow::start() {
  if (main_.active()) misuse("execute() of a flow that runs");
  if (last_child_ == nullptr) return;
  outcome_ = Outcome::running;
  main_.begin();
}

void Flow::cancel() {
  run_at_home([this] {
    if (running_ != nullptr) running_->current_->misuse("cancel() by a step of the flow");
    if (main_.active()) cancel_now();
  });
}

void Flow::cancel_now() noexcept {
  main_.cancel();
  ended(Outcome::cancelled);
}

// Cancels, too, if it is one of the flow's own steps that has brought it about: when that returns.
void Flow::cancel_soon() noexcept {
  if (!main_.active()) return;
  if (running_ == nullptr) {
    cancel_now();
    return;
  }
  cancel_requested_ = true;
  running_->cut_burst();
}

// Whether this thread may touch what belongs to the worker.
bool Flow::at_home() const noexcept {
  return coro::Worker::try_current() == worker_ || !worker_->running();
}

void Flow::schedule(Strand& strand) {
  if (strand.queued_) return;
  strand.queued_ = true;
  strand.previous_ready_ = last_ready_;
  strand.next_ready_ = nullptr;
  (last_ready_ != nullptr ? last_ready_->next_ready_ : first_ready_) = &strand;
  last_ready_ = &strand;
  if (running_ == nullptr) queue_driver();
}

void Flow::unschedule(Strand& strand) noexcept {
  if (!strand.queued_) return;
  strand.queued_ = false;
  (strand.previous_ready_ != nullptr ? strand.previous_ready_->next_ready_ : first_ready_) =
      strand.next_ready_;
  (strand.next_ready_ != nullptr ? strand.next_ready_->previous_ready_ : last_ready_) =
      strand.previous_ready_;
  if (first_ready_ == nullptr && driver_queued_) {
    driver_queued_ = false;
    worker_->withdraw(driver_position_);
  }
}

void Flow::queue_driver() {
  if (driver_queued_) return;
  driver_queued_ = true;
  driver_position_ = worker_->ready(driver_);
}

// One burst of the strand that has been ready for longest.
void Flow::run_next() noexcept {
  driver_queued_ = false;
  Strand& strand = *first_ready_;
  unschedule(strand);
  running_ = &strand;
  strand.run(burst_size_);
  running_ = nullptr;
  if (cancel_requested_) {
    cancel_requested_ = false;
    if (main_.active()) cancel_now();
  }
  if (first_ready_ != nullptr) queue_driver();
}

void Flow::ended(Outcome outcome) noexcept {
  outcome_ = outcome;
  if (observer_ != nullptr) {
    observer_->flow_ended();
  } else if (outcome == Outcome::failed && state_ != nullptr && state_->unhandled_error) {
    state_->unhandled_error(main_.code());
  }
}

void* Flow::allocate_limited(Slot slot, std::size_t size) {
  if (void* block = storage_->allocate(slot, size)) return block;
  const Storage::Limit limit = storage_->limit(slot);
  std::string what(limit.name);
  if (size > limit.size) {
    what += ": " + std::to_string(size) + " bytes, up to " + std::to_string(limit.size);
  } else {
    what += "<" + std::to_string(limit.count) + ">";
  }
  Steps& blamed = running_ != nullptr ? *running_->current_ : *this;
  blamed.misuse(what);
}

State& Flow::shared_state() {
  if (state_ == nullptr) {
    state_ = ::new (allocate(Slot::state, sizeof(State))) State(storage_ != nullptr);
  }
  return *state_;
}

}  // namespace drover::steps
