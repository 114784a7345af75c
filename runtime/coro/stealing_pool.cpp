#include "coro/stealing_pool.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cassert>
#include <mutex>
#include <new>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "coro/detail/idle_workers.h"
#include "coro/detail/stealing_ring.h"
#include "coro/started_thread.h"
#include "queue/array_queue.h"

namespace drover::coro {

// FIFO of tasks. Its owner guards it.
class PoolTaskList {
 public:
  PoolTaskList() = default;

  // Takes a chain of tasks that ends with null.
  explicit PoolTaskList(PoolTask* chain) noexcept : first_(chain), last_(chain) {
    if (chain == nullptr) return;
    size_ = 1;
    for (; last_->next_ != nullptr; last_ = last_->next_) ++size_;
  }

  PoolTaskList(PoolTaskList&& other) noexcept
      : first_(std::exchange(other.first_, nullptr)),
        last_(std::exchange(other.last_, nullptr)),
        size_(std::exchange(other.size_, 0)) {}
  PoolTaskList& operator=(PoolTaskList&&) = delete;
  ~PoolTaskList() { assert(empty() && "tasks were dropped"); }

  bool empty() const noexcept { return first_ == nullptr; }
  std::size_t size() const noexcept { return size_; }

  void push_back(PoolTask& task) noexcept {
    task.next_ = nullptr;
    (last_ != nullptr ? last_->next_ : first_) = &task;
    last_ = &task;
    ++size_;
  }

  // Returns the oldest task, or null.
  PoolTask* pop_front() noexcept {
    PoolTask* task = first_;
    if (task == nullptr) return nullptr;
    first_ = task->next_;
    if (first_ == nullptr) last_ = nullptr;
    --size_;
    return task;
  }

  void append(PoolTaskList list) noexcept {
    if (list.empty()) return;
    (last_ != nullptr ? last_->next_ : first_) = list.first_;
    last_ = list.last_;
    size_ += list.size_;
    list.release();
  }

  void prepend(PoolTaskList list) noexcept {
    if (list.empty()) return;
    list.last_->next_ = first_;
    if (last_ == nullptr) last_ = list.last_;
    size_ += list.size_;
    first_ = list.release();
  }

  // Removes the `count` oldest tasks, or all if there are fewer.
  PoolTaskList take_front(std::size_t count) noexcept {
    if (count >= size_) return std::move(*this);
    PoolTaskList taken;
    if (count == 0) return taken;
    taken.first_ = taken.last_ = first_;
    for (taken.size_ = 1; taken.size_ < count; ++taken.size_) taken.last_ = taken.last_->next_;
    first_ = std::exchange(taken.last_->next_, nullptr);
    size_ -= count;
    return taken;
  }

  // Returns the tasks as a chain that ends with null, and empties the list.
  PoolTask* release() noexcept {
    last_ = nullptr;
    size_ = 0;
    return std::exchange(first_, nullptr);
  }

 private:
  PoolTask* first_ = nullptr;
  PoolTask* last_ = nullptr;
  std::size_t size_ = 0;
};

namespace {

using Ring = StealingRing<PoolTask>;

constexpr std::uint32_t fairness_interval = 61;  // a prime, so that it coincides with no period
constexpr std::uint32_t slot_uses_max = 3;
constexpr std::size_t global_batch_max = Ring::capacity / 2;
constexpr std::size_t relay_unlinked = 256;
constexpr std::size_t relay_batch = 64;

std::size_t worker_count(const StealingPool::Options& options) noexcept {
  if (options.workers != 0) return options.workers;
  return std::clamp<std::size_t>(std::thread::hardware_concurrency(), 1, IdleWorkers::workers_max);
}

struct PoolWorker {
  PoolWorker(const void* its_pool, std::size_t index) noexcept
      : pool(its_pool), random(index + 1) {}

  // xorshift (Marsaglia, 2003), so that thieves begin at different victims.
  std::uint32_t next_random() noexcept {
    random ^= random << 13;
    random ^= random >> 7;
    random ^= random << 17;
    return static_cast<std::uint32_t>(random >> 32);
  }

  // Accessed by the worker's own thread only.
  const void* const pool;
  std::uint64_t random;
  std::uint32_t tick = 0;
  std::uint32_t slot_uses = 0;  // in a row
  bool searching = false;

