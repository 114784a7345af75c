// What the server does for a run, once a second by a session of its own: the wait events of the run's sessions
// (wait_events.h), and at the end what its statements cost (statement_costs.h).
//
// A session is found waiting with the probability of its share of the time, so that the mean number of sessions in an
// event, times the length of the run, is the time that was spent in it.
//
// Thread safety: none; it belongs to the worker whose task uses it.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "coro/clock.h"
#include "coro/task.h"
#include "database/activity_watch.h"
#include "database/postgres/access.h"
#include "database/postgres/connection.h"
#include "database/postgres/watch/statement_costs.h"
#include "database/postgres/watch/wait_events.h"

namespace drover::database::postgres {

class ServerActivityWatch final : public ActivityWatch {
 public:
  // Eight hours of one sample per second. When there are more, every second sample is dropped and
  // the interval doubles, so that all kept samples are equally far apart.
  static constexpr std::size_t samples_most = 28'800;
  static constexpr coro::Duration pause_between_samples = std::chrono::seconds(1);
  static constexpr coro::Duration pause_before_reopening = std::chrono::seconds(1);

  // `on_note` is called on the worker with lines for people, once for each thing that the server does not tell; it must
  // not throw.
  ServerActivityWatch(Access access, std::function<void(std::string_view)> on_note);

  // Throws nothing but Cancelled. A session that is lost is opened anew, for as long as it takes. Ends where there is
  // nothing to see. Start it when the sessions of the run are open: it takes a slot of the server.
  coro::Task<void> run() override;

  // The costs of statements are read once more, by another session.
  coro::Task<void> finish(coro::Duration patience) override;

  std::optional<ObservedActivity> observed() const override;

  // Drops every second sample.
  static void thin(std::vector<ActivitySample>& samples);

 private:
  coro::Task<void> watch_a_session();
  coro::Task<void> read_costs();
  void take(const std::vector<WaitEventCount>& counts, coro::Instant now);
  void note(std::string_view what, std::string_view reason);

  Access access_;
  std::function<void(std::string_view)> on_note_;
  ObservedActivity activity_;
  coro::Duration pause_ = pause_between_samples;
  StatementCosts costs_;
  bool known_ = false;        // the server has told at least once
  bool said_absent_ = false;  // that it cannot be asked yet
};

}  // namespace drover::database::postgres
