#include "metrics/metrics_endpoint.h"

#include <fmt/format.h>
#include <prometheus/collectable.h>

#include <mutex>

#include "measure/process.h"
#include "metrics/families.h"
#include "metrics/run_figures.h"

namespace drover::metrics {

// Where the main thread puts up its figures, and the server's threads read them.
class MetricsEndpoint::Board final : public prometheus::Collectable {
 public:
  explicit Board(RunDescription run)
      : run_(std::move(run)),
        latest_(run_.threads),
        shown_(std::make_shared<const RunFigures>(latest_)) {}

  std::vector<prometheus::MetricFamily> Collect() const override {
    return families_of(run_, *shown(), measure::read_process_usage());
  }

  // On the main thread.
  template <class Change>
  void change(Change change) {
    change(latest_);
    auto figures = std::make_shared<const RunFigures>(latest_);
    const std::lock_guard lock(mutex_);
    shown_.swap(figures);
  }

  const RunDescription& run() const noexcept { return run_; }

 private:
  std::shared_ptr<const RunFigures> shown() const {
    const std::lock_guard lock(mutex_);
    return shown_;
  }

  const RunDescription run_;
  RunFigures latest_;  // the main thread's
  mutable std::mutex mutex_;
  std::shared_ptr<const RunFigures> shown_;  // under the mutex
};

MetricsEndpoint::MetricsEndpoint(const ListenAddress& address, const load::Plan& plan,
                                 std::vector<std::pair<std::string, std::string>> info)
    : board_(std::make_shared<Board>(RunDescription::of(plan, std::move(info)))),
      server_(address, board_) {}

MetricsEndpoint::~MetricsEndpoint() = default;

std::string MetricsEndpoint::url() const {
  return fmt::format("http://{}/metrics", server_.address().text());
}

void MetricsEndpoint::on_started(coro::Duration /*ramp_up*/) {
  const bool has_warmup = board_->run().has_warmup;
  const std::size_t connections = board_->run().connections;
  board_->change([&](RunFigures& figures) {
    figures.state = has_warmup ? RunState::warmup : RunState::measure;
    figures.database.connections_open = connections;
  });
}

void MetricsEndpoint::on_snapshot(const load::Snapshot& snapshot) {
  board_->change([&](RunFigures& figures) { figures.take(snapshot); });
}

void MetricsEndpoint::on_ended(bool database_away) {
  board_->change([&](RunFigures& figures) { figures.end(database_away); });
}

void MetricsEndpoint::show_outcome(const load::Outcome& outcome) {
  board_->change([&](RunFigures& figures) { figures.take(outcome); });
}

}  // namespace drover::metrics
