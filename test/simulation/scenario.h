// Scenario: all that a seed says of one simulated run: its load, its database, what fails and when.
//
// Values only. Instants count from the beginning of the simulation.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "coro/clock.h"
#include "standing_clock.h"
#include "workload/tpcc/terminals/plan.h"

namespace drover::simulation {

enum class FaultKind : std::uint8_t {
  crash,        // all sessions end; after `length` it is back with every commit
  failover,     // the same, and the commits of the last `lost` are gone
  standby,      // takes no writes for `length`; sessions stay
  freeze,       // answers nobody for `length`, then goes on
  freeze_some,  // some of its sessions
  refuse,       // no new session for `length`
  cut_some,     // some connections break; their processes see it when they are through
  cut_all,      // all of them
  deny,         // all end, and no login is accepted any more
  slow,         // everything takes 20 times as long for `length`
};
inline constexpr std::size_t fault_kind_count = 10;

struct Fault {
  FaultKind kind{};
  coro::Instant start;
  coro::Duration length{};
  coro::Duration lost{};
};

// How often a request meets it: one in so many; 0: never.
struct RequestFaults {
  std::int32_t deadlock = 0;
  std::int32_t serialization_failure = 0;
  std::int32_t overloaded = 0;  // retryable, with a long pause
  std::int32_t unique_violation = 0;
  std::int32_t disk_full = 0;
  std::int32_t cancelled = 0;  // 57014, as by an administrator
  std::int32_t no_permission = 0;
  std::int32_t slow = 0;               // takes 200 times as long
  std::int32_t cut_before_commit = 0;  // the server has got it, and dies before it
  std::int32_t cut_after_commit = 0;   // before it answers
  std::int32_t commit_on_its_own = 0;  // the connection breaks at once, the commit comes later
  std::int32_t commit_fails = 0;       // with 40001
  std::int32_t commit_rolls_back = 0;  // COMMIT is answered with the tag ROLLBACK
};

struct Scenario {
  std::uint64_t seed = 0;
  tpcc::Plan plan;
  bool wait_for_server = true;
  bool batched = true;  // Payment and Delivery go with their commit in one round trip
  coro::Duration statement_timeout{};  // zero: none
  coro::Duration resolve_patience{};
  std::int32_t undelivered = 0;  // orders of each district at the start
  coro::Duration statement_time{};
  coro::Duration connect_time{};
  RequestFaults requests;
  std::vector<Fault> faults;
  std::vector<Standstill> standstills;
  std::optional<coro::Instant> interrupt;

  // Nothing fails, nobody interrupts.
  bool is_calm() const noexcept;
  // How long the run may take at most, by all the limits that there are.
  coro::Duration longest() const noexcept;
};

Scenario draw_scenario(std::uint64_t seed);

// In a few lines, for people.
std::string describe(const Scenario& scenario);

std::string_view fault_name(FaultKind kind) noexcept;

}  // namespace drover::simulation
