// FlowGroup: the flows of one thread. FlowGroups: all flows of a measurement, with their threads.
//
// An experiment derives its group from FlowGroup, and writes a driver of the group for each model.
// A group belongs to its own thread until FlowGroups has joined the thread.
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
#include "lab/experiment.h"

namespace drover::lab {

// The implementations of a flow in the experiments `terminals` and `switch`. EXPERIMENT_models.cpp
// has the same work in each model, to be read side by side.
enum class FlowModel : std::uint8_t { coroutine, steps, machine, future, thread };

template <>
inline constexpr auto names<FlowModel> =
    std::to_array<std::string_view>({"coroutine", "steps", "machine", "future", "thread"});

// The stack of a thread. A small stack has 64 KiB, so that a program can have as many threads as
// the system allows.
enum class Stack : std::uint8_t { small, usual };

// A thread with a stack of either size. Belongs to the thread that created it. The destructor joins
// the thread, so its body must end.
class SmallThread {
 public:
  SmallThread() = default;
  SmallThread(const SmallThread&) = delete;
  SmallThread& operator=(const SmallThread&) = delete;
  ~SmallThread() { join(); }

  // Starts the thread. Call it once. `body` must not throw. Throws std::system_error if the system
  // refuses a thread.
  void start(std::function<void()> body, Stack stack = Stack::small);

  // Waits for the end of the thread. Returns at once if it was not started, or was joined before.
  void join();

 private:
  std::function<void()> body_;
  bool started_ = false;
  pthread_t thread_{};
};

// Throws std::runtime_error if more than `allowed` and 10 s have passed since `begun`: running
// threads can keep the processors from the thread that starts the rest.
void require_started_in_time(coro::Instant begun, coro::Duration allowed, std::size_t started,
                             std::size_t wanted);

// The drivers of an experiment, one for each model.
template <class GroupType>
struct FlowModels {
  // Run the flows of a group on the current worker until all have ended. In the order of FlowModel.
  std::array<coro::Task<void> (*)(GroupType&), 4> drive;
  // Runs the only flow of a group on this thread.
  void (*run_thread)(GroupType&);
};

// The base of an experiment's group. A derived group has `static const FlowModels<…> models`, and
// all_started(), which its driver awaits after it has started all flows.
class FlowGroup {
 public:
  // The group has `count` flows, numbered from `first`.
  FlowGroup(std::size_t first, std::size_t count)
      : first_flow(first), flows(count), running_(count) {}

  // Called by flows that end in a callback. The last one resumes the driver.
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

// Drives flows in one array. A flow has `start(group, number)` and calls note_ended() at its end.
template <class Flow, class GroupType>
coro::Task<void> drive_array(GroupType& group) {
  const auto flows = std::make_unique_for_overwrite<Flow[]>(group.flows);
  for (std::size_t i = 0; i < group.flows; ++i) flows[i].start(group, i);
  co_await group.all_started();
  co_await group.all_ended();
  co_await coro::yield();  // lets the last flow of steps end
}

// Runs the flows of the group on this thread until all have ended.
template <class GroupType>
void run_group(FlowModel model, GroupType& group) {
  if (model == FlowModel::thread) return GroupType::models.run_thread(group);
  coro::Worker worker;
  coro::block_on(worker, GroupType::models.drive.at(index_of(model))(group));
}

// Returns the number of groups: one per event loop, or one per flow for the model `thread`.
std::size_t group_count(FlowModel model, std::size_t flows, std::size_t workers);

// All flows of a measurement. Belongs to the thread that measures.
template <class GroupType>
class FlowGroups {
 public:
  // `stop` asks all flows to end. `arguments` are passed to the constructor of each group.
  template <class... Arguments>
  FlowGroups(FlowModel model, std::size_t flows, std::size_t workers, std::function<void()> stop,
             Arguments&... arguments)
      : stack_(model == FlowModel::thread ? Stack::small : Stack::usual), stop_(std::move(stop)) {
    const std::size_t count = group_count(model, flows, workers);
    groups_.reserve(count);
    std::size_t first = 0;
    for (std::size_t i = 0; i < count; ++i) {
      const std::size_t share = flows / count + (i < flows % count ? 1 : 0);
      groups_.push_back(std::make_unique<Driven>(first, share, arguments...));
      first += share;
    }
  }
  FlowGroups(const FlowGroups&) = delete;
  FlowGroups& operator=(const FlowGroups&) = delete;
  ~FlowGroups() { stop(); }

  // Calls `run` for each group on a thread of its own. Throws std::system_error if the system
  // refuses a thread, std::runtime_error if the start takes 10 s longer than `allowed`.
  void start(const std::function<void(GroupType&)>& run, coro::Instant begun,
             coro::Duration allowed) {
    for (std::size_t i = 0; i < groups_.size(); ++i) {
      Driven* one = groups_[i].get();
      one->thread.start([run, one] { one->run(run); }, stack_);
      require_started_in_time(begun, allowed, i + 1, groups_.size());
    }
  }

  // Asks all flows to end, and returns when they have.
  void stop() {
    stop_();
    for (auto& one : groups_) one->thread.join();
  }

  // Throws the first error of a group, if there is one. Requires: the flows are stopped.
  void throw_error() const {
    for (const auto& one : groups_) {
      if (one->error) std::rethrow_exception(one->error);
    }
  }

  // Calls `add(sum, group)` for each group and returns the sum, which begins with `from`. While
  // flows run, `add` may only read atomic members of the group.
  template <class Number, class Add>
  Number total(Number from, Add add) const {
    for (const auto& one : groups_) add(from, one->group);
    return from;
  }

 private:
  struct Driven {
    template <class... Arguments>
    explicit Driven(Arguments&&... arguments) : group(std::forward<Arguments>(arguments)...) {}

    void run(const std::function<void(GroupType&)>& run_one) {
      try {
        run_one(group);
      } catch (...) {
        error = std::current_exception();
      }
    }

    GroupType group;
    std::exception_ptr error;
    SmallThread thread;  // declared last, so that it ends before the other members
  };

  const Stack stack_;
  const std::function<void()> stop_;
  std::vector<std::unique_ptr<Driven>> groups_;
};

}  // namespace drover::lab
