// MetricsEndpoint: shows a run to Prometheus while it goes on, at http://ADDRESS/metrics.
//
// An observer like the others: it is told of a snapshot a second, on the main thread, and keeps the
// few hundred numbers of it that are shown. Scrapes are answered by threads of its own, which share
// with the main thread one pointer under a mutex: a scrape never waits for the run, nor the run for
// a scrape. Between two snapshots every scrape says the same, but for the figures of the process.
//
// GET /metrics is answered, and nothing else. Two threads of low priority (nice 10) serve, one accepts: clients
// that are slow, or ask all the time, take little from the run. A client has a few seconds for its request; those
// that wait in line beyond the queues of civetweb (20) and of the kernel are refused. No file is ever read, no
// other method or path is answered, no script of a foreign web page may read the answer. The threads take
// no signals, whatever the mask of the thread that makes them: SIGINT, SIGTERM and SIGWINCH are for
// others. While it lives, the process ignores SIGPIPE.
//
// To be made on the main thread before the run begins, and after the interrupts were blocked, as
// all that starts threads (its own block every signal by themselves). The last figures are shown
// until it is destroyed.
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
  // `info`: labels of drover_run_info, such as ("version", "0.1.0"). Throws std::runtime_error if
  // the address cannot be listened on.
  MetricsEndpoint(const ListenAddress& address, const load::Plan& plan,
                  std::vector<std::pair<std::string, std::string>> info);
  ~MetricsEndpoint() override;  // at once, or when a slow client has had its time

  // "http://127.0.0.1:9464/metrics", with the port that was taken.
  std::string url() const;

  void on_started(coro::Duration ramp_up) override;
  void on_snapshot(const load::Snapshot& snapshot) override;
  void on_ended(bool database_away) override;

  // The run is over: from now on the counts are those of its result, to the last transaction.
  void show_outcome(const load::Outcome& outcome);

 private:
  // On the threads of the server.
  std::vector<prometheus::MetricFamily> Collect() const override;

  template <class Change>
  void change(Change change);

  const RunDescription run_;
  RunFigures latest_;  // the main thread's
  mutable std::mutex mutex_;
  std::shared_ptr<const RunFigures> shown_;               // under the mutex
  ListenAddress address_;                                 // with the port that was taken
  std::shared_ptr<prometheus::Collectable> collectable_;  // this object
  // civetweb's threads ignore SIGPIPE for the whole process, each when it begins: it can be as it
  // was only when they have ended.
  struct sigaction pipe_before_{};
  std::unique_ptr<prometheus::Exposer> exposer_;
};

}  // namespace drover::metrics
