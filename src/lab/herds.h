// Herd: flows that share a thread; and Herds: all flows of a measurement, with their threads.
//
// An experiment derives its herd from Herd and writes, for each model, how one is driven. A herd
// belongs to its own thread until Herds has joined that.
#pragma once

#include <pthread.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "coro/block_on.h"
#include "coro/clock.h"
#include "coro/event.h"
#include "coro/sleep.h"
#include "lab/names.h"

namespace drover::lab {

// The ways to write a flow of the experiments `terminals` and `switch`. Each experiment has the same
// work once for each model, in EXPERIMENT_models.cpp, to be read side by side.
enum class FlowModel : std::uint8_t { coroutine, steps, machine, future, thread };

template <>
inline constexpr auto names<FlowModel> =
    std::to_array<std::string_view>({"coroutine", "steps", "machine", "future", "thread"});

// A small one has 64 KiB, so that a program can have as many threads as the system allows.
enum class Stack : std::uint8_t { small, usual };

// For the thread that made it. Joins when it is destroyed: what it runs has to come to an end.
class SmallThread {
 public:
  SmallThread() = default;
  SmallThread(const SmallThread&) = delete;
  SmallThread& operator=(const SmallThread&) = delete;
  ~SmallThread() { join(); }

  // Once. `body` must not throw. Throws std::system_error if the system refuses.
  void start(std::function<void()> body, Stack stack = Stack::small);

  // Nothing if it was not started or was joined before.
  void join();

 private:
  std::function<void()> body_;
  bool started_ = false;
  pthread_t thread_{};
};

// Throws std::runtime_error when it is 10 s more than `allowed` since `begun`: those that run
// already can keep the processors from the one that starts the others.
void require_started_in_time(coro::Instant begun, coro::Duration allowed, std::size_t started,
                             std::size_t wanted);

// What an experiment writes for each model.
template <class HerdType>
struct FlowModels {
  // Run the herd's flows on the current worker until they have ended; in the order of FlowModel.
  std::array<coro::Task<void> (*)(HerdType&), 4> drive;
  // Runs the herd's only flow on this thread.
  void (*run_thread)(HerdType&);
};

// An experiment's herd has `static const FlowModels<…> models`, and all_started(), which is awaited
// when all of its flows have been started.
class Herd {
 public:
  // Flow number `first` and those after it.
  Herd(std::size_t first, std::size_t count) : first_flow(first), flows(count), running_(count) {}

  // For flows that end in a callback: the last one lets the driver go on.
  void note_ended() noexcept {
    if (--running_ == 0) all_ended_.set();
  }
  auto all_ended() noexcept { return all_ended_.wait(); }

  const std::size_t first_flow;
  const std::size_t flows;

 private:
  std::size_t running_;
  coro::Event all_ended_;
};

// Drives flows that lie in one array, have `start(herd, number)` and end in note_ended().
template <class Flow, class HerdType>
coro::Task<void> drive_array(HerdType& herd) {
  const auto flows = std::make_unique_for_overwrite<Flow[]>(herd.flows);
  for (std::size_t i = 0; i < herd.flows; ++i) flows[i].start(herd, i);
  co_await herd.all_started();
  co_await herd.all_ended();
  co_await coro::yield();  // the last flow of steps comes to its end
}

// Runs the herd's flows on this thread until they have ended.
template <class HerdType>
void run_herd(FlowModel model, HerdType& herd) {
  if (model == FlowModel::thread) return HerdType::models.run_thread(herd);
  coro::Worker worker;
  coro::block_on(worker, HerdType::models.drive.at(index_of(model))(herd));
}

// An event loop shares its thread among its flows; the model `thread` has a herd for each flow.
std::size_t herd_count(FlowModel model, std::size_t flows, std::size_t workers);

// For the thread that measures.
template <class HerdType>
class Herds {
 public:
  // `stop` tells all flows to end. The other arguments are for the herds.
  template <class... Arguments>
  Herds(FlowModel model, std::size_t flows, std::size_t workers, std::function<void()> stop,
        Arguments&... arguments)
      : stack_(model == FlowModel::thread ? Stack::small : Stack::usual), stop_(std::move(stop)) {
    const std::size_t count = herd_count(model, flows, workers);
    herds_.reserve(count);
    std::size_t first = 0;
    for (std::size_t i = 0; i < count; ++i) {
      const std::size_t share = flows / count + (i < flows % count ? 1 : 0);
      herds_.push_back(std::make_unique<Driven>(first, share, arguments...));
      first += share;
    }
  }
  Herds(const Herds&) = delete;
  Herds& operator=(const Herds&) = delete;
  ~Herds() { stop(); }

  // `run` runs a herd on its thread. Throws std::system_error if the system does not allow so many
  // threads, std::runtime_error if starting them takes 10 s longer than `allowed`.
  void start(const std::function<void(HerdType&)>& run, coro::Instant begun,
             coro::Duration allowed) {
    for (std::size_t i = 0; i < herds_.size(); ++i) {
      Driven* one = herds_[i].get();
      one->thread.start([run, one] { one->run(run); }, stack_);
      require_started_in_time(begun, allowed, i + 1, herds_.size());
    }
  }

  // Returns when all flows have ended.
  void stop() {
    stop_();
    for (auto& one : herds_) one->thread.join();
  }

  // The first error of a herd. Requires: stopped.
  void throw_error() const {
    for (const auto& one : herds_) {
      if (one->error) std::rethrow_exception(one->error);
    }
  }

  // What the herds' numbers add up to; while flows run, for those that may be read then.
  template <class Number, class Add>
  Number total(Number from, Add add) const {
    for (const auto& one : herds_) add(from, one->herd);
    return from;
  }

 private:
  struct Driven {
    template <class... Arguments>
    explicit Driven(Arguments&&... arguments) : herd(std::forward<Arguments>(arguments)...) {}

    void run(const std::function<void(HerdType&)>& run_one) {
      try {
        run_one(herd);
      } catch (...) {
        error = std::current_exception();
      }
    }

    HerdType herd;
    std::exception_ptr error;
    SmallThread thread;  // ends before what it runs
  };

  const Stack stack_;
  const std::function<void()> stop_;
  std::vector<std::unique_ptr<Driven>> herds_;
};

}  // namespace drover::lab
