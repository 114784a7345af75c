#include "steps/steps.h"

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

// Where an addition to this goes.
Steps& Steps::open_level() {
  switch (ops_->kind) {
    case Kind::root:
      if (!strand_->active_) return *this;
      misuse("an addition to the root of a flow that runs");
    case Kind::parallel:
      if (phase_ == Phase::pending) return detail::parallel_frame(*attachments_).add_child();
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

// Whether its body or its error handler runs.
bool Steps::is_called() const noexcept {
  return strand_->in_call_ && strand_->current_ == this &&
         (phase_ == Phase::body || phase_ == Phase::handler);
}

void Steps::require_call(std::string_view what) {
  if (!is_called()) misuse(what);
}

// Whether another thread than the worker's asks, or the worker does not run.
bool Steps::elsewhere() const noexcept {
  return coro::Worker::try_current() != strand_->flow().worker_;
}

bool Steps::can_end() const noexcept {
  if (strand_->current_ != this || strand_->error_pending_) return false;
  if (ops_->kind != Kind::step && phase_ != Phase::handler) return false;
  if (!strand_->in_call_) return phase_ == Phase::waiting;
  return (phase_ == Phase::body || phase_ == Phase::handler) && last_child_ == nullptr;
}

// False if an error was raised, and swallowed, before: it stands.
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

}  // namespace drover::steps
