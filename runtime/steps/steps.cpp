#include "steps/steps.h"

#include <algorithm>

#include "steps/detail/step_definitions.h"

namespace drover::steps {

using detail::Kind;
using detail::Phase;

Steps::operator bool() const noexcept {
  if (ops_->kind == Kind::root) return !strand_->active_;
  return strand_->current_ == this &&
         (phase_ == Phase::body || phase_ == Phase::handler || phase_ == Phase::waiting);
}

void Steps::misuse(std::string_view what) {
  if (strand_->in_call_) {
    strand_->flow().shared_state().set_error_info(what);
    strand_->record(error_codes::internal_error);
  }
  throw ExtError(error_codes::internal_error, what);
}

// Returns the step to which an addition goes.
Steps& Steps::open_level() {
  switch (ops_->kind) {
    case Kind::root:
      if (!strand_->active_) return *this;
      misuse("an addition to the root of a flow that runs");
    case Kind::parallel:
      if (phase_ == Phase::pending) return detail::parallel_frame(*this).add_child();
      break;
    default:
      break;
  }
  if (!is_called()) misuse("an addition to a step that does not run");
  return *this;
}

void Steps::require_open(std::string_view what) {
  if (ops_->kind == Kind::parallel && phase_ == Phase::pending) misuse(what);
  open_level();
}

// Returns true while the body or the error handler runs.
bool Steps::is_called() const noexcept {
  return strand_->in_call_ && strand_->current_ == this &&
         (phase_ == Phase::body || phase_ == Phase::handler);
}

void Steps::require_call(std::string_view what) {
  if (!is_called()) misuse(what);
}

// Returns true on a thread other than the worker's, and while the worker does not run.
bool Steps::elsewhere() const noexcept {
  return coro::Worker::try_current() != strand_->flow().worker_;
}

bool Steps::can_end() const noexcept {
  if (strand_->current_ != this || strand_->error_pending_) return false;
  if (ops_->kind != Kind::step && phase_ != Phase::handler) return false;
  if (!strand_->in_call_) return phase_ == Phase::waiting;
  return (phase_ == Phase::body || phase_ == Phase::handler) && last_child_ == nullptr;
}

// Returns false if an error was raised and swallowed before: the step fails.
bool Steps::begin_success() {
  if (can_end()) return true;
  if (strand_->in_call_ && strand_->current_ == this && strand_->error_pending_) return false;
  misuse("success() of a step that cannot end");
}

void Steps::commit_success() noexcept {
  phase_ = Phase::done;
  if (strand_->in_call_) return;
  strand_->end_waiting(*this, false);
  strand_->flow().schedule(*strand_);
}

void Steps::raise(ErrorCode code, std::string_view info) {
  if (elsewhere()) {
    worker().call([&] { raise(code, info); });
    return;
  }
  const bool in_call = strand_->in_call_ && strand_->current_ == this;
  if (!in_call && !can_end()) misuse("an error of a step that does not run");
  Flow& flow = strand_->flow();
  if (!info.empty() || flow.state_ != nullptr) flow.shared_state().set_error_info(info);
  strand_->record(code);
  if (!in_call) flow.schedule(*strand_);
}

void Steps::fail_with(const std::exception_ptr& error) noexcept {
  if (!can_end()) return;
  strand_->caught(error);
  if (!strand_->in_call_) strand_->flow().schedule(*strand_);
}

void Steps::error(ErrorCode code, std::string_view info) {
  raise(code, info);
  if (info.empty()) throw Error(code);
  throw ExtError(code, info);
}

void Steps::set_timeout(coro::Duration timeout) {
  require_call("set_timeout() outside of a body and of an error handler");
  drop_attachment(Slot::timeout);
  attach<detail::TimeoutAttachment>(*this, timeout);
  waits_ = true;
}

void Steps::wait_external() {
  require_call("wait_external() outside of a body and of an error handler");
  waits_ = true;
}

ExternalEvent Steps::external_event() {
  require_call("external_event() outside of a body");
  if (phase_ == Phase::handler) misuse("external_event() in an error handler: it does not wait");
  waits_ = true;
  for (detail::Attachment* a = attachments_; a != nullptr; a = a->next) {
    if (a->ops == &detail::attachment_ops<detail::LinkAttachment>) {
      return ExternalEvent(static_cast<detail::LinkAttachment*>(a)->link);
    }
  }
  return ExternalEvent(attach<detail::LinkAttachment>(*this, worker()).link);
}

Steps& Steps::relinquish() {
  return add([](Steps& steps) { StepAccess::strand(steps).yield(); });
}

void* Steps::stack(std::size_t size, void (*destroy)(void*)) {
  require_open("stack() of a step that does not run");
  const std::size_t whole = sizeof(detail::MemoryAttachment) + size;
  void* block = strand_->flow().allocate(Slot::stack, whole);
  auto* attachment = ::new (block) detail::MemoryAttachment(size, destroy);
  link(*attachment);
  return attachment->memory();
}

void Steps::drop_attachment(Slot slot) noexcept {
  for (detail::Attachment** place = &attachments_; *place != nullptr; place = &(*place)->next) {
    detail::Attachment& attachment = **place;
    if (attachment.ops->slot != slot) continue;
    *place = attachment.next;
    strand_->destroy(attachment);
    return;
  }
}

State& Steps::state() {
  return strand_->flow().shared_state();
}

std::unique_ptr<Flow> Steps::new_instance() const {
  return strand_->flow().make_new();
}

coro::Worker& Steps::worker() const noexcept {
  return *strand_->flow().worker_;
}

namespace detail {

TimeoutAttachment::TimeoutAttachment(Steps& step, coro::Duration timeout) noexcept : owner(step) {
  coro::Worker& worker = owner.worker();
  const coro::Duration limited = std::clamp(timeout, coro::Duration::zero(), longest_wait);
  worker.timers().add(*this, worker.now() + limited);
}

TimeoutAttachment::~TimeoutAttachment() {
  owner.worker().timers().remove(*this);
}

void TimeoutAttachment::on_timer() noexcept {
  StepAccess::strand(owner).fail_later(error_codes::timeout);
}

AwaitAttachment::~AwaitAttachment() {
  if (!driver) return;
  AwaitDriver::promise_type& promise = driver.promise();
  promise.attachment = nullptr;
  StepAccess::strand(step).flow().task_ends(promise);
  promise.own_source.cancel();
}

ParallelFrame::~ParallelFrame() {
  Flow& flow = owner.strand_->flow();
  cancel_children();
  while (first != nullptr) {
    ParallelChild* child = std::exchange(first, next_of(*first));
    child->strand.drop_children(*child);
    child->strand.destroy_attachments(*child);
    child->~ParallelChild();
    flow.release(Slot::parallel, child, sizeof(ParallelChild));
  }
}

// A root has no siblings, so its link leads to the next child.
ParallelChild* ParallelFrame::next_of(ParallelChild& child) noexcept {
  return static_cast<ParallelChild*>(static_cast<Steps&>(child).link_);
}

Steps& ParallelFrame::add_child() {
  Flow& flow = owner.strand_->flow();
  void* block = flow.allocate(Slot::parallel, sizeof(ParallelChild));
  auto* child = ::new (block) ParallelChild(flow, *this);
  if (last != nullptr) {
    static_cast<Steps&>(*last).link_ = child;
  } else {
    first = child;
  }
  last = child;
  return *child;
}

void ParallelFrame::start() {
  for (ParallelChild* child = first; child != nullptr; child = next_of(*child)) {
    ++running;
    child->strand.begin();
  }
  if (running > 0) owner.phase_ = Phase::waiting;
}

// Cancels the active children in order. If a child waits for a parallel, cancels that one's
// children first. Not recursive, because parallels may be nested deeper than the thread's stack.
void ParallelFrame::cancel_children() noexcept {
  ParallelFrame* frame = this;
  ParallelChild* child = first;
  for (;;) {
    if (child == nullptr) {
      if (frame == this) return;
      Strand& around = *frame->owner.strand_;
      frame = around.parallel_;
      around.cancel();
      child = next_of(static_cast<ParallelChild&>(*around.root_));
    } else if (!child->strand.active()) {
      child = next_of(*child);
    } else if (Steps& at = *child->strand.current_;
               at.ops_->kind == Kind::parallel && at.phase_ == Phase::waiting) {
      frame = &parallel_frame(at);
      child = frame->first;
    } else {
      child->strand.cancel();
      child = next_of(*child);
    }
  }
}

void ParallelFrame::child_succeeded() noexcept {
  if (--running > 0) return;
  owner.phase_ = Phase::done;
  owner.strand_->flow().schedule(*owner.strand_);
}

void ParallelFrame::child_failed(Strand& failed) noexcept {
  --running;
  cancel_children();
  Strand& around = *owner.strand_;
  if (around.error_pending_) return;
  around.record(failed.code());
  around.flow().schedule(around);
}

}  // namespace detail
}  // namespace drover::steps
