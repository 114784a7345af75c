// MetricsEndpoint: shows a run to Prometheus at http://ADDRESS/metrics.
//
// The main thread passes a snapshot per second. Threads of the endpoint answer scrapes, and share
// one pointer to the figures with the main thread under a mutex, so neither side waits for the
// other.
//
// Only GET /metrics is answered. Two threads serve requests at low priority (nice 10), so that slow
// or frequent clients take little from the run. A request must arrive within 5 s, and requests
// beyond the queues of civetweb (20) and of the kernel are refused. No file is read, and scripts of
// other web pages cannot read the answer. The threads take no signals. The process ignores SIGPIPE
// while the endpoint lives.
#pragma once

#include <prometheus/collectable.h>

#include <csignal>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "load/plan.h"
#include "load/run.h"
#include "load/snapshot.h"
#include "metrics/families.h"
#include "metrics/listen_address.h"

namespace prometheus {
class Exposer;
}

namespace drover::metrics {

class MetricsEndpoint final : public load::Observer, prometheus::Collectable {
 public:
  // Must be called on the main thread before the run, after interrupts were blocked. `info`: labels
  // of drover_run_info. Throws std::runtime_error if the address cannot be listened on.
  MetricsEndpoint(const ListenAddress& address, const load::Plan& plan,
                  std::vector<std::pair<std::string, std::string>> info);
  ~MetricsEndpoint() override;  // may wait 5 s for a slow client

  // "http://127.0.0.1:9464/metrics"
  std::string url() const;

  void on_started(coro::Duration ramp_up) override;
  void on_snapshot(const load::Snapshot& snapshot) override;
  void on_ended(bool database_away) override;

  // Shows the counts of the result, which contain transactions after the last snapshot.
  void show_outcome(const load::Outcome& outcome);

 private:
  // Called on the threads of the server.
  std::vector<prometheus::MetricFamily> Collect() const override;

  template <class Change>
  void change(Change change);

  const RunDescription run_;
  RunFigures latest_;  // for the main thread only
  mutable std::mutex mutex_;
  std::shared_ptr<const RunFigures> shown_;               // protected by the mutex
  ListenAddress address_;                                 // with the real port
  std::shared_ptr<prometheus::Collectable> collectable_;  // this object
  // Each civetweb thread sets the process to ignore SIGPIPE, so the handler is restored after their
  // end.
  struct sigaction pipe_before_{};
  std::unique_ptr<prometheus::Exposer> exposer_;
};

}  // namespace drover::metrics
