#include "steps/flow.h"

#include <atomic>
#include <cassert>
#include <string>

#include "steps/detail/step_definitions.h"

namespace drover::steps {

Flow::~Flow() {
  if (elsewhere() && cancel_from_elsewhere() && coro::Worker::try_current() == nullptr) {
    worker_->run_until([this] { return !is_draining(); });
  }
  worker_->call([this]() noexcept { tear_down(); });
}

void Flow::tear_down() noexcept {
  assert(running_ == nullptr && "a flow is not destroyed by one of its own steps");
  if (main_.active()) cancel_now();
  const bool was_draining = is_draining();
  while (detail::EndingTask* task = ending_.pop_front())
    task->flow = nullptr;  // ends without the flow
  if (was_draining) drained();
  main_.drop_children(*this);
  main_.destroy_attachments(*this);
  if (state_ != nullptr) {
    state_->~State();
    if (state_memory_ == nullptr) coro::FramePool::release(state_, sizeof(State));
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
  worker_->call([this] {
    if (main_.active() || end_untold_) misuse("execute() of a flow that runs");
    if (last_child_ == nullptr) return;
    outcome_.store(Outcome::running, std::memory_order_relaxed);
    main_.begin();
  });
}

namespace {

// Lets another thread wait. It may be destroyed as soon as it was told.
class DrainWaiter final : public detail::DrainObserver {
 public:
  explicit DrainWaiter(coro::Worker& worker) noexcept : worker_(worker) {}

  bool told() const noexcept {
    return told_.load(std::memory_order_acquire);  // pairs with drained()
  }
  void drained() noexcept override {
    coro::Worker& worker = worker_;
    told_.store(true, std::memory_order_release);
    worker.tell_waiters();
  }

 private:
  coro::Worker& worker_;
  std::atomic<bool> told_{false};
};

}  // namespace

void Flow::cancel() {
  if (elsewhere()) {
    cancel_from_elsewhere();
  } else {
    cancel_here();
  }
}

// Waits for the awaited tasks while the worker runs. Returns true if some have not ended.
bool Flow::cancel_from_elsewhere() {
  DrainWaiter waiter(*worker_);
  worker_->call([this, &waiter] {
    cancel_here();
    await_drained(waiter);
  });
  worker_->wait_while_running([&waiter] { return waiter.told(); });
  if (waiter.told()) return false;
  bool left = false;
  worker_->call([this, &waiter, &left]() noexcept {
    left = !waiter.told();
    if (left) drain_observers_.remove(waiter);
  });
  return left;
}

void Flow::cancel_here() {
  if (running_ != nullptr) running_->current_->misuse("cancel() by a step of the flow");
  if (main_.active()) {
    cancel_now();
  } else {
    main_.drop_children(*this);
  }
}

void Flow::cancel_now() noexcept {
  main_.cancel();
  ended(Outcome::cancelled);
}

// Cancels the flow at once, or, if a step of the flow is running, when the step returns.
void Flow::cancel_soon() noexcept {
  if (!main_.active()) return;
  if (running_ == nullptr) {
    cancel_now();
    return;
  }
  cancel_requested_ = true;
  running_->cut_burst();
}

void Flow::schedule(Strand& strand) {
  if (strand.queued_) return;
  strand.queued_ = true;
  ready_.push_back(strand);
  if (running_ == nullptr && !is_draining()) queue_driver();
}

void Flow::unschedule(Strand& strand) noexcept {
  if (!strand.queued_) return;
  strand.queued_ = false;
  ready_.remove(strand);
  if (ready_.empty() && driver_queued_) {
    driver_queued_ = false;
    worker_->withdraw(driver_position_);
  }
}

void Flow::queue_driver() {
  if (driver_queued_) return;
  driver_queued_ = true;
  driver_position_ = worker_->ready(driver_);
}

// Runs one burst of the strand that has been ready longest.
void Flow::run_next() noexcept {
  driver_queued_ = false;
  if (is_draining()) return;
  Strand& strand = *ready_.first();
  unschedule(strand);
  running_ = &strand;
  strand.run(burst_size_);
  running_ = nullptr;
  if (cancel_requested_) {
    cancel_requested_ = false;
    if (main_.active()) cancel_now();
  }
  if (!ready_.empty() && !is_draining()) queue_driver();
}

void Flow::ended(Outcome outcome) noexcept {
  outcome_.store(outcome, std::memory_order_release);  // pairs with outcome()
  if (observer_ != nullptr && is_draining()) {
    end_untold_ = true;
  } else {
    tell_end();
  }
}

void Flow::tell_end() noexcept {
  end_untold_ = false;
  if (observer_ != nullptr) {
    observer_->flow_ended();
  } else if (outcome() == Outcome::failed && state_ != nullptr && state_->unhandled_error) {
    state_->unhandled_error(main_.code());
  }
}

void Flow::task_ends(detail::EndingTask& task) noexcept {
  task.flow = this;
  ending_.push_back(task);
}

void Flow::task_ended(detail::EndingTask& task) noexcept {
  ending_.remove(task);
  if (!is_draining()) drained();
}

// Tells the observer when all cancelled tasks have ended, or at once if there are none.
void Flow::await_drained(detail::DrainObserver& observer) noexcept {
  if (is_draining()) {
    drain_observers_.push_back(observer);
  } else {
    observer.drained();
  }
}

void Flow::drained() noexcept {
  if (!ready_.empty() && running_ == nullptr) queue_driver();
  if (end_untold_) tell_end();
  while (detail::DrainObserver* observer = drain_observers_.pop_front()) observer->drained();
}

void* Flow::allocate_elsewhere(Slot slot, std::size_t size) {
  if (limits_ == nullptr) return coro::FramePool::allocate(size);
  const auto kind = static_cast<std::size_t>(slot);
  std::string what;
  if (left_[kind] == 0) {
    what = std::string(Limits::names[kind]) + "<" + std::to_string(limits_->counts[kind]) + ">";
  } else {
    what = "BufferSize<" + std::to_string(limits_->buffer_size) + ">: no room for " +
           std::to_string(size) + " bytes";
  }
  Steps& blamed = running_ != nullptr ? *running_->current_ : *this;
  blamed.misuse(what);
}

State& Flow::shared_state() {
  if (state_ == nullptr) {
    void* memory =
        state_memory_ != nullptr ? state_memory_ : coro::FramePool::allocate(sizeof(State));
    state_ = ::new (memory) State(limits_ != nullptr);
  }
  return *state_;
}

}  // namespace drover::steps
