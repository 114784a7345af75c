#include "metrics/metrics_endpoint.h"

#include <fmt/format.h>

#include "measure/process.h"

namespace drover::metrics {

MetricsEndpoint::MetricsEndpoint(const ListenAddress& address, const tpcc::Plan& plan,
                                 std::vector<std::pair<std::string, std::string>> info)
    : run_{.plan = plan, .info = std::move(info)},
      latest_(plan.threads),
      shown_(std::make_shared<const RunFigures>(latest_)),
      server_(address, *this) {}

std::string MetricsEndpoint::url() const {
  return fmt::format("http://{}/metrics", server_.address().text());
}

std::vector<prometheus::MetricFamily> MetricsEndpoint::Collect() const {
  std::unique_lock lock(mutex_);
  const std::shared_ptr<const RunFigures> shown = shown_;
  lock.unlock();
  return families_of(run_, *shown, measure::read_process_usage());
}

template <class Change>
void MetricsEndpoint::change(Change change) {
  change(latest_);
  auto figures = std::make_shared<const RunFigures>(latest_);
  const std::lock_guard lock(mutex_);
  shown_.swap(figures);
}

void MetricsEndpoint::on_started(coro::Duration /*ramp_up*/) {
  change([&](RunFigures& figures) {
    figures.state =
        run_.plan.warmup > coro::Duration::zero() ? RunState::warmup : RunState::measure;
    figures.database.connections_open = run_.plan.connections;
  });
}

void MetricsEndpoint::on_snapshot(const load::Snapshot& snapshot) {
  change([&](RunFigures& figures) { figures.take(snapshot); });
}

void MetricsEndpoint::on_ended(bool database_away) {
  change([&](RunFigures& figures) { figures.end(database_away); });
}

void MetricsEndpoint::show_outcome(const load::Outcome& outcome) {
  change([&](RunFigures& figures) { figures.take(outcome); });
}

}  // namespace drover::metrics
