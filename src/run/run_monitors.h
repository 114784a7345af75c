// RunMonitors: the observers of a run on the main thread (display, metrics endpoint, watches of the
// server), and its end by Ctrl-C or the key q.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "coro/scope.h"
#include "coro/task.h"
#include "database/server.h"
#include "load/run.h"
#include "load/snapshot.h"
#include "metrics/metrics_endpoint.h"
#include "run/benchmark.h"
#include "run/measured_run.h"
#include "run/run_plan.h"
#include "ui/display.h"

namespace drover::run {

// Watches the server's checkpoints, and with --server-stats its activity. The watches start after
// the run's connections are open, which need the free connections of the server first.
class ServerWatches final : public load::Observer {
 public:
  ServerWatches(const RunPlan& run, const Benchmark& benchmark, load::Observer& log);

  // The watches will run in `scope`.
  void watch_in(coro::Scope& scope) { scope_ = &scope; }
  void on_started(coro::Duration ramp_up) override;
  bool can_watch_activity() const { return activity_ != nullptr; }
  coro::Task<void> finish_activity(coro::Duration timeout);
  void add_to(RunFacts& facts) const;

 private:
  std::unique_ptr<database::CheckpointWatch> checkpoints_;  // null: not observable
  std::unique_ptr<database::ActivityWatch> activity_;       // null: not observable or not requested
  coro::Scope* scope_ = nullptr;
};

// Collects lines for people from the threads of the backends, and passes each line once to the
// other observers, on the main thread.
class BackendNotes final : public load::Observer {
 public:
  explicit BackendNotes(load::Observer& log) : log_(log) {}

  void add(std::string_view text);  // any thread

  void on_snapshot(const load::Snapshot&) override { pass_on(); }
  void on_ended(bool) override { pass_on(); }

 private:
  void pass_on();

  load::Observer& log_;
  std::mutex mutex_;  // of the following members
  std::vector<std::string> notes_;
  std::size_t passed_on_ = 0;
};

struct RunMonitors {
  load::StopRequest stop;
  load::Observers observers;
  std::unique_ptr<ui::RunDisplay> display;
  std::shared_ptr<metrics::MetricsEndpoint> metrics;
  ServerWatches server;
  BackendNotes notes;

  // `server_version` is empty without a database. All arguments must outlive this object.
  RunMonitors(const RunPlan& run, Benchmark& benchmark, ui::RunTitle title,
              const std::string& server_version);
  RunMonitors(const RunMonitors&) = delete;
  RunMonitors& operator=(const RunMonitors&) = delete;

  // Prints the notes about the server and the benchmark before a run on a database.
  void print_notes(const std::vector<std::string>& of_server, const std::string& kind_name);

  // Runs `work` while the display, Ctrl-C and the tasks of `start_beside` are served, and ends
  // these tasks after `work`. Throws what `work` throws.
  coro::Task<void> run(std::function<coro::Task<void>()> work,
                       std::function<void(coro::Scope&)> start_beside);

 private:
  const RunPlan& run_;
  const Benchmark& benchmark_;
};

}  // namespace drover::run
