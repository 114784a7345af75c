#include "load/surroundings.h"

#include <exception>

#include "coro/cancellation.h"

namespace drover::load {

coro::Task<bool> StopRequest::unless_requested(coro::Task<void> waiting) {
  coro::CancelSource& outer = co_await coro::current_source();
  coro::CancelSource source(outer);
  std::function<void()> before = on_request_;
  on_request_ = [&before, &source] {
    if (before) before();
    source.cancel();
  };
  bool has_ended = false;
  std::exception_ptr error;
  try {
    co_await std::move(waiting).under(source);
    has_ended = true;
  } catch (const coro::Cancelled&) {
    if (outer.cancelled()) error = std::current_exception();
  } catch (...) {
    error = std::current_exception();
  }
  on_request_ = std::move(before);
  if (error) std::rethrow_exception(error);
  co_return has_ended;
}

}  // namespace drover::load
