// RoundTrip: starts the time limit of a round trip and stops it when it is destroyed. Used by
// Connection only.
#pragma once

#include "database/postgres/connection.h"

namespace drover::database::postgres {

class Connection::RoundTrip {
 public:
  explicit RoundTrip(Connection& connection) : timer_(connection.round_trip_timer_) {
    if (connection.round_trip_limit_) timer_.begin(*connection.round_trip_limit_);
  }
  RoundTrip(const RoundTrip&) = delete;
  RoundTrip& operator=(const RoundTrip&) = delete;
  ~RoundTrip() { timer_.end(); }

 private:
  RoundTripTimer& timer_;
};

}  // namespace drover::database::postgres
