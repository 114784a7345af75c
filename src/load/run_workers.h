// The workers of a run, as the task that made them sees them: all are told, and all are waited for.
#pragma once

#include <exception>
#include <memory>
#include <vector>

#include "coro/task.h"
#include "load/run_worker.h"

namespace drover::load {

struct RunWorkers {
  std::vector<std::unique_ptr<RunWorker>> all;

  void start(const Timetable& timetable) {
    for (auto& worker : all) worker->start(timetable);
  }
  void schedule(const Timetable& timetable) {
    for (auto& worker : all) worker->schedule(timetable);
  }
  void stop() {
    for (auto& worker : all) worker->stop();
  }
  void stop_settling() {
    for (auto& worker : all) worker->stop_settling();
  }
  coro::Task<void> reached(RunWorker::Stage stage) {
    for (auto& worker : all) co_await worker->reached(stage);
  }
  coro::Task<void> join() {
    co_await reached(RunWorker::Stage::settled);
    for (auto& worker : all) worker->dismiss();
    for (auto& worker : all) worker->join();
  }

  // The failure of the first worker that has one.
  std::exception_ptr refusal() const { return first(&RunWorker::refusal); }
  std::exception_ptr failure() const { return first(&RunWorker::failure); }
  std::exception_ptr bug() const { return first(&RunWorker::bug); }

 private:
  template <class Error>
  std::exception_ptr first(Error error) const {
    for (const auto& worker : all) {
      if (const std::exception_ptr one = (*worker.*error)()) return one;
    }
    return nullptr;
  }
};

}  // namespace drover::load
