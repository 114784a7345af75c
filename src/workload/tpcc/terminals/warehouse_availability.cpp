#include "workload/tpcc/terminals/warehouse_availability.h"

#include <algorithm>
#include <array>
#include <string_view>

namespace drover::tpcc {

using coro::Instant;
using database::Error;
using database::ErrorClass;

namespace {

constexpr std::uint32_t failures_of_an_away_warehouse = 3;

// Whether the database is at fault: connections, resources, operators, and errors of the system.
bool is_of_the_database(const Error& error) {
  if (error.error_class() == ErrorClass::denied) return false;
  if (error.error_class() != ErrorClass::statement) return true;
  constexpr std::array<std::string_view, 5> classes = {"08", "53", "57", "58", "XX"};
  return std::ranges::find(classes, error.sqlstate().substr(0, 2)) != classes.end();
}

}  // namespace

void WarehouseAvailability::failed(std::int32_t w_id, Instant begun, const Error& error) {
  if (!is_of_the_database(error)) return;
  State& state = state_of(w_id);
  if (state.failures++ == 0) state.first_failure = std::max(begun, state.last_commit);
}

void WarehouseAvailability::committed(std::int32_t w_id, Instant now) {
  State& state = state_of(w_id);
  if (state.failures >= failures_of_an_away_warehouse) {
    ended_.push_back({w_id, state.first_failure, now});
  }
  state.failures = 0;
  state.last_commit = now;
}

std::vector<WarehouseAvailability::Stretch> WarehouseAvailability::stretches() const {
  std::vector<Stretch> all = ended_;
  std::int32_t w_id = first_;
  for (const State& state : states_) {
    if (state.failures >= failures_of_an_away_warehouse) {
      all.push_back({w_id, state.first_failure, Instant::max()});
    }
    w_id += step_;
  }
  return all;
}

}  // namespace drover::tpcc
