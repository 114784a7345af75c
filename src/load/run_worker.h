// RunWorker: one worker of a run, from the opening of its connections to the look-up of its last
// unknown commit. It passes through its stages in order. If it ends early, it reaches the remaining
// stages at once.
//
// Its workload and its client group live on its own worker, on a thread of its own if the
// surroundings say so. The public functions belong to the task that made the RunWorker: they post
// to the worker, and stages come back by post. Without a thread of its own, the task that made it
// must not be cancelled.
#pragma once

#include <sys/types.h>

#include <array>
#include <cstdint>
#include <exception>
#include <memory>
#include <optional>
#include <thread>

#include "coro/cancellation.h"
#include "coro/clock.h"
#include "coro/event.h"
#include "coro/scope.h"
#include "coro/task.h"
#include "coro/worker.h"
#include "load/client_group.h"
#include "load/plan.h"
#include "load/surroundings.h"
#include "load/worker_metrics.h"

namespace drover::load {

class RunWorker {
 public:
  enum class Stage : std::uint8_t {
    open,     // its connections are open, or could not be opened
    up,       // all its terminals have started
    done,     // its share of Plan::operations was executed; without a number, as `ending`
    ending,   // it has given up; otherwise as `ended`
    ended,    // its terminals have ended
    settled,  // its unknown commits were looked up, or counted as unresolved
  };

  // Starts the worker `index`, which opens its connections. Without a thread of its own it is a
  // task of `scope`. All references must outlive it. Throws std::system_error.
  RunWorker(const Plan& plan, std::size_t index, const WorkloadFactory& make_workload,
            SharedRecords& shared, const Surroundings& surroundings, coro::Scope& scope);
  RunWorker(const RunWorker&) = delete;
  RunWorker& operator=(const RunWorker&) = delete;
  // Ends and joins the thread, if the run ended with an error.
  ~RunWorker();

  coro::Task<void> reached(Stage stage);
  // Returns why the connections could not be opened, or null. Requires: the stage `open`.
  std::exception_ptr refusal() const noexcept { return progress_->refusal; }
  // Returns an error in Drover, or null. Requires: the stage `settled`.
  std::exception_ptr bug() const noexcept { return progress_->bug; }

  // Starts the terminals. Requires: the stage `open`.
  void start(const Timetable& timetable);
  // Sets the phases of the run. Requires: the stage `up`.
  void schedule(const Timetable& timetable);
  void stop();
  // Ends the look-up of unknown commits. The rest is counted as unresolved.
  void stop_settling();
  // Lets the thread end, which lives until then because its times are read. Requires: the stage
  // `settled`.
  void dismiss();
  void join();

  const coro::Worker& worker() const noexcept { return *worker_; }
  const WorkerMetrics& metrics() const noexcept { return *metrics_; }
  // Returns nothing if the kernel does not report them. Requires: the stage `open`.
  std::optional<measure::RunQueueTimes> run_queue_times() const {
    return surroundings_.run_queue_times(thread_id_);
  }

  // Requires: the stage `settled`.
  std::exception_ptr failure() const { return failure_; }
  std::unique_ptr<WorkerMetrics> take_metrics() { return std::move(metrics_); }

 private:
  // The state that the maker reads. Shared, because a post may arrive after the maker has ended.
  struct Progress {
    static constexpr std::size_t stages = static_cast<std::size_t>(Stage::settled) + 1;

    std::array<coro::Event, stages> reached;
    std::exception_ptr refusal;  // written before `open` is reached
    std::exception_ptr bug;      // written before `settled` is reached
  };

  coro::Task<void> live();
  coro::Task<void> open();
  coro::Task<void> drive();
  coro::Task<void> settle(ClientGroup& group);
  void reach(Stage stage);
  // Calls `function` on the worker.
  template <class Function>
  void tell(Function function);

  // Used by the maker.
  const std::shared_ptr<Progress> progress_ = std::make_shared<Progress>();
  coro::Worker& maker_;

  const Plan& plan_;
  const std::size_t index_;
  const WorkloadFactory& make_workload_;
  SharedRecords& shared_;
  const Surroundings& surroundings_;
  pid_t thread_id_ = 0;  // published by the stage `open`
  std::unique_ptr<WorkerMetrics> metrics_;
  std::unique_ptr<coro::Worker> own_worker_;
  coro::Worker* worker_;

  // Used on the worker.
  std::unique_ptr<Workload> workload_;
  coro::Event told_;  // start() or stop() was called
  coro::Event dismissed_;
  std::optional<Timetable> timetable_;
  bool stopped_ = false;
  coro::CancelSource* opening_ = nullptr;   // while connections are opened
  ClientGroup* group_ = nullptr;            // while terminals run
  coro::CancelSource* settling_ = nullptr;  // while unknown commits are looked up
  std::exception_ptr failure_;
  std::jthread thread_;
};

}  // namespace drover::load
