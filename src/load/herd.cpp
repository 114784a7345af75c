#include "load/herd.h"

#include <algorithm>
#include <limits>

#include "coro/scope.h"
#include "coro/sleep.h"
#include "coro/worker.h"

namespace drover::load {

using coro::CancelSource;
using coro::Instant;
using coro::Scope;
using coro::Task;

namespace {

// This worker's share of the permits: at least one.
std::size_t permits_of(const Plan& plan, std::size_t index) noexcept {
  if (plan.max_inflight == 0) return std::numeric_limits<std::size_t>::max();
  const std::size_t share = plan.max_inflight / plan.threads;
  const std::size_t more = index < plan.max_inflight % plan.threads ? 1 : 0;
  return std::max<std::size_t>(share + more, 1);
}

Task<void> set_at(coro::Event& event, Instant instant) {
  co_await coro::sleep_until(instant);
  event.set();
}

Task<void> cancel_after(CancelSource& source, coro::Duration patience) {
  co_await coro::sleep_for(patience);
  source.cancel();
}

}  // namespace

Herd::Herd(const Plan& plan, std::size_t index, tpcc::Backend& backend, WorkerMetrics& metrics)
    : plan_(plan),
      index_(index),
      backend_(backend),
      metrics_(metrics),
      inputs_{.warehouses = plan.warehouses, .constants = plan.constants},
      permits_(permits_of(plan, index)),
      retry_rng_(tpcc::Rng::stream(plan.seed, tpcc::RandomPurpose::Retry, {index})) {}

std::size_t Herd::warehouses() const noexcept {
  const auto all = static_cast<std::size_t>(plan_.warehouses);
  return all / plan_.threads + (index_ < all % plan_.threads ? 1 : 0);
}

std::size_t Herd::terminals() const noexcept {
  return warehouses() * static_cast<std::size_t>(plan_.terminals_per_warehouse);
}

Task<void> Herd::run(Timetable timetable) {
  timetable_ = timetable;
  CancelSource& outer = co_await coro::current_source();
  CancelSource transactions(outer);
  transactions_ = &transactions;
  Scope herd(outer);
  Scope clock(outer);
  clock.start(set_at(stopped_, timetable.measure_end));
  decks_.reserve(warehouses());  // terminals refer to them
  const auto stride = static_cast<std::int32_t>(plan_.threads);
  for (auto w = static_cast<std::int32_t>(index_) + 1; w <= plan_.warehouses; w += stride) {
    const auto w_id = static_cast<std::uint64_t>(w);
    decks_.push_back(
        {.deck = {}, .rng = tpcc::Rng::stream(plan_.seed, tpcc::RandomPurpose::Deck, {w_id})});
    for (std::int32_t d = 1; d <= plan_.terminals_per_warehouse; ++d) {
      herd.start(terminal(w, d, decks_.back()));
    }
  }
  co_await stopped_.wait();
  clock.start(cancel_after(transactions, plan_.drain_patience));
  herd.cancel();
  std::exception_ptr bug;
  try {
    co_await herd.join();
  } catch (...) {
    bug = std::current_exception();
  }
  clock.cancel();
  co_await clock.join();
  if (bug) std::rethrow_exception(bug);
}

void Herd::stop() noexcept {
  const Instant now = coro::Worker::current().now();
  timetable_.measure_end = std::min(timetable_.measure_end, now);
  stopped_.set();
}

void Herd::give_up(std::exception_ptr reason) noexcept {
  if (!failure_) failure_ = std::move(reason);
  stop();
}

}  // namespace drover::load
