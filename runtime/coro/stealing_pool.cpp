#include "coro/stealing_pool.h"

#include <algorithm>
#include <bit>
#include <cassert>
#include <new>
#include <stdexcept>
#include <string>
#include <thread>

#include "coro/detail/stealing_ring.h"
#include "coro/started_thread.h"
#include "queue/array_queue.h"

namespace drover::coro {
namespace {

using Ring = StealingRing<PoolTask>;

constexpr std::uint32_t fairness_interval = 61;  // prime, so that it falls in step with nothing
constexpr std::uint32_t slot_uses_max = 3;
constexpr std::size_t global_batch_max = Ring::capacity / 2;
constexpr std::size_t relay_unlinked = 256;
constexpr std::size_t relay_batch = 64;

void add(std::atomic<std::uint64_t>& counter, std::uint64_t amount) noexcept {
  counter.store(counter.load(std::memory_order_relaxed) + amount, std::memory_order_relaxed);
}

std::size_t worker_count(const StealingPool::Options& options) noexcept {
  if (options.workers != 0) return options.workers;
  return std::clamp<std::size_t>(std::thread::hardware_concurrency(), 1, IdleWorkers::workers_max);
}

std::size_t relay_minimum(const StealingPool::Options& options, std::size_t workers) noexcept {
  if (options.relay_minimum != 0) return options.relay_minimum;
  return std::clamp<std::size_t>(std::bit_ceil(workers) * 128, 256, 1024);
}

}  // namespace

struct StealingPool::PoolWorker {
  PoolWorker(const StealingPool& its_pool, std::size_t index) noexcept
      : pool(its_pool), random(index + 1) {}

  // xorshift (Marsaglia, 2003): only to let thieves begin at different victims.
  std::uint32_t next_random() noexcept {
    random ^= random << 13;
    random ^= random >> 7;
    random ^= random << 17;
    return static_cast<std::uint32_t>(random >> 32);
  }

  // Touched by the worker's own thread only.
  const StealingPool& pool;
  std::uint64_t random;
  std::uint32_t tick = 0;
  std::uint32_t slot_uses = 0;  // running
  bool searching = false;

  // Written by the worker's own thread.
  PoolWorkerStatistics statistics;

  // Written by the worker's own thread and by thieves.
  alignas(64) std::atomic<PoolTask*> slot{nullptr};
  Ring ring;

  // Written by whoever wakes the worker, and by itself.
  alignas(64) IdleWorkers::Sleeper sleeper;

  std::thread thread;
};

// Batches of linked tasks on their way from the global list to the workers. Any thread.
class StealingPool::Relay : Pinned {
 public:
  Relay() = default;
  ~Relay() { assert(empty() && "tasks were dropped"); }

  // False if every place is taken, or there is no memory.
  bool try_push(PoolTask* batch) noexcept {
    if (count_.fetch_add(1, std::memory_order_relaxed) < places) {
      try {
        batches_.push(batch);
        return true;
      } catch (const std::bad_alloc&) {  // NOLINT(bugprone-empty-catch): said below
      }
    }
    count_.fetch_sub(1, std::memory_order_relaxed);
    return false;
  }

  // The oldest, or null.
  PoolTask* try_pop() noexcept {
    PoolTask* batch = nullptr;
    try {
      if (empty() || !batches_.try_pop(batch)) return nullptr;
    } catch (const std::bad_alloc&) {
      return nullptr;  // it stays counted, so that somebody tries again
    }
    count_.fetch_sub(1, std::memory_order_relaxed);
    return batch;
  }

  // A batch that was pushed before the last sequentially consistent fence of the calling thread is
  // not overlooked, unless it was taken: it is counted before it is pushed, and until it was taken.
  bool empty() const noexcept { return count_.load(std::memory_order_relaxed) == 0; }

  // Whether the next push is likely to be refused.
  bool full() const noexcept { return count_.load(std::memory_order_relaxed) >= places; }

 private:
  static constexpr std::size_t places = 1024;

