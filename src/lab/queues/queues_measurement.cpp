#include "lab/queues/queues_experiment.h"

#include <array>
#include <atomic>
#include <barrier>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <memory>
#include <new>
#include <numeric>
#include <span>
#include <stdexcept>
#include <system_error>
#include <thread>
#include <type_traits>
#include <vector>

#include "measure/process.h"
#include "queue/array_queue.h"
#include "queue/batch_queue.h"
#include "queue/epoch_reclamation.h"
#include "queue/hazard_pointers.h"
#include "queue/item.h"
#include "queue/locked_queue.h"
#include "queue/segment_queue.h"
#include "queue/ticket_queue.h"

#ifdef DROVER_MOODYCAMEL
#include DROVER_MOODYCAMEL
#endif

namespace drover::lab {
namespace {

using Item = std::uint64_t;

// A thread's access to a queue. Threads use most queues directly.
template <class Queue>
struct Access {
  explicit Access(Queue& shared) : queue(shared) {}
  void push(std::span<const Item> items) { queue.push_batch(items); }
  std::size_t pop(std::span<Item> items) { return queue.try_pop_batch(items); }
  Queue& queue;
};

// Transfers no items; each pop returns a full batch.
struct NoQueue {};

template <>
struct Access<NoQueue> {
  explicit Access(NoQueue&) {}
  void push(std::span<const Item>) {}
  std::size_t pop(std::span<Item> items) { return items.size(); }
};

#ifdef DROVER_MOODYCAMEL
using Moodycamel = moodycamel::ConcurrentQueue<Item>;

template <>
struct Access<Moodycamel> {
  explicit Access(Moodycamel& shared) : queue(shared), producer(shared), consumer(shared) {}
  void push(std::span<const Item> items) {
    if (!queue.enqueue_bulk(producer, items.data(), items.size())) throw std::bad_alloc();
  }
  std::size_t pop(std::span<Item> items) {
    return queue.try_dequeue_bulk(consumer, items.data(), items.size());
  }
  Moodycamel& queue;
  moodycamel::ProducerToken producer;
  moodycamel::ConsumerToken consumer;
};
#endif

// A geometrically distributed number of steps of work. The random numbers are xorshift64* by S.
// Vigna.
class Work {
 public:
  Work(double mean, std::uint64_t seed)
      : divisor_(mean > 1 ? 1 / std::log1p(-1 / mean) : 0), state_(seed * 2 + 1) {}

  void operator()() noexcept {
    const auto steps = 1 + static_cast<std::uint64_t>(std::log(uniform()) * divisor_);
    for (std::uint64_t i = 0; i < steps; ++i) {
      std::uint64_t step = 42;
      asm volatile("" : "+m"(step));  // keeps the optimiser from removing the step
    }
  }

 private:
  // Returns a number in (0, 1].
  double uniform() noexcept {
    state_ ^= state_ >> 12;
    state_ ^= state_ << 25;
    state_ ^= state_ >> 27;
    const std::uint64_t bits = (state_ * 0x2545'f491'4f6c'dd1dULL) >> 11;
    return static_cast<double>(bits + 1) * 0x1p-53;
  }

  double divisor_;
  std::uint64_t state_;
};

struct alignas(queue::cache_line_bytes) Counts {
  std::uint64_t items = 0;     // with those outside of the measured interval
  std::uint64_t checksum = 0;  // sum of the items
  std::uint64_t measured = 0;  // items in the measured interval
  std::uint64_t pops = 0;
  std::uint64_t empty = 0;

  Counts operator+(const Counts& other) const {
    return {items + other.items, checksum + other.checksum, measured + other.measured,
            pops + other.pops, empty + other.empty};
  }
};

template <class Queue>
class QueueMeasurement {
 public:
  explicit QueueMeasurement(const QueueLoad& load)
      : load_(load), begin_(load.producers + load.consumers + 1) {
    const double total = load.producers + load.consumers;
    producer_work_ = load.balanced ? load.work_mean * 2 * load.producers / total : load.work_mean;
    consumer_work_ = load.balanced ? load.work_mean * 2 * load.consumers / total : load.work_mean;
    producers_.resize(load.producers);
    consumers_.resize(load.consumers);
  }

  QueueFigures run() {
    std::vector<std::jthread> threads;
    start(threads);
    begin_.arrive_and_wait();
    std::this_thread::sleep_for(std::chrono::duration<double>(load_.warm_up_s));
    phase_.store(Phase::measured);
    const auto began = std::chrono::steady_clock::now();
    const double cpu_began_s = measure::process_cpu_seconds();
    std::this_thread::sleep_for(std::chrono::duration<double>(load_.measured_s));
    phase_.store(Phase::over);
    const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - began;
    const double cpu_s = measure::process_cpu_seconds() - cpu_began_s;
    threads.clear();
    return figures(elapsed.count(), cpu_s);
  }

 private:
  enum class Phase : std::uint8_t { warm_up, measured, over };