  // Written by the worker's own thread.
  PoolWorkerStatistics statistics;

  // Written by the worker's own thread and by thieves.
  alignas(64) std::atomic<PoolTask*> slot{nullptr};
  Ring ring;

  // Written by the thread that wakes the worker, and by the worker.
  alignas(64) IdleWorkers::Sleeper sleeper;

  std::thread thread;
};

thread_local PoolWorker* current_pool_worker = nullptr;  // of any pool, or null

// Batches of linked tasks that go from the global list to the workers. Any thread.
class Relay : Pinned {
 public:
  Relay() = default;
  ~Relay() { assert(empty() && "tasks were dropped"); }

  // Returns false if every place is taken, or there is no memory.
  bool try_push(PoolTask* batch) noexcept {
    if (count_.fetch_add(1, std::memory_order_relaxed) < places) {
      try {
        batches_.push(batch);
        return true;
      } catch (const std::bad_alloc&) {  // NOLINT(bugprone-empty-catch): returns false
      }
    }
    count_.fetch_sub(1, std::memory_order_relaxed);
    return false;
  }

  // Returns the oldest batch, or null.
  PoolTask* try_pop() noexcept {
    PoolTask* batch = nullptr;
    try {
      if (empty() || !batches_.try_pop(batch)) return nullptr;
    } catch (const std::bad_alloc&) {
      return nullptr;  // the batch stays counted, so that a worker tries again
    }
    count_.fetch_sub(1, std::memory_order_relaxed);
    return batch;
  }

  // Returns false if a batch that was pushed before the calling thread's last sequentially
  // consistent fence is still here: a batch is counted before it is pushed, and until it was taken.
  bool empty() const noexcept { return count_.load(std::memory_order_relaxed) == 0; }

  // Returns true if the next push is likely to be refused.
  bool full() const noexcept { return count_.load(std::memory_order_relaxed) >= places; }

 private:
  static constexpr std::size_t places = 1024;

  queue::ArrayQueue<PoolTask*> batches_;
  alignas(64) std::atomic<std::size_t> count_{0};
};

}  // namespace

// The pool's threads and queues. A caller of a push function calls wake_one() afterwards.
class StealingPool::Scheduler : coro::Pinned {
 public:
  explicit Scheduler(const Options& options) : idle_(worker_count(options)) {
    const std::size_t count = worker_count(options);
    if (options.relay) {
      const auto minimum = std::clamp<std::size_t>(std::bit_ceil(count) * 128, 256, 1024);
      relay_threshold_ =
          (options.relay_minimum != 0 ? options.relay_minimum : minimum) + relay_unlinked;
      relay_ = std::make_unique<Relay>();
    }
    workers_.reserve(count);
    for (std::size_t i = 0; i < count; ++i) {
      workers_.push_back(std::make_unique<PoolWorker>(this, i));
    }
    try {
      const std::string name = "a pool of " + std::to_string(count);
      for (const auto& worker : workers_) {
        worker->thread =
            started_thread<std::thread>(name, [this, self = worker.get()] { run_worker(*self); });
      }
    } catch (...) {
      finish();
      join_threads();
      throw;
    }
  }
  ~Scheduler() { join_threads(); }

  void join() {
    join_threads();
    if (first_error_) std::rethrow_exception(std::exchange(first_error_, nullptr));
  }

