// Plan: what a run asks of the engine, validated and with every "auto" resolved. Values only; a workload adds its own.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "coro/clock.h"
#include "database/backend.h"
#include "load/presentation.h"
#include "load/share.h"

namespace drover::load {

struct RetryPolicy {
  // Attempts at one transaction that fails with a serialization failure, a deadlock, or another
  // error that is retryable, the first included.
  int attempts_max = 20;
  // The n-th pause is random in [0, min(pause_max, pause_first * 2^(n-1))]: full jitter.
  coro::Duration pause_first = std::chrono::milliseconds(2);
  coro::Duration pause_max = std::chrono::milliseconds(500);
  // The pause of database::Backoff::slow is counted by itself: random in [d/2, d] with
  // d = min(slow_pause_max, slow_pause_first * 2^(n-1)).
  coro::Duration slow_pause_first = std::chrono::seconds(1);
  coro::Duration slow_pause_max = std::chrono::seconds(64);
};

struct Plan {
  Presentation presentation;
  // The duration of a run that ends when its operations are done, and no earlier.
  static constexpr coro::Duration without_end = std::chrono::hours(24 * 365);

  // What this host does of a run that several make together. The figures of the load (warehouses, clients, the rate,
  // operations) are those of all of them; threads, connections and permits are this host's.
  Share share = {};
  // Other hosts begin with this one: terminals come up and do nothing before the phases are known.
  bool waits_for_phases = false;
  std::size_t terminal_count = 0;  // of this host, as it is shown
  // Clients of all hosts, where terminals are clients (clients.h): see set_clients().
  std::size_t clients = 0;
  coro::Duration warmup{};
  coro::Duration duration{};
  std::size_t threads = 1;
  std::size_t connections = 0;  // over all threads; 0 where there is no database
  // Those of the hosts before this one: they are numbered over all hosts.
  std::size_t connections_before = 0;
  std::size_t max_inflight = 0;  // transactions at a time, over all threads; 0: no limit
  std::uint64_t seed = 0;
  // Transactions a second that clients (clients.h) begin by a schedule, over all hosts: an open loop. 0: each goes on
  // when it has its answer, a closed loop.
  double rate = 0;
  bool poisson = false;  // the schedule's gaps are exponential, else all alike
  std::uint64_t operations =
      0;  // the run ends when clients have done so many, over all hosts; 0: by time alone
  // Where sessions are spread over the hosts of a database: their names, and whether each transaction belongs to one
  // of them (Transaction::home()).
  std::vector<std::string> hosts = {};
  bool affinity = false;
  std::size_t home_first = 0;  // the lowest Transaction::home() of this host
  std::size_t home_count = 0;  // the homes of this host follow each other from home_first on
  // The host of each home, over all hosts. Empty: home modulo the number of hosts.
  std::vector<std::size_t> home_hosts = {};
  coro::Duration connection_max_age{};  // 0: sessions live as long as they do
  RetryPolicy retry;
  // How long transactions that are in flight at the end may go on before they are cancelled.
  coro::Duration drain_patience = std::chrono::seconds(5);

  // So many clients of all hosts, and terminal_count of them here: by the share, which is to be known before.
  void set_clients(std::size_t of_all) noexcept {
    clients = of_all;
    terminal_count = static_cast<std::size_t>(share.of(of_all));
  }
  // So many connections of all hosts, and `connections` of them here: likewise.
  void set_connections(std::size_t of_all) noexcept {
    connections = static_cast<std::size_t>(share.of(of_all));
    connections_before = static_cast<std::size_t>(share.begin(of_all));
  }
  // Each host has chosen for itself; those before this one likewise, as far as it can know.
  void set_own_connections(std::size_t own) noexcept {
    connections = own;
    connections_before = static_cast<std::size_t>(own * share.before / share.own);
  }
  // Clients are numbered over all hosts, so that each has the same inputs wherever it is.
  std::size_t first_client() const noexcept {
    return static_cast<std::size_t>(share.begin(clients));
  }
  double own_rate() const noexcept { return share.of_rate(rate); }
  std::uint64_t own_operations() const noexcept { return share.of(operations); }

  // What no other worker has, on this host or another: for random numbers that are to be its own.
  std::uint64_t number_of_worker(std::size_t index) const noexcept {
    return share.rank << 32 | index;
  }

  // The part of the thread `index` of `count` things that are dealt out to the threads in turns.
  std::uint64_t share_of_worker(std::size_t index, std::uint64_t count) const noexcept {
    return count / threads + (index < count % threads ? 1 : 0);
  }

  // The host of a home (Transaction::home()). Requires: affinity.
  std::size_t host_of_home(std::size_t home) const noexcept {
    return home < home_hosts.size() ? home_hosts[home] : home % hosts.size();
  }

  // Each worker has connections to all hosts, one after the other. Only with affinity they are dealt out in turns, as
  // the things are that have their homes there: so each worker has connections where its own are at home.
  database::SessionUpkeep upkeep_of_worker(std::size_t index) const;

 private:
  // Returns the host of each connection of the worker, by the number of its homes at each host.
  std::vector<std::size_t> hosts_by_homes(std::size_t index) const;
};

}  // namespace drover::load
