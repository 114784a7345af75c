#include "steps/detail/strand.h"

#include <string>

#include "steps/detail/step_definitions.h"

namespace drover::steps {

using detail::Attachment;
using detail::Kind;
using detail::Phase;

void Strand::begin() {
  current_ = root_;
  root_->phase_ = Phase::children;
  clear_results();
  code_.clear();
  error_pending_ = false;
  active_ = true;
  flow_->schedule(*this);
}

// Each turn unwinds, ends a step, or starts the next one.
void Strand::run(std::uint16_t burst) noexcept {
  burst_ = burst;
  while (active_) {
    if (error_pending_) {
      if (!unwind()) break;
      continue;
    }
    Steps& at = *current_;
    if (at.phase_ == Phase::waiting) return;
    if (at.phase_ == Phase::done) {
      complete(at);
    } else if (at.last_child_ == nullptr) {
      const Kind kind = at.ops_->kind;
      if (kind == Kind::root) {
        end(false);
      } else if (kind != Kind::loop || !begin_iteration(at)) {
        complete(at);
      }
    } else if (burst_ == 0) {
      break;
    } else {
      --burst_;
      start(at.take_first_child());
      if (yields_) break;
    }
  }
  yields_ = false;
  if (active_) flow_->schedule(*this);
}

template <class Call>
void Strand::call(Call function) noexcept {
  in_call_ = true;
  try {
    function();
  } catch (...) {
    caught(std::current_exception());
  }
  in_call_ = false;
}

void Strand::start(Steps& step) noexcept {
  current_ = &step;
  step.phase_ = Phase::body;
  call([&step] { step.ops_->run(step); });
  if (error_pending_) return;
  if (step.phase_ == Phase::done) {
    complete(step);
  } else if (step.phase_ != Phase::body) {
    return;  // a sync section or a parallel has set its phase
  } else if (step.last_child_ != nullptr || step.ops_->kind == Kind::loop) {
    step.phase_ = Phase::children;
  } else if (step.waits_) {
    step.phase_ = Phase::waiting;
  } else {
    complete(step);
  }
}

void Strand::complete(Steps& step) noexcept {
  current_ = step.link_;
  destroy(step);
}

// Unwinds from the innermost step outwards, until a handler recovers or the root is reached.
// Returns false if awaited tasks must end first.
bool Strand::unwind() noexcept {
  while (error_pending_) {
    Steps& at = *current_;
    if (at.phase_ == Phase::done) {  // the step was ended from outside, then an outer step failed
      complete(at);
      continue;
    }
    drop_children(at);
    if (at.ops_->kind == Kind::root) {
      end(true);
      return true;
    }
    end_waiting(at, true);
    if (flow_->is_draining()) return false;
    if (at.ops_->kind == Kind::loop && catch_in_loop(at)) return true;
    if (handle(at)) return true;
    complete(at);
  }
  return true;
}

void Strand::drop(detail::ResultBlock& results) noexcept {
  const std::size_t size = results.ops->size;
  if (results.ops->destroy != nullptr) results.ops->destroy(results);
  flow_->release(Slot::other, &results, size);
}

// Calls the step's error handler. Returns true if it recovers.
bool Strand::handle(Steps& step) noexcept {
  if (step.ops_->handle == nullptr || step.handler_spent_) return false;
  step.handler_spent_ = true;
  step.phase_ = Phase::handler;
  step.waits_ = false;
  error_pending_ = false;
  const Text code(code_.view());  // the handler may raise another error while it reads this code
  call([&step, &code] { step.ops_->handle(step, code.view()); });
  if (error_pending_) {
    drop_children(step);
    return false;
  }
  if (step.phase_ == Phase::done) {
    clear_error();
    complete(step);
    return true;
  }
  if (step.last_child_ != nullptr) {
    clear_error();
    step.phase_ = Phase::children;
    return true;
  }
  error_pending_ = true;
  return false;
}

// Adds a loop's next iteration. Returns false if there is none.
bool Strand::begin_iteration(Steps& loop) noexcept {
  try {
    detail::LoopFrame& frame = detail::loop_frame(loop);
    const detail::LoopOps& ops = frame.loop();
    if (!ops.more(frame)) return false;
    loop.append(loop.make_step<detail::PlainStep>(*ops.iteration));
  } catch (...) {
    caught(std::current_exception());  // the strand unwinds
  }
  return true;
}

bool Strand::catch_in_loop(Steps& loop) noexcept {
  const ErrorCode code = code_.view();
  const bool breaks = code == error_codes::loop_break;
  if (!breaks && code != error_codes::loop_continue) return false;
  const std::string_view label =
      flow_->state_ != nullptr ? flow_->state_->error_info() : std::string_view();
  if (!label.empty() && label != detail::loop_frame(loop).label()) return false;
  error_pending_ = false;
  clear_error();
  if (breaks) {
    complete(loop);
  } else {
    loop.phase_ = Phase::children;
  }
  return true;
}

// Destroys the attachments that a step has only while it waits, the oldest first.
void Strand::end_waiting(Steps& step, bool run_cancel_handlers) noexcept {
  Attachment* ending = nullptr;
  for (Attachment** place = &step.attachments_; *place != nullptr;) {
    Attachment& attachment = **place;
    if (attachment.ops->ends_with_wait) {
      *place = attachment.next;
      attachment.next = ending;
      ending = &attachment;
    } else {
      place = &attachment.next;
    }
  }
  if (ending == nullptr) return;
  const Phase phase = step.phase_;
  for (Attachment* attachment = ending; attachment != nullptr;) {
    Attachment* next = attachment->next;
    if (run_cancel_handlers && attachment->ops->cancel != nullptr) {
      step.phase_ = Phase::cancelling;
      try {
        attachment->ops->cancel(*attachment, step);
      } catch (...) {  // NOLINT(bugprone-empty-catch)
        // Exceptions are dropped, as documented at set_cancel().
      }
    }
    destroy(*attachment);
    attachment = next;
  }
  step.phase_ = phase;
}

void Strand::cancel() noexcept {
  while (current_ != root_) {
    Steps& at = *current_;
    drop_children(at);
    if (at.phase_ != Phase::done) end_waiting(at, true);
    complete(at);
  }
  drop_children(*root_);
  clear_results();
  error_pending_ = false;
  active_ = false;
  flow_->unschedule(*this);
}

void Strand::fail_later(ErrorCode code) noexcept {
  if (!active_ || error_pending_) return;
  if (flow_->state_ != nullptr) flow_->state_->set_error_info({});
  record(code);
  flow_->schedule(*this);
}

void Strand::caught(const std::exception_ptr& error) noexcept {
  State& state = flow_->shared_state();
  state.caught(error);
  try {
    std::rethrow_exception(error);
  } catch (const ExtError& e) {
    state.set_error_info(e.info());
    record(e.code());
  } catch (const std::exception& e) {  // an Error's what() is its code
    record(e.what());
  } catch (const coro::Cancelled&) {
    state.set_error_info("the task was cancelled");
    record(error_codes::internal_error);
  } catch (...) {
    state.set_error_info("an exception of an unknown type");
    record(error_codes::internal_error);
  }
}

void Strand::record(ErrorCode code) noexcept {
  if (flow_->limits_ != nullptr && code.size() > flow_->limits_->error_code_size_max) {
    const std::size_t limit = flow_->limits_->error_code_size_max;
    flow_->shared_state().set_error_info("ErrorCodeMaxSize<" + std::to_string(limit) + ">");
    code = error_codes::internal_error;
  }
  code_.assign(code);
  error_pending_ = true;
  if (in_call_ && current_->phase_ == Phase::done) current_->phase_ = Phase::body;
}

void Strand::clear_error() noexcept {
  code_.clear();
  if (flow_->state_ != nullptr) flow_->state_->set_error_info({});
}

void Strand::end(bool failed) noexcept {
  clear_results();
  error_pending_ = false;
  active_ = false;
  if (parallel_ == nullptr) {
    flow_->ended(failed ? Outcome::failed : Outcome::succeeded);
  } else if (failed) {
    parallel_->child_failed(*this);
  } else {
    parallel_->child_succeeded();
  }
}

void Strand::drop_children(Steps& step) noexcept {
  while (step.last_child_ != nullptr) destroy(step.take_first_child());
}

void Strand::destroy(Steps& step) noexcept {
  if (step.last_child_ != nullptr) drop_children(step);
  if (step.attachments_ != nullptr) destroy_attachments(step);
  const detail::StepOps& ops = *step.ops_;
  if (ops.destroy != nullptr) ops.destroy(step);
  flow_->release(Slot::step, &step, ops.size);
}

void Strand::destroy_attachments(Steps& step) noexcept {
  while (step.attachments_ != nullptr) {
    Attachment& newest = *step.attachments_;
    step.attachments_ = newest.next;
    destroy(newest);
  }
}

void Strand::destroy(Attachment& attachment) noexcept {
  const Slot slot = attachment.ops->slot;
  const std::size_t size = detail::attachment_size(attachment);
  void* block = attachment.ops->destroy(attachment);
  flow_->release(slot, block, size);
}

}  // namespace drover::steps