  void spawn(PoolTask& task) {
    if (PoolWorker* self = calling_worker()) {
      // Release: pairs with the acquire in search(), so that the thief sees the task's fields.
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

  const auto& workers() const noexcept { return workers_; }
  std::uint64_t global_lock_waits() const noexcept {
    return global_lock_waits_.load(std::memory_order_relaxed);
  }

 private:
  PoolWorker* calling_worker() const noexcept {
    PoolWorker* worker = current_pool_worker;
    return worker != nullptr && worker->pool == this ? worker : nullptr;
  }

  void join_threads() noexcept {
    assert(calling_worker() == nullptr && "a pool is not joined by its own tasks");
    // Release: pairs with sleep_until_woken(). If all workers sleep, one must wake to see it. A
    // worker that is awake sees it before the last one sleeps, by the same fences as in
    // idle_workers.h.
    stopping_.store(true, std::memory_order_release);
    idle_.wake_one();
    for (const auto& worker : workers_) {
      if (worker->thread.joinable()) worker->thread.join();
    }
  }

  void push_local(PoolWorker& self, PoolTask& task) noexcept {
    if (self.ring.try_push(&task)) return;
    std::array<PoolTask*, Ring::capacity / 2> half;
    const std::size_t count = self.ring.take_half(half);
    PoolTaskList tasks;
    for (std::size_t i = 0; i < count; ++i) tasks.push_back(*half[i]);
    // If a thief is at work, there is no half to take, but there will be room soon.
    if (count == 0 || !self.ring.try_push(&task)) tasks.push_back(task);
    detail::add(self.statistics.overflowed, tasks.size());
    push_global(std::move(tasks), lock_global());
  }

  std::unique_lock<std::mutex> lock_global() noexcept {
    std::unique_lock lock(global_mutex_, std::try_to_lock);
    if (!lock) {
      lock.lock();
      detail::add(global_lock_waits_, 1);
    }
    return lock;
  }

  void push_global(PoolTaskList tasks, std::unique_lock<std::mutex> lock) noexcept {
    PoolTaskList relayed;
    global_.append(std::move(tasks));
    if (relay_ && global_.size() > relay_threshold_ && !relay_->full()) {
      relayed.append(global_.take_front(relay_unlinked));
    }
    global_size_.store(global_.size(), std::memory_order_relaxed);
    lock.unlock();
    if (!relayed.empty()) push_relay(std::move(relayed));
  }

  void push_relay(PoolTaskList tasks) noexcept {
    while (!tasks.empty()) {
      PoolTask* chain = tasks.take_front(relay_batch).release();
      if (relay_->try_push(chain)) continue;
      // Other threads filled the relay first. These tasks were the oldest, and are again.
      tasks.prepend(PoolTaskList(chain));
      const auto lock = lock_global();
      global_.prepend(std::move(tasks));
      global_size_.store(global_.size(), std::memory_order_relaxed);
      return;
    }
  }

  PoolTask* take_slot(PoolWorker& self) noexcept {
    if (self.slot.load(std::memory_order_relaxed) == nullptr) return nullptr;
    // Relaxed: this thread put the task into the slot.
    PoolTask* task = self.slot.exchange(nullptr, std::memory_order_relaxed);
    if (task == nullptr || ++self.slot_uses <= slot_uses_max) return task;
    // The ring's oldest task is next, even if it is this one.
    self.slot_uses = 0;
    push_local(self, *task);
    idle_.wake_one();
    return nullptr;
  }

  PoolTask* take_relayed(PoolWorker& self) noexcept {
    if (!relay_) return nullptr;
    PoolTaskList batch(relay_->try_pop());
    if (batch.empty()) return nullptr;
    detail::add(self.statistics.relay_batches, 1);
    return take_first(self, batch);
  }

  PoolTask* take_global(PoolWorker& self, std::size_t most) noexcept {
    if (global_size_.load(std::memory_order_relaxed) == 0) return nullptr;
    PoolTaskList batch;
    {
      const auto lock = lock_global();
      const std::size_t share = global_.size() / workers_.size() + 1;
      batch.append(global_.take_front(std::min(share, most)));
      global_size_.store(global_.size(), std::memory_order_relaxed);
    }
    return take_first(self, batch);
  }

  // Returns the oldest task of `batch`, or null, and moves the other tasks to the worker's ring.
  PoolTask* take_first(PoolWorker& self, PoolTaskList& batch) noexcept {
    PoolTask* first = batch.pop_front();
    if (!batch.empty()) {
      while (PoolTask* task = batch.pop_front()) push_local(self, *task);
      idle_.wake_one();
    }
    return first;
  }

  PoolTask* next_task(PoolWorker& self) noexcept {
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

  PoolTask* search(PoolWorker& self) noexcept {
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
        detail::add(self.statistics.steals, 1);
        return task;
      }
    }
    // The slots come last: their owners should take them first, while the caches are warm.
    for (std::size_t i = 0; i < count; ++i) {
      PoolWorker& victim = *workers_[(begin + i) % count];
      if (victim.slot.load(std::memory_order_relaxed) == nullptr) continue;
      // Acquire: pairs with the release in spawn().
      if (PoolTask* task = victim.slot.exchange(nullptr, std::memory_order_acquire)) {
        detail::add(self.statistics.steals, 1);
        return task;
      }
    }
    if (PoolTask* task = take_relayed(self)) return task;
    return take_global(self, global_batch_max);
  }

  bool work_is_queued() const noexcept {
    if (global_size_.load(std::memory_order_relaxed) != 0) return true;
    if (relay_ && !relay_->empty()) return true;
    // Ignores a ring from which a thief is stealing: the thief is a searcher, and wakes the next
    // worker when its search ends.
    return std::ranges::any_of(workers_, [](const auto& worker) {
      return worker->slot.load(std::memory_order_relaxed) != nullptr ||
             worker->ring.worth_stealing();
    });
  }

  // Returns false when the pool has ended.
  bool sleep_until_woken(PoolWorker& self) noexcept {
    const bool all_asleep =
        idle_.announce_sleep(self.sleeper, std::exchange(self.searching, false));
    // Acquire: pairs with join_threads(), so that the next statement sees all spawns before it.
    const bool stopping = stopping_.load(std::memory_order_acquire);
    if (work_is_queued()) {
      idle_.wake_one();
    } else if (all_asleep && stopping) {
      // When the last worker was subtracted from the count, no worker had a task, and no task is
      // queued. So no work will come, unless a thread outside has spawned a task before this.
      auto lock = lock_global();
      const bool closes = closed_ = global_.empty();
      lock.unlock();
      if (closes) {
        finish();
      } else {
        idle_.wake_one();
      }
    }
    detail::add(self.statistics.sleeps, 1);
    self.sleeper.sleep();
    self.searching = true;  // as wake_one() has counted it
    // Relaxed: published by the sleeper's wake().
    return !finished_.load(std::memory_order_relaxed);
  }

  void finish() noexcept {
    finished_.store(true, std::memory_order_relaxed);
    for (const auto& worker : workers_) worker->sleeper.wake();
  }

  void run_worker(PoolWorker& self) noexcept {
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

  void execute(PoolWorker& self, PoolTask& task) noexcept {
    detail::add(self.statistics.executed, 1);
    try {
      task.run();
    } catch (...) {
      detail::add(self.statistics.failed, 1);
      const std::lock_guard lock(error_mutex_);
      if (!first_error_) first_error_ = std::current_exception();
    }
  }

  // Constant while there are workers.
  std::vector<std::unique_ptr<PoolWorker>> workers_;
  std::size_t relay_threshold_ = 0;
  std::unique_ptr<Relay> relay_;  // null without the relay

  IdleWorkers idle_;

  // Written by join() and by the last worker to sleep after that.
  std::atomic<bool> stopping_{false};
  std::atomic<bool> finished_{false};

  // Written under the mutex. The size and the waits are read without it.
  alignas(64) std::mutex global_mutex_;
  PoolTaskList global_;
  bool closed_ = false;  // no worker will look at the list any more
  std::atomic<std::size_t> global_size_{0};
  std::atomic<std::uint64_t> global_lock_waits_{0};

  std::mutex error_mutex_;
  std::exception_ptr first_error_;
};

StealingPool::StealingPool(const Options& options)
    : scheduler_(std::make_unique<Scheduler>(options)) {}
StealingPool::~StealingPool() = default;

void StealingPool::join() {
  scheduler_->join();
}

void StealingPool::spawn(PoolTask& task) {
  scheduler_->spawn(task);
}

std::size_t StealingPool::workers() const noexcept {
  return scheduler_->workers().size();
}

const PoolWorkerStatistics& StealingPool::statistics(std::size_t worker) const noexcept {
  assert(worker < workers());
  return scheduler_->workers()[worker]->statistics;
}

std::uint64_t StealingPool::global_lock_waits() const noexcept {
  return scheduler_->global_lock_waits();
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
  // From here on the coroutine may continue on its worker and destroy this.
  home_->post(static_cast<Posted&>(*this));
}

void PoolCallBase::deliver() noexcept {
  --home_->outside_;
  unlink();
  home_->ready(awaiting_);
}

}  // namespace detail
}  // namespace drover::coro
