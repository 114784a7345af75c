#include "run/run_monitors.h"

#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <utility>

#include "ranks/member_run.h"
#include "run/process.h"

namespace drover::run {

using coro::Scope;
using coro::Task;

ServerWatches::ServerWatches(const RunPlan& run, const Benchmark& benchmark, load::Observer& log) {
  const database::ObservedServer* server = benchmark.server();
  if (server == nullptr) return;
  const auto on_note = [&log](std::string_view text) { log.on_note(text); };
  checkpoints_ = server->watch_checkpoints(on_note);
  if (run.settings.server_stats) activity_ = server->watch_activity(on_note);
}

void ServerWatches::on_started(coro::Duration /*ramp_up*/) {
  if (scope_ == nullptr) return;
  if (checkpoints_ != nullptr) scope_->start(checkpoints_->run());
  if (activity_ != nullptr) scope_->start(activity_->run());
}

Task<void> ServerWatches::finish_activity(coro::Duration timeout) {
  if (activity_ != nullptr) co_await activity_->finish(timeout);
}

void ServerWatches::add_to(RunFacts& facts) const {
  if (checkpoints_ != nullptr) facts.checkpoints = checkpoints_->observed();
  if (activity_ != nullptr) facts.activity = activity_->observed();
}

void BackendNotes::add(std::string_view text) {
  const std::lock_guard lock(mutex_);
  if (std::ranges::find(notes_, text) == notes_.end()) notes_.emplace_back(text);
}

void BackendNotes::pass_on() {
  std::vector<std::string> news;
  {
    const std::lock_guard lock(mutex_);
    news.assign(notes_.begin() + static_cast<std::ptrdiff_t>(passed_on_), notes_.end());
    passed_on_ = notes_.size();
  }
  for (const std::string& note : news) log_.on_note(note);
}

RunMonitors::RunMonitors(const RunPlan& run, Benchmark& benchmark, ui::RunTitle title,
                         const std::string& server_version)
    : display(ui::make_run_display(run.ui, benchmark.plan(), std::move(title),
                                   [this] { stop.request(); })),
      server(run, benchmark, observers),
      notes(observers),
      run_(run),
      benchmark_(benchmark) {
  observers.add(*display);
  if (run.member != nullptr) observers.add(*run.member);
  if (load::Observer* own = benchmark.observer()) observers.add(*own);
  if (run.metrics) {
    metrics =
        open_metrics_endpoint(*run.metrics, benchmark.plan(), run.tool, server_version, observers);
    observers.add(*metrics);
  }
  observers.add(server);
  observers.add(notes);
}

void RunMonitors::print_notes(const std::vector<std::string>& of_server,
                              const std::string& kind_name) {
  for (const std::string& note : of_server) observers.on_note(note);
  for (const std::string& note : benchmark_.notes()) observers.on_note(note);
  if (run_.settings.server_stats && !server.can_watch_activity()) {
    observers.on_note(fmt::format(
        "note: --server-stats has no effect: {} does not show what its sessions do", kind_name));
  }
}

Task<void> RunMonitors::run(std::function<Task<void>()> work,
                            std::function<void(Scope&)> start_beside) {
  InterruptWatch interrupt([this] {
    observers.on_note("interrupted: ending the run. Interrupt again to end it at once");
    if (run_.member != nullptr) run_.member->ask_for_end();
    stop.request();
  });
  Scope beside(co_await coro::current_source());
  beside.start(interrupt.watch());
  beside.start(display->attend());
  start_beside(beside);
  std::exception_ptr error;
  try {
    co_await work();
  } catch (...) {
    error = std::current_exception();
  }
  beside.cancel();
  co_await beside.join();
  if (error) std::rethrow_exception(error);
}

}  // namespace drover::run