  queue::ArrayQueue<PoolTask*> batches_;
  alignas(64) std::atomic<std::size_t> count_{0};
};

namespace {

// The worker of whichever pool runs on this thread, or null. Its type is private to the pool.
thread_local void* current_pool_worker = nullptr;

}  // namespace

StealingPool::StealingPool(const Options& options) : idle_(worker_count(options)) {
  const std::size_t count = worker_count(options);
  if (options.relay) {
    relay_threshold_ = relay_minimum(options, count) + relay_unlinked;
    relay_ = std::make_unique<Relay>();
  }
  workers_.reserve(count);
  for (std::size_t i = 0; i < count; ++i) {
    workers_.push_back(std::make_unique<PoolWorker>(*this, i));
  }
  try {
    for (const auto& worker : workers_) {
      worker->thread = started_thread<std::thread>(
          "a pool of " + std::to_string(count), [this, self = worker.get()] { run_worker(*self); });
    }
  } catch (...) {
    finish();
    join_threads();
    throw;
  }
}

StealingPool::~StealingPool() {
  join_threads();
}

void StealingPool::join() {
  join_threads();
  if (first_error_) std::rethrow_exception(std::exchange(first_error_, nullptr));
}

void StealingPool::join_threads() noexcept {
  assert(calling_worker() == nullptr && "a pool is not joined by its own tasks");
  // Release: pairs with sleep_until_woken(). Were all asleep, one must wake to see it; who is awake
  // sees it before the last one sleeps, by the same fences as in idle_workers.h.
  stopping_.store(true, std::memory_order_release);
  idle_.wake_one();
  for (const auto& worker : workers_) {
    if (worker->thread.joinable()) worker->thread.join();
  }
}

const PoolWorkerStatistics& StealingPool::statistics(std::size_t worker) const noexcept {
  assert(worker < workers_.size());
  return workers_[worker]->statistics;
}

StealingPool::PoolWorker* StealingPool::calling_worker() const noexcept {
  auto* worker = static_cast<PoolWorker*>(current_pool_worker);
  return worker != nullptr && &worker->pool == this ? worker : nullptr;
}

void StealingPool::spawn(PoolTask& task) {
  if (PoolWorker* self = calling_worker()) {
    // Release: pairs with the acquire in search(); the thief sees the task's fields.
    PoolTask* before = self->slot.exchange(&task, std::memory_order_release);
    if (before != nullptr) push_local(*self, *before);
  } else {
    auto lock = lock_global();
    if (closed_) throw std::logic_error("nothing runs on a StealingPool after its join()");
    PoolTaskList tasks;
    tasks.push_back(task);
    push_global(std::move(tasks), std::move(lock));
  }
  idle_.wake_one();
}

// Queues. Who calls one of the push functions calls wake_one() afterwards.

void StealingPool::push_local(PoolWorker& self, PoolTask& task) noexcept {
  if (self.ring.try_push(&task)) return;
  std::array<PoolTask*, Ring::capacity / 2> half;
  const std::size_t count = self.ring.take_half(half);
  PoolTaskList tasks;
  for (std::size_t i = 0; i < count; ++i) tasks.push_back(*half[i]);
  // With a thief at work there was no half to take, but there will be room soon.
  if (count == 0 || !self.ring.try_push(&task)) tasks.push_back(task);
  add(self.statistics.overflowed, tasks.size());
  push_global(std::move(tasks), lock_global());
}

void StealingPool::push_local(PoolWorker& self, PoolTaskList& tasks) noexcept {
  while (PoolTask* task = tasks.pop_front()) push_local(self, *task);
}

std::unique_lock<std::mutex> StealingPool::lock_global() noexcept {
  std::unique_lock lock(global_mutex_, std::try_to_lock);
  if (!lock) {
    lock.lock();
    add(global_lock_waits_, 1);
  }
  return lock;
}

void StealingPool::push_global(PoolTaskList tasks, std::unique_lock<std::mutex> lock) noexcept {
  PoolTaskList relayed;
  global_.append(std::move(tasks));
  if (relay_ && global_.size() > relay_threshold_ && !relay_->full()) {
    relayed.append(global_.take_front(relay_unlinked));
  }
  global_size_.store(global_.size(), std::memory_order_relaxed);
  lock.unlock();
  if (!relayed.empty()) push_relay(std::move(relayed));
}

void StealingPool::push_relay(PoolTaskList tasks) noexcept {
  while (!tasks.empty()) {
    PoolTask* chain = tasks.take_front(relay_batch).release();
    if (relay_->try_push(chain)) continue;
    // Others were quicker to fill it. These were the oldest, and are again.
    PoolTaskList refused(chain);
    tasks.prepend(std::move(refused));
    const auto lock = lock_global();
    global_.prepend(std::move(tasks));
    global_size_.store(global_.size(), std::memory_order_relaxed);
    return;
  }
}

PoolTask* StealingPool::take_slot(PoolWorker& self) noexcept {
  if (self.slot.load(std::memory_order_relaxed) == nullptr) return nullptr;
  // Relaxed: what the slot holds was put there by this thread.
  PoolTask* task = self.slot.exchange(nullptr, std::memory_order_relaxed);
  if (task == nullptr || ++self.slot_uses <= slot_uses_max) return task;
  // The ring's oldest is next, be it this one.
  self.slot_uses = 0;
  push_local(self, *task);
  idle_.wake_one();
  return nullptr;
}

PoolTask* StealingPool::take_relayed(PoolWorker& self) noexcept {
  if (!relay_) return nullptr;
  PoolTaskList batch(relay_->try_pop());
  PoolTask* task = batch.pop_front();
  if (task == nullptr) return nullptr;
  add(self.statistics.relay_batches, 1);
  if (!batch.empty()) {
    push_local(self, batch);
    idle_.wake_one();
  }
  return task;
}

PoolTask* StealingPool::take_global(PoolWorker& self, std::size_t most) noexcept {
  if (global_size_.load(std::memory_order_relaxed) == 0) return nullptr;
  PoolTaskList batch;
  {
    const auto lock = lock_global();
    const std::size_t share = global_.size() / workers_.size() + 1;
    batch.append(global_.take_front(std::min(share, most)));
    global_size_.store(global_.size(), std::memory_order_relaxed);
  }
  PoolTask* task = batch.pop_front();
  if (!batch.empty()) {
    push_local(self, batch);
    idle_.wake_one();
  }
  return task;
}

PoolTask* StealingPool::next_task(PoolWorker& self) noexcept {
  if (++self.tick % fairness_interval == 0) {
    if (PoolTask* task = take_relayed(self)) return task;
    if (PoolTask* task = take_global(self, 1)) return task;
  }
  if (PoolTask* task = take_slot(self)) return task;
  self.slot_uses = 0;
  if (PoolTask* task = self.ring.pop()) return task;
  if (PoolTask* task = take_relayed(self)) return task;
  return take_global(self, global_batch_max);
}

PoolTask* StealingPool::search(PoolWorker& self) noexcept {
  if (!self.searching) {
    if (!idle_.start_search()) return nullptr;
    self.searching = true;
  }
  const std::size_t count = workers_.size();
  const std::size_t begin = self.next_random() % count;
  for (std::size_t i = 0; i < count; ++i) {
    PoolWorker& victim = *workers_[(begin + i) % count];
    if (&victim == &self) continue;
    if (PoolTask* task = victim.ring.steal_half(self.ring)) {
      add(self.statistics.steals, 1);
      return task;
    }
  }
  // The slots come last: their owners want them first, while the caches are warm.
  for (std::size_t i = 0; i < count; ++i) {
    PoolWorker& victim = *workers_[(begin + i) % count];
    if (victim.slot.load(std::memory_order_relaxed) == nullptr) continue;
    // Acquire: pairs with the release in spawn().
    if (PoolTask* task = victim.slot.exchange(nullptr, std::memory_order_acquire)) {
      add(self.statistics.steals, 1);
      return task;
    }
  }
  if (PoolTask* task = take_relayed(self)) return task;
  return take_global(self, global_batch_max);
}

bool StealingPool::work_is_queued() const noexcept {
  if (global_size_.load(std::memory_order_relaxed) != 0) return true;
  if (relay_ && !relay_->empty()) return true;
  // A ring that a thief is at is left out: the thief is a searcher, and wakes the next when it
  // ends.
  return std::any_of(workers_.begin(), workers_.end(), [](const auto& worker) {
    return worker->slot.load(std::memory_order_relaxed) != nullptr || worker->ring.worth_stealing();
  });
}

// False when the pool has come to its end.
bool StealingPool::sleep_until_woken(PoolWorker& self) noexcept {
  const bool all_asleep = idle_.announce_sleep(self.sleeper, std::exchange(self.searching, false));
  // Acquire: pairs with join_threads(); so what was spawned before it is not overlooked next.
  const bool stopping = stopping_.load(std::memory_order_acquire);
  if (work_is_queued()) {
    idle_.wake_one();
  } else if (all_asleep && stopping) {
    // When the last one was taken off the count nobody had a task in hand, and nothing is queued:
    // there will be no work any more. Unless a spawn from outside has come before this.
    auto lock = lock_global();
    const bool closes = closed_ = global_.empty();
    lock.unlock();
    if (closes) {
      finish();
    } else {
      idle_.wake_one();
    }
  }
  add(self.statistics.sleeps, 1);
  self.sleeper.sleep();
  self.searching = true;  // as wake_one() has counted it
  // Relaxed: published by the sleeper's wake().
  return !finished_.load(std::memory_order_relaxed);
}

void StealingPool::finish() noexcept {
  finished_.store(true, std::memory_order_relaxed);
  for (const auto& worker : workers_) worker->sleeper.wake();
}

void StealingPool::run_worker(PoolWorker& self) noexcept {
  current_pool_worker = &self;
  do {
    for (;;) {
      PoolTask* task = next_task(self);
      if (task == nullptr) task = search(self);
      if (task == nullptr) break;
      if (std::exchange(self.searching, false)) idle_.end_search();
      execute(self, *task);
    }
  } while (sleep_until_woken(self));
  current_pool_worker = nullptr;
}

void StealingPool::execute(PoolWorker& self, PoolTask& task) noexcept {
  add(self.statistics.executed, 1);
  try {
    task.run();
  } catch (...) {
    add(self.statistics.failed, 1);
    const std::lock_guard lock(error_mutex_);
    if (!first_error_) first_error_ = std::current_exception();
  }
}

namespace detail {

void PoolCallBase::submit() {
  ++home_->outside_;
  try {
    pool_.spawn(static_cast<PoolTask&>(*this));
  } catch (...) {
    --home_->outside_;
    throw;
  }
}

void PoolCallBase::run() noexcept {
  if (!cancelled_.load(std::memory_order_relaxed)) {
    try {
      invoke();
    } catch (...) {
      error_ = std::current_exception();
    }
  }
  // From here on the coroutine may go on at home and destroy this.
  home_->post(static_cast<Posted&>(*this));
}

void PoolCallBase::deliver() noexcept {
  --home_->outside_;
  unlink();
  home_->ready(awaiting_);
}

}  // namespace detail
}  // namespace drover::coro
