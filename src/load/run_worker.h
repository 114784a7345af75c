// RunWorker: one worker of a run, from the opening of its sessions until its last commit has been
// looked up. It goes through its stages in their order; where it ends early, those that are left
// are reached at once.
//
// Its part of the workload and its group live on its own worker, and on a thread of its own where the
// surroundings have one. The other functions belong to the task that made it: what they say goes to
// a worker of its own by a post, and what it reaches comes back by one. Without a thread of its own nobody may
// cancel the task that made it.
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
    open,     // its sessions are, or could not be opened
    up,       // all of its terminals
    done,     // all operations of the plan that are its share; else as `ending`
    ending,   // it has given up, if it does; else as `ended`
    ended,    // its terminals have
    settled,  // what became of ambiguous commits is known, or will not be
  };

  // `index` of `plan.threads`. Begins to open its sessions. Without a thread of its own it is a task
  // of `scope`, on the caller's worker. All must outlive it. Throws std::system_error.
  RunWorker(const Plan& plan, std::size_t index, const WorkloadFactory& make_workload,
            SharedRecords& shared, const Surroundings& surroundings, coro::Scope& scope);
  RunWorker(const RunWorker&) = delete;
  RunWorker& operator=(const RunWorker&) = delete;
  // When the run is left by an error: its thread ends, and is joined.
  ~RunWorker();

  coro::Task<void> reached(Stage stage);
  // Once it is open: why it is not.
  std::exception_ptr refusal() const noexcept { return progress_->refusal; }
  // Once it has ended: what no group throws that is without a fault.
  std::exception_ptr bug() const noexcept { return progress_->bug; }

  // The terminals come up. Requires: it is open.
  void start(const Timetable& timetable);
  // When all terminals are up: the phases of the run.
  void schedule(const Timetable& timetable);
  void stop();
  // What is ambiguous then remains so.
  void stop_settling();
  // Requires: it has settled. Its thread is there until then, so that it can be asked for its
  // times.
  void dismiss();
  void join();

  const coro::Worker& worker() const noexcept { return *worker_; }
  const WorkerMetrics& metrics() const noexcept { return *metrics_; }
  // Once it is open. Nothing where the kernel does not tell.
  std::optional<measure::RunQueueTimes> run_queue_times() const {
    return surroundings_.run_queue_times(thread_id_);
  }

  // Once it has settled.
  std::exception_ptr failure() const { return failure_; }
  std::unique_ptr<WorkerMetrics> take_metrics() { return std::move(metrics_); }

 private:
  // The maker's side. Posts hold on to it: one may come when the maker has left by an error.
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
  // Does it on its worker.
  template <class Function>
  void tell(Function function);

  // Whoever made it.
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

  // On its own worker.
  std::unique_ptr<Workload> workload_;
  coro::Event told_;  // to begin, or to stop
  coro::Event dismissed_;
  std::optional<Timetable> timetable_;
  bool stopped_ = false;
  coro::CancelSource* opening_ = nullptr;   // while it opens
  ClientGroup* group_ = nullptr;            // while terminals run
  coro::CancelSource* settling_ = nullptr;  // while ambiguous commits are looked up
  std::exception_ptr failure_;
  std::jthread thread_;
};

}  // namespace drover::load
