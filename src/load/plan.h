// Plan: what a run asks of the engine, validated and with every "auto" resolved. A workload's plan
// derives from it. Plain values.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "coro/clock.h"
#include "database/backend.h"

namespace drover::load {

// The part of a whole that one of several hosts has, by weights: of warehouses, clients, rows,
// connections, or of a rate.
struct Share {
  // The sum of the weights of the hosts before this one, its own weight, and the sum of all
  // weights. The default is the share of a single host.
  std::uint64_t before = 0;
  std::uint64_t own = 1;
  std::uint64_t total = 1;
  std::uint64_t rank = 0;   // number of this host, from 0
  std::uint64_t ranks = 1;  // number of hosts

  bool operator==(const Share&) const = default;

  bool is_whole() const noexcept { return own == total; }

  // Return the first item of this host and the item after its last one, of `count` items. Each item
  // belongs to exactly one host. Requires: count * total fits into 128 bits.
  std::uint64_t begin(std::uint64_t count) const noexcept { return cut(count, before); }
  std::uint64_t end(std::uint64_t count) const noexcept { return cut(count, before + own); }
  // Returns the number of items of this host.
  std::uint64_t of(std::uint64_t count) const noexcept { return end(count) - begin(count); }

  double of_rate(double rate) const noexcept {
    return is_whole() ? rate : rate * static_cast<double>(own) / static_cast<double>(total);
  }

 private:
  __extension__ using Wide = unsigned __int128;

  std::uint64_t cut(std::uint64_t count, std::uint64_t weights) const noexcept {
    return static_cast<std::uint64_t>(static_cast<Wide>(count) * weights / total);
  }
};

// A type of transaction. The name is printable UTF-8 and unique in its workload.
struct TransactionType {
  std::string name;                            // "Transfer"
  std::optional<double> latency_limit_s = {};  // of the 90th percentile
  std::optional<double> share = {};            // planned share of all transactions: 0 to 1
};

// A part of the size of the data, such as {"row", 20}. The noun consists of small letters, because
// it becomes the name of a metric.
struct Quantity {
  std::string noun;
  std::uint64_t count = 0;
};

// The main figure of a run: transactions per time unit. The default counts all types per second.
struct Headline {
  std::string name = "tx/s";             // "tpmC"
  std::optional<std::size_t> type = {};  // the only type that counts; none: all types
  double seconds = 1;                    // the time unit: 60 for a figure per minute
  // The highest value that the load can reach, to which efficiency refers; 0: no such limit.
  double most = 0;

  bool is_all_a_second() const noexcept { return !type && seconds == 1; }
};

// The names, size and limits of a workload, with which the live screen, the progress lines and the
// metrics show its run.
struct WorkloadInfo {
  std::string benchmark = "a workload";  // name for people
  std::string key = "workload";          // in names of metrics: small letters, digits and _
  std::vector<Quantity> size = {};       // of the data, without the terminals
  std::string terminal = "terminal";     // noun for a terminal or client
  // The benchmark's name for transactions that roll back on purpose.
  std::string rollbacks = "rolled back on purpose";
  std::vector<TransactionType> types = {{.name = "transaction"}};  // at least one
  Headline headline = {};
  bool looks_up_commits = true;  // the workload can look up unknown commits after the run
};

struct RetryPolicy {
  // Attempts at one transaction whose errors are retryable, the first attempt included.
  int attempts_max = 20;
  // The n-th pause is random in [0, min(pause_max, pause_first * 2^(n-1))]: full jitter.
  coro::Duration pause_first = std::chrono::milliseconds(2);
  coro::Duration pause_max = std::chrono::milliseconds(500);
  // Pauses of database::Backoff::slow are counted separately. The n-th one is random in [d/2, d]
  // with d = min(slow_pause_max, slow_pause_first * 2^(n-1)).
  coro::Duration slow_pause_first = std::chrono::seconds(1);
  coro::Duration slow_pause_max = std::chrono::seconds(64);
};

struct Plan {
  WorkloadInfo workload;
  // The duration of a run that ends only when its operations are done.
  static constexpr coro::Duration without_end = std::chrono::hours(24 * 365);

