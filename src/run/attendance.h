// Attendance: who looks on at a run on the main thread, and how a person ends it.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "coro/scope.h"
#include "coro/task.h"
#include "database/server.h"
#include "load/run.h"
#include "load/snapshot.h"
#include "metrics/metrics_endpoint.h"
#include "ranks/member_run.h"
#include "run/benchmark.h"
#include "run/measured_run.h"
#include "run/run_plan.h"
#include "ui/display.h"

namespace drover::run {

// Begins to watch the server's checkpoints when the run's sessions are open: these come first.
class CheckpointsOfRun final : public load::Observer {
 public:
  CheckpointsOfRun(const Benchmark& benchmark, load::Observer& log) {
    if (benchmark.server() == nullptr) return;
    watch_ =
        benchmark.server()->watch_checkpoints([&log](std::string_view text) { log.on_note(text); });
  }

  // Until the scope is cancelled.
  void watch_in(coro::Scope& scope) { scope_ = &scope; }
  void on_started(coro::Duration) override {
    if (scope_ != nullptr && watch_ != nullptr) scope_->start(watch_->run());
  }
  std::optional<std::vector<database::ObservedCheckpoint>> observed() const {
    if (watch_ == nullptr) return std::nullopt;
    return watch_->observed();
  }

 private:
  std::unique_ptr<database::CheckpointWatch> watch_;  // null: there are none to be seen
  coro::Scope* scope_ = nullptr;
};

// Begins to watch what the server does for the run when its sessions are open, where that was asked for.
class ActivityOfRun final : public load::Observer {
 public:
  ActivityOfRun(const RunPlan& run, const Benchmark& benchmark, load::Observer& log) {
    if (!run.settings.server_stats || benchmark.server() == nullptr) return;
    watch_ =
        benchmark.server()->watch_activity([&log](std::string_view text) { log.on_note(text); });
  }

  bool can_watch() const { return watch_ != nullptr; }
  // Until the scope is cancelled.
  void watch_in(coro::Scope& scope) { scope_ = &scope; }
  void on_started(coro::Duration) override {
    if (scope_ != nullptr && watch_ != nullptr) scope_->start(watch_->run());
  }
  coro::Task<void> finish(coro::Duration patience) {
    if (watch_ != nullptr) co_await watch_->finish(patience);
  }
  std::optional<database::ObservedActivity> observed() const {
    return watch_ != nullptr ? watch_->observed() : std::nullopt;
  }

 private:
  std::unique_ptr<database::ActivityWatch> watch_;  // null: nothing is watched
  coro::Scope* scope_ = nullptr;
};

// What backends say to people, from their threads: handed on by the main thread, each line once.
class NotesOfBackends final : public load::Observer {
 public:
  explicit NotesOfBackends(load::Observer& log) : log_(log) {}

  // Any thread.
  void add(std::string_view text) {
    const std::lock_guard lock(mutex_);
    if (std::find(notes_.begin(), notes_.end(), text) == notes_.end()) notes_.emplace_back(text);
  }

  void on_snapshot(const load::Snapshot&) override { hand_on(); }
  void on_ended(bool) override { hand_on(); }

 private:
  void hand_on() {
    std::vector<std::string> news;
    {
      const std::lock_guard lock(mutex_);
      news.assign(notes_.begin() + handed_on_, notes_.end());
      handed_on_ += static_cast<std::ptrdiff_t>(news.size());
    }
    for (const std::string& note : news) log_.on_note(note);
  }

  load::Observer& log_;
  std::mutex mutex_;  // of the two below
  std::vector<std::string> notes_;
  std::ptrdiff_t handed_on_ = 0;
};

// What stands beside the engine on the main thread: who looks on, and how a person ends the run.
struct Attendance {
  load::StopRequest stop;
  load::Observers observers;
  std::unique_ptr<ui::RunDisplay> display;
  std::shared_ptr<metrics::MetricsEndpoint> metrics;
  CheckpointsOfRun checkpoints;
  ActivityOfRun activity;
  NotesOfBackends notes;

  Attendance(const Attendance&) = delete;
  Attendance& operator=(const Attendance&) = delete;
  // `server_version` is empty where there is no database.
  Attendance(const RunPlan& run, Benchmark& benchmark, ui::RunTitle title,
             const std::string& server_version)
      : display(ui::make_run_display(run.ui, benchmark.plan(), std::move(title),
                                     [this] { stop.request(); })),
        checkpoints(benchmark, observers),
        activity(run, benchmark, observers),
        notes(observers) {
    observers.add(*display);
    if (run.member != nullptr) observers.add(*run.member);
    if (load::Observer* own = benchmark.observer()) observers.add(*own);
    if (run.metrics) {
      metrics = open_metrics_endpoint(*run.metrics, benchmark.plan(), run.tool, server_version,
                                      observers);
      observers.add(*metrics);
    }
    observers.add(checkpoints);
    observers.add(activity);
    observers.add(notes);
  }
};

// What there is to say before a run on a database begins.
inline void tell_notes(const RunPlan& run, const Benchmark& benchmark,
                       const std::vector<std::string>& of_server, const std::string& kind_name,
                       Attendance& attendance) {
  for (const std::string& note : of_server) attendance.observers.on_note(note);
  for (const std::string& note : benchmark.notes()) attendance.observers.on_note(note);
  if (run.settings.server_stats && !attendance.activity.can_watch()) {
    attendance.observers.on_note(fmt::format(
        "note: --server-stats has no effect: {} does not show what its sessions do", kind_name));
  }
}

}  // namespace drover::run
