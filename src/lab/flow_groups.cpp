#include "lab/flow_groups.h"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>
#include <system_error>
#include <utility>

#include "coro/started_thread.h"

namespace drover::lab {
namespace {

// The smallest sensible stack, because the experiment compares threads, not unused memory.
constexpr std::size_t small_stack_bytes = 64 * 1024;

constexpr coro::Duration start_limit = std::chrono::seconds(10);

}  // namespace

void SmallThread::start(std::function<void()> body, Stack stack) {
  body_ = std::move(body);
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  if (stack == Stack::small) pthread_attr_setstacksize(&attributes, small_stack_bytes);
  const auto run = [](void* self) -> void* {
    static_cast<SmallThread*>(self)->body_();
    return nullptr;
  };
  const int error = pthread_create(&thread_, &attributes, run, this);
  pthread_attr_destroy(&attributes);
  if (error != 0) {
    throw coro::thread_refused({error, std::generic_category()}, "the measurement");
  }
  started_ = true;
}

void SmallThread::join() {
  if (std::exchange(started_, false)) pthread_join(thread_, nullptr);
}

void require_started_in_time(coro::Instant begun, coro::Duration allowed, std::size_t started,
                             std::size_t wanted) {
  const coro::Duration taken = coro::SteadyClock::instance().now() - begun;
  if (taken < allowed + start_limit) return;
  throw std::runtime_error(fmt::format("only {} of {} threads were started in {} s", started,
                                       wanted,
                                       std::chrono::round<std::chrono::seconds>(taken).count()));
}

std::size_t group_count(FlowModel model, std::size_t flows, std::size_t workers) {
  return model == FlowModel::thread ? flows : std::min(workers, flows);
}

}  // namespace drover::lab