  // This host's share of a run on several hosts. Warehouses, clients, rate and operations are those
  // of all hosts. Threads, connections and permits are those of this host.
  Share share = {};
  // True if terminals wait until the phases are known, so that several hosts begin at one instant.
  bool waits_for_phases = false;
  std::size_t terminal_count = 0;  // of this host
  std::size_t clients = 0;         // of all hosts, for ClientLoop: see set_clients()
  coro::Duration warmup{};
  coro::Duration duration{};
  std::size_t threads = 1;
  std::size_t connections = 0;         // over all threads; 0 without a database
  std::size_t connections_before = 0;  // of the hosts before this one
  std::size_t max_inflight = 0;        // transactions at a time, over all threads; 0: no limit
  std::uint64_t seed = 0;
  // Open loop: transactions that the clients of all hosts start per second. 0: closed loop.
  double rate = 0;
  bool poisson = false;         // open loop: exponential instead of constant gaps
  coro::Duration think_time{};  // closed loop: pause of a client after each answer
  // Number of transactions, over all hosts, after which the run ends; 0: the run ends by time.
  std::uint64_t operations = 0;
  // Names of the server hosts over which connections are distributed.
  std::vector<std::string> hosts = {};
  // True if each transaction is executed at the server host of its home (Transaction::home()).
  bool affinity = false;
  // The homes of this host are home_count numbers from home_first on.
  std::size_t home_first = 0;
  std::size_t home_count = 0;
  // The server host of each home, over all hosts. Empty: home modulo the number of server hosts.
  std::vector<std::size_t> home_hosts = {};
  coro::Duration connection_max_age{};  // 0: no limit
  RetryPolicy retry;
  // The time after which transactions that are in flight at the end are cancelled.
  coro::Duration drain_patience = std::chrono::seconds(5);

  // Set the clients or connections of all hosts, and by `share` those of this host. Requires: the
  // share is set.
  void set_clients(std::size_t of_all) noexcept {
    clients = of_all;
    terminal_count = static_cast<std::size_t>(share.of(of_all));
  }
  void set_connections(std::size_t of_all) noexcept {
    connections = static_cast<std::size_t>(share.of(of_all));
    connections_before = static_cast<std::size_t>(share.begin(of_all));
  }
  // Sets the connections of this host, if each host chooses its own number. Assumes that the hosts
  // before this one chose as many by weight.
  void set_own_connections(std::size_t own) noexcept {
    connections = own;
    connections_before = static_cast<std::size_t>(own * share.before / share.own);
  }
  // Returns the number of this host's first client. Clients are numbered over all hosts, so that a
  // client has the same inputs on any host.
  std::size_t first_client() const noexcept {
    return static_cast<std::size_t>(share.begin(clients));
  }
  double own_rate() const noexcept { return share.of_rate(rate); }
  std::uint64_t own_operations() const noexcept { return share.of(operations); }

  // Returns a number that no other worker of any host has, for random number streams.
  std::uint64_t number_of_worker(std::size_t index) const noexcept {
    return share.rank << 32 | index;
  }

  // Returns how many of `count` items the thread `index` gets, if they are dealt out in turns.
  std::uint64_t share_of_worker(std::size_t index, std::uint64_t count) const noexcept {
    return count / threads + (index < count % threads ? 1 : 0);
  }

  // Returns the server host of a home. Requires: affinity.
  std::size_t host_of_home(std::size_t home) const noexcept {
    return home < home_hosts.size() ? home_hosts[home] : home % hosts.size();
  }

  // Returns the upkeep of a worker's connections. Without affinity each worker connects to the
  // server hosts in turn. With affinity a worker connects to the hosts of its own homes.
  database::SessionUpkeep upkeep_of_worker(std::size_t index) const;

 private:
  // Returns the host of each connection of the worker, by the number of its homes at each host.
  std::vector<std::size_t> hosts_by_homes(std::size_t index) const;
};

}  // namespace drover::load
