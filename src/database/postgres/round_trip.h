// RoundTrip: as long as it lives, the limit of a round trip runs. For the files of Connection.
#pragma once

#include "coro/worker.h"
#include "database/postgres/connection.h"

namespace drover::database::postgres {

class Connection::RoundTrip {
 public:
  explicit RoundTrip(Connection& connection) : timer_(connection.round_trip_timer_) {
    if (!connection.round_trip_limit_ || timer_.expired) return;
    coro::Worker& worker = coro::Worker::current();
    worker.timers().add(timer_, worker.now() + *connection.round_trip_limit_);
  }
  RoundTrip(const RoundTrip&) = delete;
  RoundTrip& operator=(const RoundTrip&) = delete;
  ~RoundTrip() {
    if (timer_.armed()) coro::Worker::current().timers().remove(timer_);
  }

 private:
  RoundTripTimer& timer_;
};

}  // namespace drover::database::postgres