  void start(std::vector<std::jthread>& threads) {
    const std::size_t count = producers_.size() + consumers_.size();
    threads.reserve(count);
    try {
      for (std::size_t i = 0; i < producers_.size(); ++i) {
        threads.emplace_back([this, i] { produce(i); });
      }
      for (std::size_t i = 0; i < consumers_.size(); ++i) {
        threads.emplace_back([this, i] { consume(i); });
      }
    } catch (const std::system_error&) {
      // Releases the started threads, which wait for the missing ones at the barrier.
      phase_.store(Phase::over);
      static_cast<void>(begin_.arrive(static_cast<std::ptrdiff_t>(count + 1 - threads.size())));
      throw;
    }
  }

  void produce(std::size_t index) {
    Access<Queue> access(queue_);
    Work work(producer_work_, 2 * index + 1);
    Counts counts;
    std::vector<Item> batch(load_.batch);
    begin_.arrive_and_wait();
    while (phase_.load(std::memory_order_relaxed) != Phase::over) {
      // Sets only the first and the last item, so that a batch costs little.
      const Item item = counts.items + index;
      batch.front() = batch.back() = item;
      access.push(batch);
      counts.items += batch.size();
      counts.checksum += sum(batch);
      work();
    }
    producers_[index] = counts;
  }

  void consume(std::size_t index) {
    Access<Queue> access(queue_);
    Work work(consumer_work_, 2 * index + 2);
    Counts counts;
    std::vector<Item> batch(load_.batch);
    begin_.arrive_and_wait();
    while (true) {
      const Phase phase = phase_.load(std::memory_order_relaxed);
      if (phase == Phase::over) break;
      const std::size_t got = access.pop(batch);
      counts.items += got;
      counts.checksum += sum(std::span(batch).first(got));
      if (phase == Phase::measured) {
        counts.measured += got;
        ++counts.pops;
        counts.empty += got == 0 ? 1 : 0;
      }
      work();
    }
    consumers_[index] = counts;
  }

  // Returns the sum. It reads every item, as a real consumer does.
  static std::uint64_t sum(std::span<const Item> items) noexcept {
    std::uint64_t result = 0;
    for (const Item item : items) result += item;
    return result;
  }

  QueueFigures figures(double elapsed_s, double cpu_s) {
    const Counts in = std::accumulate(producers_.begin(), producers_.end(), Counts());
    Counts out = std::accumulate(consumers_.begin(), consumers_.end(), Counts());
    if constexpr (!std::is_same_v<Queue, NoQueue>) {
      Access<Queue> access(queue_);
      std::vector<Item> batch(load_.batch);
      while (const std::size_t got = access.pop(batch)) {
        out.items += got;
        out.checksum += sum(std::span(batch).first(got));
      }
      if (in.items != out.items || in.checksum != out.checksum) {
        throw std::logic_error("the queue lost or duplicated items");
      }
    }
    return {.items_per_s = static_cast<double>(out.measured) / elapsed_s,
            .cpu_ns_per_item = cpu_s * 1e9 / static_cast<double>(out.measured),
            .empty_share = static_cast<double>(out.empty) / static_cast<double>(out.pops)};
  }

  const QueueLoad load_;
  double producer_work_;
  double consumer_work_;
  std::barrier<> begin_;
  alignas(queue::cache_line_bytes) std::atomic<Phase> phase_{Phase::warm_up};
  alignas(queue::cache_line_bytes) Queue queue_;
  alignas(queue::cache_line_bytes) std::vector<Counts> producers_;
  std::vector<Counts> consumers_;
};

template <class Queue>
QueueFigures measure(const QueueLoad& load) {
  return std::make_unique<QueueMeasurement<Queue>>(load)->run();
}

// In the order of QueueKind; null if this build does not contain the queue.
constexpr std::array<QueueFigures (*)(const QueueLoad&), names<QueueKind>.size()> measures = {
    measure<NoQueue>,
    measure<queue::SegmentQueue<Item>>,
    measure<queue::ArrayQueue<Item, queue::EpochReclamation>>,
    measure<queue::ArrayQueue<Item, queue::HazardPointers>>,
    measure<queue::BatchQueue<Item>>,
    measure<queue::TicketQueue<Item>>,
    measure<queue::LockedQueue<Item>>,
#ifdef DROVER_MOODYCAMEL
    measure<Moodycamel>,
#endif
};

}  // namespace

bool is_built(QueueKind kind) noexcept {
  return measures[index_of(kind)] != nullptr;
}

bool is_ours(QueueKind kind) noexcept {
  return kind != QueueKind::none && kind != QueueKind::locked && kind != QueueKind::moodycamel;
}

QueueFigures measure_queue(QueueKind kind, const QueueLoad& load) {
  if (is_built(kind)) return measures[index_of(kind)](load);
  throw std::runtime_error("not in this build: install libconcurrentqueue-dev and configure again");
}

}  // namespace drover::lab
